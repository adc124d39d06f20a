//! Every pattern of every system against an oracle: a brute-force filter over a full scan of generated data.
//!
//! Values come from small pools, so that items share partitions, times and prefixes, and parameters hit something.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sortkey_deploy::{Naming, deploy};
use sortkey_design::model::StringFormat;
use sortkey_design::program::{Arena, Attributes, BindValue, Bound, Conjunct, EntityId, Type};
use sortkey_design::{FileLoader, Program, compile};
use sortkey_embedded::Embedded;
use sortkey_value::{Item, Number, ValueRef};

use super::{Found, Hit, Paging, Read, fixed, is_deleted, is_expired};
use crate::answer::{public, to_public_json};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::generate::new_id;
use crate::operate::value_of;
use crate::prepared::Shared;
use crate::session::Session;
use crate::values::{Admit, Fields, Val};
use crate::write::oracle::{image, stored_image};
use crate::{Answer, Ids, Runtime, Settings, Shown, fixture, template};

/// The items of every entity.
type All = Arena<EntityId, Vec<Fields>>;

const NOW_MS: i64 = fixture::NOW_MS as i64;
const ITEMS_PER_ENTITY: u64 = 60;
const CALLS_PER_PATTERN: u64 = 12;

fn runtime(system: &str) -> Runtime {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(system).join(format!("{system}.sk"));
    let text = std::fs::read_to_string(&file).expect("the design is there");
    let design = compile(&file.to_string_lossy(), &text, &FileLoader).design;
    let parameters: BTreeMap<_, _> =
        design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned())).collect();
    let naming = Naming { prefix: None, parameters: parameters.clone() };
    let settings = Settings { parameters, ..fixture::settings() };
    let engine = sortkey_engine::Engine::memory(sortkey_engine::Settings {
        expiry_interval: None,
        ..sortkey_engine::Settings::default()
    });
    engine.stop_clock_at(fixture::NOW_MS);
    let backend = Embedded::new(engine);
    let pause = |_: Duration| -> crate::Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(deploy(&design, &naming, &backend, &pause, &mut |_| {})).expect("deployed");
    Runtime::new(design, Arc::new(backend), settings).expect("the design runs")
}

/// Random values from small pools.
struct Dice<'a> {
    shared: &'a Shared,
    ids: Ids,
}

impl Dice<'_> {
    fn below(&self, bound: u64) -> u64 {
        self.ids.next().expect("seeded") % bound.max(1)
    }

    fn value(&self, ty: &Type) -> Val {
        match ty {
            Type::String { format, min, max } => Val::Text(self.text(format, *min, *max)),
            // Ids of one type come from one pool, whatever they are called: references meet.
            Type::Id { .. } | Type::Token { .. } => {
                let pool = Ids::seeded(self.below(4));
                Val::Text(new_id(&pool, NOW_MS, ty).expect("seeded").unwrap_or_default())
            }
            Type::Int { min, max } => {
                let low = min.unwrap_or(0);
                let width = max.map_or(9, |max| max.saturating_sub(low).min(9));
                Val::integer(low + self.below(width.unsigned_abs() + 1) as i64)
            }
            Type::Decimal { .. } => Val::Number(Number::from(self.below(100))),
            Type::Bool => Val::Bool(self.below(2) == 0),
            Type::Bytes { .. } => Val::Bytes(vec![1, 2, 3]),
            Type::Time { .. } => Val::Time(NOW_MS + (self.below(9) as i64 - 4) * 3_600_000),
            Type::Date => Val::text(["2025-12-30", "2025-12-31", "2026-01-01"][self.below(3) as usize]),
            Type::Month => Val::text(["2025-12", "2026-01"][self.below(2) as usize]),
            Type::Json { of } => self.value(of),
            Type::Enum(words) => Val::text(&*words.words[self.below(words.words.len() as u64) as usize]),
            Type::List { of, .. } => Val::List(vec![self.value(of)]),
            Type::Set { of, .. } => Val::Set(vec![self.value(of)]),
            Type::Map { of, .. } => Val::Map([("k".to_owned(), self.value(of))].into()),
            Type::Object(id) => self.object(&self.shared.program.objects[*id].attributes),
            Type::Any { .. } | Type::Unknown | Type::Input { .. } => Val::text("x"),
        }
    }

    fn object(&self, attributes: &Attributes) -> Val {
        let given = attributes.iter().filter(|each| !each.flags.computed && !each.optional);
        Val::Map(given.map(|each| (each.name.clone(), self.value(&each.ty))).collect())
    }

    fn text(&self, format: &StringFormat, min: u64, max: Option<u64>) -> String {
        let pick = |words: &[&str]| words[self.below(words.len() as u64) as usize].to_owned();
        match format {
            StringFormat::Email => pick(&["a@x.com", "b@x.com", "c@y.org"]),
            StringFormat::Url => pick(&["https://x.com/a", "https://y.org"]),
            StringFormat::Cron => "0 5 * * *".to_owned(),
            StringFormat::Matching(pattern) if pattern.starts_with("conv-") => {
                pick(&["conv-1", "conv-2", "conv-3"])
            }
            StringFormat::Matching(pattern) if pattern.starts_with('#') => "#0af".to_owned(),
            StringFormat::Matching(_) => "EUR".to_owned(),
            StringFormat::Plain | StringFormat::Slug => {
                let word = pick(&["alpha", "beta", "gamma"]);
                let length = usize::try_from(min).unwrap_or(0).max(word.len());
                let padded = format!("{word:x<length$}");
                padded.chars().take(max.map_or(usize::MAX, |max| max as usize)).collect()
            }
        }
    }

    /// A random item of an entity, made as `create` makes it; none where its checks refuse it.
    fn item(&self, scope: &Scope<'_>, at: EntityId) -> Option<Fields> {
        let info = &self.shared.entities[at];
        let entity = info.of(&self.shared.program);
        let mut given = Fields::new();
        for attribute in entity.attributes.iter().filter(|each| each.can_be_given()) {
            let left_out = match (&attribute.fill, attribute.optional) {
                (Some(fill), _) if fill.value.concerns_item() => false,
                (Some(_), _) => self.below(2) == 0,
                (None, optional) => optional && self.below(3) == 0,
            };
            if !left_out {
                given.insert(attribute.name.clone(), self.value(&attribute.ty));
            }
        }
        image(scope, info, given)
    }
}

fn check(system: &str) {
    let runtime = runtime(system);
    let shared = runtime.shared();
    let scope = runtime.scope(None);
    let session = runtime.session();
    let dice = Dice { shared, ids: Ids::seeded(42) };
    let mut taken = HashSet::new();
    for at in shared.program.entities.ids() {
        for _ in 0..ITEMS_PER_ENTITY {
            let Some(fields) = dice.item(&scope, at) else { continue };
            let Some((item, guards)) = stored_image(&scope, &shared.entities[at], &fields) else { continue };
            // Somebody else has one of its unique values.
            if guards.iter().any(|(key, _)| taken.contains(key)) {
                continue;
            }
            pollster::block_on(session.put(item)).expect("stored");
            for (key, guard) in guards {
                taken.insert(key);
                pollster::block_on(session.put(guard)).expect("stored");
            }
        }
    }
    let ids = shared.program.entities.ids();
    let all: All = ids.map(|at| everything(&session, &scope, at)).collect();
    for read in &shared.reads {
        for _ in 0..CALLS_PER_PATTERN {
            compare(&session, &scope, &dice, read, &all);
            only_their_own(&session, &scope, &dice, read, &all);
        }
    }
}

/// Every item of an entity, by a full scan.
fn everything(session: &Session<'_>, scope: &Scope<'_>, at: EntityId) -> Vec<Fields> {
    let (info, program) = (&scope.shared.entities[at], &scope.shared.program);
    let mut input =
        sortkey_api::operations::ScanInput { table_name: info.table.clone(), ..Default::default() };
    let mut found = Vec::new();
    loop {
        let output = pollster::block_on(session.scan(input.clone())).expect("scanned");
        for item in output.items.unwrap_or_default() {
            let fields = info.decode(program, &item);
            if info.owns(program, &item) && is_made_of(program, info, &item, &fields) {
                found.push(fields);
            }
        }
        match output.last_evaluated_key {
            Some(key) => input.exclusive_start_key = Some(key.into()),
            None => return found,
        }
    }
}

/// An item without what is computed when it is read, which no scan shows.
fn without_virtual(scope: &Scope<'_>, read: &Read, mut fields: Fields) -> Fields {
    let program = &scope.shared.program;
    for entity in read.pattern.entities.iter().copied().chain(read.pattern.then) {
        let attributes = program.entities[entity].attributes.iter();
        attributes.filter(|each| each.flags.computed).for_each(|each| drop(fields.remove(&each.name)));
    }
    fields
}

/// One call with random arguments, by pages, against the oracle.
fn compare(session: &Session<'_>, scope: &Scope<'_>, dice: &Dice<'_>, read: &Read, all: &All) {
    let mut scope = scope.clone();
    arguments(&mut scope, dice, read, all);
    // A key that is made of the caller cannot be asked for without one.
    let is_unbound = |value: &BindValue| matches!(value, BindValue::Expr(expr) if scope.eval(expr, None).is_ok_and(|value| value.is_absent()));
    if read.pattern.binds.iter().any(|bind| is_unbound(&bind.value)) {
        return;
    }
    let expected: Vec<Fields> = read
        .pattern
        .entities
        .iter()
        .flat_map(|at| {
            all[*at].iter().filter(|fields| wanted(&scope, read, *at, fields)).cloned().collect::<Vec<_>>()
        })
        .collect();
    let expected = match read.pattern.then {
        Some(then) => pointed_at(&scope, read, then, &expected, all),
        None => expected,
    };
    let name = &read.pattern.name;
    let run = |paging: Paging<'_>| pollster::block_on(read.run(session, &scope, paging)).expect("answered");
    match run(Paging { context: Some("oracle"), ..Paging::default() }) {
        Found::Item(item) => {
            item.iter().for_each(|hit| printed_as_the_tree_says(&scope, read, hit));
            let found = item.map(|hit| without_virtual(&scope, read, hit.view().fields(scope.shared)));
            let right = found
                .as_ref()
                .map_or(expected.is_empty(), |found| expected.iter().any(|each| same(found, each)));
            assert!(right, "{name}: {found:?} is none of {expected:?}");
        }
        Found::Count(count) => assert_eq!(count as usize, expected.len(), "{name}"),
        Found::Exists(exists) => assert_eq!(exists, !expected.is_empty(), "{name}"),
        Found::Sums(sums) => {
            for (summed, total) in sums {
                let expected: i64 = expected.iter().filter_map(|each| each.get(&summed)?.as_integer()).sum();
                assert_eq!(total, Val::integer(expected), "{name}");
            }
        }
        Found::Items { items, mut cursor } => {
            let mut found = items;
            let size = read.pattern.page.or(read.pattern.limit);
            if let Some(size) = size {
                assert!(found.len() as u64 <= size, "{name}: a page of {size} has {}", found.len());
            }
            while let Some(next) = cursor.take() {
                let paging = Paging {
                    cursor: Some(&next),
                    limit: Some(3),
                    context: Some("oracle"),
                    to_the_end: false,
                };
                let Found::Items { items, cursor: behind } = run(paging) else { break };
                assert!(items.len() <= 3, "{name}: a page above its limit");
                found.extend(items);
                cursor = behind;
            }
            found.iter().for_each(|hit| printed_as_the_tree_says(&scope, read, hit));
            let found: Vec<Fields> = found
                .iter()
                .map(|hit| without_virtual(&scope, read, hit.view().fields(scope.shared)))
                .collect();
            if read.pattern.limit.is_none() {
                assert_eq!(found.len(), expected.len(), "{name}");
            }
            for each in &found {
                assert!(expected.iter().any(|other| same(each, other)), "{name}: {each:?} was not asked for");
            }
            if read.pattern.then.is_none() {
                in_order(&scope, read, &found);
            }
        }
    }
}

/// `then get E`: the live items of another entity whose keys the found ones name, each once.
fn pointed_at(scope: &Scope<'_>, read: &Read, then: EntityId, found: &[Fields], all: &All) -> Vec<Fields> {
    let from = &scope.shared.program.entities[read.first()];
    let to = &scope.shared.entities[then];
    let leads = |to_fields: &Fields| {
        let is_key = |fields: &Fields| {
            to.keys.iter().all(|key| {
                let refers = from.attributes.iter().find(|each| {
                    each.reference.is_some_and(|each| each.entity == then && each.attribute == *key)
                });
                let name = refers.map_or(to.name_of(*key), |each| &each.name);
                fields.get(name) == to_fields.get(to.name_of(*key))
            })
        };
        found.iter().any(is_key)
    };
    let live = |fields: &&Fields| {
        let view = View::of(to.at, fields);
        !is_expired(scope, view) && !is_deleted(scope, view).expect("decided")
    };
    all[to.at].iter().filter(live).filter(|fields| leads(fields)).cloned().collect()
}

/// The text printed straight from the stored item equals that of the item decoded, then shown.
fn printed_as_the_tree_says(scope: &Scope<'_>, read: &Read, hit: &Hit) {
    let value = value_of(scope, Found::Item(Some(hit.clone())), read).expect("readable");
    let value = public(scope, value, read.select.as_ref()).expect("readable");
    let expected = to_public_json(scope, &value);
    let shown = || Shown::of_found(scope.clone(), Found::Item(Some(hit.clone())), read).expect("readable");
    let mut printed = Vec::new();
    shown().write_json(&mut printed);
    assert_eq!(String::from_utf8(printed).expect("text"), expected.to_string(), "{}", read.pattern.name);
    assert_eq!(shown().into_answer(), Answer::Value(expected));
}

/// Whether the key of an item is what the entity's templates make of its attributes.
fn is_made_of(program: &Program, info: &EntityInfo, item: &Item, fields: &Fields) -> bool {
    let entity = info.of(program);
    let template = |stored: &str| entity.templates.iter().find(|each| *each.name == *stored);
    info.parts().all(|stored| match (template(stored), item.get(stored)) {
        (Some(template), Some(ValueRef::S(text))) => {
            template::render(entity, template, fields).as_deref() == Some(text)
        }
        (Some(_), _) => false,
        (None, _) => true,
    })
}

/// No caller, with any arguments, gets another tenant's items.
fn only_their_own(session: &Session<'_>, scope: &Scope<'_>, dice: &Dice<'_>, read: &Read, all: &All) {
    let entity = &scope.shared.program.entities[read.first()];
    let (Some(tenant), false) = (entity.tenant, read.pattern.system) else { return };
    let name = &entity.attributes[tenant.attribute].name;
    let items = &all[read.first()];
    let owners: Vec<&Val> = items.iter().filter_map(|fields| fields.get(name)).collect();
    let Some(own) = owners.get(dice.below(owners.len() as u64) as usize) else { return };
    let mut scope = scope.clone();
    arguments(&mut scope, dice, read, all);
    scope.caller = Some(Arc::new([(name.clone(), (*own).clone())].into()));
    let found = pollster::block_on(read.run(
        session,
        &scope,
        Paging { context: Some("oracle"), ..Paging::default() },
    ));
    let items = match found {
        Ok(Found::Item(item)) => item.into_iter().collect(),
        Ok(Found::Items { items, .. }) if read.pattern.then.is_none() => items,
        _ => Vec::new(),
    };
    for item in items {
        let fields = item.view().fields(scope.shared);
        let owner = fields.get(name);
        assert!(
            owner.as_ref().is_some_and(|owner| owner.same(own)),
            "{}: {owner:?} is not {own:?}",
            read.pattern.name
        );
    }
}

/// An index may hold only some attributes: those must agree.
fn same(found: &Fields, expected: &Fields) -> bool {
    found.iter().all(|(name, value)| match (value, expected.get(name)) {
        (Val::Map(_), Some(Val::Map(_))) => true,
        (value, Some(other)) => value.same(other),
        (_, None) => false,
    })
}

/// Arguments that often hit: those of an item that is there.
fn arguments(scope: &mut Scope<'_>, dice: &Dice<'_>, read: &Read, all: &All) {
    let items = &all[read.first()];
    let entity = &scope.shared.program.entities[read.first()];
    let model =
        (!items.is_empty() && dice.below(5) > 0).then(|| &items[dice.below(items.len() as u64) as usize]);
    for parameter in &read.pattern.signature.parameters {
        if parameter.optional && parameter.of_caller.is_none() && dice.below(3) == 0 {
            scope.set(parameter.local, Val::Absent);
            continue;
        }
        let given = model.and_then(|model| model.get(&parameter.name)).cloned();
        let value = given.unwrap_or_else(|| dice.value(&parameter.ty));
        let admit = Admit::computed(scope).finding();
        let value = match entity.attributes.find(&parameter.name) {
            Some(id) => admit.attribute(&entity.attributes[id], value.clone(), &parameter.name),
            None => admit.value(&parameter.ty, value.clone(), &parameter.name),
        };
        let value = value.unwrap_or_default();
        scope.set(parameter.local, value);
    }
}

/// The pattern's conditions, evaluated for one item.
fn wanted(scope: &Scope<'_>, read: &Read, at: EntityId, fields: &Fields) -> bool {
    let view = Some(View::of(at, fields));
    let pattern = &read.pattern;
    let live = (pattern.with_expired || !is_expired(scope, View::of(at, fields)))
        && (pattern.with_deleted || !is_deleted(scope, View::of(at, fields)).expect("decided"));
    let bound = pattern.binds.iter().all(|bind| {
        let first = &scope.shared.program.entities[read.first()];
        let name = match bind.to {
            Bound::Attribute(id) => &first.attributes[id].name,
            Bound::Stored(id) => &first.templates[id].name,
        };
        let own = fields.get(name).cloned().unwrap_or_default();
        match &bind.value {
            BindValue::Parameter(local) => {
                let value = scope.get(*local).cloned().unwrap_or_default();
                value.is_absent() || own.same(&value)
            }
            BindValue::Expr(expr) => own.same(&scope.eval(expr, None).expect("a value")),
            BindValue::All => !own.is_absent(),
            BindValue::In(list) => {
                scope.eval(list, None).expect("a list").members().is_some_and(|each| each.contains(&own))
            }
        }
    });
    let place = pattern.entities.iter().position(|each| *each == at).expect("asked for");
    let conditions = pattern.sieve.get(place).into_iter().flatten();
    let holds = |conjunct: &Conjunct| {
        // An optional parameter that is left out drops its condition.
        let dropped = conjunct.drops.iter().any(|local| scope.get(*local).is_none_or(Val::is_absent));
        dropped || scope.holds(&conjunct.expr, view).expect("decided")
    };
    live && bound && conditions.into_iter().all(holds)
}

fn in_order(scope: &Scope<'_>, read: &Read, found: &[Fields]) {
    let Some(order) = &read.pattern.order else { return };
    let program = &scope.shared.program;
    let entity = &program.entities[read.first()];
    let Some(sort) = read.plan.path.key(program).sort.first() else { return };
    let key = |fields: &Fields| match fixed(program, entity, sort, fields) {
        Some(sortkey_value::AttributeValue::S(text)) => Val::Text(text),
        Some(sortkey_value::AttributeValue::N(number)) => Val::Number(number),
        _ => Val::Absent,
    };
    for pair in found.windows(2) {
        let (left, right) = (key(&pair[0]), key(&pair[1]));
        let wrong = if order.descending { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
        assert_ne!(left.order(&right), Some(wrong), "{}: {left:?} before {right:?}", read.pattern.name);
    }
}

sortkey_testkit::each_system!(check);
