//! A design with its successor, a database, and both designs at work on it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_api::operations::ScanInput;
use sortkey_api::{Backend, Pending, Requests as _};
use sortkey_core::{Answer, Call, Failure, Runtime, Settings};
use sortkey_deploy::{Coverage, deploy, prepare};
use sortkey_design::{Design, Loader, compile};
use sortkey_embedded::{Embedded, KeyFile, block_on, ephemeral};
use sortkey_engine::Engine;
use sortkey_migrate::{Ages, Layer, Plan, Runner, Shadow, Side, Spawn, Steady, Watch};
use sortkey_value::{AttributeValue, Map};

pub(crate) const NOW_MS: u64 = 1_767_225_600_000;

/// What the keys of Sortkey's own items begin with.
const OWN: [&str; 2] = ["unique#", "receipt#"];

/// Processes of one machine notice a change of phase sooner than those of several.
const ELSEWHERE: Ages =
    Ages { fresh: Duration::from_millis(400), longest: Duration::from_secs(1), wait: Duration::from_secs(3) };

/// Users stay where they are, teams get another key, shares of one team and target become one.
pub(crate) const BEFORE: &str = r#"design shop version 1
table Users "users" { key (userId) }
table Things "things" { key (PK | SK) }
enum Right { READ WRITE ADMIN }
entity User in Users {
  userId   slug
  email    email @normalize(trim, lower)
  isAdmin? bool
  joined   time(iso) = now @immutable
  unique email
}
entity Team in Things {
  PK = "TEAM#{teamId}"  SK = "META"
  teamId slug
  owner  slug @immutable
  name   string(1..40)
  hits   int(0..) = 0
  secret string(1..40) @encrypted("team-{teamId}")
}
entity Share in Things {
  PK = "TEAM#{teamId}"  SK = "SHARE#{shareId}"
  teamId  -> Team.teamId
  shareId slug
  target  slug
  rights  set(Right, max 3)
  note?   string(1..40)
  at      time(iso) = now
}
system operation join = create User
system operation rename(userId, email) { update User(userId) { email } }
system operation leave(userId) { delete User(userId) }
system operation found = create Team
system operation hit(teamId) { update Team(teamId) { hits += 1 } }
system operation call(teamId, name) { update Team(teamId) { name } }
system operation disband(teamId) { delete Team(teamId) }
system operation share = create Share
system operation allow(teamId, shareId, rights) { update Share(teamId, shareId) { rights } }
system operation unshare(teamId, shareId) { delete Share(teamId, shareId) }
system operation both(teamId, shareId, target, rights) {
  transact {
    update Team(teamId) { hits += 1 }
    create Share { teamId, shareId, target, rights }
  }
}
system pattern user = get User by userId strong
system pattern team = get Team by teamId strong
system pattern shareOf = get Share by teamId, shareId strong
system pattern sharesOfTeam = list Share by teamId strong page 20
"#;

pub(crate) const AFTER: &str = r#"design shop version 2
table Users "users" { key (userId) }
table Teams "teams" { key (owner | teamId) }
table Shares "shares" { key (teamId | target) }
enum Right { READ WRITE ADMIN }
entity User in Users {
  userId   slug
  email    email @normalize(trim, lower)
  joined   time(iso) = now @immutable
  length   int(0..) := size(email)
  unique email
}
entity Team in Teams {
  owner  slug
  teamId slug
  name   string(1..40)
  hits   int(0..) = 0
  secret string(1..40) @encrypted("owner-{owner}")
  kind   plain | special = plain
  unique name else NameTaken
}
entity Share in Shares {
  teamId slug
  target slug
  owner  slug
  rights set(Right, max 3)
  note?  string(1..40)
  at     time(s) = now
}
system operation join = create User
system operation rename(userId, email) { update User(userId) { email } }
system operation leave(userId) { delete User(userId) }
system operation found = create Team
system operation hit(owner, teamId) { update Team(owner, teamId) { hits += 1 } }
system operation call(owner, teamId, name) { update Team(owner, teamId) { name } }
system operation specialise(owner, teamId) { update Team(owner, teamId) { kind: special } }
system operation disband(owner, teamId) { delete Team(owner, teamId) }
system operation share = create Share
system operation allow(teamId, target, rights) { update Share(teamId, target) { rights } }
system operation unshare(teamId, target) { delete Share(teamId, target) }
system pattern user = get User by userId strong
system pattern team = get Team by owner, teamId strong
system pattern shareOf = get Share by teamId, target strong
system pattern sharesIn = list Share by teamId strong page 20
migrate "before.sk" {
  User from User {} drop isAdmin
  Team from Team {}
  Share from Share { owner: teamId->owner } merge rights drop shareId
}
"#;

struct Files<'a>(&'a str);

impl Loader for Files<'_> {
    fn load(&self, _: &str, path: &str) -> Result<(String, String), String> {
        Ok((path.to_owned(), self.0.to_owned()))
    }
}

pub(crate) fn compiled(text: &str, before: &str) -> Arc<Design> {
    let compilation = compile("design.sk", text, &Files(before));
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(!compilation.has_errors(), "{errors:?}");
    compilation.design
}

/// A database with both designs.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) before: Arc<Design>,
    pub(crate) after: Arc<Design>,
    /// Another DynamoDB than the one in memory.
    pub(crate) elsewhere: Option<Arc<dyn Backend>>,
}

impl World {
    pub(crate) fn new() -> World {
        World::of(BEFORE, AFTER)
    }

    pub(crate) fn of(before: &str, after: &str) -> World {
        let engine = Engine::memory(sortkey_engine::Settings::default());
        engine.stop_clock_at(NOW_MS);
        World { engine, before: compiled(before, ""), after: compiled(after, before), elsewhere: None }
    }

    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        match &self.elsewhere {
            Some(backend) => Arc::clone(backend),
            None => Arc::new(Embedded::new(self.engine.clone())),
        }
    }

    /// One process has a database in memory to itself; elsewhere there may be others.
    fn ages(&self) -> Ages {
        match self.elsewhere {
            Some(_) => ELSEWHERE,
            None => Ages::ALONE,
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            clock: Arc::new(Embedded::new(self.engine.clone())),
            keyring: Arc::new(KeyFile::from_key([7; 32])),
            ..ephemeral().expect("a system with randomness")
        }
    }

    pub(crate) fn runtime(&self, design: &Arc<Design>, backend: Arc<dyn Backend>) -> Runtime {
        Runtime::new(Arc::clone(design), backend, self.settings()).expect("the design runs")
    }

    /// The old design by itself, with its tables.
    pub(crate) fn old_alone(&self) -> Runtime {
        let runtime = self.runtime(&self.before, self.backend());
        block_on(prepare(&runtime, Coverage::AsMarked, &pause, &mut |_| {})).expect("deployed");
        runtime
    }

    pub(crate) fn plan_on(&self, backend: Arc<dyn Backend>) -> Arc<Plan> {
        Arc::new(Plan::new(self.runtime(&self.after, backend)).unwrap_or_else(|refusal| panic!("{refusal}")))
    }

    /// The tables of the new design.
    pub(crate) fn make_tables(&self) {
        let runtime = self.runtime(&self.after, self.backend());
        let naming = runtime.shared().settings.naming();
        block_on(deploy(&self.after, &naming, runtime.backend(), &pause, &mut |_| {})).expect("created");
    }

    pub(crate) fn runner(&self) -> Runner {
        self.runner_on(self.backend())
    }

    pub(crate) fn runner_on(&self, backend: Arc<dyn Backend>) -> Runner {
        let plan = self.plan_on(Arc::clone(&backend));
        Runner::new(plan, backend, self.settings(), self.ages()).expect("a runner")
    }

    /// A runner that waits for nothing: an index in memory has no lag.
    pub(crate) fn hasty_runner(&self) -> Runner {
        struct Now;
        impl sortkey_core::Timer for Now {
            fn pause(&self, _: Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
                Box::pin(async {})
            }
        }
        let settings = Settings { timer: Arc::new(Now), ..self.settings() };
        Runner::new(self.plan_on(self.backend()), self.backend(), settings, self.ages()).expect("a runner")
    }

    /// A design on the layer of the migration.
    pub(crate) fn side(&self, side: Side) -> Runtime {
        self.side_on(side, self.backend())
    }

    pub(crate) fn side_on(&self, side: Side, backend: Arc<dyn Backend>) -> Runtime {
        let plan = self.plan_on(Arc::clone(&backend));
        let steady = Steady::new(backend, self.settings());
        let watch = Arc::new(Watch::new(&plan, steady.clone(), self.ages()).expect("a place for the state"));
        let layer = Arc::new(Layer::new(plan, steady, watch, side));
        match side {
            Side::Old => self.runtime(&self.before, layer),
            Side::New => self.runtime(&self.after, layer),
        }
    }

    /// The old design as a server has it: some of its answers are compared while the migration is in its phase `shadow`. What it
    /// watches has to be read from time to time.
    pub(crate) fn observed(&self, spawn: Spawn) -> (Runtime, Arc<Watch>) {
        let plan = self.plan_on(self.backend());
        let steady = Steady::new(self.backend(), self.settings());
        let watch = Arc::new(Watch::new(&plan, steady.clone(), self.ages()).expect("a place for the state"));
        let layer = Layer::new(Arc::clone(&plan), steady.clone(), Arc::clone(&watch), Side::Old);
        let shadow = Shadow::new(plan, steady, Arc::clone(&watch), spawn).expect("a place for the state");
        let settings = Settings { observer: Some(Arc::new(shadow)), ..self.settings() };
        let runtime = Runtime::new(Arc::clone(&self.before), Arc::new(layer), settings).expect("it runs");
        (runtime, watch)
    }

    /// All items of a table, in the order of their keys; none if there is no such table.
    pub(crate) fn items(&self, table: &str) -> Vec<Map> {
        let (backend, mut items, mut after) = (self.backend(), Vec::new(), None);
        loop {
            let scan = ScanInput {
                table_name: table.into(),
                consistent_read: Some(true),
                exclusive_start_key: after.map(sortkey_api::SuppliedItem::from),
                ..ScanInput::default()
            };
            let Ok(output) = block_on(backend.scan(scan)) else { break };
            items.extend(output.items.unwrap_or_default().iter().map(sortkey_value::Item::to_map));
            after = output.last_evaluated_key;
            if after.is_none() {
                break;
            }
        }
        items.sort_by_key(|item| format!("{item:?}"));
        items
    }

    /// The items of a table that designs have, without guards, records and state.
    pub(crate) fn own_items(&self, table: &str) -> Vec<Map> {
        let is_own = |value: &AttributeValue| matches!(value, AttributeValue::S(text) if OWN.iter().any(|own| text.starts_with(own)));
        self.items(table).into_iter().filter(|item| !item.values().any(is_own)).collect()
    }
}

pub(crate) fn pause<'a>(_: Duration) -> Pending<'a, ()> {
    // A table elsewhere takes a moment to become active.
    std::thread::sleep(Duration::from_millis(1));
    Box::pin(async { Ok(()) })
}

pub(crate) async fn try_call(runtime: &Runtime, name: &str, arguments: Json) -> Result<Json, Failure> {
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
    Ok(match runtime.call(Call { name, arguments, ..Call::default() }).await? {
        Answer::Nothing => Json::Null,
        Answer::Value(value) => value,
        Answer::Page { items, .. } => json!(items),
    })
}

pub(crate) fn call(runtime: &Runtime, name: &str, arguments: Json) -> Json {
    let shown = arguments.to_string();
    block_on(try_call(runtime, name, arguments)).unwrap_or_else(|failure| panic!("{name} {shown}: {failure}"))
}

/// A few items of every kind, with two shares that become one.
pub(crate) fn seed(old: &Runtime) {
    for (id, email) in [("ada", "Ada@x.org "), ("bob", "bob@x.org")] {
        call(old, "join", json!({ "userId": id, "email": email, "isAdmin": true }));
    }
    for (team, owner) in [("red", "ada"), ("blue", "bob"), ("grey", "ada")] {
        call(
            old,
            "found",
            json!({ "teamId": team, "owner": owner, "name": format!("Team {team}"), "secret": "hush" }),
        );
    }
    for (team, share, target, rights) in [
        ("red", "s1", "cy", json!(["READ"])),
        ("red", "s2", "cy", json!(["WRITE"])),
        ("red", "s3", "di", json!(["READ", "ADMIN"])),
        ("blue", "s1", "cy", json!(["ADMIN"])),
    ] {
        call(old, "share", json!({ "teamId": team, "shareId": share, "target": target, "rights": rights }));
    }
}
