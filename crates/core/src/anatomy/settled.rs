//! The attributes that are filled or removed automatically, in order of dependence.

use std::sync::Arc;

use sortkey_design::program::{Attribute, AttributeId, Entity, Expr, ExprKind, Fill, Type};

use crate::interpret::is_pure;
use crate::values::Val;

/// An attribute that something fills or takes away.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    pub(crate) name: Arc<str>,
    pub(crate) id: AttributeId,
    /// Its value, if it is the same for every item.
    pub(crate) constant: Option<Val>,
    /// Whether what fills it follows from the item alone, today as on the day the item was made.
    pub(crate) is_pure: bool,
}

/// The attributes that decide what an attribute is.
fn inputs(attribute: &Attribute) -> Vec<AttributeId> {
    let fill = attribute.fill.iter().flat_map(|fill| fill.value.attributes());
    fill.chain(attribute.when.iter().flat_map(Expr::attributes)).collect()
}

/// The attributes that are kept derived, each with those it is computed from.
pub(super) fn derived(entity: &Entity) -> Vec<(AttributeId, Vec<AttributeId>)> {
    let mut found = Vec::new();
    for (id, attribute) in entity.attributes.entries() {
        let Some(Fill { derived: true, value }) = &attribute.fill else { continue };
        let inputs = value.attributes();
        if !inputs.is_empty() {
            found.push((id, inputs));
        }
    }
    found
}

/// Each round settles at least one attribute, or the rest wait for each other and are settled as they are.
pub(super) fn settled(entity: &Entity) -> Vec<Settled> {
    let all = entity.attributes.entries().filter(|(_, each)| !each.flags.computed);
    let mut open: Vec<(AttributeId, &Attribute)> = all.collect();
    let mut order = Vec::new();
    while !open.is_empty() {
        let waiting: Vec<AttributeId> = open.iter().map(|(id, _)| *id).collect();
        let ready = |(own, attribute): &&(AttributeId, &Attribute)| {
            !inputs(attribute).iter().any(|input| input != own && waiting.contains(input))
        };
        let (now, later): (Vec<_>, Vec<_>) = open.iter().partition(ready);
        let (now, later) = if now.is_empty() { (later, Vec::new()) } else { (now, later) };
        let touched = |(_, each): &&(AttributeId, &Attribute)| each.fill.is_some() || each.when.is_some();
        order.extend(now.iter().filter(touched).map(|(id, attribute)| Settled {
            name: attribute.name.clone(),
            id: *id,
            constant: constant(attribute),
            is_pure: attribute.fill.as_ref().is_some_and(|fill| is_pure(&fill.value)),
        }));
        open = later;
    }
    order
}

/// `= true` and `= word`: nothing that an item could change.
fn constant(attribute: &Attribute) -> Option<Val> {
    let Some(Fill { derived: false, value }) = &attribute.fill else { return None };
    if attribute.when.is_some() || !attribute.normalize.is_empty() {
        return None;
    }
    match (&*attribute.ty, &value.kind) {
        (Type::Bool, ExprKind::Bool(value)) => Some(Val::Bool(*value)),
        (Type::Enum(words), ExprKind::Word(word)) if words.has(word) => Some(Val::text(&**word)),
        _ => None,
    }
}
