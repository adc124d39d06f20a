//! Whether the item under a key is one that a write may change: the caller's, with attributes that agree
//! with its key, and of types that the design reads.
//!
//! A key proves what its text determines, and another program may have stored anything under it. No write changes an
//! item that reads hide as another tenant's, or refuse as unreadable.

use std::sync::Arc;

use sortkey_design::program::AttributeId;
use sortkey_value::{AttributeValue, Item};

use super::given::own_tenant;
use super::{Test, Write};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::interpret::{ALL_TYPES, misread, unreadable};
use crate::values::Fields;
use crate::{Failure, FailureKind};

/// The facts about the item before the request.
#[derive(Clone, Copy)]
pub(super) struct Whose<'a> {
    /// The attributes that the key is made of.
    pub(super) known: &'a Fields,
    /// The item, if it was read: it has been examined then.
    pub(super) stored: Option<&'a Item>,
    /// Whether the write makes an item where there is none.
    pub(super) may_make: bool,
}

impl Whose<'_> {
    /// Demands that the item is the caller's, and that it agrees with its key. `missing` is the failure for one of another tenant.
    pub(super) fn demand(
        self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        write: &mut Write,
        missing: &Failure,
    ) -> Result<(), Failure> {
        let tenant = info.of(&scope.shared.program).tenant.filter(|_| scope.caller.is_some());
        if let Some(tenant) = tenant.map(|tenant| tenant.attribute) {
            let name = info.name_of(tenant);
            let is_sure = info.is_told(tenant) && self.known.contains_key(name);
            // The key determines the tenant; the item may contradict it.
            if is_sure && self.stored.is_none() && !info.shares_table && info.agreeing.contains(&tenant) {
                write.demand(scope, Test::Agrees(self.said(scope, info, &[tenant])), missing.clone())?;
            }
            if !is_sure {
                let own = own_tenant(scope, info, tenant)?;
                let test = match self.stored.is_some_and(|item| item.get(name).is_none()) {
                    // Only a key of the item shows its owner.
                    true => Test::Unchanged(name.clone(), None),
                    false if self.may_make => Test::IsOrNothing(name.clone(), own),
                    false => Test::Is(name.clone(), own),
                };
                write.demand(scope, test, missing.clone())?;
            }
        }
        let said = match self.stored.is_none() && info.shares_table {
            true => self.said(scope, info, &info.agreeing),
            false => Vec::new(),
        };
        match said.is_empty() {
            true => Ok(()),
            false => write.demand(scope, Test::Agrees(said), unfit()).map(drop),
        }
    }

    /// The values of attributes that the key determines.
    fn said(
        self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        ids: &[AttributeId],
    ) -> Vec<(Arc<str>, AttributeValue)> {
        let value = |id: &AttributeId| {
            let name = info.name_of(*id);
            Some((name.clone(), info.encode(&scope.shared.program, *id, self.known.get(name)?)?))
        };
        ids.iter().filter_map(value).collect()
    }
}

/// Demands that what is overwritten is of a type of its own: anything else is not understood, and stays.
pub(super) fn demand_types<'n>(
    scope: &Scope<'_>,
    info: &EntityInfo,
    write: &mut Write,
    names: impl Iterator<Item = &'n Arc<str>>,
) -> Result<(), Failure> {
    let types = names.filter_map(|name| {
        let attribute = info.anatomy.attribute(name).filter(|each| each.is_stored)?;
        (attribute.types != ALL_TYPES).then(|| (name.clone(), attribute.types))
    });
    let types: Vec<_> = types.collect();
    match types.is_empty() {
        true => Ok(()),
        false => write.demand(scope, Test::Typed(types), unfit()).map(drop),
    }
}

/// The failure of a write over an item that the design cannot read. [`explained`] names the item once it is known.
fn unfit() -> Failure {
    Failure::new(FailureKind::Unreadable, "the item under this key cannot be read")
}

/// The fault of an item that a write was refused for.
pub(super) fn explained(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Failure {
    let why = misread(scope, info, item).unwrap_or_else(|| "its attributes make another key".to_owned());
    unreadable(info, item, &why)
}

/// Whether an item that was read agrees with its key.
pub(super) fn agrees(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Result<(), Failure> {
    info.contradiction(scope, item).map_or(Ok(()), Err)
}
