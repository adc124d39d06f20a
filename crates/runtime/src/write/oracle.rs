//! Items for tests of reading: made as `create` makes them, stored without asking.

use sortkey_api::operations::PutItemInput;

use super::create::make;
use super::image::stored;
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::values::Fields;

/// The image of an item; none where the entity refuses it.
pub(crate) fn image(scope: &Scope<'_>, info: &EntityInfo, given: Fields) -> Option<Fields> {
    make(scope, info, given).ok().map(|made| made.fields)
}

/// The request that stores an image.
pub(crate) fn stored_image(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Option<PutItemInput> {
    let item = stored(scope, info, fields).ok()?;
    Some(PutItemInput { table_name: info.table.clone(), item: item.into(), ..PutItemInput::default() })
}
