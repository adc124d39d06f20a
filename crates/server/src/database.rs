//! An engine and its forks, as the server's backend and as its administration.
//!
//! Requests that name no fork go to the main database. A reset puts a new engine in place of the old one;
//! requests that are under way finish on the engine they began with.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use hyper::body::Bytes;
use parking_lot::{Mutex, RwLock};
use sortkey_api::{ApiError, OperationId};
use sortkey_engine::{Engine, FaultKind, History, JsonReply, Settings};

use crate::admin::{
    Admin, AdminError, Backup, Clock, ClockChange, Expired, Fault, Fork, NewFork, Recorded, Tuning,
    TuningChange, Verified,
};
use crate::backend::{Backend, Call, ForkName, Readiness, ResourcePolicy};

/// A database with its forks. Clones are handles of the same one.
#[derive(Clone)]
pub struct Database {
    shared: Arc<Shared>,
}

struct Shared {
    main: Slot,
    forks: RwLock<BTreeMap<ForkName, Arc<ForkSlot>>>,
    /// How to begin anew; none for a database that outlives the process, which nothing here may empty.
    settings: Option<Settings>,
}

/// A place for an engine, which a reset can exchange.
type Slot = ArcSwap<Engine>;

struct ForkSlot {
    engine: Slot,
    from: Option<ForkName>,
    /// Its requests; none if they are not recorded.
    requests: Option<Mutex<Vec<(OperationId, Bytes)>>>,
}

impl Database {
    /// An empty database in memory.
    pub fn memory(settings: Settings) -> Database {
        let engine = Engine::memory(settings.clone());
        Database::new(engine, Some(settings))
    }

    /// A database that is kept. It can be steered but not emptied from outside.
    pub fn durable(engine: Engine) -> Database {
        Database::new(engine, None)
    }

    fn new(engine: Engine, settings: Option<Settings>) -> Database {
        let main = Slot::from_pointee(engine);
        Database { shared: Arc::new(Shared { main, forks: RwLock::default(), settings }) }
    }

    /// Does something with the engine of a fork, or with the main one.
    fn with<T>(
        &self,
        fork: Option<&ForkName>,
        act: impl FnOnce(&Slot) -> Result<T, AdminError>,
    ) -> Result<T, AdminError> {
        match fork {
            None => act(&self.shared.main),
            Some(name) => act(&self.fork(name).ok_or_else(|| no_fork(name))?.engine),
        }
    }

    /// The engine of a fork by its name.
    pub fn fork_engine(&self, name: &str) -> Option<Engine> {
        let name = ForkName::parse(name)?;
        self.engine(Some(&name)).map(|engine| Engine::clone(&engine))
    }

    /// The engine of a fork, or the main one.
    fn engine(&self, fork: Option<&ForkName>) -> Option<Arc<Engine>> {
        match fork {
            None => Some(self.shared.main.load_full()),
            Some(name) => self.fork(name).map(|fork| fork.engine.load_full()),
        }
    }

    fn fork(&self, name: &ForkName) -> Option<Arc<ForkSlot>> {
        self.shared.forks.read().get(name).cloned()
    }
}

impl Backend for Database {
    async fn call(&self, call: Call) -> JsonReply {
        let engine = match &call.fork {
            None => self.shared.main.load(),
            Some(name) => match self.fork(name) {
                Some(fork) => {
                    if let Some(requests) = &fork.requests {
                        requests.lock().push((call.operation, call.body.clone()));
                    }
                    fork.engine.load()
                }
                None => return JsonReply { result: Err(unknown_fork(name)), table: None },
            },
        };
        engine.call(call.operation, &call.body).await
    }

    fn partition_key(&self, fork: Option<&ForkName>, table: &str, index: Option<&str>) -> Option<String> {
        let access = self.engine(fork)?.table_access(table)?;
        access.partition_key(index).map(str::to_owned)
    }

    fn resource_policy(
        &self,
        fork: Option<&ForkName>,
        table: &str,
        stream: Option<&str>,
    ) -> Option<ResourcePolicy> {
        let access = self.engine(fork)?.table_access(table)?;
        let policy = stream.map_or_else(|| access.policy(), |label| access.stream_policy(label));
        policy.map(|(document, revision)| ResourcePolicy {
            document: document.to_owned(),
            revision: revision.to_owned(),
        })
    }

    fn iterator_stream(&self, fork: Option<&ForkName>, iterator: &str) -> Option<(String, String)> {
        self.engine(fork)?.iterator_stream(iterator)
    }

    fn readiness(&self) -> Readiness {
        match self.shared.main.load().failure() {
            None => Readiness::Ready,
            Some(why) => Readiness::NotReady(format!("no writes are taken since a commit failed: {why}")),
        }
    }

    fn notices(&self) -> Vec<String> {
        self.shared.main.load().notices()
    }

    fn histories(&self) -> Vec<History> {
        self.shared.main.load().histories().unwrap_or_default()
    }
}

impl Admin for Database {
    fn clock(&self, fork: Option<&ForkName>) -> Result<Clock, AdminError> {
        self.with(fork, |slot| Ok(Clock { now_ms: slot.load().now_ms() }))
    }

    fn change_clock(&self, fork: Option<&ForkName>, change: ClockChange) -> Result<Clock, AdminError> {
        self.with(fork, |slot| {
            let engine = slot.load();
            match change {
                ClockChange::SetMs(time_ms) => {
                    engine.follow_clock();
                    engine.advance_clock(difference_ms(time_ms, engine.clock_ms()));
                }
                ClockChange::AdvanceMs(by_ms) => engine.advance_clock(by_ms),
                ClockChange::StopMs(time_ms) => engine.stop_clock_at(time_ms),
            }
            Ok(Clock { now_ms: engine.now_ms() })
        })
    }

    fn release_clock(&self, fork: Option<&ForkName>) -> Result<Clock, AdminError> {
        self.with(fork, |slot| {
            let engine = slot.load();
            engine.follow_clock();
            Ok(Clock { now_ms: engine.now_ms() })
        })
    }

    fn expire(&self, fork: Option<&ForkName>) -> Result<Expired, AdminError> {
        self.with(fork, |slot| {
            let deleted = slot.load().expire_now().map_err(|error| AdminError::Failed(error.to_string()))?;
            Ok(Expired { deleted: deleted as u64 })
        })
    }

    fn reset(&self, fork: Option<&ForkName>) -> Result<(), AdminError> {
        let settings = self.shared.settings.as_ref().ok_or_else(kept)?;
        self.with(fork, |slot| {
            slot.store(Arc::new(Engine::memory(settings.clone())));
            Ok(())
        })
    }

    fn forks(&self) -> Result<Vec<Fork>, AdminError> {
        let describe =
            |(name, fork): (&ForkName, &Arc<ForkSlot>)| Fork { name: name.clone(), from: fork.from.clone() };
        Ok(self.shared.forks.read().iter().map(describe).collect())
    }

    fn create_fork(&self, fork: NewFork) -> Result<Fork, AdminError> {
        let NewFork { name, from, record } = fork;
        let engine = self.with(from.as_ref(), |slot| slot.load().fork().ok_or_else(not_in_memory))?;
        let mut forks = self.shared.forks.write();
        if forks.contains_key(&name) {
            return Err(AdminError::Exists(format!("there is a fork {name} already")));
        }
        let requests = record.then(Mutex::default);
        let slot = ForkSlot { engine: Slot::from_pointee(engine), from: from.clone(), requests };
        forks.insert(name.clone(), Arc::new(slot));
        Ok(Fork { name, from })
    }

    fn requests(&self, fork: Option<&ForkName>) -> Result<Vec<Recorded>, AdminError> {
        let name = fork.ok_or_else(unrecorded)?;
        let fork = self.fork(name).ok_or_else(|| no_fork(name))?;
        let requests = fork.requests.as_ref().ok_or_else(unrecorded)?.lock();
        let recorded = requests.iter().map(|(operation, body)| Recorded {
            operation: operation.name(),
            body: String::from_utf8_lossy(body).into_owned(),
        });
        Ok(recorded.collect())
    }

    fn delete_fork(&self, name: &ForkName) -> Result<(), AdminError> {
        let removed = self.shared.forks.write().remove(name);
        removed.map(drop).ok_or_else(|| no_fork(name))
    }

    fn faults(&self, fork: Option<&ForkName>) -> Result<Vec<Fault>, AdminError> {
        self.with(fork, |slot| Ok(slot.load().faults().list().into_iter().map(describe_fault).collect()))
    }

    fn add_fault(&self, fork: Option<&ForkName>, fault: Fault) -> Result<(), AdminError> {
        let Fault { throttle, unprocessed, conflict, operation, table } = fault;
        if let Some(name) = operation.as_deref().filter(|name| OperationId::from_name(name).is_none()) {
            return Err(AdminError::Invalid(format!("there is no operation {name}")));
        }
        let kinds = [
            (FaultKind::Throttle, throttle),
            (FaultKind::Unprocessed, unprocessed),
            (FaultKind::Conflict, conflict),
        ];
        if kinds.iter().all(|(_, remaining)| *remaining == 0) {
            let why = "say how many requests to throttle, to leave unprocessed or to put in conflict";
            return Err(AdminError::Invalid(why.into()));
        }
        self.with(fork, |slot| {
            for (kind, remaining) in kinds.into_iter().filter(|(_, remaining)| *remaining > 0) {
                let (operation, table) = (operation.clone(), table.clone());
                slot.load().faults().add(sortkey_engine::Fault { kind, remaining, operation, table });
            }
            Ok(())
        })
    }

    fn clear_faults(&self, fork: Option<&ForkName>) -> Result<(), AdminError> {
        self.with(fork, |slot| {
            slot.load().faults().clear();
            Ok(())
        })
    }

    fn backup(&self, fork: Option<&ForkName>) -> Result<Backup, AdminError> {
        self.with(fork, |slot| {
            let pieces = slot.load().backup();
            Ok(Box::new(pieces.map(|piece| piece.map_err(std::io::Error::other))) as Backup)
        })
    }

    fn verify(&self, fork: Option<&ForkName>) -> Result<Verified, AdminError> {
        self.with(fork, |slot| {
            let report = slot.load().verify();
            Ok(Verified {
                sound: report.is_sound(),
                tables: report.tables.iter().map(ToString::to_string).collect(),
                problems: report.problems.iter().map(ToString::to_string).collect(),
            })
        })
    }

    fn tuning(&self, fork: Option<&ForkName>) -> Result<Tuning, AdminError> {
        self.with(fork, |slot| Ok(tuning(&slot.load())))
    }

    fn change_tuning(&self, fork: Option<&ForkName>, change: TuningChange) -> Result<Tuning, AdminError> {
        self.with(fork, |slot| {
            let engine = slot.load();
            if let Some(delay_ms) = change.gsi_delay_ms {
                engine.set_gsi_delay(Duration::from_millis(delay_ms));
            }
            Ok(tuning(&engine))
        })
    }
}

fn tuning(engine: &Engine) -> Tuning {
    Tuning { gsi_delay_ms: u64::try_from(engine.gsi_delay().as_millis()).unwrap_or(u64::MAX) }
}

fn describe_fault(fault: sortkey_engine::Fault) -> Fault {
    let sortkey_engine::Fault { kind, remaining, operation, table } = fault;
    let none = Fault { operation, table, ..Fault::default() };
    match kind {
        FaultKind::Throttle => Fault { throttle: remaining, ..none },
        FaultKind::Unprocessed => Fault { unprocessed: remaining, ..none },
        FaultKind::Conflict => Fault { conflict: remaining, ..none },
    }
}

fn difference_ms(to_ms: u64, from_ms: u64) -> i64 {
    let distance = i64::try_from(to_ms.abs_diff(from_ms)).unwrap_or(i64::MAX);
    if to_ms < from_ms { -distance } else { distance }
}

fn unknown_fork(name: &ForkName) -> ApiError {
    ApiError::validation(format!("There is no fork {name}; POST /_sortkey/forks makes one"))
}

fn no_fork(name: &ForkName) -> AdminError {
    AdminError::NotFound(format!("there is no fork {name}"))
}

fn unrecorded() -> AdminError {
    let why =
        "the requests of this database are not recorded: name a fork that was made with \"record\": true";
    AdminError::Invalid(why.into())
}

fn kept() -> AdminError {
    AdminError::Invalid(
        "only the bare database in memory can be reset; this one is kept on disk or runs a design".into(),
    )
}

fn not_in_memory() -> AdminError {
    AdminError::Invalid("only a database in memory can be forked; this one is kept on disk".into())
}
