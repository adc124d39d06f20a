//! Whether what a write demands holds of a stored item: the same tests as DynamoDB's conditions, on the item it returned.

use std::sync::Arc;

use sortkey_design::program::Expr;
use sortkey_value::{AttributeValue, Item, Number};

use super::Test;
use crate::Failure;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::guard::OWNER;
use crate::interpret::bit;
use crate::read::{is_deleted, is_expired};
use crate::values::{Fields, Val};

impl Test {
    /// A condition on the item as it is stored.
    pub(crate) fn condition(condition: &Expr) -> Test {
        Test::If { condition: condition.clone(), defaults: None, after: None }
    }

    pub(super) fn holds(
        &self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        stored: Option<&Item>,
        fields: Option<&Fields>,
    ) -> Result<bool, Failure> {
        let nothing = Fields::new();
        let fields = fields.unwrap_or(&nothing);
        let view = View::of(info.at, fields);
        let is_expired = || is_expired(scope, view);
        Ok(match self {
            Test::Exists => stored.is_some(),
            Test::Present(name) => has(stored, name).is_some(),
            Test::Vacant => stored.is_none() || is_expired(),
            Test::NotExpired => !is_expired(),
            Test::NotDeleted => !is_deleted(scope, view)?,
            Test::Is(name, value) => reads(scope, info, stored, fields, name).as_ref() == Some(value),
            Test::Holds(name, value) => has(stored, name).as_ref() == Some(value),
            Test::IsOrNothing(name, value) => {
                stored.is_none()
                    || is_expired()
                    || reads(scope, info, stored, fields, name).as_ref() == Some(value)
            }
            Test::Agrees(said) => said.iter().all(|(name, value)| {
                stored.is_none() || reads(scope, info, stored, fields, name).is_none_or(|read| read == *value)
            }),
            Test::Typed(types) => types.iter().all(|(name, types)| {
                let value = stored.and_then(|item| item.get(name));
                value.is_none_or(|value| types & bit(value.attribute_type()) != 0)
            }),
            Test::Version(name, Some(value)) if stored.is_some() => {
                reads(scope, info, stored, fields, name).as_ref() == Some(value)
            }
            Test::Unchanged(name, value) | Test::Version(name, value) => has(stored, name) == *value,
            Test::If { condition, defaults: None, after: None } => scope.holds(condition, Some(view))?,
            Test::If { condition, defaults, after } => {
                let mut known = defaults.clone().unwrap_or_default();
                known.extend(fields.clone());
                known.extend(after.clone().unwrap_or_default());
                scope.holds(condition, Some(View::of(info.at, &known)))?
            }
            Test::AtMost { path, most, start } => number(fields, path).unwrap_or(*start) <= *most,
            Test::AtLeast { path, least, start } => number(fields, path).unwrap_or(*start) >= *least,
            Test::Passed(name) => match has(stored, name) {
                Some(AttributeValue::N(until)) => {
                    until.to_i64().is_none_or(|until| until * 1_000 <= scope.now_ms)
                }
                _ => true,
            },
            Test::Free(owner) => {
                let owned = has(stored, &info.aside(OWNER)) == Some(AttributeValue::M(owner.clone()));
                stored.is_none() || owned || is_expired()
            }
        })
    }
}

fn has(stored: Option<&Item>, name: &str) -> Option<AttributeValue> {
    stored.and_then(|item| item.get(name)).map(|value| value.to_owned())
}

/// The stored form of an attribute, also of one that follows only from a key.
fn reads(
    scope: &Scope<'_>,
    info: &EntityInfo,
    stored: Option<&Item>,
    fields: &Fields,
    name: &str,
) -> Option<AttributeValue> {
    has(stored, name).or_else(|| {
        let attribute = info.anatomy.attribute(name)?;
        info.encode(&scope.shared.program, attribute.id, fields.get(name)?)
    })
}

fn number(fields: &Fields, path: &[Arc<str>]) -> Option<Number> {
    let (first, rest) = path.split_first()?;
    let mut value = fields.get(first)?;
    for name in rest {
        value = value.fields()?.get(name)?;
    }
    match value {
        Val::Number(number) => Some(*number),
        _ => None,
    }
}
