//! `deleted when`: the condition under which an item counts as deleted, and what `delete` writes to make it true.

use super::scope::Scope;
use super::{Elaboration, typed};
use crate::model::{self, Op, WriteVerb};
use crate::problems::{ARGUMENT, NOT_SETTABLE};
use crate::program::{AttributeId, EntityId, Expr, ExprKind, Id, Kind, Ty};
use sortkey_diagnostics::Span;

impl<'a> Elaboration<'a, '_> {
    /// The condition; an attribute that is true or false is compared with true.
    pub(super) fn deleted_when(&mut self, deleted: &'a model::Expr) -> Expr {
        let condition = self.condition(deleted);
        match condition.kind {
            ExprKind::Attribute(_) if matches!(condition.ty.kind(), Kind::Bool) => {
                let span = condition.span;
                let yes = typed(ExprKind::Bool(true), Ty::Bool, span);
                let (left, right) = (Box::new(condition), Box::new(yes));
                typed(ExprKind::Binary { op: Op::Eq, left, right }, Ty::Bool, span)
            }
            _ => condition,
        }
    }

    /// `delete` writes what `deleted when` asks for, which must be one value of one attribute.
    pub(super) fn can_mark_deleted(&mut self, action: &model::Action, entity: EntityId) {
        if action.verb == WriteVerb::Delete {
            self.can_be_marked(entity, action.verb_span.to(action.entity.span), "delete");
        }
    }

    /// Children that are deleted with their parent are deleted as any item is.
    pub(super) fn can_cascade(&mut self, entity: EntityId) {
        let design = self.design;
        let references =
            design.entities[entity.at()].attributes.iter().filter_map(|each| each.reference.as_ref());
        for reference in references.filter(|each| each.on_delete == Some(model::OnDelete::Cascade)) {
            self.can_be_marked(entity, reference.span, "on delete cascade");
        }
    }

    fn can_be_marked(&mut self, entity: EntityId, span: Span, what: &str) {
        let source = &self.design.entities[entity.at()];
        let Some(deleted) = &source.deleted else { return };
        let condition = self.within(Scope::of_entity(entity), |typing| {
            typing.silently(|typing| typing.deleted_when(deleted))
        });
        if matches!(condition.kind, ExprKind::Missing) {
            return;
        }
        let Some(attribute) = marked(&condition) else {
            let title = format!("`{what}` has nothing to write: `deleted when` is not `attribute = value`");
            let note = "Compare one attribute with one value, as in `deleted when status = deleted`; or write `update` with \
                        what deletes an item, or `purge` to remove it.";
            self.push(ARGUMENT.at(span, title).also(deleted.span, "the condition").note(note));
            return;
        };
        let before = self.problems.len();
        self.settable(WriteVerb::Upsert, entity, attribute, span);
        if let Some(problem) = self.problems.get_mut(before) {
            let note = format!("`{what}` writes what makes the condition true.");
            *problem = problem.clone().also(deleted.span, "`deleted when` asks for it").note(note);
        } else if self.program.entities[entity].attributes[attribute].flags.immutable {
            let name = &self.program.entities[entity].attributes[attribute].name;
            let title = format!("`{what}` writes `{name}`, which is immutable");
            self.push(NOT_SETTABLE.at(span, title).also(deleted.span, "`deleted when` asks for it"));
        }
    }
}

/// The attribute that is compared with a value which every call knows; none if the condition is of another form.
fn marked(condition: &Expr) -> Option<AttributeId> {
    let ExprKind::Binary { op: Op::Eq, left, right } = &condition.kind else { return None };
    let ExprKind::Attribute(attribute) = left.kind else { return None };
    let is_value =
        !right.concerns_item() && !right.depends_on_time() && !matches!(right.kind, ExprKind::Nothing);
    is_value.then_some(attribute)
}
