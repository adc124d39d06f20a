//! Designs from dice: tables, keys, templates, indexes, entities and the questions that can be asked of them.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::conditions::Condition;
use sortkey_testkit::Random;

/// A type with the text that declares it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Slug,
    Text,
    Int(i64, i64),
    Words,
    Bool,
    Date,
    Iso,
    Milliseconds,
    Seconds,
    Decimal,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    optional: bool,
    /// `:= ...`, and of what.
    derived: Option<String>,
}

/// A kind of item.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    table: usize,
    pub(crate) attributes: Vec<Attribute>,
    /// How many of the first attributes make up the key.
    keys: usize,
    templates: Vec<String>,
}

/// A design.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    tables: Vec<String>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) questions: Vec<Question>,
}

/// What a pattern answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asks {
    Get,
    List,
    Count,
    Exists,
    Sum,
}

/// A pattern, and what it means.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) entity: usize,
    pub(crate) asks: Asks,
    equal: Vec<Attribute>,
    range: Option<Attribute>,
    prefix: Option<Attribute>,
    pub(crate) filter: Option<Condition>,
    /// An attribute that takes every value of its type.
    pub(super) every: Option<Attribute>,
    /// The attributes that `sum` adds up.
    pub(crate) summed: Option<String>,
    pub(crate) order: Option<(String, bool)>,
    text: String,
}

/// What a question is asked with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) equal: Vec<(String, Json)>,
    pub(crate) range: Option<(String, Option<Json>, Option<Json>)>,
    pub(crate) prefix: Option<(String, String)>,
}

const WORDS: [&str; 4] = ["open", "late", "done", "void"];
const START_MS: i64 = 1_767_225_600_000;

impl Kind {
    fn any(dice: &mut Random) -> Kind {
        match dice.below(12) {
            0 | 1 => Kind::Slug,
            2 | 3 => Kind::Text,
            4 => Kind::Int(0, 999),
            5 => Kind::Int(-20, 20),
            6 => Kind::Int(1, 9),
            7 => Kind::Words,
            8 => Kind::Bool,
            9 => Kind::Date,
            10 => dice.pick(&[Kind::Iso, Kind::Milliseconds, Kind::Seconds]).clone(),
            _ => Kind::Decimal,
        }
    }

    /// One that a key can be made of.
    fn of_key(dice: &mut Random) -> Kind {
        loop {
            let kind = Kind::any(dice);
            if kind != Kind::Bool {
                return kind;
            }
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Kind::Slug | Kind::Text | Kind::Words | Kind::Date | Kind::Iso)
    }

    fn is_time(&self) -> bool {
        matches!(self, Kind::Iso | Kind::Milliseconds | Kind::Seconds)
    }

    fn text(&self) -> String {
        match self {
            Kind::Slug => "slug(1..8)".to_owned(),
            Kind::Text => "string(1..12)".to_owned(),
            Kind::Int(least, most) => format!("int({least}..{most})"),
            Kind::Words => WORDS.join(" | "),
            Kind::Bool => "bool".to_owned(),
            Kind::Date => "date".to_owned(),
            Kind::Iso => "time(iso)".to_owned(),
            Kind::Milliseconds => "time(ms)".to_owned(),
            Kind::Seconds => "time(s)".to_owned(),
            Kind::Decimal => "decimal(6, 2)".to_owned(),
        }
    }

    /// A value as a call gives it and as its answer has it; few of them, so that they meet.
    pub(crate) fn value(&self, dice: &mut Random) -> Json {
        match self {
            Kind::Slug => json!(dice.pick(&["a", "b", "a-b", "ab", "z", "A", "a.b"])),
            Kind::Text => json!(dice.pick(&["a", "a b", "ü", "#", "a#b", "%", "Zz", "a%23b", "~", "日本"])),
            Kind::Int(least, most) => match dice.below(4) {
                0 => json!(least),
                1 => json!(most),
                _ => json!(dice.between(*least, *most)),
            },
            Kind::Words => json!(dice.pick(&WORDS)),
            Kind::Bool => json!(dice.once_in(2)),
            Kind::Date => json!(format!("2026-{:02}-{:02}", dice.between(1, 12), dice.between(1, 28))),
            Kind::Iso => {
                let (hour, milli) = (dice.between(0, 23), dice.pick(&[0, 1, 10, 999]));
                json!(format!("2026-03-{:02}T{hour:02}:00:00.{milli:03}Z", dice.between(1, 28)))
            }
            Kind::Milliseconds => json!(START_MS + dice.between(0, 5) * 1_000 + dice.between(0, 3)),
            Kind::Seconds => json!(START_MS / 1_000 + dice.between(0, 9)),
            Kind::Decimal => {
                dice.pick(&[json!(0), json!(1.5), json!(-2.25), json!(10), json!(9.99), json!(100)]).clone()
            }
        }
    }

    /// A value as a design writes it.
    pub(crate) fn literal(&self, value: &Json) -> String {
        match (self, value) {
            (Kind::Words, Json::String(word)) => word.clone(),
            (_, value) => value.to_string(),
        }
    }

    /// Whether values can be written in a design.
    fn is_written(&self) -> bool {
        !matches!(self, Kind::Milliseconds | Kind::Seconds)
    }

    /// A format of a slot that goes with the type. Free text that is not the last piece must be escaped.
    fn format(&self, is_last: bool, dice: &mut Random) -> &'static str {
        match (self, dice.below(3)) {
            (Kind::Text, _) if !is_last => ":escape",
            (Kind::Int(..), 0) => ":pad(3)",
            (Kind::Int(..), 1) => ":pad(2)",
            (Kind::Text, 0 | 1) => ":escape",
            (Kind::Iso | Kind::Milliseconds | Kind::Seconds, 0) => ":iso",
            (Kind::Iso | Kind::Milliseconds, 1) => ":ms",
            _ => "",
        }
    }
}

impl Generated {
    pub(crate) fn new(dice: &mut Random) -> Generated {
        let mut generated = Generated { tables: Vec::new(), entities: Vec::new(), questions: Vec::new() };
        for table in 0..=dice.below(2) {
            match dice.once_in(3) {
                true => generated.natural(table, dice),
                false => generated.templated(table, dice),
            }
        }
        for entity in 0..generated.entities.len() {
            for _ in 0..8 {
                let question = generated.question(entity, dice);
                generated.questions.push(question);
            }
        }
        generated
    }

    /// A table whose key is made of attributes themselves, with indexes of the same kind.
    fn natural(&mut self, table: usize, dice: &mut Random) {
        let attributes = attributes(dice);
        let sorted = dice.once_in(2);
        let keys = if sorted { 2 } else { 1 };
        let shape = if sorted { "(a0 | a1)" } else { "(a0)" };
        let mut text = format!("  key {shape}\n");
        for at in 0..dice.below(3) {
            let stored: Vec<&Attribute> =
                attributes.iter().skip(keys).filter(|each| each.kind != Kind::Bool).collect();
            if stored.len() < 2 {
                break;
            }
            let (first, second) = (dice.below(stored.len()), dice.below(stored.len()));
            let sort = if first == second { String::new() } else { format!(" | {}", stored[second].name) };
            let project = dice.pick(&["all", "keys"]);
            let _ = writeln!(text, "  index Own{at} ({}{sort}) project {project}", stored[first].name);
        }
        self.tables.push(format!("table T{table} \"table-{table}\" {{\n{text}}}\n"));
        self.entities.push(Entity { table, attributes, keys, templates: Vec::new() });
    }

    /// A table that several entities share, distinguished by their templates.
    fn templated(&mut self, table: usize, dice: &mut Random) {
        let project = dice.pick(&["all", "keys"]);
        let index = dice.once_in(2);
        let gsi = if index { format!("  index Gsi (gpk | gsk) project {project}\n") } else { String::new() };
        self.tables.push(format!("table T{table} \"table-{table}\" {{\n  key (pk | sk)\n{gsi}}}\n"));
        for _ in 0..=dice.below(2) {
            let attributes = attributes(dice);
            let name = self.entities.len();
            let slot = |at: usize, is_last: bool, dice: &mut Random| {
                let attribute = &attributes[at];
                format!("{{{}{}}}", attribute.name, attribute.kind.format(is_last, dice))
            };
            let keys = 2 + dice.below(2);
            let mut templates = vec![format!("pk = \"E{name}#{}\"", slot(0, true, dice))];
            let rest: Vec<String> = (1..keys).map(|at| slot(at, at + 1 == keys, dice)).collect();
            let before = dice.pick(&["", "S#", "S"]);
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
            self.entities.push(Entity { table, attributes: attributes.clone(), keys, templates });
        }
    }

    fn question(&self, at: usize, dice: &mut Random) -> Question {
        let entity = &self.entities[at];
        let asks = *dice.pick(&[
            Asks::Get,
            Asks::List,
            Asks::List,
            Asks::List,
            Asks::Count,
            Asks::Exists,
            Asks::Sum,
        ]);
        let (mut equal, mut range, mut prefix) = (Vec::new(), None, None);
        // Mostly a beginning of the key, sometimes of an index, sometimes anything.
        let start = if dice.once_in(3) { entity.keys.min(entity.attributes.len() - 1) } else { 0 };
        let bound = 1 + dice.below(3);
        for each in entity.attributes.iter().skip(start).take(bound) {
            equal.push(each.clone());
        }
        let next = entity.attributes.get(start + equal.len());
        if let Some(next) = next.filter(|_| asks != Asks::Get && dice.once_in(2)) {
            match next.kind.is_text() && next.kind != Kind::Words && dice.once_in(3) {
                true => prefix = Some(next.clone()),
                false => range = Some(next.clone()),
            }
        }
        let written: Vec<Attribute> =
            entity.attributes.iter().filter(|each| each.kind.is_written()).cloned().collect();
        let filter = (!written.is_empty() && asks != Asks::Get && dice.once_in(3))
            .then(|| Condition::any(&written, 2, dice));
        let bounded =
            equal.iter().position(|each: &Attribute| matches!(each.kind, Kind::Words | Kind::Int(1, 9)));
        let bounded = bounded.filter(|_| asks != Asks::Get && dice.once_in(3));
        let every = bounded.map(|at| equal.remove(at));
        let numbers: Vec<&Attribute> = entity
            .attributes
            .iter()
            .filter(|each| matches!(each.kind, Kind::Int(..) | Kind::Decimal))
            .collect();
        let asks = if asks == Asks::Sum && numbers.is_empty() { Asks::Count } else { asks };
        let summed = (asks == Asks::Sum).then(|| dice.pick(&numbers).name.clone());
        let order = next.filter(|_| asks == Asks::List && dice.once_in(2));
        let order = order.map(|each| (each.name.clone(), dice.once_in(2)));
        let name = format!("q{}", self.questions.len());
        let mut question = Question {
            name,
            entity: at,
            asks,
            equal,
            range,
            prefix,
            filter,
            every,
            summed,
            order,
            text: String::new(),
        };
        question.text = question.written(dice);
        question
    }

    /// The design as text, with some of its questions.
    pub(crate) fn text(&self, questions: &[&Question]) -> String {
        let mut text = String::from("design generated\n");
        text += &self.tables.concat();
        for (at, entity) in self.entities.iter().enumerate() {
            let _ = writeln!(text, "entity E{at} in T{} {{", entity.table);
            for template in &entity.templates {
                let _ = writeln!(text, "  {template}");
            }
            for attribute in &entity.attributes {
                let mark = if attribute.optional { "?" } else { "" };
                let derived = attribute.derived.as_ref().map(|of| format!(" := {of}")).unwrap_or_default();
                let _ = writeln!(text, "  {}{mark} {}{derived}", attribute.name, attribute.kind.text());
            }
            let names = entity.changeable().map(|each| each.name.as_str()).collect::<Vec<_>>().join(", ");
            let _ =
                writeln!(text, "}}\noperation make{at} = create E{at}\noperation drop{at} = delete E{at}");
            let _ = writeln!(text, "operation change{at} = update E{at} [{names}]");
        }
        for question in questions {
            let _ = writeln!(text, "{}", question.text);
        }
        text
    }
}

fn attributes(dice: &mut Random) -> Vec<Attribute> {
    let mut attributes: Vec<Attribute> = (0..5 + dice.below(3))
        .map(|at| {
            let kind = if at < 4 { Kind::of_key(dice) } else { Kind::any(dice) };
            let optional = at >= 4 && dice.once_in(3);
            Attribute { name: format!("a{at}"), kind, optional, derived: None }
        })
        .collect();
    if dice.once_in(3) {
        let kind = Kind::Int(0, 3);
        let derived = Some(format!("hash({}) % 4", attributes[0].name));
        attributes.insert(4, Attribute { name: "d".to_owned(), kind, optional: false, derived });
    }
    attributes
}

impl Entity {
    fn changeable(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().skip(self.keys).filter(|each| each.derived.is_none())
    }

    pub(crate) fn new_item(&self, dice: &mut Random) -> Map<String, Json> {
        let mut item = Map::new();
        for each in self.attributes.iter().filter(|each| each.derived.is_none()) {
            if !(each.optional && dice.once_in(3)) {
                item.insert(each.name.clone(), each.kind.value(dice));
            }
        }
        item
    }

    /// New values for some attributes; null takes an optional one away.
    pub(crate) fn changes(&self, dice: &mut Random) -> Map<String, Json> {
        let mut changes = Map::new();
        for each in self.changeable() {
            if dice.once_in(2) {
                let value = if each.optional && dice.once_in(3) { Json::Null } else { each.kind.value(dice) };
                changes.insert(each.name.clone(), value);
            }
        }
        changes
    }

    pub(crate) fn key_of(&self, item: &Map<String, Json>) -> Map<String, Json> {
        let keys = self.attributes.iter().take(self.keys);
        keys.filter_map(|each| Some((each.name.clone(), item.get(&each.name)?.clone()))).collect()
    }

    /// Whether an item is what it should be, apart from what is computed.
    pub(crate) fn same_but_derived(
        &self,
        found: &Map<String, Json>,
        expected: &Map<String, Json>,
        text: &str,
    ) {
        for each in self.attributes.iter().filter(|each| each.derived.is_none()) {
            assert_eq!(found.get(&each.name), expected.get(&each.name), "{}\n{text}", each.name);
        }
    }
}

impl Question {
    fn written(&self, dice: &mut Random) -> String {
        let verb = match self.asks {
            Asks::Get => "get",
            Asks::List => "list",
            Asks::Count => "count",
            Asks::Exists => "exists",
            Asks::Sum => "sum",
        };
        let summed = self.summed.as_ref().map(|name| format!("({name})")).unwrap_or_default();
        let mut params = String::new();
        let mut wheres = String::new();
        if let Some(range) = &self.range {
            let ty = range.kind.text();
            params = format!("(low?: {ty}, high?: {ty})");
            wheres = format!(" where {} in low..high", range.name);
        }
        if let Some(prefix) = &self.prefix {
            params = "(start: string(1..12))".to_owned();
            wheres = format!(" where {} starts with start", prefix.name);
        }
        let mut by: Vec<String> = self.equal.iter().map(|each| each.name.clone()).collect();
        by.extend(self.every.as_ref().map(|each| format!("{} in all", each.name)));
        let filter =
            self.filter.as_ref().map(|filter| format!(" filter {}", filter.text())).unwrap_or_default();
        let order = match &self.order {
            Some((name, true)) => format!(" order by {name} desc"),
            Some((name, false)) => format!(" order by {name}"),
            None => String::new(),
        };
        let page = match self.asks {
            Asks::List => dice.pick(&[" page 3", " page 50", " all"]),
            _ => "",
        };
        let by = by.join(", ");
        format!(
            "pattern {}{params} = {verb}{summed} E{} by {by}{wheres}{filter}{order}{page}",
            self.name, self.entity
        )
    }

    /// Arguments for a call, mostly of an item that is there; and what they mean.
    pub(crate) fn arguments(
        &self,
        dice: &mut Random,
        items: &[(usize, Map<String, Json>)],
    ) -> (Map<String, Json>, Given) {
        let own: Vec<&Map<String, Json>> =
            items.iter().filter(|(entity, _)| *entity == self.entity).map(|(_, item)| item).collect();
        let model = if own.is_empty() || dice.once_in(8) { None } else { Some(*dice.pick(&own)) };
        let value = |each: &Attribute, dice: &mut Random| {
            let there = model.and_then(|item| item.get(&each.name)).cloned();
            there.unwrap_or_else(|| each.kind.value(dice))
        };
        let (mut arguments, mut given) = (Map::new(), Given::default());
        for each in &self.equal {
            let value = value(each, dice);
            arguments.insert(each.name.clone(), value.clone());
            given.equal.push((each.name.clone(), value));
        }
        if let Some(range) = &self.range {
            let mut bound = |name: &str, dice: &mut Random| {
                let bound = (!dice.once_in(4)).then(|| match dice.once_in(2) {
                    true => value(range, dice),
                    false => range.kind.value(dice),
                });
                bound.inspect(|bound| drop(arguments.insert(name.to_owned(), bound.clone())))
            };
            let (low, high) = (bound("low", dice), bound("high", dice));
            // Without bounds nothing is asked of the attribute, and it may be absent.
            if low.is_some() || high.is_some() {
                given.range = Some((range.name.clone(), low, high));
            }
        }
        if let Some(prefix) = &self.prefix {
            let text = value(prefix, dice).as_str().unwrap_or("a").to_owned();
            let text: String = text.chars().take(1 + dice.below(3)).collect();
            arguments.insert("start".to_owned(), json!(text));
            given.prefix = Some((prefix.name.clone(), text));
        }
        (arguments, given)
    }
}
