//! The runtime: a design bound to a backend.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use sortkey_design::Design;
use sortkey_diagnostics::Span;

use crate::signature::{self, Signature};
use crate::{Answer, Backend, Call, Caller, Consumed, Failure, FailureKind, Settings};

/// A design bound to a backend. Clones are handles of the same runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

struct Shared {
    design: Arc<Design>,
    #[allow(dead_code)]
    backend: Arc<dyn Backend>,
    #[allow(dead_code)]
    settings: Settings,
    signatures: Vec<Signature>,
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
    /// Prepares a design that compiled without errors.
    pub fn new(
        design: Arc<Design>,
        backend: Arc<dyn Backend>,
        settings: Settings,
    ) -> Result<Runtime, Vec<Problem>> {
        let signatures = signature::of_design(&design);
        Ok(Runtime { shared: Arc::new(Shared { design, backend, settings, signatures }) })
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.shared.design
    }

    /// What a pattern or operation takes and yields; also by its name in a module.
    pub fn signature(&self, name: &str) -> Option<&Signature> {
        let own = self.resolve(name)?;
        self.shared.signatures.iter().find(|signature| signature.name == own)
    }

    /// What every pattern and operation takes and yields.
    pub fn signatures(&self) -> &[Signature] {
        &self.shared.signatures
    }

    /// Checks who calls against what the design's `caller` declares.
    pub fn caller(&self, attributes: Map<String, Json>) -> Result<Caller, Failure> {
        Ok(Caller(attributes))
    }

    /// Runs a pattern or an operation.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        self.measured(call).await.0
    }

    /// Runs a pattern or an operation, and tells what it took.
    pub async fn measured(&self, call: Call<'_>) -> (Result<Answer, Failure>, Consumed) {
        let failure = match self.resolve(call.name) {
            Some(name) => Failure::new(FailureKind::Internal, format!("`{name}` is not supported yet")),
            None => Failure::new(FailureKind::NotFound, format!("the design has no `{}`", call.name)),
        };
        (Err(failure), Consumed::default())
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
