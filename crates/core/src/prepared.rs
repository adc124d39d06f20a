//! A program prepared for running: what all its calls share, and how a call runs.

use std::sync::{Arc, OnceLock, Weak};

use sortkey_design::Program;
use sortkey_design::program::{
    Arena, Callee, EffectId, EntityId, ErrorId, Id, OperationId, PatternId, SettingId,
};
use sortkey_diagnostics::{Diagnostic, Span};

use crate::catalog::{EntityInfo, entities};
use crate::effects::Parts;
use crate::evaluate::Scope;
use crate::interpret::assumed;
use crate::names::{parameter_values, setting, table_name, unnamed};
use crate::operate::{self, Cascade, cascades};
use crate::read::{Came, Paging, Read};
use crate::seal::Seals;
use crate::session::Session;
use crate::values::{Admit, Fields, Origin};
use crate::{Arguments, Call, Caller, Failure, FailureKind, Reply, Settings};

/// The state that all calls of a program share.
pub struct Shared {
    /// The compiled design.
    pub program: Lasting<Arc<Program>>,
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
    /// The prefix of this process's lease tokens, if it has the database for itself.
    pub(crate) tenure: OnceLock<String>,
    /// The entity that an operation merely creates an item of.
    pub(crate) created: Arena<OperationId, Option<EntityId>>,
    /// The parameters that the messages of effects are made of.
    pub(crate) effect_parts: Arena<EffectId, Parts>,
    /// The failures that the errors of the design are.
    pub(crate) errors: Arena<ErrorId, FailureKind>,
}

/// A prepared program in the hands of many. On WebAssembly it lasts as long as the instance that opened it, so the code that
/// would free programs, field by field, is left out there.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) type Lasting<T> = T;
#[cfg(target_arch = "wasm32")]
pub(crate) type Lasting<T> = std::mem::ManuallyDrop<T>;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn lasting<T>(value: T) -> Lasting<T> {
    value
}
#[cfg(target_arch = "wasm32")]
pub(crate) fn lasting<T>(value: T) -> Lasting<T> {
    std::mem::ManuallyDrop::new(value)
}

/// Why a design cannot be run as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The problem.
    pub message: String,
    /// Its place in the design.
    pub span: Span,
}

impl Shared {
    /// Prepares a program: a pattern without a path, or a cascade without one, is a problem.
    pub(crate) fn new(program: Arc<Program>, settings: Settings) -> Result<Shared, Vec<Problem>> {
        let program = lasting(program);
        let mut problems = nameless(&program, &settings);
        let mut reads = Vec::new();
        for (id, pattern) in program.patterns.entries() {
            match Read::of_pattern(&program, &settings, id) {
                Some(read) => reads.push(read),
                None => problems.push(Problem {
                    message: format!("no access path serves the pattern `{}`", pattern.name),
                    span: program
                        .design
                        .patterns
                        .get(id.at())
                        .map(|source| source.name.span)
                        .unwrap_or_default(),
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
        // A parameter without a value has its own name as its value.
        let value = |name: &Arc<str>| setting(&program, &settings, name).unwrap_or_else(|| name.to_string());
        let mut shared = Shared {
            effect_parts: program.effects.iter().map(|effect| Parts::of(&effect.signature)).collect(),
            errors: program.errors.iter().map(|name| FailureKind::of_name(name)).collect(),
            parameters: program.settings.iter().map(value).collect(),
            program,
            settings,
            entities,
            assumed: Arena::default(),
            cascades,
            seals: Seals::default(),
            reads: reads.into_iter().collect(),
            tenure: OnceLock::new(),
            created,
        };
        shared.assumed = assumed(&shared);
        Ok(shared)
    }

    /// Runs a call in a scope that has its moment.
    pub(crate) async fn run<'a>(
        &'a self,
        session: &Session<'a>,
        mut scope: Scope<'a>,
        call: Call<'_>,
    ) -> Result<Reply<'a>, Failure> {
        let program = &self.program;
        let unknown = || Failure::new(FailureKind::NotFound, format!("the design has no `{}`", call.name));
        let callee = program.callee(call.name).ok_or_else(unknown)?;
        let caller = call.caller.map(|caller| self.admitted(&scope, caller)).transpose()?;
        if !program.is_system(callee) && !program.caller.is_empty() {
            let name = program.name(callee);
            let needed = || Failure::new(FailureKind::Unauthenticated, format!("`{name}` needs a caller"));
            scope.caller = Some(caller.ok_or_else(needed)?);
        }
        let paging = Paging::of_call(program, callee, &call)?;
        let admit = Admit::argument(&scope, Origin::Json);
        let given = operate::admit_all(&admit, callee, call.arguments)?;
        match callee {
            Callee::Operation(id) => {
                scope.expected = operate::expected(program, id, call.version)?;
                let outcome = operate::operation(session, scope.clone(), id, given).await?;
                Ok(Reply::of_outcome(scope, outcome, session.is_repeat()))
            }
            Callee::Effect(_) => Err(unknown()),
            Callee::Pattern(_) if call.version.is_some() => Err(Failure::new(
                FailureKind::Invalid,
                "a version is expected of what is changed, and this only reads",
            )),
            Callee::Pattern(id) => {
                let read = &self.reads[id];
                operate::bind(&mut scope, callee, given)?;
                if let Some(observer) = self.settings.observer.as_ref().filter(|_| call.cursor.is_none()) {
                    observer.reads(id, read.known(&scope));
                }
                let came = match read.plan.shown {
                    true => read.run_unseen(session, &scope, paging).await?,
                    false => Came::Seen(operate::pattern(session, &mut scope, read, paging).await?),
                };
                Ok(Reply::of_pattern(scope, came, read))
            }
        }
    }

    /// The caller as values. One that another runtime checked is checked again.
    pub(crate) fn admitted(&self, scope: &Scope<'_>, caller: &Caller) -> Result<Arc<Fields>, Failure> {
        match &caller.admitted {
            Some((shared, fields)) if std::ptr::addr_eq(Weak::as_ptr(shared), self) => Ok(Arc::clone(fields)),
            _ => {
                let attributes = Arguments::try_from(caller.attributes.clone())?;
                operate::caller(scope, attributes.0, Origin::Json, true)
            }
        }
    }

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

/// Why tables cannot be named: in the design's words if it is there.
fn nameless(program: &Program, settings: &Settings) -> Vec<Problem> {
    let problem = |each: Diagnostic| Problem { span: each.primary.span, message: each.title };
    let design = &program.design;
    if design.tables.len() != program.tables.len() {
        let wrong = unnamed(program, settings).into_iter();
        return wrong.map(|message| Problem { message, span: Span::default() }).collect();
    }
    let values = match parameter_values(design, &settings.parameters) {
        Ok(values) => values,
        Err(problems) => return problems.into_iter().map(problem).collect(),
    };
    let name = |table| table_name(table, settings.table_prefix.as_deref(), &values).err();
    design.tables.iter().filter_map(name).map(|each| problem(*each)).collect()
}
