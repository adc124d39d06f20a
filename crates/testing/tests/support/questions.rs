//! Patterns from dice, and what they are asked with.

use serde_json::{Map, Value as Json, json};
use sortkey_testkit::Random;

use super::conditions::Condition;
use super::design::{Entity, GONE, UNTIL, WHO};
use super::kinds::{Attribute, Kind};

/// What a pattern answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asks {
    Get,
    List,
    Collect,
    Count,
    Exists,
    Sum,
}

/// How much of a list comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Most {
    Page(u32),
    Limit(u32),
    All,
}

/// A pattern, and what it means.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) entity: usize,
    /// The other entity of a collection.
    pub(crate) also: Option<usize>,
    pub(crate) asks: Asks,
    pub(crate) system: bool,
    pub(crate) with_expired: bool,
    pub(crate) with_deleted: bool,
    equal: Vec<Attribute>,
    range: Option<Attribute>,
    prefix: Option<Attribute>,
    pub(crate) filter: Option<Condition>,
    /// An attribute that takes every value of its type.
    pub(super) every: Option<Attribute>,
    /// An attribute that takes the values of a list.
    listed: Option<Attribute>,
    /// The attributes that `sum` adds up.
    pub(crate) summed: Option<String>,
    pub(crate) order: Option<(String, bool)>,
    pub(crate) most: Most,
    /// Attributes that an item lacks which the only index does not hold: the pattern asks for the others.
    pub(crate) omits: Vec<String>,
    pub(crate) text: String,
}

/// What a question is asked with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) caller: Option<String>,
    pub(crate) equal: Vec<(String, Json)>,
    pub(crate) listed: Option<(String, Vec<Json>)>,
    pub(crate) range: Option<(String, Option<Json>, Option<Json>)>,
    pub(crate) prefix: Option<(String, String)>,
}

impl Question {
    pub(crate) fn any(name: String, at: usize, entities: &[Entity], dice: &mut Random) -> Question {
        let entity = &entities[at];
        let asks = *dice.pick(&[
            Asks::Get,
            Asks::List,
            Asks::List,
            Asks::List,
            Asks::Count,
            Asks::Exists,
            Asks::Sum,
        ]);
        if let Some(also) = entity.sibling.filter(|_| dice.once_in(4)) {
            return Question::collecting(name, (at, also), entity, dice);
        }
        let has = |name: &str| entity.attribute(name).is_some();
        let system = has(WHO) && dice.once_in(3);
        let with_expired = has(UNTIL) && dice.once_in(4);
        let with_deleted = has(GONE) && dice.once_in(4);
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
        let plain: Vec<Attribute> = entity.plain().cloned().collect();
        let filter = (!plain.is_empty() && asks != Asks::Get && dice.once_in(3))
            .then(|| Condition::any(&plain, 2, dice));
        let bounded =
            equal.iter().position(|each: &Attribute| matches!(each.kind, Kind::Words | Kind::Int(1, 9)));
        let bounded = bounded.filter(|_| asks != Asks::Get && dice.once_in(3));
        let every = bounded.map(|at| equal.remove(at));
        let may_be_listed = !equal.is_empty() && asks != Asks::Get && dice.once_in(4);
        let listed = may_be_listed.then(|| equal.remove(dice.below(equal.len())));
        let numbers: Vec<&Attribute> =
            entity.attributes.iter().filter(|each| each.kind.is_number()).collect();
        let asks = if asks == Asks::Sum && numbers.is_empty() { Asks::Count } else { asks };
        let summed = (asks == Asks::Sum).then(|| dice.pick(&numbers).name.clone());
        let order = next.filter(|_| asks == Asks::List && dice.once_in(2));
        let order = order.map(|each| (each.name.clone(), dice.once_in(2)));
        let most = *dice.pick(&[Most::Page(3), Most::Page(1), Most::Page(50), Most::Limit(2), Most::All]);
        let mut question = Question {
            name,
            entity: at,
            also: None,
            asks,
            system,
            with_expired,
            with_deleted,
            equal,
            range,
            prefix,
            filter,
            every,
            listed,
            summed,
            order,
            most,
            omits: Vec::new(),
            text: String::new(),
        };
        question.text = question.written();
        question
    }

    /// A pattern that reads the items of two entities in one collection.
    fn collecting(name: String, (at, also): (usize, usize), entity: &Entity, dice: &mut Random) -> Question {
        let mut question = Question {
            name,
            entity: at,
            also: Some(also),
            asks: Asks::Collect,
            system: entity.attribute(WHO).is_some() && dice.once_in(3),
            with_expired: false,
            with_deleted: false,
            equal: vec![entity.attributes[0].clone()],
            range: None,
            prefix: None,
            filter: None,
            every: None,
            listed: None,
            summed: None,
            order: None,
            most: *dice.pick(&[Most::Page(3), Most::Page(1), Most::Limit(2), Most::All]),
            omits: Vec::new(),
            text: String::new(),
        };
        question.text = question.written();
        question
    }

    fn written(&self) -> String {
        let verb = match self.asks {
            Asks::Get => "get",
            Asks::List => "list",
            Asks::Collect => "collect",
            Asks::Count => "count",
            Asks::Exists => "exists",
            Asks::Sum => "sum",
        };
        let system = if self.system { "system " } else { "" };
        let summed = self.summed.as_ref().map(|name| format!("({name})")).unwrap_or_default();
        let mut params = Vec::new();
        let mut clauses = String::new();
        if let Some(range) = &self.range {
            let ty = range.kind.text();
            params.push(format!("low?: {ty}, high?: {ty}"));
            clauses += &format!(" where {} in low..high", range.name);
        }
        if let Some(prefix) = &self.prefix {
            params.push("start: string(1..12)".to_owned());
            clauses += &format!(" where {} starts with start", prefix.name);
        }
        let mut by: Vec<String> = self.equal.iter().map(|each| each.name.clone()).collect();
        by.extend(self.every.as_ref().map(|each| format!("{} in all", each.name)));
        if let Some(listed) = &self.listed {
            params.push(format!("some: list({}, max 9)", listed.kind.text()));
            by.push(format!("{} in some", listed.name));
        }
        if let Some(filter) = &self.filter {
            clauses += &format!(" filter {}", filter.text("it."));
        }
        match &self.order {
            Some((name, true)) => clauses += &format!(" order by {name} desc"),
            Some((name, false)) => clauses += &format!(" order by {name}"),
            None => {}
        }
        match (self.asks, self.most) {
            (Asks::List | Asks::Collect, Most::Page(count)) => clauses += &format!(" page {count}"),
            (Asks::List | Asks::Collect, Most::Limit(count)) => clauses += &format!(" limit {count}"),
            (Asks::List | Asks::Collect, Most::All) => clauses += " all",
            _ => {}
        }
        if self.with_expired {
            clauses += " including expired";
        }
        if self.with_deleted {
            clauses += " including deleted";
        }
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        let (name, entity, by) = (&self.name, self.entity, by.join(", "));
        let also = self.also.map(|also| format!("E{also}, ")).unwrap_or_default();
        format!("{system}pattern {name}{params} = {verb}{summed} {also}E{entity} by {by}{clauses}\n")
    }

    /// Arguments for a call, mostly of an item that is there; and what they mean.
    pub(crate) fn arguments(
        &self,
        dice: &mut Random,
        items: &[(usize, Map<String, Json>)],
        caller: Option<&str>,
    ) -> (Map<String, Json>, Given) {
        let own: Vec<&Map<String, Json>> =
            items.iter().filter(|(entity, _)| *entity == self.entity).map(|(_, item)| item).collect();
        let model = if own.is_empty() || dice.once_in(8) { None } else { Some(*dice.pick(&own)) };
        let value = |each: &Attribute, dice: &mut Random| {
            let there = model.and_then(|item| item.get(&each.name)).cloned();
            there.unwrap_or_else(|| each.kind.value(dice))
        };
        let caller = caller.filter(|_| !self.system).map(str::to_owned);
        let (mut arguments, mut given) = (Map::new(), Given { caller, ..Given::default() });
        for each in &self.equal {
            let own = given.caller.clone().filter(|_| each.name == WHO && !dice.once_in(8));
            let value = own.map_or_else(|| value(each, dice), Json::String);
            arguments.insert(each.name.clone(), value.clone());
            given.equal.push((each.name.clone(), each.stored(value)));
        }
        if let Some(listed) = &self.listed {
            let mut values: Vec<Json> = (0..dice.below(4)).map(|_| listed.kind.value(dice)).collect();
            values.extend(
                own.iter().filter(|_| dice.once_in(3)).filter_map(|item| item.get(&listed.name)).cloned(),
            );
            values.truncate(9);
            arguments.insert("some".to_owned(), json!(values));
            let values = values.into_iter().map(|value| listed.stored(value)).collect();
            given.listed = Some((listed.name.clone(), values));
        }
        if let Some(range) = &self.range {
            let mut bound = |name: &str, dice: &mut Random| {
                let bound = (!dice.once_in(4)).then(|| match dice.once_in(2) {
                    true => value(range, dice),
                    false => range.kind.value(dice),
                });
                let bound = bound.inspect(|bound| drop(arguments.insert(name.to_owned(), bound.clone())));
                bound.map(|bound| range.stored(bound))
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
            let text = prefix.stored(json!(text)).as_str().unwrap_or_default().to_owned();
            given.prefix = Some((prefix.name.clone(), text));
        }
        (arguments, given)
    }
}

impl Given {
    /// Whether the arguments name another tenant than the caller's own.
    pub(crate) fn is_foreign(&self) -> bool {
        let others = |(name, value): &(String, Json)| name == WHO && value.as_str() != self.caller.as_deref();
        self.caller.is_some() && self.equal.iter().any(others)
    }
}
