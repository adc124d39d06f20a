//! The fingerprint by which a receipt recognises the arguments of its call.
//!
//! Secrets are left out: a hash of something short can be guessed. So is what admission fills in, which differs from call
//! to call. A call whose token is the `delivery_id` of a webhook has the same fingerprint whatever its arguments are: a provider
//! that sends again signs anew, from another address.

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use sortkey_design::Program;
use sortkey_design::program::{
    Arguments, Attribute, Attributes, Callee, Expr, ExprKind, Function, Operation, Type,
};

use crate::answer::to_public_json;
use crate::evaluate::Scope;
use crate::operate::Given;
use crate::values::Val;

/// Half a SHA-256.
pub(super) type Fingerprint = [u8; 16];

/// Types nest no deeper in designs that people write; whatever is deeper is left out.
const DEPTH: usize = 8;

/// The fingerprint of the arguments of an operation, but for the one that it is idempotent by. Costs nothing where nobody
/// asks for it.
pub(in crate::operate) fn fingerprint(
    scope: &Scope<'_>,
    operation: &Operation,
    given: &Given,
) -> Fingerprint {
    let Some(idempotent) = operation.idempotent.as_ref().filter(|_| !scope.is_delivery) else {
        return Fingerprint::default();
    };
    let program = &scope.shared.program;
    let mut shown = Map::new();
    for (id, value) in given.iter().filter(|(id, _)| idempotent.by.last() != Some(id)) {
        let parameter = &operation.signature.parameters[*id];
        let attribute = parameter.attribute.map(|(entity, id)| &program.entities[entity].attributes[id]);
        if attribute.is_none_or(is_shown) && !is_filled(program, &parameter.ty, DEPTH) {
            shown.insert(parameter.name.to_string(), without_secrets(scope, &parameter.ty, value));
        }
    }
    let digest = Sha256::digest(Json::Object(shown).to_string().as_bytes());
    let mut half = Fingerprint::default();
    half.copy_from_slice(&digest[..16]);
    half
}

/// Whether the token of a call is the id that a provider gives to a delivery, or that with something in its place.
pub(in crate::operate) fn is_delivery(program: &Program, callee: Callee, arguments: &Arguments) -> bool {
    let Callee::Operation(operation) = callee else { return false };
    let token = program.operations[operation].idempotent.as_ref().and_then(|each| each.by.last());
    let given = token.and_then(|token| arguments.values.iter().find(|(id, _)| id == token));
    given.is_some_and(|(_, value)| is_delivery_id(value))
}

fn is_delivery_id(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Function { function: Function::DeliveryId, .. } => true,
        ExprKind::Function { function: Function::Coalesce, arguments } => {
            arguments.first().is_some_and(is_delivery_id)
        }
        _ => false,
    }
}

fn is_shown(attribute: &Attribute) -> bool {
    !attribute.flags.secret && attribute.encrypted.is_none()
}

/// A value as JSON; of the attributes of an entity, those that may be shown.
fn without_secrets(scope: &Scope<'_>, ty: &Type, value: &Val) -> Json {
    let mut json = to_public_json(scope, value);
    if let (Type::Input { entity, .. }, Json::Object(fields)) = (ty, &mut json) {
        let attributes = &scope.shared.program.entities[*entity].attributes;
        fields.retain(|name, _| attributes.find(name).is_none_or(|id| is_shown(&attributes[id])));
    }
    json
}

/// Whether a value of a type gets more than the caller gave.
fn is_filled(program: &Program, ty: &Type, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let any = |attributes: &Attributes| {
        attributes.iter().any(|each| each.fill.is_some() || is_filled(program, &each.ty, depth))
    };
    match ty {
        Type::List { of, .. } | Type::Set { of, .. } | Type::Map { of, .. } | Type::Json { of } => {
            is_filled(program, of, depth)
        }
        Type::Object(id) => any(&program.objects[*id].attributes),
        _ => false,
    }
}
