//! The runtime: a design bound to a backend, and the door through which calls enter.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use sortkey_design::{Design, Program};

use crate::evaluate::Scope;
use crate::outbox::Outbox;
use crate::prepared::{Problem, Shared};
use crate::session::Session;
use crate::values::Fields;
use crate::{Answer, Backend, Call, Caller, Clock, Consumed, Core, Failure, Ids, Reply, Settings, Shown};

/// A design bound to a backend. Clones are handles of the same runtime.
#[derive(Clone)]
pub struct Runtime {
    core: Core,
    backend: Arc<dyn Backend>,
    /// The outbox of the task that this is the runtime of, and its moment; none if the environment is reached directly.
    task: Option<(Arc<Outbox>, i64)>,
}

impl Runtime {
    /// Prepares a design that compiled without errors: a pattern without a path, or a cascade without one, is a problem.
    pub fn new(
        design: Arc<Design>,
        backend: Arc<dyn Backend>,
        settings: Settings,
    ) -> Result<Runtime, Vec<Problem>> {
        Runtime::of_program(Arc::new(Program::of(&design)), backend, settings)
    }

    /// Like [`Runtime::new`], for a program that is compiled once and run many times.
    pub fn of_program(
        program: Arc<Program>,
        backend: Arc<dyn Backend>,
        settings: Settings,
    ) -> Result<Runtime, Vec<Problem>> {
        Ok(Runtime { core: Core::new(program, settings)?, backend, task: None })
    }

    /// A prepared program bound to a backend, at no cost: for a backend of each call.
    pub fn of_core(core: Core, backend: Arc<dyn Backend>) -> Runtime {
        Runtime { core, backend, task: None }
    }

    /// A prepared program whose environment is the host of a task.
    pub(crate) fn asking(core: Core, outbox: Arc<Outbox>, now_ms: i64) -> Runtime {
        let backend: Arc<dyn Backend> = Arc::<Outbox>::clone(&outbox);
        Runtime { core, backend, task: Some((outbox, now_ms)) }
    }

    /// The prepared program, which calls can also be started on as tasks.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The state that all calls share.
    pub fn shared(&self) -> &Shared {
        &self.core.shared
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.shared().program.design
    }

    /// This design on another backend, with that backend's clock: on a fork of the database.
    pub fn on(&self, backend: Arc<dyn Backend>, clock: Arc<dyn Clock>) -> Result<Runtime, Vec<Problem>> {
        let settings = Settings { clock, ..self.shared().settings.clone() };
        Runtime::of_program(Arc::clone(self.program()), backend, settings)
    }

    /// Another program on the same backend.
    pub fn beside(&self, program: Arc<Program>, settings: Settings) -> Result<Runtime, Vec<Problem>> {
        Runtime::of_program(program, Arc::clone(&self.backend), settings)
    }

    /// The compiled design: what every pattern and operation takes and yields, among others.
    pub fn program(&self) -> &Arc<Program> {
        &self.shared().program
    }

    /// Checks who calls against what the design's `caller` declares.
    pub fn caller(&self, attributes: Map<String, Json>) -> Result<Caller, Failure> {
        self.core.caller(attributes, self.now_ms())
    }

    /// Runs a pattern or an operation.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        self.measured(call).await.0
    }

    /// Runs a pattern or an operation, and returns its consumption as well.
    pub async fn measured(&self, call: Call<'_>) -> (Result<Answer, Failure>, Consumed) {
        let (reply, consumed) = self.reply(call).await;
        (reply.and_then(Reply::look).map(Shown::into_answer), consumed)
    }

    /// Like [`Runtime::measured`], with the answer still as it came back: for those who pass it on as text, or look at it
    /// later.
    pub async fn reply(&self, call: Call<'_>) -> (Result<Reply<'_>, Failure>, Consumed) {
        let session = self.session();
        let reply = self.shared().run(&session, self.scope(None), call).await;
        (reply, session.consumed())
    }

    /// A session on the backend, without requests yet.
    pub fn session(&self) -> Session<'_> {
        match &self.task {
            Some((outbox, _)) => Session::asking(self.shared(), outbox),
            None => Session::new(self.shared(), &*self.backend),
        }
    }

    /// A scope without names, at the present time.
    pub fn scope(&self, caller: Option<Arc<Fields>>) -> Scope<'_> {
        match &self.task {
            Some((outbox, now_ms)) => {
                let mut scope = Scope::asking(self.shared(), outbox, *now_ms);
                scope.caller = caller;
                scope
            }
            None => Scope::new(self.shared(), caller, self.now_ms()),
        }
    }

    /// The moment, as calls see it.
    pub fn now_ms(&self) -> i64 {
        self.task.as_ref().map_or_else(|| self.core.now_ms(), |(_, now_ms)| *now_ms)
    }

    /// The source of randomness.
    pub(crate) fn ids(&self) -> &Ids {
        match &self.task {
            Some((outbox, _)) => &outbox.ids,
            None => &self.shared().settings.ids,
        }
    }
}
