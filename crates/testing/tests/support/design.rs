//! Designs from dice: tables, keys, templates, indexes, entities with their rules, and what can be asked and done.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sortkey_testkit::Random;

use super::conditions::Condition;
use super::kinds::{Attribute, Kind, WORDS};
use super::operations::Operation;
use super::questions::Question;

/// The attribute of the caller, and of the items of a tenant.
pub(crate) const WHO: &str = "who";
/// The attribute that says when an item expires.
pub(crate) const UNTIL: &str = "until";
/// The attribute that says that an item counts as deleted.
pub(crate) const GONE: &str = "gone";
/// The attribute with `@version`.
pub(crate) const VERSION: &str = "ver";

/// A kind of item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entity {
    table: usize,
    pub(crate) attributes: Vec<Attribute>,
    /// How many of the first attributes make up the key.
    pub(crate) keys: usize,
    templates: Vec<String>,
    /// The entity before it, if both lie in the same collections.
    pub(crate) sibling: Option<usize>,
    pub(crate) uniques: Vec<Unique>,
    pub(crate) check: Option<Condition>,
    pub(crate) states: Option<States>,
}

/// `unique a, b when c`
#[derive(Clone, Debug)]
pub(crate) struct Unique {
    pub(crate) names: Vec<String>,
    pub(crate) when: Option<Condition>,
}

/// `states a { b -> c if d }`
#[derive(Clone, Debug)]
pub(crate) struct States {
    pub(crate) name: String,
    pub(crate) moves: Vec<(&'static str, &'static str, Option<Condition>)>,
}

/// A design.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generated {
    tables: Vec<String>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) questions: Vec<Question>,
    pub(crate) operations: Vec<Operation>,
}

impl Generated {
    pub(crate) fn new(dice: &mut Random) -> Generated {
        let mut generated = Generated::default();
        for table in 0..=dice.below(2) {
            match dice.once_in(3) {
                true => generated.natural(table, dice),
                false => generated.templated(table, dice),
            }
        }
        for at in 0..generated.entities.len() {
            for _ in 0..8 {
                let name = format!("q{}", generated.questions.len());
                generated.questions.push(Question::any(name, at, &generated.entities, dice));
            }
            generated.operations.extend(Operation::short(at, &generated.entities[at], dice));
        }
        for at in 0..6 + dice.below(6) {
            generated.operations.push(Operation::any(format!("op{at}"), &generated.entities, dice));
        }
        generated
    }

    /// A table whose key is made of attributes themselves, with indexes of the same kind.
    fn natural(&mut self, table: usize, dice: &mut Random) {
        let expires = dice.once_in(3);
        let mut entity = Entity { table, ..Entity::any(expires, dice) };
        let sorted = dice.once_in(2);
        entity.keys = if sorted { 2 } else { 1 };
        let names: Vec<&str> = entity.attributes.iter().map(|each| each.name.as_str()).collect();
        let key = names[..entity.keys].join(" | ");
        let mut text = format!("  key ({key})\n{}", ttl(expires));
        let stored: Vec<&Attribute> = entity.attributes.iter().skip(entity.keys).collect();
        let stored: Vec<&Attribute> = stored.into_iter().filter(|each| each.kind != Kind::Bool).collect();
        for at in 0..dice.below(3) {
            if stored.len() < 2 {
                break;
            }
            let (first, second) = (dice.below(stored.len()), dice.below(stored.len()));
            let sort = if first == second { String::new() } else { format!(" | {}", stored[second].name) };
            let project = dice.pick(&["all", "keys"]);
            let _ = writeln!(text, "  index Own{at} ({}{sort}) project {project}", stored[first].name);
        }
        self.tables.push(format!("table T{table} \"table-{table}\" {{\n{text}}}\n"));
        entity.rules(dice);
        self.entities.push(entity);
    }

    /// A table that several entities share, told apart by their templates.
    fn templated(&mut self, table: usize, dice: &mut Random) {
        let project = dice.pick(&["all", "keys"]);
        let (index, expires) = (dice.once_in(2), dice.once_in(3));
        let gsi = if index { format!("  index Gsi (gpk | gsk) project {project}\n") } else { String::new() };
        let ttl = ttl(expires);
        self.tables.push(format!("table T{table} \"table-{table}\" {{\n  key (pk | sk)\n{ttl}{gsi}}}\n"));
        for at in 0..=dice.below(2) {
            let mut entity = Entity { table, ..Entity::any(expires && !dice.once_in(3), dice) };
            let name = self.entities.len();
            let sibling = (at > 0 && dice.once_in(2)).then(|| name - 1);
            if let Some(sibling) = sibling.map(|at| &self.entities[at]) {
                entity.attributes.retain(|each| each.name != WHO);
                entity.attributes[0] = sibling.attributes[0].clone();
                let tenant = entity.attributes[0].name == WHO;
                entity.attributes.retain(|each| !tenant || each.derived.is_none());
            }
            let attributes = &entity.attributes;
            let slot = |at: usize, is_last: bool, dice: &mut Random| {
                let attribute = &attributes[at];
                // A key in lower case would make different items one.
                let lower = attribute.kind == Kind::Slug && at > 3 && dice.once_in(8);
                let format = if lower { ":lower" } else { attribute.kind.format(is_last, dice) };
                format!("{{{}{format}}}", attribute.name)
            };
            let keys = 2 + dice.below(2);
            let partition = match sibling {
                Some(sibling) => self.entities[sibling].templates[0].clone(),
                None => format!("pk = \"E{name}#{}\"", slot(0, true, dice)),
            };
            let mut templates = vec![partition];
            let rest: Vec<String> = (1..keys).map(|at| slot(at, at + 1 == keys, dice)).collect();
            let before = if sibling.is_some() { "C#" } else { *dice.pick(&["", "S#", "S"]) };
            templates.push(format!("sk = \"{before}{}\"", rest.join("#")));
            if index && attributes.len() > keys + 1 {
                // An index may hold the day of a time; a key would make different items one.
                let indexed =
                    |at: usize, dice: &mut Random| match attributes[at].kind.is_time() && dice.once_in(2) {
                        true => format!("{{{}:date}}", attributes[at].name),
                        false => slot(at, true, dice),
                    };
                templates.push(format!("gpk = \"G{name}#{}\"", indexed(keys, dice)));
                templates.push(format!("gsk = \"{}\"", indexed(keys + 1, dice)));
            }
            (entity.keys, entity.templates, entity.sibling) = (keys, templates, sibling);
            entity.rules(dice);
            self.entities.push(entity);
        }
    }

    /// Whether calls have a caller.
    pub(crate) fn has_caller(&self) -> bool {
        self.entities.iter().any(|entity| entity.attribute(WHO).is_some())
    }

    /// The design as text: a part without a name, then questions and operations, a line each.
    pub(crate) fn parts(&self) -> Vec<(Option<&str>, String)> {
        let mut text = String::from("design generated\n");
        if self.has_caller() {
            let _ = writeln!(text, "caller {{ {WHO} slug(1..8) }}");
        }
        text += &self.tables.concat();
        let mut parts = Vec::new();
        for (at, entity) in self.entities.iter().enumerate() {
            let _ = write!(text, "entity E{at} in T{} {{\n{}}}\n", entity.table, entity.text(at));
            let _ =
                writeln!(text, "system pattern all{at} = scan E{at} including expired including deleted all");
        }
        parts.push((None, text));
        parts.extend(self.operations.iter().map(|each| (Some(each.name.as_str()), each.text.clone())));
        parts.extend(self.questions.iter().map(|each| (Some(each.name.as_str()), each.text.clone())));
        parts
    }
}

fn ttl(expires: bool) -> String {
    if expires { format!("  ttl {UNTIL}\n") } else { String::new() }
}

impl Entity {
    /// Attributes; the key is made of the first of them.
    fn any(expires: bool, dice: &mut Random) -> Entity {
        let mut attributes: Vec<Attribute> = (0..5 + dice.below(3))
            .map(|at| {
                let kind = if at < 4 { Kind::of_key(dice) } else { Kind::any(dice) };
                let optional = at >= 4 && dice.once_in(3);
                let lower = kind == Kind::Slug && dice.once_in(4);
                let default = (at >= 4 && !optional && kind.is_written() && dice.once_in(3))
                    .then(|| kind.value(dice))
                    .filter(|_| !lower);
                Attribute { optional, lower, default, ..Attribute::new(&format!("a{at}"), kind) }
            })
            .collect();
        if dice.once_in(3) {
            let derived = Some(format!("hash({}) % 4", attributes[0].name));
            attributes.insert(4, Attribute { derived, ..Attribute::new("d", Kind::Int(0, 3)) });
        }
        if dice.once_in(3) {
            let place = if dice.once_in(2) { 0 } else { attributes.len() };
            attributes.insert(place, Attribute::new(WHO, Kind::Slug));
        }
        if expires {
            let optional = dice.once_in(2);
            attributes.push(Attribute { optional, ..Attribute::new(UNTIL, Kind::Seconds) });
        }
        if dice.once_in(4) {
            attributes.push(Attribute { default: Some(json!(false)), ..Attribute::new(GONE, Kind::Bool) });
        }
        if dice.once_in(4) {
            attributes.push(Attribute::new(VERSION, Kind::Int(0, 999_999)));
        }
        Entity { attributes, ..Entity::default() }
    }

    /// Rules for the items, once it is known what the key is.
    fn rules(&mut self, dice: &mut Random) {
        let plain: Vec<Attribute> = self.plain().cloned().collect();
        let others: Vec<Attribute> =
            plain.iter().filter(|each| self.is_changeable(each) && each.name != GONE).cloned().collect();
        if others.is_empty() {
            return;
        }
        if dice.once_in(3) {
            let text: Vec<&Attribute> = others.iter().filter(|each| !each.kind.is_time()).collect();
            for _ in 0..text.len().min(1 + dice.below(2)) {
                let mut names = vec![dice.pick(&text).name.clone()];
                let more = dice.pick(&plain);
                if dice.once_in(3) && !names.contains(&more.name) && more.name != GONE {
                    names.push(more.name.clone());
                }
                if self.uniques.iter().all(|each| each.names != names) {
                    let when = dice.once_in(3).then(|| Condition::any(&plain, 1, dice));
                    self.uniques.push(Unique { names, when });
                }
            }
        }
        if dice.once_in(4) {
            self.check = Some(Condition::any(&others, 1, dice));
        }
        let words = others.iter().find(|each| each.kind == Kind::Words && !each.optional);
        if let Some(words) = words.filter(|_| dice.once_in(2)) {
            let mut moves = Vec::new();
            for from in WORDS {
                for to in WORDS {
                    if dice.once_in(3) {
                        let condition = dice.once_in(4).then(|| Condition::any(&plain, 0, dice));
                        moves.push((from, to, condition));
                    }
                }
            }
            if !moves.is_empty() {
                self.states = Some(States { name: words.name.clone(), moves });
            }
        }
    }

    fn text(&self, at: usize) -> String {
        let mut text = String::new();
        for template in &self.templates {
            let _ = writeln!(text, "  {template}");
        }
        for attribute in &self.attributes {
            match attribute.name == VERSION {
                true => text += "  ver int @version\n",
                false => text += &attribute.text(),
            }
        }
        if self.attribute(WHO).is_some() {
            let _ = writeln!(text, "  tenant {WHO}");
        }
        if self.attribute(GONE).is_some() {
            let _ = writeln!(text, "  deleted when {GONE} = true");
        }
        for unique in &self.uniques {
            let when = unique.when.as_ref().map(|when| format!(" when {}", when.text("")));
            let _ = writeln!(
                text,
                "  unique {}{} else Taken{at}",
                unique.names.join(", "),
                when.unwrap_or_default()
            );
        }
        if let Some(check) = &self.check {
            let _ = writeln!(text, "  check {}", check.text(""));
        }
        if let Some(states) = &self.states {
            let _ = writeln!(text, "  states {} {{", states.name);
            for (from, to, condition) in &states.moves {
                let condition = condition.as_ref().map(|each| format!(" if {}", each.text("")));
                let _ = writeln!(text, "    {from} -> {to}{}", condition.unwrap_or_default());
            }
            text += "  }\n";
        }
        text
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|each| each.name == name)
    }

    /// The attributes that conditions may be about.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|each| each.is_plain() && each.name != VERSION)
    }

    /// Whether calls may give an attribute to an item that exists.
    pub(crate) fn is_changeable(&self, attribute: &Attribute) -> bool {
        let is_key = self.attributes[..self.keys].iter().any(|key| key.name == attribute.name);
        !is_key && attribute.derived.is_none() && attribute.name != WHO && attribute.name != VERSION
    }

    pub(crate) fn changeable(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|each| self.is_changeable(each))
    }

    /// The attributes that a new item is given.
    pub(crate) fn givable(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|each| each.derived.is_none() && each.name != VERSION)
    }

    pub(crate) fn key_attributes(&self) -> &[Attribute] {
        &self.attributes[..self.keys]
    }

    pub(crate) fn key_of(&self, item: &Map<String, Json>) -> Vec<Json> {
        self.key_attributes().iter().filter_map(|each| item.get(&each.name).cloned()).collect()
    }

    /// Whether the values of an attribute are computed, so that only the database has them.
    pub(crate) fn is_computed(&self, name: &str) -> bool {
        name == VERSION || self.attribute(name).is_none_or(|each| each.derived.is_some())
    }
}
