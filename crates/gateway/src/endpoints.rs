//! Maps paths to declarations: by a declaration's own name, and by its name in every module that exports it.

use std::collections::HashMap;
use std::sync::Arc;

use sortkey_design::Program;
use sortkey_design::program::{Callee, Operation, Parameter, Signature};

/// The common prefix of all paths.
pub(crate) const PREFIX: &str = "/api";

/// A route to a pattern or an operation.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// Below the prefix: `createUser` or `users/create`.
    pub(crate) path: String,
    /// The module that exports it under this path.
    pub(crate) module: Option<String>,
    /// The callee.
    pub(crate) callee: Callee,
    program: Arc<Program>,
}

/// All routes of a design.
#[derive(Debug)]
pub(crate) struct Endpoints {
    list: Vec<Endpoint>,
    by_path: HashMap<String, usize>,
}

impl Endpoints {
    pub(crate) fn of(program: &Arc<Program>) -> Endpoints {
        let endpoint = |path: String, module: Option<String>, callee: Callee| Endpoint {
            path,
            module,
            callee,
            program: Arc::clone(program),
        };
        let mut list: Vec<Endpoint> = Vec::new();
        for module in &program.design.modules {
            for (exported, own) in &module.entries {
                let path = format!("{}/{exported}", module.name);
                let callee = program.callee(&own.text);
                list.extend(callee.map(|callee| endpoint(path, Some(module.name.text.clone()), callee)));
            }
        }
        list.extend(program.callees().map(|callee| endpoint(program.name(callee).to_string(), None, callee)));
        let by_path = list.iter().enumerate().map(|(at, endpoint)| (endpoint.path.clone(), at)).collect();
        Endpoints { list, by_path }
    }

    /// The endpoint at a path below the prefix. A dot serves as well as a slash.
    pub(crate) fn find(&self, path: &str) -> Option<&Endpoint> {
        let at = self.by_path.get(path).or_else(|| self.by_path.get(&path.replacen('.', "/", 1)))?;
        self.list.get(*at)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Endpoint> {
        self.list.iter()
    }

    /// The endpoints that documentation shows: a declaration that modules export is shown under their names.
    pub(crate) fn documented(&self) -> impl Iterator<Item = &Endpoint> {
        let exported = |callee: Callee| {
            self.list.iter().any(|endpoint| endpoint.module.is_some() && endpoint.callee == callee)
        };
        self.list.iter().filter(move |endpoint| endpoint.module.is_some() || !exported(endpoint.callee))
    }
}

impl Endpoint {
    pub(crate) fn is_pattern(&self) -> bool {
        matches!(self.callee, Callee::Pattern(_))
    }

    /// Whether it runs without a caller.
    pub(crate) fn is_system(&self) -> bool {
        self.program.is_system(self.callee)
    }

    /// Its own name in the design.
    pub(crate) fn name(&self) -> &str {
        self.program.name(self.callee)
    }

    /// Its name as the runtime and people call it: `users.create`.
    pub(crate) fn dotted(&self) -> String {
        self.path.replace('/', ".")
    }

    /// Its parameters and its result.
    pub(crate) fn signature(&self) -> &Signature {
        self.program.signature(self.callee)
    }

    /// The parameter of a name.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Parameter> {
        let signature = self.signature();
        signature.find(name).map(|id| &signature.parameters[id])
    }

    /// Its documentation comment.
    pub(crate) fn docs(&self) -> Option<&str> {
        self.program.docs(self.callee)
    }

    /// The operation, if it is one.
    pub(crate) fn operation(&self) -> Option<&Operation> {
        match self.callee {
            Callee::Operation(id) => Some(&self.program.operations[id]),
            Callee::Pattern(_) | Callee::Effect(_) => None,
        }
    }

    /// The parameter that an `Idempotency-Key` fills.
    pub(crate) fn idempotent_by(&self) -> Option<&Parameter> {
        let operation = self.operation()?;
        let token = operation.idempotent.as_ref()?.by.last()?;
        Some(&operation.signature.parameters[*token])
    }
}
