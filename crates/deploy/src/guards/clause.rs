//! A `unique` clause of an entity, and the inputs of its guards.

use std::fmt;
use std::sync::Arc;

use serde_json::json;
use sha2::{Digest, Sha256};
use sortkey_design::model::{Type, Unique};
use sortkey_design::program::{Expr, UniqueId};

use sortkey_core::Runtime;
use sortkey_core::internals::{EntityInfo, hex};

/// A clause with its entity.
pub(super) struct Clause<'a> {
    pub(super) info: &'a EntityInfo,
    pub(super) id: UniqueId,
    /// The clause in the text of the design.
    pub(super) unique: &'a Unique,
    /// The beginning of the keys of its guards, unique to the clause.
    pub(super) prefix: String,
    /// Changes with everything that decides which guards there are and their keys.
    pub(super) fingerprint: String,
    /// The stored attributes that decide whether an item holds a guard, and which.
    pub(super) inputs: Vec<Arc<str>>,
}

/// The clauses of some entities.
pub(super) fn clauses<'a>(runtime: &'a Runtime, infos: &[&'a EntityInfo]) -> Vec<Clause<'a>> {
    let design = runtime.design();
    let mut found = Vec::new();
    for info in infos.iter().copied() {
        for (id, clause) in info.of(&runtime.shared().program).uniques.entries() {
            let unique = &info.source(design).uniques[clause.place];
            let (fingerprint, inputs) = (fingerprint(runtime, info, unique), inputs(runtime, info, id));
            let prefix = info.guards[id].clone();
            found.push(Clause { info, id, unique, prefix, fingerprint, inputs });
        }
    }
    found
}

impl fmt::Display for Clause<'_> {
    /// As plans call it: `User(email)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.unique.names.iter().map(|name| name.text.as_str()).collect();
        write!(formatter, "{}({})", self.info.name, names.join(", "))
    }
}

fn fingerprint(runtime: &Runtime, info: &EntityInfo, unique: &Unique) -> String {
    let design = runtime.design();
    let entity = info.source(design);
    let meant = |name: &str| {
        let attribute = entity.attribute(name)?;
        let ty = match design.type_of(attribute) {
            Type::Time { unit } => unit.describe().to_owned(),
            ty => format!("{:?}", ty.stored()),
        };
        let normalize = attribute.annotation("normalize");
        let steps = normalize.map(|each| each.args.iter().filter_map(|(_, step)| step.as_name()).collect());
        Some((ty, steps.unwrap_or_else(Vec::new)))
    };
    let values: Vec<_> = unique.names.iter().map(|name| meant(&name.text)).collect();
    let text = json!([values, unique.when, entity.deleted, info.ttl]).to_string();
    hex(&Sha256::digest(text.as_bytes())[..8])
}

fn inputs(runtime: &Runtime, info: &EntityInfo, id: UniqueId) -> Vec<Arc<str>> {
    let entity = info.of(&runtime.shared().program);
    let unique = &entity.uniques[id];
    let rules = unique.when.iter().chain(&entity.deleted).flat_map(Expr::attributes);
    let ids = unique.attributes.iter().copied().chain(rules);
    let stored = ids.filter(|id| entity.attributes[*id].is_stored()).map(|id| info.name_of(id).clone());
    let mut inputs: Vec<Arc<str>> = stored.chain(info.ttl.clone()).chain(info.kind.clone()).collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}
