//! The places that expressions name.

use super::{Checked, Places, Scope, nothing, one_of, within};
use crate::program::{Entity, EntityId, Expr, ExprKind, Id, Ty, Type};
use crate::wire::Unreadable;

impl<'p> Places<'p> {
    /// How deep expressions nest was bounded when they were read.
    pub(super) fn expr(&self, expr: &Expr, scope: Scope<'_>) -> Checked {
        match &expr.kind {
            ExprKind::Local(local) => within(local.at(), scope.locals, "local")?,
            ExprKind::Attribute(id) => match scope.item {
                Some(entity) => one_of(*id, &entity.attributes)?,
                None => return Err(nothing("item in view")),
            },
            ExprKind::Stored(id) => {
                within(id.at(), scope.item.map_or(0, |entity| entity.templates.len()), "template")?;
            }
            ExprKind::Sibling(id) => match scope.siblings {
                Some(siblings) => one_of(*id, siblings)?,
                None => one_of(*id, &self.program.caller)?,
            },
            ExprKind::CallerPart(id) => one_of(*id, &self.program.caller)?,
            ExprKind::Of { item, attribute } => one_of(*attribute, &self.item_of(item)?.attributes)?,
            ExprKind::Arrow { to, attribute, .. } => {
                self.reference(to)?;
                one_of(*attribute, &self.program.entities[to.entity].attributes)?;
            }
            ExprKind::Rule { rule, arguments } => {
                let parameters = self.program.rules[*rule].parameters.len();
                arguments.iter().try_for_each(|(id, _)| within(id.at(), parameters, "parameter"))?;
            }
            ExprKind::Call { callee, arguments } => {
                let parameters = self.program.signature(*callee).parameters.len();
                arguments.values.iter().try_for_each(|(id, _)| within(id.at(), parameters, "parameter"))?;
                arguments.spreads.iter().try_for_each(|local| within(local.at(), scope.locals, "local"))?;
            }
            ExprKind::ItemAt(key) => return self.key(key, scope),
            ExprKind::With { item, condition } => {
                let of = self.item_of(item)?;
                self.expr(item, scope)?;
                return self.expr(condition, scope.of(of));
            }
            ExprKind::Object { spreads, .. } => {
                spreads.iter().try_for_each(|local| within(local.at(), scope.locals, "local"))?;
            }
            _ => {}
        }
        let mut found = Ok(());
        expr.children(&mut |child| {
            if found.is_ok() {
                found = self.expr(child, scope);
            }
        });
        found
    }

    /// The entity of an item in hand.
    fn item_of(&self, item: &Expr) -> Result<&'p Entity, Unreadable> {
        let entity: Option<EntityId> = match (&item.kind, &item.ty) {
            (ExprKind::ItemAt(key), _) => Some(key.entity),
            (_, Ty::Item(entity)) => Some(*entity),
            (_, Ty::Is(ty)) => match &**ty {
                Type::Input { entity, .. } => Some(*entity),
                _ => None,
            },
            _ => None,
        };
        entity.map(|id| &self.program.entities[id]).ok_or_else(|| nothing("entity of an item"))
    }
}
