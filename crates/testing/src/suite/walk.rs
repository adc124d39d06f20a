//! A random walk through all operations of every system. In any order of calls, and for every caller: no key of an index is
//! stale, guards and unique values belong together, and no call changes another tenant's items.
//!
//! `SORTKEY_WALK_STEPS` sets the length of the walk, `SORTKEY_WALK_SEED` its seed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use sortkey_design::facts::actions;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Callee, Id};
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::Embedded;
use sortkey_engine::Engine;
use sortkey_value::Item;

use super::Suite;
use super::invariants::{broken, identity, stored};
use crate::seeding::{Dice, Pool, Story, make, makers};
use sortkey_core::internals::Val;
use sortkey_core::{Answer, Call, Caller, Failure, Ids, Runtime, drive};

/// Items of each entity to begin with.
const BEGIN: usize = 6;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

struct Walk<'a> {
    runtime: &'a Runtime,
    engine: &'a Engine,
    pool: Pool,
    dice: Dice<'a>,
    /// The operations that succeeded, and that were refused in some way.
    done: BTreeSet<&'a str>,
    refused: BTreeMap<&'a str, String>,
    /// Calls by a caller who does not own the item.
    strangers: usize,
    steps: usize,
}

impl<'a> Walk<'a> {
    async fn begin(&mut self) {
        for (entity, makers) in makers(self.runtime) {
            let Some(maker) = makers.first() else { continue };
            for _ in 0..BEGIN {
                let made = make(self.runtime, *maker, &self.pool, &mut self.dice).await;
                if let Ok(item) = made.expect("seeded") {
                    self.pool.add(&entity.name.text, item);
                }
            }
        }
    }

    /// One call of one operation.
    async fn step(&mut self) {
        let program = self.runtime.program();
        let callable: Vec<usize> =
            (0..program.operations.len()).filter(|at| !program.design.operations[*at].internal).collect();
        let at = callable[self.below(callable.len())];
        let callee = Callee::Operation(Id::new(at));
        let name = program.name(callee);
        let sites = actions(&program.design.operations[at]);
        let subject = match sites.is_empty() {
            true => None,
            false => {
                let entity = &sites[self.below(sites.len())].action.entity.text;
                let item = self.pool.pick(entity, &mut self.dice).expect("seeded");
                item.filter(|_| self.dice.below(5).expect("seeded") > 0).cloned()
            }
        };
        let mut story = Story::wandering(program, &self.pool, subject);
        let arguments = story.arguments(callee, &mut self.dice).expect("seeded");
        if self.dice.below(4).expect("seeded") == 0 {
            story = Story::new(program, &self.pool);
            self.strangers += 1;
        }
        let Ok(caller) = story.caller(self.runtime, callee, &mut self.dice).expect("seeded") else {
            return;
        };
        let before = match &caller {
            Some(caller) => self.others(caller).await,
            None => HashMap::new(),
        };
        let told = format!("{name} by {caller:?} with {arguments:?}");
        let mut story = arguments.clone();
        let arguments = arguments.try_into().expect("numbers that can be kept");
        let call = Call { name, caller: caller.as_ref(), arguments, ..Call::default() };
        match self.answer(call).await {
            Ok(answer) => {
                self.done.insert(name);
                let makes = |verb| matches!(verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
                let made = sites.iter().find(|site| makes(site.action.verb)).or(sites.first());
                if let (Answer::Value(Json::Object(item)), Some(site)) = (answer, made) {
                    story.extend(caller.iter().flat_map(|caller| caller.attributes().clone()));
                    story.extend(item);
                    self.pool.add(&site.action.entity.text, story);
                }
            }
            Err(failure) => {
                self.refused.insert(name, failure.to_string());
            }
        }
        if let Some(caller) = &caller {
            self.left_alone(caller, &before, &told).await;
        }
        if let Some(what) = broken(self.runtime).await.expect("scanned") {
            panic!("after {told} {what}");
        }
        self.engine.advance_clock(1_000 * self.below(600) as i64);
    }

    /// Fails if the items of other tenants are not what they were.
    async fn left_alone(&self, caller: &Caller, before: &HashMap<(String, String), Item>, told: &str) {
        let after = self.others(caller).await;
        let same = |(key, item): &(&(String, String), &Item)| before.get(key) == Some(item);
        let changed: Vec<_> = after.iter().filter(|each| !same(each)).collect();
        assert!(changed.is_empty(), "{told} changed what is another tenant's: {changed:?}");
        let gone = before.keys().find(|key| !after.contains_key(*key));
        assert!(gone.is_none(), "{told} removed what is another tenant's: {gone:?}");
    }

    /// Calls directly and as a task in turn: both must keep the same guarantees.
    async fn answer(&mut self, call: Call<'_>) -> Result<Answer, Failure> {
        self.steps += 1;
        if self.steps.is_multiple_of(2) {
            return self.runtime.call(call).await;
        }
        let task = self.runtime.core().start(call, self.engine.now_ms() as i64, false);
        drive(task, self.runtime.backend(), &self.runtime.shared().settings).await.0
    }

    fn below(&mut self, bound: usize) -> usize {
        self.dice.below(bound as u64).expect("seeded") as usize
    }

    /// The items of other tenants than the caller's, by table and key.
    async fn others(&self, caller: &Caller) -> HashMap<(String, String), Item> {
        let (shared, mut others) = (self.runtime.shared(), HashMap::new());
        let program = &shared.program;
        for (table, items) in stored(self.runtime).await.expect("scanned") {
            let infos = || shared.entities.iter().filter(|info| info.table.name() == table);
            for item in items {
                let Some(info) = infos().find(|info| info.owns(program, &item)) else { continue };
                let Some(tenant) = info.of(program).tenant else { continue };
                let tenant = &**info.name_of(tenant.attribute);
                let owner = info.decode(program, &item).remove(tenant);
                let own = matches!((owner, caller.attributes().get(tenant)),
                    (Some(Val::Text(owner)), Some(Json::String(own))) if owner == *own);
                if !own {
                    others.insert((table.clone(), identity(&info.key_of(&item))), item);
                }
            }
        }
        others
    }
}

fn walk(system: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../systems/{system}/{system}.sk"));
    let text = std::fs::read_to_string(&file).expect("the design is there");
    let design = compile(&file.to_string_lossy(), &text, &FileLoader).design;
    let suite = pollster::block_on(Suite::new(design, BTreeMap::new())).expect("the design runs");
    let engine = suite.engine.fork().expect("in memory");
    let backend = Arc::new(Embedded::new(engine.clone()));
    let runtime = suite.runtime(&engine, "walk", backend, &Arc::default()).expect("the design runs");
    let ids = Ids::seeded(number("SORTKEY_WALK_SEED", 11));
    let mut walk = Walk {
        runtime: &runtime,
        engine: &engine,
        pool: Pool::default(),
        dice: Dice::new(&ids),
        done: BTreeSet::new(),
        refused: BTreeMap::new(),
        strangers: 0,
        steps: 0,
    };
    pollster::block_on(async {
        walk.begin().await;
        for _ in 0..number("SORTKEY_WALK_STEPS", 500) {
            walk.step().await;
        }
    });
    // The bodies of workers, routes and sessions are not called by the walk.
    let program = runtime.program();
    let bodies = program.workers.len() + program.routes.len() + program.sessions.len();
    let operations = program.operations.len() - bodies;
    let never: Vec<_> = walk.refused.iter().filter(|(name, _)| !walk.done.contains(*name)).collect();
    // A walk on which nothing happens shows nothing.
    assert!(
        walk.done.len() * 2 >= operations && walk.strangers > 0,
        "{} of {operations}: {never:#?}",
        walk.done.len()
    );
}

sortkey_testkit::each_system!(walk);
