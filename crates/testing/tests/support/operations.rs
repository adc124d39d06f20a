//! Operations from dice, and what they are called with.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sortkey_testkit::Random;

use super::conditions::Condition;
use super::design::{Entity, GONE, VERSION, WHO};
use super::kinds::Attribute;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verb {
    Create,
    Put,
    Update,
    Upsert,
    Delete,
    Purge,
    Check,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) verb: Verb,
    pub(crate) entity: usize,
    /// What stands before the names of its parameters.
    prefix: String,
    /// The attributes that it gives, besides the key.
    pub(crate) gives: Vec<Attribute>,
    /// An attribute that it adds to.
    pub(crate) adds: Option<Attribute>,
    pub(crate) condition: Option<Condition>,
    /// Whether a parameter decides if it is done.
    pub(crate) may_be_skipped: bool,
    /// Whether the tenant in its key is the caller's.
    of_caller: bool,
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) name: String,
    pub(crate) system: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) is_transaction: bool,
    pub(crate) is_idempotent: bool,
    /// The statement whose result it answers.
    pub(crate) returns: Option<usize>,
    /// Whether what is not given stays as it is.
    pub(crate) is_short: bool,
    pub(crate) text: String,
}

/// What a statement is called with: values as they are stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Write {
    pub(crate) key: Map<String, Json>,
    /// Null takes a value away.
    pub(crate) gives: Map<String, Json>,
    pub(crate) adds: Option<(String, i64)>,
    pub(crate) is_skipped: bool,
}

impl Operation {
    /// The short forms of an entity: create, update, delete, upsert, put.
    pub(crate) fn short(at: usize, entity: &Entity, dice: &mut Random) -> Vec<Operation> {
        let names = entity.changeable().map(|each| each.name.as_str()).collect::<Vec<_>>().join(", ");
        let form = |verb: Verb, text: String, gives: Vec<Attribute>| {
            let step = Step { verb, entity: at, gives, ..Step::bare() };
            let name = text.split(' ').nth(1).unwrap_or_default().to_owned();
            let text = format!("{text}\n");
            Operation { name, steps: vec![step], text, is_short: true, returns: Some(0), ..Operation::bare() }
        };
        let rest: Vec<Attribute> = entity.givable().skip(entity.keys).cloned().collect();
        let changeable: Vec<Attribute> = entity.changeable().cloned().collect();
        let mut forms = vec![
            form(Verb::Create, format!("operation make{at} = create E{at}"), rest.clone()),
            form(Verb::Update, format!("operation change{at} = update E{at} [{names}]"), changeable.clone()),
            form(Verb::Delete, format!("operation drop{at} = delete E{at}"), Vec::new()),
        ];
        if dice.once_in(2) {
            forms.push(form(Verb::Put, format!("operation place{at} = put E{at}"), rest));
        }
        if dice.once_in(2) && entity.states.is_none() {
            forms.push(form(
                Verb::Upsert,
                format!("operation save{at} = upsert E{at} [{names}]"),
                changeable,
            ));
        }
        forms
    }

    /// An operation of one or more statements.
    pub(crate) fn any(name: String, entities: &[Entity], dice: &mut Random) -> Operation {
        let has_caller = entities.iter().any(|entity| entity.attribute(WHO).is_some());
        let system = has_caller && dice.once_in(3);
        let is_transaction = dice.once_in(2);
        let count = if is_transaction || dice.once_in(4) { 1 + dice.below(3) } else { 1 };
        let steps: Vec<Step> = (0..count)
            .map(|at| Step::any(at, entities, has_caller && !system, is_transaction, dice))
            .collect();
        let is_idempotent = (is_transaction || count == 1) && dice.once_in(4);
        let answers: Vec<usize> =
            (0..count).filter(|at| steps[*at].verb != Verb::Check && !steps[*at].may_be_skipped).collect();
        let returns = (!answers.is_empty() && dice.once_in(2)).then(|| *dice.pick(&answers));
        let mut operation =
            Operation { name, system, steps, is_transaction, is_idempotent, returns, ..Operation::bare() };
        operation.text = operation.written(entities);
        operation
    }

    fn bare() -> Operation {
        Operation {
            name: String::new(),
            system: false,
            steps: Vec::new(),
            is_transaction: false,
            is_idempotent: false,
            returns: None,
            is_short: false,
            text: String::new(),
        }
    }

    fn written(&self, entities: &[Entity]) -> String {
        let mut params: Vec<String> = Vec::new();
        let mut body = String::new();
        for (at, step) in self.steps.iter().enumerate() {
            params.extend(step.parameters(&entities[step.entity]));
            let result = if self.returns == Some(at) { format!("let r{at} = ") } else { String::new() };
            let _ = write!(body, " {result}{}", step.text(&entities[step.entity]));
        }
        if self.is_transaction {
            body = format!(" transact {{{body} }}");
        }
        let result = self.returns.map(|at| format!(" return r{at}")).unwrap_or_default();
        let system = if self.system { "system " } else { "" };
        let once = if self.is_idempotent { " idempotent by once" } else { "" };
        format!("{system}operation {}({}){once} {{{body}{result} }}\n", self.name, params.join(", "))
    }

    /// Arguments for a call, and what each statement does with them.
    pub(crate) fn arguments(
        &self,
        dice: &mut Random,
        entities: &[Entity],
        items: &[(usize, Map<String, Json>)],
        caller: Option<&str>,
    ) -> (Map<String, Json>, Vec<Write>) {
        let mut arguments = Map::new();
        let caller = caller.filter(|_| !self.system);
        let writes = self.steps.iter().map(|step| {
            step.arguments((&entities[step.entity], items, caller), self.is_short, dice, &mut arguments)
        });
        let writes = writes.collect();
        (arguments, writes)
    }
}

impl Step {
    fn bare() -> Step {
        Step {
            verb: Verb::Check,
            entity: 0,
            prefix: String::new(),
            gives: Vec::new(),
            adds: None,
            condition: None,
            may_be_skipped: false,
            of_caller: false,
        }
    }

    fn any(at: usize, entities: &[Entity], by_caller: bool, in_transaction: bool, dice: &mut Random) -> Step {
        let which = dice.below(entities.len());
        let entity = &entities[which];
        let verbs = [
            Verb::Create,
            Verb::Create,
            Verb::Put,
            Verb::Update,
            Verb::Update,
            Verb::Upsert,
            Verb::Delete,
            Verb::Purge,
            Verb::Check,
        ];
        let mut verb = *dice.pick(&verbs);
        if verb == Verb::Purge && entity.attribute(GONE).is_none() {
            verb = Verb::Delete;
        }
        let changeable: Vec<Attribute> = entity.changeable().cloned().collect();
        let (mut gives, mut adds) = (Vec::new(), None);
        match verb {
            Verb::Create | Verb::Put => {
                gives = entity.givable().skip(entity.keys).cloned().collect();
                gives.retain(|each| !(each.default.is_some() || each.optional) || !dice.once_in(4));
            }
            Verb::Update | Verb::Upsert => {
                gives = changeable.clone();
                let is_needed =
                    |each: &Attribute| verb == Verb::Upsert && each.default.is_none() && !each.optional;
                gives.retain(|each| is_needed(each) || dice.once_in(2));
                let is_counted = |each: &&Attribute| {
                    matches!(each.kind, super::kinds::Kind::Int(..))
                        && !each.optional
                        && gives.iter().all(|given| given.name != each.name)
                };
                adds = changeable.iter().find(is_counted).filter(|_| dice.once_in(2)).cloned();
                if verb == Verb::Upsert && entity.attribute(WHO).is_some_and(|who| !is_key(entity, who)) {
                    gives.extend(entity.attribute(WHO).filter(|_| !by_caller).cloned());
                }
            }
            Verb::Delete | Verb::Purge | Verb::Check => {}
        }
        let plain: Vec<Attribute> = entity.plain().cloned().collect();
        let may_ask = !matches!(verb, Verb::Create | Verb::Put) && !plain.is_empty();
        let depth = dice.below(3);
        let condition = (may_ask && (verb == Verb::Check || dice.once_in(3)))
            .then(|| Condition::any(&plain, depth, dice));
        Step {
            verb,
            entity: which,
            prefix: format!("p{at}_"),
            gives,
            adds,
            condition,
            may_be_skipped: dice.once_in(6) && !(in_transaction && verb == Verb::Check),
            of_caller: by_caller && !dice.once_in(4),
        }
    }

    /// The attributes of the key that are parameters.
    fn keys<'e>(&self, entity: &'e Entity) -> impl Iterator<Item = &'e Attribute> {
        let is_left_out = self.of_caller;
        entity.key_attributes().iter().filter(move |each| !(is_left_out && each.name == WHO))
    }

    fn parameters(&self, entity: &Entity) -> Vec<String> {
        let prefix = &self.prefix;
        let mut params: Vec<String> =
            self.keys(entity).map(|each| format!("{prefix}{}: {}", each.name, each.kind.text())).collect();
        let mark = |each: &Attribute| if each.optional { "?" } else { "" };
        let gives = self.gives.iter().filter(|each| !(self.of_caller && each.name == WHO));
        params.extend(gives.map(|each| format!("{prefix}{}{}: {}", each.name, mark(each), each.kind.text())));
        params.extend(self.adds.iter().map(|each| format!("{prefix}{}: int(1..3)", each.name)));
        if self.may_be_skipped {
            params.push(format!("{prefix}do: bool"));
        }
        params
    }

    fn text(&self, entity: &Entity) -> String {
        let (prefix, at) = (&self.prefix, self.entity);
        let value = |each: &Attribute| match self.of_caller && each.name == WHO {
            true => format!("{WHO}: caller.{WHO}"),
            false => format!("{}: {prefix}{}", each.name, each.name),
        };
        let mut fields: Vec<String> = self.gives.iter().map(value).collect();
        fields.extend(self.adds.iter().map(|each| format!("{} += {prefix}{}", each.name, each.name)));
        let keys: Vec<String> = entity.key_attributes().iter().map(value).collect();
        let verb = match self.verb {
            Verb::Create => "create",
            Verb::Put => "put",
            Verb::Update => "update",
            Verb::Upsert => "upsert",
            Verb::Delete => "delete",
            Verb::Purge => "purge",
            Verb::Check => "check",
        };
        let mut text = format!("{verb} E{at}");
        match self.verb {
            Verb::Create | Verb::Put => fields.extend(keys),
            _ => text += &format!("({})", keys.join(", ")),
        }
        if let Some(condition) = &self.condition {
            text += &format!(" if {} else Nope", condition.text("it."));
        }
        if !fields.is_empty() {
            text += &format!(" {{ {} }}", fields.join(", "));
        }
        if self.may_be_skipped {
            text += &format!(" when {prefix}do");
        }
        text
    }

    fn arguments(
        &self,
        (entity, items, caller): (&Entity, &[(usize, Map<String, Json>)], Option<&str>),
        is_short: bool,
        dice: &mut Random,
        arguments: &mut Map<String, Json>,
    ) -> Write {
        let own: Vec<&Map<String, Json>> =
            items.iter().filter(|(at, _)| *at == self.entity).map(|(_, item)| item).collect();
        let makes = matches!(self.verb, Verb::Create | Verb::Put | Verb::Upsert);
        let misses = if makes { dice.once_in(3) } else { !dice.once_in(8) };
        let model = (misses && !own.is_empty()).then(|| *dice.pick(&own));
        let name = |each: &str| format!("{}{each}", self.prefix);
        let mut write = Write::default();
        for each in entity.key_attributes() {
            let there = model.and_then(|item| item.get(&each.name)).cloned();
            let mut value = there.unwrap_or_else(|| each.kind.value(dice));
            if let (WHO, Some(caller)) = (each.name.as_str(), caller) {
                let is_own = self.of_caller || !dice.once_in(6);
                value = if is_own { json!(caller) } else { value };
            }
            if !(self.of_caller && each.name == WHO) {
                arguments.insert(name(&each.name), value.clone());
            }
            write.key.insert(each.name.clone(), each.stored(value));
        }
        for each in &self.gives {
            let is_free = each.optional || each.default.is_some();
            // In the short form of a change, what is not given stays as it is.
            let is_kept = is_short && matches!(self.verb, Verb::Update) && dice.once_in(2);
            let is_left_out = is_kept
                || match (self.verb, is_short) {
                    (Verb::Upsert, true) => is_free && dice.once_in(2),
                    (_, true) => !matches!(self.verb, Verb::Update) && is_free && dice.once_in(3),
                    (_, false) => false,
                };
            if is_left_out {
                continue;
            }
            let is_tenant = each.name == WHO;
            let is_nothing = each.optional && dice.once_in(4);
            let value = match (is_tenant, caller) {
                (true, Some(caller)) if self.of_caller || !dice.once_in(8) => json!(caller),
                _ if is_nothing => Json::Null,
                _ => each.kind.value(dice),
            };
            if !(self.of_caller && is_tenant) && !(value.is_null() && (makes || !is_short)) {
                arguments.insert(name(&each.name), value.clone());
            }
            write.gives.insert(each.name.clone(), each.stored(value));
        }
        if let Some(adds) = &self.adds {
            let by = dice.between(1, 3);
            arguments.insert(name(&adds.name), json!(by));
            write.adds = Some((adds.name.clone(), by));
        }
        if self.may_be_skipped {
            write.is_skipped = dice.once_in(2);
            arguments.insert(name("do"), json!(!write.is_skipped));
        }
        write
    }
}

fn is_key(entity: &Entity, attribute: &Attribute) -> bool {
    entity.key_attributes().iter().any(|key| key.name == attribute.name)
}

/// What a version is called, for calls that expect one.
pub(crate) fn version_of(item: &Map<String, Json>) -> Option<i64> {
    item.get(VERSION)?.as_i64()
}
