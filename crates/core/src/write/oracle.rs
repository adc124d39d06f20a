//! Items for tests of reading: made as `create` makes them, stored without asking.

use sortkey_api::operations::PutItemInput;

use super::Act;
use super::create::make;
use super::guards::guards;
use super::image::stored;
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::read::computes;
use crate::values::Fields;

/// The image of an item; none where the entity refuses it, or what is computed of it is not of its type.
pub(crate) fn image(scope: &Scope<'_>, info: &EntityInfo, given: Fields) -> Option<Fields> {
    let fields = make(scope, info, given).ok()?.fields;
    computes(scope, info, &fields).is_ok().then_some(fields)
}

/// The requests that store an image and its guards; the guards' keys are those of `Debug`.
pub(crate) fn stored_image(
    scope: &Scope<'_>,
    info: &EntityInfo,
    fields: &Fields,
) -> Option<(PutItemInput, Vec<(String, PutItemInput)>)> {
    let put = |item: sortkey_value::Item| PutItemInput {
        table_name: info.table.clone(),
        item: item.into(),
        ..PutItemInput::default()
    };
    let item = stored(scope, info, fields).ok()?;
    let writes = guards(scope, info, &[], fields, &info.key_of(&item), false).ok()?;
    let guards = writes.into_iter().filter_map(|write| match write.act {
        Act::Put(guard) => Some((format!("{} {:?}", info.table.name(), write.key), put(guard))),
        _ => None,
    });
    let guards = guards.collect();
    Some((put(item), guards))
}
