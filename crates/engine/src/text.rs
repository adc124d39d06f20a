//! Error texts of the engine, in one place. Those about shapes and values are in `api`, those about
//! expressions in `expression`.

use sortkey_api::{ApiError, ErrorKind, OperationId};
use sortkey_value::{AttributeType, Item, ValueRef};

use crate::catalog::schema::KeyFault;

/// Two indexes of one name.
pub(crate) fn duplicate_index_name(name: &str) -> ApiError {
    ApiError::invalid_parameter(format_args!("Duplicate index name: {name}"))
}

pub(crate) fn unsupported(operation: OperationId) -> ApiError {
    let message = format!("{} is not supported by Sortkey yet; see docs/COMPATIBILITY.md", operation.name());
    ApiError::new(ErrorKind::UnknownOperationException, message)
}

pub(crate) fn unsupported_parameter(name: &str) -> ApiError {
    ApiError::validation(format!("{name} is not supported by Sortkey yet; see docs/COMPATIBILITY.md"))
}

/// The fault of an item that is to be stored.
pub(crate) fn item_key_fault(fault: &KeyFault) -> ApiError {
    match fault {
        KeyFault::Missing { name } => {
            ApiError::invalid_parameter(format_args!("Missing the key {name} in the item"))
        }
        KeyFault::WrongType { name, expected, actual } => ApiError::invalid_parameter(format_args!(
            "Type mismatch for key {name} expected: {expected} actual: {actual}"
        )),
        _ => key_value_fault(fault),
    }
}

/// The fault of a key that names an item.
pub(crate) fn key_fault(fault: &KeyFault) -> ApiError {
    match fault {
        KeyFault::Missing { .. } | KeyFault::WrongType { .. } => key_does_not_match(),
        _ => key_value_fault(fault),
    }
}

pub(crate) fn key_does_not_match() -> ApiError {
    ApiError::validation("The provided key element does not match the schema")
}

pub(crate) fn starting_key_invalid() -> ApiError {
    ApiError::validation("The provided starting key is invalid")
}

/// The error for an invalid `ExclusiveStartKey`, with its cause.
pub(crate) fn starting_key_fault(fault: &str) -> ApiError {
    ApiError::validation(format!("The provided starting key is invalid: {fault}"))
}

/// A query that can return one item cannot go on behind it. The key is shown as AWS's own language prints it.
pub(crate) fn starting_key_of_one_item(start: &Item) -> ApiError {
    let shown = |(name, value): (&str, ValueRef<'_>)| {
        let value = match value {
            ValueRef::S(text) => format!("S:{text}"),
            ValueRef::N(number) => format!("N:{number}"),
            other => other.attribute_type().to_string(),
        };
        format!("{name}=AttributeValue: {{{value}}}")
    };
    let key: Vec<String> = start.iter().map(shown).collect();
    ApiError::validation(format!(
        "The provided exclusive start key is invalid: ExclusiveStartKey: {{{}}}",
        key.join(", ")
    ))
}

fn key_value_fault(fault: &KeyFault) -> ApiError {
    match fault {
        KeyFault::Empty { name, kind } => ApiError::validation(format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
             empty {} value. Key: {name}",
            empty_kind(*kind)
        )),
        // The missing space is AWS's.
        KeyFault::PartitionTooLong => {
            ApiError::invalid_parameter("Size of hashkey has exceeded the maximum size limit of2048 bytes")
        }
        KeyFault::SortTooLong => ApiError::invalid_parameter(
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
        KeyFault::Missing { .. } | KeyFault::WrongType { .. } => key_does_not_match(),
    }
}

/// The fault of an item's attributes for an index.
pub(crate) fn index_key_fault(fault: &KeyFault, index: &str) -> ApiError {
    match fault {
        KeyFault::WrongType { name, expected, actual } => ApiError::invalid_parameter(format_args!(
            "Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}"
        )),
        KeyFault::Empty { name, kind } => ApiError::validation(format!(
            "One or more parameter values are not valid. A value specified for a secondary index key is not \
             supported. The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {index}, \
             IndexKey: {name}",
            empty_kind(*kind)
        )),
        _ => key_value_fault(fault),
    }
}

/// AWS's name for the type of an empty value.
fn empty_kind(kind: AttributeType) -> &'static str {
    if kind == AttributeType::B { "binary" } else { "string" }
}

/// Like `index_key_fault`, but for the item that an update would produce.
pub(crate) fn updated_index_key_fault(fault: &KeyFault, index: &str) -> ApiError {
    match fault {
        KeyFault::WrongType { .. } => ApiError::validation(
            "The update expression attempted to update the secondary index key to unsupported type",
        ),
        KeyFault::Empty { kind, .. } => ApiError::validation(format!(
            "One or more parameter values are not valid. The update expression attempted to update a secondary index \
             key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {} \
             value.",
            empty_kind(*kind)
        )),
        _ => index_key_fault(fault, index),
    }
}

pub(crate) fn nested_too_deep() -> ApiError {
    ApiError::validation(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
    )
}

/// An attribute has a name.
pub(crate) fn check_names<'a>(mut names: impl Iterator<Item = &'a str>) -> Result<(), ApiError> {
    match names.any(str::is_empty) {
        true => Err(empty_name()),
        false => Ok(()),
    }
}

pub(crate) fn empty_name() -> ApiError {
    ApiError::invalid_parameter("Empty attribute name")
}

pub(crate) fn item_too_large() -> ApiError {
    ApiError::validation("Item size has exceeded the maximum allowed size")
}

pub(crate) fn updated_item_too_large() -> ApiError {
    ApiError::validation("Item size to update has exceeded the maximum allowed size")
}

pub(crate) fn index_not_found(index: &str) -> ApiError {
    ApiError::validation(format!("The table does not have the specified index: {index}"))
}
