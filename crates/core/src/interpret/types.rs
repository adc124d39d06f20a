//! The types in which an attribute may be stored, and the parts that may be missing inside it.

use sortkey_design::Program;
use sortkey_design::model::Stored;
use sortkey_design::program::{Attribute, Attributes, Expr, ExprKind, Function, Type};
use sortkey_value::{AttributeType, ValueRef};

use crate::evaluate::Scope;
use crate::values::{Val, from_stored};

/// Any type at all.
pub(crate) const ALL_TYPES: u16 = u16::MAX;

/// Whether no item may lack an attribute. DynamoDB has no empty sets, so a set may always be missing.
pub(crate) fn is_required(attribute: &Attribute) -> bool {
    let is_set = matches!(*attribute.ty, Type::Set { .. });
    attribute.is_stored() && !attribute.may_be_absent() && !is_set
}

/// The types in which an attribute may be stored, one bit for each.
pub(crate) fn stored_types(attribute: &Attribute) -> u16 {
    // Attributes that are not stored are not looked at.
    if !attribute.is_stored() {
        return ALL_TYPES;
    }
    let null = match attribute.flags.null || attribute.may_be_absent() {
        true => bit(AttributeType::Null),
        false => 0,
    };
    // Plain text where something encrypted belongs was never meant for those who may read it.
    if attribute.encrypted.is_some() {
        return null | bit(AttributeType::B);
    }
    null | match &*attribute.ty {
        // Times are understood in either form, and a document has the type of its text.
        Type::Time { .. } => bit(AttributeType::S) | bit(AttributeType::N),
        Type::Json { .. } => ALL_TYPES,
        ty if ty.stored() == Stored::Any => ALL_TYPES,
        ty => bit(usual_type(ty)),
    }
}

/// The type in which values of a type are stored; text for what may be anything.
pub(crate) fn usual_type(ty: &Type) -> AttributeType {
    match ty.stored() {
        Stored::S | Stored::Any => AttributeType::S,
        Stored::N => AttributeType::N,
        Stored::B => AttributeType::B,
        Stored::Bool => AttributeType::Bool,
        Stored::L => AttributeType::L,
        Stored::M => AttributeType::M,
        Stored::Ss => AttributeType::Ss,
        Stored::Ns => AttributeType::Ns,
        Stored::Bs => AttributeType::Bs,
    }
}

pub(crate) fn bit(ty: AttributeType) -> u16 {
    1 << ty as u16
}

/// Whether an expression follows from the item alone: it asks neither the time nor chance nor the caller, and reads nothing.
pub(crate) fn is_pure(expr: &Expr) -> bool {
    let mut pure = !expr.makes_requests();
    expr.walk(&mut |each| {
        pure &= match &each.kind {
            ExprKind::Now | ExprKind::New | ExprKind::Caller | ExprKind::CallerPart(_) | ExprKind::Item => {
                false
            }
            ExprKind::Function { function, .. } => !matches!(function, Function::Random | Function::Bcrypt),
            ExprKind::Arrow { .. } => false,
            _ => true,
        };
    });
    pure
}

/// The attributes of an object, if a type is one.
pub(super) fn members<'p>(program: &'p Program, ty: &Type) -> Option<&'p Attributes> {
    match ty {
        Type::Object(id) => Some(&program.objects[*id].attributes),
        _ => None,
    }
}

/// Whether an object that lacks a member reads as if it had the member's default.
pub(super) fn has_default(attribute: &Attribute) -> bool {
    let is_filled = attribute.fill.as_ref().is_some_and(|fill| is_pure(&fill.value));
    attribute.is_stored() && !attribute.may_be_absent() && is_filled
}

/// Whether there are objects with defaults inside values of a type. Types that name themselves end somewhere else.
pub(crate) fn has_inner_defaults(program: &Program, ty: &Type) -> bool {
    fn search(program: &Program, ty: &Type, depth: usize) -> bool {
        if depth == 0 {
            return false;
        }
        match ty {
            Type::List { of, .. } | Type::Map { of, .. } | Type::Json { of } => {
                search(program, of, depth - 1)
            }
            ty => members(program, ty)
                .into_iter()
                .flat_map(Attributes::iter)
                .any(|each| has_default(each) || search(program, &each.ty, depth - 1)),
        }
    }
    search(program, ty, 16)
}

/// Whether an object inside a stored value lacks a member that has a default.
pub(crate) fn lacks_inside(scope: &Scope<'_>, ty: &Type, value: ValueRef<'_>) -> bool {
    let program = &scope.shared.program;
    match (ty, value) {
        (Type::List { of, .. }, ValueRef::L(list)) => list.iter().any(|each| lacks_inside(scope, of, each)),
        (Type::Map { of, .. }, ValueRef::M(map)) => map.iter().any(|(_, each)| lacks_inside(scope, of, each)),
        (Type::Json { of }, value) => val_lacks(scope, of, &from_stored(program, ty, value)),
        (ty, ValueRef::M(map)) => {
            let mut members = members(program, ty).into_iter().flat_map(Attributes::iter);
            members.any(|each| match map.get(&each.name) {
                Some(value) => lacks_inside(scope, &each.ty, value),
                None => has_default(each),
            })
        }
        _ => false,
    }
}

/// Like `lacks_inside`, for a value decoded from JSON text.
fn val_lacks(scope: &Scope<'_>, ty: &Type, value: &Val) -> bool {
    let program = &scope.shared.program;
    match (ty, value) {
        (Type::List { of, .. }, Val::List(list)) => list.iter().any(|each| val_lacks(scope, of, each)),
        (Type::Map { of, .. }, Val::Map(map)) => map.iter().any(|(_, each)| val_lacks(scope, of, each)),
        (ty, Val::Map(map)) => {
            let mut members = members(program, ty).into_iter().flat_map(Attributes::iter);
            members.any(|each| match map.get(&each.name) {
                Some(value) => val_lacks(scope, &each.ty, value),
                None => has_default(each),
            })
        }
        _ => false,
    }
}
