//! Writes that accompany another one in its transaction.

use sortkey_api::shapes::returns::ReturnValuesOnConditionCheckFailure;
use sortkey_api::shapes::transaction::{ConditionCheck, Delete, Put, TransactWriteItem};
use sortkey_core::internals::{EntityInfo, Fields, View, guard_item, held, is_deleted};
use sortkey_core::{Failure, FailureKind};
use sortkey_diagnostics::a;
use sortkey_value::{AttributeValue, Item, Map};

use crate::mapper::{Mapper, Referred};
use crate::place::Place;
use crate::plan::Side;
use crate::same::{self, Condition};

/// The attribute of a guard that holds its owner's key.
const OWNER: &str = "owner";

/// One write or check, with the condition that it relies on.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) place: Place,
    pub(crate) act: Act,
    pub(crate) condition: Condition,
    pub(crate) role: Role,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Put(Item),
    Delete,
    Check,
}

/// The meaning of a condition that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    /// Something was changed meanwhile: everything is computed again.
    Stale,
    /// The place belongs to another old item, unless the item there has these origins.
    Claimed(AttributeValue),
    /// A unique value belongs to another item, unless the guard has this owner. The words name the values.
    Guard(Map, String),
}

impl Effect {
    pub(crate) fn new(place: Place, act: Act, condition: Condition) -> Effect {
        Effect { place, act, condition, role: Role::Stale }
    }

    pub(crate) fn reference(referred: &Referred) -> Effect {
        let condition = same::has(&referred.name, referred.value.clone());
        Effect::new(referred.place.clone(), Act::Check, condition)
    }

    /// As a member of a transaction.
    pub(crate) fn member(&self) -> TransactWriteItem {
        let mut member = TransactWriteItem::default();
        let table_name = self.place.table_name();
        let mut condition = self.condition.rendered();
        let names = condition.names();
        let values = condition.values().map(Into::into);
        let returned = Some(ReturnValuesOnConditionCheckFailure::AllOld);
        match &self.act {
            Act::Put(item) => {
                member.put = Some(Put {
                    item: item.clone().into(),
                    table_name,
                    condition_expression: Some(condition.text),
                    expression_attribute_names: names,
                    expression_attribute_values: values,
                    return_values_on_condition_check_failure: returned,
                });
            }
            Act::Delete => {
                member.delete = Some(Delete {
                    key: self.place.key.clone().into(),
                    table_name,
                    condition_expression: Some(condition.text),
                    expression_attribute_names: names,
                    expression_attribute_values: values,
                    return_values_on_condition_check_failure: returned,
                });
            }
            Act::Check => {
                member.condition_check = Some(ConditionCheck {
                    key: self.place.key.clone().into(),
                    table_name,
                    condition_expression: condition.text,
                    expression_attribute_names: names,
                    expression_attribute_values: values,
                    return_values_on_condition_check_failure: returned,
                });
            }
        }
        member
    }
}

/// The guards that move when an item of a side changes from one image to another.
pub(crate) fn guards(
    mapper: Mapper<'_>,
    side: Side,
    info: &EntityInfo,
    place: &Place,
    before: Option<&Fields>,
    after: Option<&Fields>,
) -> Result<Vec<Effect>, Failure> {
    let runtime = mapper.plan.runtime(side);
    // Whether something is deleted or expired is a matter of the present.
    let scope = runtime.scope(None);
    let entity = info.of(runtime.program());
    let owner = place.map();
    let owner_name = info.aside(OWNER);
    let holding = |fields: Option<&Fields>, unique| -> Result<Option<Map>, Failure> {
        let Some(fields) = fields else { return Ok(None) };
        match is_deleted(&scope, View::of(info.at, fields))? {
            true => Ok(None),
            false => held(&scope, info, unique, fields),
        }
    };
    let mut effects = Vec::new();
    for unique in entity.uniques.ids() {
        let (was, is) = (holding(before, unique)?, holding(after, unique)?);
        let names: Vec<&str> =
            entity.uniques[unique].attributes.iter().map(|id| &**info.name_of(*id)).collect();
        let what = format!("{} with this {}", info.name, names.join(" and "));
        let condition = |place: &Place| same::vacant_or(place, &owner_name, AttributeValue::M(owner.clone()));
        if let Some(key) = was.filter(|key| is.as_ref() != Some(key)) {
            let guard = Place::at(info, key);
            let condition = condition(&guard);
            // A guard that belongs to another item by now is not ours to free.
            effects.push(Effect::new(guard, Act::Delete, condition));
        }
        if let (Some(key), Some(fields)) = (is, after) {
            let guard = Place::at(info, key.clone());
            let condition = condition(&guard);
            let item = guard_item(&scope, info, &key, &owner, fields);
            let role = Role::Guard(owner.clone(), what);
            effects.push(Effect { role, ..Effect::new(guard, Act::Put(item.into()), condition) });
        }
    }
    Ok(effects)
}

/// The refusal of a value that another item has already.
pub(crate) fn taken(what: &str) -> Failure {
    Failure::new(FailureKind::AlreadyExists, format!("there is already {} in the new design", a(what)))
}
