//! A directory with the tables of Seller profiles, and both of its designs at work on it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sortkey_api::{Backend, Pending};
use sortkey_core::{Runtime, Settings};
use sortkey_deploy::{Coverage, deploy, prepare};
use sortkey_design::{Design, FileLoader, compile};
use sortkey_embedded::{Embedded, KeyFile, block_on, ephemeral};
use sortkey_engine::Engine;
use sortkey_migrate::{Ages, Plan, Runner, Spawn};
use sortkey_storage_fjall::{FjallStore, Options};

#[derive(Clone)]
pub struct World {
    pub engine: Engine,
    before: Arc<Design>,
    after: Arc<Design>,
}

fn design(name: &str) -> Arc<Design> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/seller-profiles").join(name);
    let text = std::fs::read_to_string(&path).expect("the system");
    let compilation = compile(&path.to_string_lossy(), &text, &FileLoader);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics.first().map(|each| &each.title));
    compilation.design
}

impl World {
    pub fn open(directory: PathBuf) -> World {
        let store = FjallStore::open(directory, Options::default()).expect("a directory");
        World::of(Engine::open(store, sortkey_engine::Settings::default()))
    }

    pub fn in_memory() -> World {
        World::of(Engine::memory(sortkey_engine::Settings::default()))
    }

    fn of(engine: Engine) -> World {
        let (before, after) = (design("seller-profiles-before.sk"), design("seller-profiles.sk"));
        World { engine, before, after }
    }

    /// A copy of the database in memory.
    pub fn fork(&self) -> World {
        World { engine: self.engine.fork().expect("a database in memory"), ..self.clone() }
    }

    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(Embedded::new(self.engine.clone()))
    }

    fn settings(&self) -> Settings {
        Settings {
            clock: Arc::new(Embedded::new(self.engine.clone())),
            keyring: Arc::new(KeyFile::from_key([7; 32])),
            ..ephemeral().expect("a system with randomness")
        }
    }

    fn runtime(&self, design: &Arc<Design>, backend: Arc<dyn Backend>) -> Runtime {
        Runtime::new(Arc::clone(design), backend, self.settings()).expect("the design runs")
    }

    /// The old design by itself, with its tables.
    pub fn old_alone(&self) -> Runtime {
        let runtime = self.runtime(&self.before, self.backend());
        block_on(prepare(&runtime, Coverage::AsMarked, &pause, &mut |_| {})).expect("deployed");
        runtime
    }

    /// The tables of the new design.
    pub fn make_tables(&self) {
        let runtime = self.runtime(&self.after, self.backend());
        let naming = runtime.shared().settings.naming();
        block_on(deploy(&self.after, &naming, runtime.backend(), &pause, &mut |_| {})).expect("created");
    }

    fn plan(&self, backend: Arc<dyn Backend>) -> Arc<Plan> {
        Arc::new(Plan::new(self.runtime(&self.after, backend)).unwrap_or_else(|refusal| panic!("{refusal}")))
    }

    pub fn runner(&self, backend: Arc<dyn Backend>) -> Runner {
        let plan = self.plan(Arc::clone(&backend));
        let threads: Spawn = Arc::new(|task| drop(std::thread::spawn(move || block_on(task))));
        Runner::new(plan, backend, self.settings(), Ages::ALONE).expect("a runner").spawning(threads)
    }
}

pub fn pause<'a>(length: Duration) -> Pending<'a, ()> {
    Box::pin(async move {
        std::thread::sleep(length);
        Ok(())
    })
}
