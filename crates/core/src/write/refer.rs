//! The items that a new one takes values from.

use sortkey_design::program::{AttributeId, ExprKind};

use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Fields;
use crate::{Failure, FailureKind};

/// Reads the items that `->` needs and that no `let` has read: the short form has no place for one.
pub(super) async fn refer(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    info: &EntityInfo,
    given: &Fields,
) -> Result<(), Failure> {
    if !info.anatomy.has_arrows {
        return Ok(());
    }
    let shared = scope.shared;
    let entity = info.of(&shared.program);
    let mut arrows: Vec<AttributeId> = Vec::new();
    for attribute in entity.attributes.iter().filter(|each| !given.contains_key(&each.name)) {
        let Some(fill) = &attribute.fill else { continue };
        fill.value.walk(&mut |expr| {
            if let ExprKind::Arrow { base, .. } = &expr.kind
                && let ExprKind::Attribute(id) = base.kind
            {
                arrows.push(id);
            }
        });
    }
    sortkey_value::order::sort_by(&mut arrows, |left, right| info.name_of(*left).cmp(info.name_of(*right)));
    arrows.dedup();
    for id in arrows {
        let attribute = &entity.attributes[id];
        let name = &attribute.name;
        let (Some(reference), Some(value)) = (attribute.reference, given.get(name)) else { continue };
        let other = &shared.entities[reference.entity];
        let target = other.name_of(reference.attribute);
        let in_hand = scope.items().any(|(entity, fields)| {
            entity == other.at && fields.get(target).is_some_and(|each| each.same(value))
        });
        if in_hand || value.is_absent() {
            continue;
        }
        let known: Fields = [(target.clone(), value.clone())].into();
        let Some(key) = crate::read::key_of(scope, other, &known) else { continue };
        let found = session.get(&other.table, key, true).await?;
        let found = found.map(|item| other.read(scope, &item)).transpose()?;
        match found {
            Some(fields) => scope.refer(other.at, fields),
            None => {
                let message = format!("`{name}` points to no {}", other.name);
                return Err(Failure::new(FailureKind::NotFound, message).at(&**name));
            }
        }
    }
    Ok(())
}
