//! The runtime: a design bound to a backend, and the door through which calls enter.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use serde_json::{Map, Value as Json};
use sortkey_design::{Design, Program};
use sortkey_diagnostics::Span;

use crate::catalog::{EntityInfo, entities};
use crate::deploy::desired;
use crate::evaluate::Scope;
use crate::interpret::assumed;
use crate::operate::{self, Cascade, cascades};
use crate::read::{Paging, Read};
use crate::seal::Seals;
use crate::session::Session;
use crate::signature::{self, Kind, Signature};
use crate::values::{Admit, Fields, Origin};
use crate::{Answer, Arguments, Backend, Call, Caller, Consumed, Failure, FailureKind, Reply, Settings};

/// A design bound to a backend. Clones are handles of the same runtime.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) shared: Arc<Shared>,
}

/// What all calls of a runtime share.
pub(crate) struct Shared {
    pub(crate) design: Arc<Design>,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) settings: Settings,
    /// By their places in the design.
    pub(crate) entities: Vec<EntityInfo>,
    /// The values that items read as having although they lack them, by the places of their entities.
    pub(crate) assumed: Vec<Fields>,
    pub(crate) cascades: Vec<Cascade>,
    pub(crate) seals: Seals,
    /// Of the patterns, then of the operations.
    signatures: Vec<Signature>,
    /// The places of signatures, by all names that calls may use: their own, and `module.name`.
    names: HashMap<String, usize>,
    /// By the places of the patterns.
    reads: Vec<Read>,
    /// By the places of the operations: the entity that one merely creates an item of.
    pub(crate) created: Vec<Option<usize>>,
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
        let mut problems: Vec<Problem> = match desired(&design, &settings.naming()) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics
                .into_iter()
                .map(|each| Problem { span: each.primary.span, message: each.title })
                .collect(),
        };
        let mut reads = Vec::new();
        for pattern in &design.patterns {
            match Read::prepare(&design, &settings, pattern) {
                Some(read) => reads.push(read),
                None => problems.push(Problem {
                    message: format!("no access path serves the pattern `{}`", pattern.name),
                    span: pattern.name.span,
                }),
            }
        }
        let (cascades, pathless) = cascades(&design, &settings);
        problems.extend(pathless.into_iter().map(|(child, attribute)| Problem {
            message: format!(
                "no access path leads to the {child} items that `{attribute}` deletes in cascade"
            ),
            span: attribute.span,
        }));
        if !problems.is_empty() {
            return Err(problems);
        }
        let entities = entities(&design, &settings);
        let program = Program::of(&design);
        let mut signatures = signature::of_program(&program);
        let names = names(&design, &signatures);
        let seals = Seals::default();
        let created = |operation| operate::created(&design, &entities, operation);
        let created: Vec<Option<usize>> = design.operations.iter().map(created).collect();
        for (signature, created) in signatures[design.patterns.len()..].iter_mut().zip(&created) {
            signature.is_bare = created.is_some();
        }
        let mut shared = Shared {
            design,
            backend,
            settings,
            entities,
            assumed: Vec::new(),
            cascades,
            seals,
            signatures,
            names,
            reads,
            created,
        };
        shared.assumed = assumed(&shared);
        Ok(Runtime { shared: Arc::new(shared) })
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.shared.design
    }

    /// What a pattern or operation takes and yields; also by its name in a module.
    pub fn signature(&self, name: &str) -> Option<&Signature> {
        self.shared.signature(name).ok()
    }

    /// What every pattern and operation takes and yields.
    pub fn signatures(&self) -> &[Signature] {
        &self.shared.signatures
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
        let unknown = || Failure::new(FailureKind::NotFound, format!("the design has no `{}`", call.name));
        let at = *self.shared.names.get(call.name).ok_or_else(unknown)?;
        let signature = &self.shared.signatures[at];
        let mut scope = self.scope(None);
        if !signature.system && !self.shared.design.caller.is_empty() {
            let caller = call.caller.ok_or_else(|| {
                Failure::new(FailureKind::Unauthenticated, format!("`{}` needs a caller", signature.name))
            })?;
            scope.caller = Some(self.admitted(&scope, caller)?);
        }
        let admit = Admit::argument(&scope, Origin::Json);
        let arguments = operate::arguments(&admit, signature, call.arguments)?;
        match signature.kind {
            Kind::Operation => {
                let outcome = operate::operation(session, scope.clone(), &signature.name, arguments).await?;
                Ok(Reply::of_outcome(scope, outcome)?.repeated(session.is_repeat()))
            }
            Kind::Pattern => {
                let read = &self.shared.reads[at];
                if read.is_lookup {
                    let known = operate::known(&scope, signature, arguments)?;
                    let found = read.look_up(session, &scope, known).await?;
                    return Reply::of_found(scope, found, read);
                }
                operate::bind(&mut scope, signature, arguments)?;
                let (cursor, limit, context) = (call.cursor, call.limit, Some(signature.name.as_str()));
                let paging = Paging { cursor, limit, context, to_the_end: false };
                let found = operate::pattern(session, &mut scope, read, paging).await?;
                Reply::of_found(scope, found, read)
            }
        }
    }

    /// The caller as values. One that another runtime checked is checked again.
    fn admitted(&self, scope: &Scope<'_>, caller: &Caller) -> Result<Arc<Fields>, Failure> {
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

    pub(crate) fn scope(&self, caller: Option<Arc<Fields>>) -> Scope<'_> {
        let now_ms = i64::try_from(self.shared.settings.clock.now_ms()).unwrap_or(i64::MAX);
        Scope::new(&self.shared, caller, now_ms)
    }
}

impl Shared {
    /// The place of an entity in the design.
    pub(crate) fn entity_at(&self, name: &str) -> Result<usize, Failure> {
        let at = self.entities.iter().position(|info| info.name == name);
        at.ok_or_else(|| Failure::internal(format!("the design has no entity `{name}`")))
    }

    pub(crate) fn signature(&self, name: &str) -> Result<&Signature, Failure> {
        let found = self.names.get(name).map(|at| &self.signatures[*at]);
        found.ok_or_else(|| Failure::new(FailureKind::NotFound, format!("the design has no `{name}`")))
    }

    /// An operation's signature and its place in the design.
    pub(crate) fn operation(&self, name: &str) -> Result<(&Signature, usize), Failure> {
        let patterns = self.design.patterns.len();
        let found = self.names.get(name).filter(|at| **at >= patterns);
        found.map(|at| (&self.signatures[*at], *at - patterns)).ok_or_else(|| {
            Failure::new(FailureKind::NotFound, format!("the design has no operation `{name}`"))
        })
    }

    pub(crate) fn read(&self, name: &str) -> Result<&Read, Failure> {
        let found = self.names.get(name).and_then(|at| self.reads.get(*at));
        found
            .ok_or_else(|| Failure::new(FailureKind::NotFound, format!("the design has no pattern `{name}`")))
    }
}

/// Where signatures are found. A name of its own hides one in a module.
fn names(design: &Design, signatures: &[Signature]) -> HashMap<String, usize> {
    let own: HashMap<&str, usize> =
        signatures.iter().enumerate().rev().map(|(at, each)| (each.name.as_str(), at)).collect();
    let mut names = HashMap::new();
    for module in &design.modules {
        for (exported, target) in &module.entries {
            if let Some(at) = own.get(target.text.as_str()) {
                names.entry(format!("{}.{exported}", module.name)).or_insert(*at);
            }
        }
    }
    names.extend(own.into_iter().map(|(name, at)| (name.to_owned(), at)));
    names
}
