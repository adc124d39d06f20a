//! `each x in xs { }`: elements in parallel, or in batches if the plan uses them.

use crate::join::join_all;
use sortkey_design::program::{Expr, LocalId, Statement};
use sortkey_plan::batched;

use super::Runner;
use crate::Failure;
use crate::evaluate::Scope;
use crate::values::Val;

/// How many elements are worked on at the same time.
const SIDE_BY_SIDE: usize = 16;

impl<'a> Runner<'_, 'a> {
    /// `each x in xs { }`: every element is tried, and the first failure is returned.
    pub(super) async fn each(
        &self,
        scope: &mut Scope<'a>,
        local: LocalId,
        list: &Expr,
        body: &'a [Statement],
    ) -> Result<(), Failure> {
        let list = self.value(scope, list, None).await?;
        let elements = list.members().unwrap_or_default();
        let is_system = self.operation.is_none_or(|operation| operation.system);
        // A batch has no conditions, so it cannot carry a lease.
        let is_plain = !self.session.is_fenced();
        let failures = match batched(&scope.shared.program, is_system, body).filter(|_| is_plain) {
            Some(action) => self.put_all(scope, local, elements, action).await?,
            None => self.side_by_side(scope, local, elements, body).await,
        };
        let (failed, all) = (failures.len(), elements.len());
        match failures.into_iter().next() {
            None => Ok(()),
            Some(first) => {
                let message = format!("{failed} of {all} elements failed; the first: {}", first.message);
                Err(Failure { message, ..first })
            }
        }
    }

    async fn side_by_side(
        &self,
        scope: &Scope<'a>,
        local: LocalId,
        elements: &[Val],
        body: &'a [Statement],
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        // Transactions that check one lease at the same time would conflict.
        let width = if self.session.is_fenced() { 1 } else { SIDE_BY_SIDE };
        for chunk in elements.chunks(width) {
            let runs = chunk.iter().map(|element| {
                let mut scope = scope.clone();
                scope.set(local, element.clone());
                async move { self.block(&mut scope, body).await.map(|_| ()) }
            });
            failures.extend(join_all(runs).await.into_iter().filter_map(Result::err));
        }
        failures
    }
}
