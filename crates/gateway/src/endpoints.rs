//! Which path is which declaration: its own name, and its name in every module that exports it.

use std::collections::HashMap;

use sortkey_core::{Kind, Runtime, Signature};
use sortkey_design::Design;

/// Where all of them are.
pub(crate) const PREFIX: &str = "/api";

/// A route to a pattern or an operation.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// Below the prefix: `createUser` or `users/create`.
    pub(crate) path: String,
    /// The module that exports it under this path.
    pub(crate) module: Option<String>,
    /// What it takes and yields.
    pub(crate) signature: Signature,
    /// The parameter that an `Idempotency-Key` fills.
    pub(crate) idempotent_by: Option<String>,
}

/// All routes of a design.
#[derive(Debug)]
pub(crate) struct Endpoints {
    list: Vec<Endpoint>,
    by_path: HashMap<String, usize>,
}

impl Endpoints {
    pub(crate) fn of(runtime: &Runtime) -> Endpoints {
        let design = runtime.design();
        let mut list: Vec<Endpoint> = Vec::new();
        for module in &design.modules {
            for (exported, own) in &module.entries {
                let path = format!("{}/{exported}", module.name);
                let signature = runtime.signature(&own.text);
                list.extend(
                    signature.map(|each| endpoint(design, path, Some(module.name.text.clone()), each)),
                );
            }
        }
        let own = runtime.signatures();
        list.extend(own.map(|signature| endpoint(design, signature.name.clone(), None, signature)));
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
        let exported = |name: &str| {
            self.list.iter().any(|endpoint| endpoint.module.is_some() && endpoint.signature.name == name)
        };
        self.list
            .iter()
            .filter(move |endpoint| endpoint.module.is_some() || !exported(&endpoint.signature.name))
    }
}

impl Endpoint {
    pub(crate) fn is_pattern(&self) -> bool {
        self.signature.kind == Kind::Pattern
    }

    /// Its name as the runtime and people call it: `users.create`.
    pub(crate) fn dotted(&self) -> String {
        self.path.replace('/', ".")
    }
}

fn endpoint(design: &Design, path: String, module: Option<String>, signature: &Signature) -> Endpoint {
    let operation = design.operation(&signature.name);
    let idempotent = operation.and_then(|operation| operation.idempotent.as_ref());
    Endpoint {
        path,
        module,
        signature: signature.clone(),
        idempotent_by: idempotent.map(|(name, _)| name.text.clone()),
    }
}
