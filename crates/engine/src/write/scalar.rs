//! Key attributes are scalars: a path that leads into one is refused, whatever the item contains.

use sortkey_api::ApiError;
use sortkey_expression::Path;

use crate::catalog::schema::KeySchema;
use crate::catalog::table::Table;

/// Refuses paths into attributes that are keys, of the table first.
pub(crate) fn check_keys<'p>(
    table: &Table,
    paths: impl IntoIterator<Item = &'p Path>,
) -> Result<(), ApiError> {
    let nested: Vec<&str> =
        paths.into_iter().filter(|path| path.is_nested()).map(Path::attribute_name).collect();
    if nested.is_empty() {
        return Ok(());
    }
    let check = |key: &KeySchema, role: &str| match key.attributes().find(|key| nested.contains(&&*key.name))
    {
        Some(attribute) => Err(ApiError::validation(format!(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {role}: {}",
            attribute.name
        ))),
        None => Ok(()),
    };
    check(&table.key, "Key")?;
    table.indexes.iter().try_for_each(|index| check(&index.key, "IndexKey"))
}
