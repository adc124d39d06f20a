//! Rules, and the items that they ask for.

use sortkey_design::program::{Expr, ItemKey, ParameterId, RuleId};

use super::Runner;
use crate::Failure;
use crate::evaluate::{Scope, View};
use crate::values::Val;
use crate::write::key_fields;

impl<'a> Runner<'_, 'a> {
    /// A rule in an expression.
    pub(super) async fn rule(
        &self,
        scope: &mut Scope<'a>,
        rule: RuleId,
        arguments: &[(ParameterId, Expr)],
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let rule = &scope.shared.program.rules[rule];
        let mut inner = scope.fresh();
        for (id, value) in arguments {
            inner.set(rule.parameters[*id].local, self.value(scope, value, view).await?);
        }
        Ok(Val::Bool(self.truth(&mut inner, &rule.condition, None).await?))
    }

    /// `Entity(key)` in a condition: the live item, read strongly, whoever it belongs to.
    pub(super) async fn item_at(
        &self,
        scope: &mut Scope<'a>,
        key: &ItemKey,
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let info = &scope.shared.entities[key.entity];
        let known = key_fields(scope, info, Some(key), view)?;
        let Some(key) = crate::read::key_of(scope, info, &known) else { return Ok(Val::Absent) };
        let Some(item) = self.session.get(&info.table, key, true).await? else { return Ok(Val::Absent) };
        let mut anybody = scope.fresh();
        anybody.caller = None;
        Ok(crate::read::live(&anybody, info, item)?.map(|hit| hit.into_val(scope)).unwrap_or_default())
    }

    /// `stored(x)` in a test: the item as it lies in the table.
    pub(super) async fn stored(&self, scope: &mut Scope<'a>, item: &Expr) -> Result<Val, Failure> {
        let Val::Item(record) = self.value(scope, item, None).await? else { return Ok(Val::Absent) };
        let info = &scope.shared.entities[record.entity];
        let Some(key) = crate::read::key_of(scope, info, &record.fields) else { return Ok(Val::Absent) };
        let item = self.session.get(&info.table, key, true).await?;
        Ok(item.map_or(Val::Absent, |item| {
            Val::Map(
                item.iter().map(|(name, value)| (name.to_owned(), crate::values::generic(value))).collect(),
            )
        }))
    }
}
