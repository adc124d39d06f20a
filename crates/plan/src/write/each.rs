//! `each`: elements side by side, or twenty-five in a batch.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Action, Callee, Expr, ExprKind, LocalId, Program, Statement, StatementKind, Value,
};

use super::{Deed, Plan, describe};
use crate::facts::tells_tenant;
use crate::flow::Flow;
use crate::pages::expected_items;
use crate::request::Request;

/// The assumed number of elements of a list of unknown length.
pub(super) const SOME: f64 = 10.0;

/// The one action of an `each` that batches can carry out: a `put` of an entity without guards, on no condition. A caller may
/// only replace items of their own, which is a condition unless the key determines the tenant.
pub fn batched<'a>(program: &Program, is_system: bool, body: &'a [Statement]) -> Option<&'a Action> {
    let [Statement { kind: StatementKind::Do(Value::Action(action)), .. }] = body else {
        return None;
    };
    let entity = &program.entities[action.entity];
    let is_free = entity.uniques.is_empty() && (is_system || tells_tenant(entity));
    let bare = action.verb == WriteVerb::Put && action.condition.is_none() && action.when.is_none();
    (bare && is_free).then_some(action)
}

impl<'p> Plan<'p> {
    /// Elements side by side, or twenty-five in a batch.
    pub(super) fn each(&mut self, list: &Expr, body: &'p [Statement]) -> Flow {
        let of = self.name_of(list);
        let usual = self.usual_length(list);
        if let Some(action) = batched(self.program, self.operation.system, body) {
            let deed = Deed::of(self.program, action);
            let item = describe::action(self.program, self.operation, action, &deed);
            let Some((part, item)) = self.item(&deed, item, false) else {
                return Flow::nothing();
            };
            let found = self.references(action).each(of.as_str(), usual);
            return Flow::Seq(vec![found, Flow::Send(Request::batch(part, item)).each(of, usual)]);
        }
        self.body(body).each(of, usual)
    }

    /// The name of a list in a plan.
    pub(super) fn name_of(&self, list: &Expr) -> String {
        let ExprKind::Local(local) = &list.kind else { return "the list".to_owned() };
        let parameters = self.operation.signature.parameters.iter();
        let parameter = parameters.filter(|each| each.local == *local).map(|each| &each.name).next();
        let name = parameter.or_else(|| self.held_by(*local).map(|(name, _)| name));
        name.map_or_else(|| "the list".to_owned(), ToString::to_string)
    }

    /// How many elements a list usually has: as many as the pattern finds that made it.
    fn usual_length(&self, list: &Expr) -> f64 {
        let made = match &list.kind {
            ExprKind::Local(local) => self.held_by(*local).map(|(_, expr)| expr),
            _ => Some(list),
        };
        let Some(Expr { kind: ExprKind::Call { callee: Callee::Pattern(id), .. }, .. }) = made else {
            return SOME;
        };
        let pattern = &self.program.patterns[*id];
        let entity = pattern.entities.first().map(|entity| &self.program.entities[*entity]);
        entity.map_or(SOME, |entity| expected_items(pattern, entity, true) as f64)
    }

    /// The name of a `let`, and the expression that it holds.
    fn held_by(&self, local: LocalId) -> Option<(&'p std::sync::Arc<str>, &'p Expr)> {
        let handlers = self.operation.handlers.iter().flat_map(|(_, body)| body);
        self.operation.body.iter().chain(handlers).find_map(|statement| match &statement.kind {
            StatementKind::Let { local: bound, name, value: Value::Expr(expr), .. } if *bound == local => {
                Some((name, expr))
            }
            _ => None,
        })
    }
}
