//! `requires`: what a caller needs, asked before the request where the arguments suffice, otherwise of what was read.

use sortkey_design::Program;
use sortkey_design::program::{Expr, ExprKind, Operation};
use sortkey_plan::ruled;

use super::Runner;
use crate::evaluate::{Scope, View};
use crate::read::{Found, Hit, Read, key_of, live};
use crate::write::key_fields;
use crate::{Failure, FailureKind};

impl<'a> Runner<'_, 'a> {
    /// Before a pattern reads.
    pub(super) async fn before_read(&self, scope: &mut Scope<'a>, read: &'a Read) -> Result<(), Failure> {
        let Some(requires) = read.pattern.requires.as_ref().filter(|_| scope.caller.is_some()) else {
            return Ok(());
        };
        match requires.concerns_item() {
            true => Ok(()),
            false => self.demand(scope, requires, None).await,
        }
    }

    /// After a pattern read: what the caller may see of it. Each item of a list is judged on its own; a list of which the
    /// caller may see nothing is refused.
    pub(super) async fn after_read(
        &self,
        scope: &mut Scope<'a>,
        read: &'a Read,
        found: Found,
    ) -> Result<Found, Failure> {
        let Some(requires) = read.pattern.requires.as_ref().filter(|_| scope.caller.is_some()) else {
            return Ok(found);
        };
        if !requires.concerns_item() {
            return Ok(found);
        }
        Ok(match found {
            Found::Item(Some(item)) => {
                self.demand(scope, requires, Some(item.view().asked_as(read.first()))).await?;
                Found::Item(Some(item))
            }
            Found::Items { items, cursor } => {
                Found::Items { items: self.allowed(scope, (requires, read), items).await?, cursor }
            }
            // `summary` asks of every item before it counts.
            found => found,
        })
    }

    /// A count, a sum or `exists` whose rule is about the items: what the caller may not see does not count.
    pub(super) async fn summary(
        &self,
        scope: &mut Scope<'a>,
        read: &'a Read,
    ) -> Result<Option<Found>, Failure> {
        let requires = read.pattern.requires.as_ref().filter(|_| scope.caller.is_some());
        let Some(requires) = requires.filter(|rule| read.summarises() && rule.concerns_item()) else {
            return Ok(None);
        };
        let items = read.counted(self.session, scope).await?;
        let items = self.allowed(scope, (requires, read), items).await?;
        read.summary(scope, &items).map(Some)
    }

    /// The items that the caller may see. It is refused if there are some, and none of them may be seen.
    async fn allowed(
        &self,
        scope: &mut Scope<'a>,
        (requires, read): (&Expr, &'a Read),
        items: Vec<Hit>,
    ) -> Result<Vec<Hit>, Failure> {
        let was_empty = items.is_empty();
        let mut seen = Vec::with_capacity(items.len());
        for item in items {
            if self.allows(scope, requires, item.view().asked_as(read.first())).await? {
                seen.push(item);
            }
        }
        match seen.is_empty() && !was_empty {
            true => Err(forbidden(&scope.shared.program, requires)),
            false => Ok(seen),
        }
    }

    /// Whether the caller may see an item. Of one that lacks what a rule asks for, the rule does not hold.
    async fn allows(&self, scope: &mut Scope<'a>, requires: &Expr, item: View<'_>) -> Result<bool, Failure> {
        match self.truth(scope, requires, Some(item)).await {
            Err(failure) if failure.kind == FailureKind::Invalid => Ok(false),
            allowed => allowed,
        }
    }

    /// Before an operation writes. Names that are no parameters are attributes of the item it writes.
    pub(super) async fn before_operation(
        &self,
        scope: &mut Scope<'a>,
        operation: &'a Operation,
    ) -> Result<(), Failure> {
        let Some(requires) = operation.requires.as_ref().filter(|_| scope.caller.is_some()) else {
            return Ok(());
        };
        let Some(action) = ruled(operation) else { return self.demand(scope, requires, None).await };
        let info = &scope.shared.entities[action.entity];
        let known = key_fields(scope, info, action.key.as_ref(), None)?;
        let item = match key_of(scope, info, &known) {
            Some(key) => self.session.get(&info.table, key, true).await?,
            None => None,
        };
        let found = match item {
            Some(item) => live(scope, info, item)?,
            None => None,
        };
        match &found {
            Some(found) => self.demand(scope, requires, Some(found.view())).await,
            None => Err(Failure::new(FailureKind::NotFound, format!("there is no such {}", info.name))),
        }
    }

    async fn demand(
        &self,
        scope: &mut Scope<'a>,
        requires: &Expr,
        view: Option<View<'_>>,
    ) -> Result<(), Failure> {
        match self.truth(scope, requires, view).await? {
            true => Ok(()),
            false => Err(forbidden(&scope.shared.program, requires)),
        }
    }
}

/// The failure names the rules that are asked, or what of the caller they look at.
fn forbidden(program: &Program, requires: &Expr) -> Failure {
    let mut names: Vec<String> = Vec::new();
    requires.walk(&mut |expr| {
        let name = match &expr.kind {
            ExprKind::Rule { rule, .. } => Some(format!("`{}`", program.rules[*rule].name)),
            ExprKind::Call { callee, .. } => Some(format!("`{}`", program.name(*callee))),
            ExprKind::ItemAt(key) => Some(format!("`{}`", program.entities[key.entity].name)),
            ExprKind::Function { function, .. } => Some(format!("`{}`", function.word())),
            ExprKind::CallerPart(id) => Some(format!("`caller.{}`", program.caller[*id].name)),
            _ => None,
        };
        names.extend(name.filter(|name| !names.contains(name)));
    });
    let asked = if names.is_empty() { "its condition".to_owned() } else { names.join(", ") };
    let message = format!("the caller may not do this: `requires` asks for {asked}, and does not hold");
    Failure::new(FailureKind::Forbidden, message)
}
