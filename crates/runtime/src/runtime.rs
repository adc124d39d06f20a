//! The runtime: a design bound to a backend, and the door through which calls enter.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use sortkey_design::Design;
use sortkey_design::model::ReadVerb;
use sortkey_diagnostics::Span;

use crate::answer::{public, to_public_json};
use crate::catalog::{EntityInfo, entities};
use crate::deploy::desired;
use crate::evaluate::Scope;
use crate::operate::{self, Cascade, cascades};
use crate::read::{Found, Paging, Read};
use crate::seal::Seals;
use crate::session::Session;
use crate::signature::{self, Kind, Signature};
use crate::values::{Admit, Fields, Origin, Val, from_json};
use crate::{Answer, Backend, Call, Caller, Consumed, Failure, FailureKind, Settings};

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
    pub(crate) cascades: Vec<Cascade>,
    pub(crate) seals: Seals,
    signatures: Vec<Signature>,
    reads: HashMap<String, Read>,
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
        let mut reads = HashMap::new();
        for pattern in &design.patterns {
            match Read::prepare(&design, &settings, pattern) {
                Some(read) => drop(reads.insert(pattern.name.text.clone(), read)),
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
        let signatures = signature::of_design(&design);
        let seals = Seals::default();
        let shared = Shared { design, backend, settings, entities, cascades, seals, signatures, reads };
        Ok(Runtime { shared: Arc::new(shared) })
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.shared.design
    }

    /// What a pattern or operation takes and yields; also by its name in a module.
    pub fn signature(&self, name: &str) -> Option<&Signature> {
        self.shared.signature(self.resolve(name)?).ok()
    }

    /// What every pattern and operation takes and yields.
    pub fn signatures(&self) -> &[Signature] {
        &self.shared.signatures
    }

    /// Checks who calls against what the design's `caller` declares.
    pub fn caller(&self, attributes: Map<String, Json>) -> Result<Caller, Failure> {
        let scope = self.scope(None);
        operate::caller(&scope, values(&attributes)?, Origin::Json, true)?;
        Ok(Caller(attributes))
    }

    /// Runs a pattern or an operation.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        self.measured(call).await.0
    }

    /// Runs a pattern or an operation, and tells what it took.
    pub async fn measured(&self, call: Call<'_>) -> (Result<Answer, Failure>, Consumed) {
        let session = Session::new(&self.shared);
        let answer = self.run(&session, &call).await;
        (answer, session.consumed())
    }

    async fn run(&self, session: &Session<'_>, call: &Call<'_>) -> Result<Answer, Failure> {
        let unknown = || Failure::new(FailureKind::NotFound, format!("the design has no `{}`", call.name));
        let name = self.resolve(call.name).ok_or_else(unknown)?;
        let signature = self.shared.signature(name)?;
        let mut scope = self.scope(None);
        if !signature.system && !self.shared.design.caller.is_empty() {
            let caller = call.caller.ok_or_else(|| {
                Failure::new(FailureKind::Unauthenticated, format!("`{name}` needs a caller"))
            })?;
            scope.caller = Some(operate::caller(&scope, values(caller.attributes())?, Origin::Json, true)?);
        }
        let admit = Admit::argument(&scope, Origin::Json);
        let arguments = operate::admitted(&admit, signature, values(&call.arguments)?)?;
        match signature.kind {
            Kind::Operation => {
                let value = operate::operation(session, scope.clone(), name, arguments).await?;
                Ok(answer(&scope, public(&scope, value, None)))
            }
            Kind::Pattern => self.pattern(session, scope, name, arguments, call).await,
        }
    }

    async fn pattern<'a>(
        &'a self,
        session: &Session<'a>,
        mut scope: Scope<'a>,
        name: &str,
        arguments: Fields,
        call: &Call<'_>,
    ) -> Result<Answer, Failure> {
        let read = self.shared.read(name)?;
        let bound = operate::bind(&mut scope, self.shared.signature(name)?, arguments)?;
        // A cursor belongs to one pattern with one set of arguments, asked by one caller.
        let own = scope.caller.as_ref().map(|caller| Val::Map((**caller).clone())).unwrap_or_default();
        let context = Json::Array(vec![
            Json::from(name),
            to_public_json(&scope, &Val::Map(bound.clone())),
            to_public_json(&scope, &own),
        ]);
        let context = context.to_string();
        let paging = Paging { cursor: call.cursor, limit: call.limit, context: context.as_bytes() };
        let found = operate::pattern(session, &mut scope, read, bound, paging, false).await?;
        let cursor = match &found {
            Found::Items { cursor, .. } => cursor.clone(),
            _ => None,
        };
        let value = operate::value_of(&scope, found, read);
        let value = public(&scope, value, read.pattern.select.as_deref());
        let lists = matches!(read.pattern.verb, ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan);
        Ok(match value {
            Val::List(items) if lists => Answer::Page {
                items: items.iter().map(|item| to_public_json(&scope, item)).collect(),
                cursor,
            },
            value => answer(&scope, value),
        })
    }

    pub(crate) fn scope(&self, caller: Option<Arc<Fields>>) -> Scope<'_> {
        let now_ms = i64::try_from(self.shared.settings.clock.now_ms()).unwrap_or(i64::MAX);
        Scope::new(&self.shared, caller, now_ms)
    }

    /// The pattern or operation behind a name, which may be `module.name`.
    fn resolve<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let design = self.design();
        if design.pattern(name).is_some() || design.operation(name).is_some() {
            return Some(name);
        }
        let (module, entry) = name.split_once('.')?;
        let module = design.modules.iter().find(|each| each.name.is(module))?;
        let (_, own) = module.entries.iter().find(|(exported, _)| exported.is(entry))?;
        Some(&own.text)
    }
}

impl Shared {
    /// The place of an entity in the design.
    pub(crate) fn entity_at(&self, name: &str) -> Result<usize, Failure> {
        let at = self.entities.iter().position(|info| info.name == name);
        at.ok_or_else(|| Failure::internal(format!("the design has no entity `{name}`")))
    }

    pub(crate) fn signature(&self, name: &str) -> Result<&Signature, Failure> {
        let found = self.signatures.iter().find(|signature| signature.name == name);
        found.ok_or_else(|| Failure::new(FailureKind::NotFound, format!("the design has no `{name}`")))
    }

    pub(crate) fn read(&self, name: &str) -> Result<&Read, Failure> {
        let found = self.reads.get(name);
        found
            .ok_or_else(|| Failure::new(FailureKind::NotFound, format!("the design has no pattern `{name}`")))
    }
}

fn values(arguments: &Map<String, Json>) -> Result<Fields, Failure> {
    let mut fields = Fields::new();
    for (name, json) in arguments {
        let value = from_json(json)
            .ok_or_else(|| Failure::invalid(name, format!("`{name}` holds a number that cannot be kept")))?;
        fields.insert(name.clone(), value);
    }
    Ok(fields)
}

fn answer(scope: &Scope<'_>, value: Val) -> Answer {
    match value {
        Val::Absent => Answer::Nothing,
        value => Answer::Value(to_public_json(scope, &value)),
    }
}
