//! The runtime: a design bound to a backend, and the door through which calls enter.

use std::sync::{Arc, Weak};

use serde_json::{Map, Value as Json};
use sortkey_design::program::{Arena, Callee, EntityId, OperationId, PatternId, SettingId};
use sortkey_design::{Design, Program};
use sortkey_diagnostics::{Diagnostic, Span};

use crate::catalog::{EntityInfo, entities};
use crate::evaluate::Scope;
use crate::interpret::assumed;
use crate::names::{parameter_values, table_name};
use crate::operate::{self, Cascade, cascades};
use crate::read::{Paging, Read};
use crate::seal::Seals;
use crate::session::Session;
use crate::values::{Admit, Fields, Origin};
use crate::{Answer, Arguments, Backend, Call, Caller, Consumed, Failure, FailureKind, Reply, Settings};

/// A design bound to a backend. Clones are handles of the same runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

/// What all calls of a runtime share.
pub struct Shared {
    /// The compiled design.
    pub program: Arc<Program>,
    /// Where requests go.
    pub backend: Arc<dyn Backend>,
    /// Clock, randomness, keys and names.
    pub settings: Settings,
    /// The values of the design's deployment parameters.
    pub(crate) parameters: Arena<SettingId, String>,
    /// The entities, prepared.
    pub entities: Arena<EntityId, EntityInfo>,
    /// The values that items read as having although they lack them.
    pub(crate) assumed: Arena<EntityId, Fields>,
    pub(crate) cascades: Vec<Cascade>,
    pub(crate) seals: Seals,
    pub(crate) reads: Arena<PatternId, Read>,
    /// The entity that an operation merely creates an item of.
    pub(crate) created: Arena<OperationId, Option<EntityId>>,
}

/// Why a design cannot be run as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
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
        let design = Arc::clone(&program.design);
        let mut problems = unnamed(&design, &settings);
        let mut reads = Vec::new();
        for (id, pattern) in program.patterns.ids().zip(&design.patterns) {
            match Read::of_pattern(&program, &settings, id) {
                Some(read) => reads.push(read),
                None => problems.push(Problem {
                    message: format!("no access path serves the pattern `{}`", pattern.name),
                    span: pattern.name.span,
                }),
            }
        }
        let (cascades, pathless) = cascades(&program, &settings);
        problems.extend(pathless.into_iter().map(|(child, attribute)| {
            let child = &program.entities[child];
            let (child, attribute) = (&child.name, &child.attributes[attribute]);
            let message = format!(
                "no access path leads to the {child} items that `{}` deletes in cascade",
                attribute.name
            );
            Problem { message, span: attribute.span }
        }));
        if !problems.is_empty() {
            return Err(problems);
        }
        let entities = entities(&program, &settings);
        let created = |operation| operate::created(&program, &entities, operation);
        let created = program.operations.iter().map(created).collect();
        let values = parameter_values(&design, &settings.parameters).unwrap_or_default();
        // Without a value, a parameter stands for itself.
        let value = |name: &Arc<str>| values.get(&**name).cloned().unwrap_or_else(|| name.to_string());
        let mut shared = Shared {
            parameters: program.settings.iter().map(value).collect(),
            program,
            backend,
            settings,
            entities,
            assumed: Arena::default(),
            cascades,
            seals: Seals::default(),
            reads: reads.into_iter().collect(),
            created,
        };
        shared.assumed = assumed(&shared);
        Ok(Runtime { shared: Arc::new(shared) })
    }

    /// What all calls share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.shared.program.design
    }

    /// The compiled design: what every pattern and operation takes and yields, among others.
    pub fn program(&self) -> &Arc<Program> {
        &self.shared.program
    }

    /// Checks who calls against what the design's `caller` declares.
    pub fn caller(&self, attributes: Map<String, Json>) -> Result<Caller, Failure> {
        let scope = self.scope(None);
        let fields = operate::caller(&scope, Arguments::try_from(attributes.clone())?.0, Origin::Json, true)?;
        Ok(Caller { attributes, admitted: Some((Arc::downgrade(&self.shared), fields)) })
    }

    /// Runs a pattern or an operation.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        self.measured(call).await.0
    }

    /// Runs a pattern or an operation, and tells what it took.
    pub async fn measured(&self, call: Call<'_>) -> (Result<Answer, Failure>, Consumed) {
        let (reply, consumed) = self.reply(call).await;
        (reply.map(Reply::into_answer), consumed)
    }

    /// The same with the answer still as it is stored: for those who pass it on as text, or look at it later.
    pub async fn reply(&self, call: Call<'_>) -> (Result<Reply<'_>, Failure>, Consumed) {
        let session = Session::new(&self.shared);
        let reply = self.run(&session, call).await;
        (reply, session.consumed())
    }

    async fn run<'a>(&'a self, session: &Session<'a>, call: Call<'_>) -> Result<Reply<'a>, Failure> {
        let program = &self.shared.program;
        let unknown = || Failure::new(FailureKind::NotFound, format!("the design has no `{}`", call.name));
        let callee = program.callee(call.name).ok_or_else(unknown)?;
        let mut scope = self.scope(None);
        if !program.is_system(callee) && !program.caller.is_empty() {
            let name = program.name(callee);
            let caller = call.caller.ok_or_else(|| {
                Failure::new(FailureKind::Unauthenticated, format!("`{name}` needs a caller"))
            })?;
            scope.caller = Some(self.admitted(&scope, caller)?);
        }
        let admit = Admit::argument(&scope, Origin::Json);
        let given = operate::admit_all(&admit, callee, call.arguments)?;
        match callee {
            Callee::Effect(_) => Err(unknown()),
            Callee::Operation(id) => {
                let outcome = operate::operation(session, scope.clone(), id, given).await?;
                Ok(Reply::of_outcome(scope, outcome)?.repeated(session.is_repeat()))
            }
            Callee::Pattern(id) => {
                let read = &self.shared.reads[id];
                if read.is_lookup {
                    let known = operate::known(&scope, &program.patterns[id].signature, given)?;
                    let found = read.look_up(session, &scope, known).await?;
                    return Reply::of_found(scope, found, read);
                }
                operate::bind(&mut scope, callee, given)?;
                let (cursor, limit, context) = (call.cursor, call.limit, Some(&**program.name(callee)));
                let paging = Paging { cursor, limit, context, to_the_end: false };
                let found = operate::pattern(session, &mut scope, read, paging).await?;
                Reply::of_found(scope, found, read)
            }
        }
    }

    /// The caller as values. One that another runtime checked is checked again.
    pub(crate) fn admitted(&self, scope: &Scope<'_>, caller: &Caller) -> Result<Arc<Fields>, Failure> {
        match &caller.admitted {
            Some((runtime, fields)) if Weak::as_ptr(runtime) == Arc::as_ptr(&self.shared) => {
                Ok(Arc::clone(fields))
            }
            _ => {
                let attributes = Arguments::try_from(caller.attributes.clone())?;
                operate::caller(scope, attributes.0, Origin::Json, true)
            }
        }
    }

    /// A scope without names, at the present time.
    pub fn scope(&self, caller: Option<Arc<Fields>>) -> Scope<'_> {
        let now_ms = i64::try_from(self.shared.settings.clock.now_ms()).unwrap_or(i64::MAX);
        Scope::new(&self.shared, caller, now_ms)
    }
}

/// Why tables cannot be named.
fn unnamed(design: &Design, settings: &Settings) -> Vec<Problem> {
    let problem = |each: Diagnostic| Problem { span: each.primary.span, message: each.title };
    let values = match parameter_values(design, &settings.parameters) {
        Ok(values) => values,
        Err(problems) => return problems.into_iter().map(problem).collect(),
    };
    let name = |table| table_name(table, settings.table_prefix.as_deref(), &values).err();
    design.tables.iter().filter_map(name).map(|each| problem(*each)).collect()
}

impl Shared {
    /// The entity of a name that is stored.
    pub(crate) fn entity_called(&self, name: &str) -> Result<&EntityInfo, Failure> {
        let found = self.entities.iter().find(|info| *info.name == *name);
        found.ok_or_else(|| Failure::internal(format!("the design has no entity `{name}`")))
    }

    /// The pattern of a name, prepared.
    #[cfg(test)]
    pub(crate) fn read_of(&self, name: &str) -> Option<&Read> {
        match self.program.callee(name)? {
            Callee::Pattern(id) => Some(&self.reads[id]),
            Callee::Operation(_) | Callee::Effect(_) => None,
        }
    }
}
