//! By what a receipt recognises the arguments of the call that it stands for.
//!
//! Secrets are left out: a hash of something short can be guessed. So is what admission fills in, which differs from call
//! to call.

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use sortkey_design::Design;
use sortkey_design::model::*;

use crate::answer::to_public_json;
use crate::evaluate::Scope;
use crate::signature::Signature;
use crate::values::{Fields, Val};

/// Half a SHA-256.
pub(super) type Fingerprint = [u8; 16];

/// Types nest no deeper in designs that people write; whatever is deeper is left out.
const DEPTH: usize = 8;

/// The fingerprint of the arguments of an operation, but for the one that it is idempotent by. Costs nothing where nobody
/// asks for it.
pub(in crate::operate) fn fingerprint(
    scope: &Scope<'_>,
    operation: &Operation,
    signature: &Signature,
    arguments: &Fields,
) -> Fingerprint {
    let Some((by, _)) = &operation.idempotent else { return Fingerprint::default() };
    let design = &scope.shared.design;
    let mut shown = Map::new();
    for (name, value) in arguments.iter().filter(|(name, _)| !by.is(name)) {
        let Some(parameter) = signature.parameter(name) else { continue };
        let attribute = parameter.attribute.as_ref();
        let attribute = attribute.and_then(|(entity, name)| design.entity(entity)?.attribute(name));
        if attribute.is_none_or(is_shown) && !is_filled(design, &parameter.ty, DEPTH) {
            shown.insert(name.to_string(), without_secrets(scope, &parameter.ty, value));
        }
    }
    let digest = Sha256::digest(Json::Object(shown).to_string().as_bytes());
    let mut half = Fingerprint::default();
    half.copy_from_slice(&digest[..16]);
    half
}

fn is_shown(attribute: &Attribute) -> bool {
    !attribute.has("secret") && !attribute.has("encrypted")
}

/// A value as JSON; of the attributes of an entity, those that may be shown.
fn without_secrets(scope: &Scope<'_>, ty: &Type, value: &Val) -> Json {
    let entity = match ty {
        Type::Input { entity, .. } => scope.shared.design.entity(entity),
        _ => None,
    };
    let mut json = to_public_json(scope, value);
    if let (Some(entity), Json::Object(fields)) = (entity, &mut json) {
        fields.retain(|name, _| entity.attribute(name).is_none_or(is_shown));
    }
    json
}

/// Whether a value of a type gets more than the caller gave.
fn is_filled(design: &Design, ty: &Type, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let any = |attributes: &[Attribute]| {
        attributes.iter().any(|each| each.value.is_some() || is_filled(design, design.type_of(each), depth))
    };
    match ty {
        Type::List { of, .. } | Type::Set { of, .. } | Type::Map { of, .. } | Type::Json { of } => {
            is_filled(design, of, depth)
        }
        Type::Object { attributes } => any(attributes),
        Type::Record { name } => design.record(name).is_some_and(|record| any(&record.attributes)),
        _ => false,
    }
}
