//! The items that a pattern reaches, by their keys, whatever it makes of them and whoever may see them.
//!
//! Two designs that answer the same are compared by it: rules, pages and what is selected are left out.

use std::sync::Arc;

use sortkey_design::program::{BindValue, Bound, Parameter, PatternId};
use sortkey_value::Map;

use super::{Hit, Paging, Read};
use crate::evaluate::Scope;
use crate::values::{Fields, Val};
use crate::{Failure, Runtime};

impl Read {
    /// The attributes that the arguments of a call fix.
    pub(crate) fn known(&self, scope: &Scope<'_>) -> Fields {
        let info = &scope.shared.entities[self.first()];
        let said = self.pattern.binds.iter().filter_map(|bind| match (bind.to, &bind.value) {
            (Bound::Attribute(id), BindValue::Parameter(local)) => {
                Some((info.name_of(id).clone(), scope.get(*local)?.clone()))
            }
            _ => None,
        });
        said.collect()
    }
}

/// The keys of all items that a pattern reaches, in its order; none if its parameters do not follow from the attributes of an
/// item. `known` are such attributes: parameters that they equal have their values, and the caller has theirs, too.
pub async fn reached(
    runtime: &Runtime,
    pattern: PatternId,
    known: &Fields,
) -> Result<Option<Vec<Map>>, Failure> {
    let read: &Read = &runtime.shared().reads[pattern];
    let info = &runtime.shared().entities[read.first()];
    let mut scope = runtime.scope(Some(Arc::new(known.clone())));
    for bind in &read.pattern.binds {
        let BindValue::Parameter(local) = bind.value else { continue };
        let value = match bind.to {
            Bound::Attribute(id) => known.get(info.name_of(id)).cloned().unwrap_or_default(),
            Bound::Stored(_) => Val::Absent,
        };
        if value.is_absent() {
            return Ok(None);
        }
        scope.set(local, value);
    }
    let is_open = |parameter: &Parameter| {
        let is_left_out = scope.get(parameter.local).is_none_or(Val::is_absent);
        is_left_out && !parameter.optional && parameter.default.is_none() && parameter.of_caller.is_none()
    };
    if read.pattern.signature.parameters.iter().any(is_open) {
        return Ok(None);
    }
    let session = runtime.session();
    let branches = read.branches(&scope)?;
    let (hits, _) = read.page(&session, &scope, branches, None, Paging::default()).await?;
    let key = |hit: &Hit| {
        let info = &runtime.shared().entities[hit.entity()];
        match hit {
            Hit::Stored(_, item) => Some(info.key_of(item)),
            Hit::Decoded(record) => super::key_of(&scope, info, &record.fields),
        }
    };
    Ok(Some(hits.iter().filter_map(key).collect()))
}
