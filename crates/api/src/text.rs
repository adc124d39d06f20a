//! Wording: every text that this crate sends to a client, in one place.
//!
//! AWS rolls out new wordings region by region. We keep the established one; when it changes, it
//! changes here.

use std::fmt::Display;

pub(crate) const RESOURCE_NOT_FOUND: &str = "Requested resource not found";
pub(crate) const CONDITION_FAILED: &str = "The conditional request failed";
pub(crate) const TRANSACTION_CONFLICT: &str = "Transaction is ongoing for the item";
pub(crate) const TOKEN_MISMATCH: &str =
    "The parameters of the request do not match the ones of the first request with the same idempotent token";
pub(crate) const DUPLICATE_ITEM: &str = "Duplicate primary key exists in table";
pub(crate) const THROUGHPUT_EXCEEDED: &str = "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.";
pub(crate) const INTERNAL: &str =
    "The request processing has failed because of an unknown error, exception or failure.";

pub(crate) fn invalid_parameter(what: impl Display) -> String {
    format!("One or more parameter values were invalid: {what}")
}

pub(crate) fn table_not_found(table: &str) -> String {
    format!("{RESOURCE_NOT_FOUND}: Table: {table} not found")
}

pub(crate) fn table_exists(table: &str) -> String {
    format!("Table already exists: {table}")
}

pub(crate) fn transaction_canceled(codes: &str) -> String {
    format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]")
}

/// A JSON value of the wrong type: SerializationException.
pub(crate) mod serialization {
    use std::fmt::Display;

    pub(crate) const UNEXPECTED_STRUCTURE: &str = "Start of structure or map found where not expected";
    pub(crate) const UNEXPECTED_FIELD: &str = "Unexpected field type";
    pub(crate) const UNEXPECTED_VALUE: &str = "Unexpected value type in payload";
    pub(crate) const UNEXPECTED_TOKEN: &str = "Unexpected token received from parser";
    pub(crate) const NOT_BASE64: &str = "only base-64-encoded strings are convertible to bytes";
    /// AWS's answer to a scalar where a collection is expected inside another collection: its own cast fails.
    pub(crate) const UNCASTABLE: &str = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')";

    pub(crate) fn not_convertible(token: &str, class: &str) -> String {
        format!("{token} cannot be converted to {class}")
    }

    pub(crate) fn unexpected_collection(class: impl Display) -> String {
        format!("Unrecognized collection type {class}")
    }
}

/// A member that breaks a constraint of its shape: "1 validation error detected: ...".
pub(crate) mod constraint {
    use std::fmt::Display;

    pub(crate) const NOT_NULL: &str = "Member must not be null";
    pub(crate) const TABLE_NAME_REQUIRED: &str =
        "The parameter 'TableName' is required but was not present in the request";
    pub(crate) const BATCH_GET_EMPTY: &str = "The requestItems parameter is required for BatchGetItem";
    pub(crate) const BATCH_WRITE_EMPTY: &str = "The requestItems parameter is required for BatchWriteItem";
    pub(crate) const RESOURCE_ARN_REQUIRED: &str = "Invalid TableArn";

    pub(crate) fn detected(violations: &[String]) -> String {
        let plural = if violations.len() == 1 { "" } else { "s" };
        format!("{} validation error{plural} detected: {}", violations.len(), violations.join("; "))
    }

    /// `value` is `None` for a member that is missing.
    pub(crate) fn violation(value: Option<&str>, path: &str, rule: &str) -> String {
        match value {
            Some(value) => format!("Value '{value}' at '{path}' failed to satisfy constraint: {rule}"),
            None => format!("Value null at '{path}' failed to satisfy constraint: {rule}"),
        }
    }

    /// The newer framework, in which some members are checked already, shows no value.
    pub(crate) fn terse_violation(path: &str, rule: &str) -> String {
        format!("Value at '{path}' failed to satisfy constraint: {rule}")
    }

    pub(crate) fn length_at_least(minimum: usize) -> String {
        format!("Member must have length greater than or equal to {minimum}")
    }

    pub(crate) fn length_at_most(maximum: usize) -> String {
        format!("Member must have length less than or equal to {maximum}")
    }

    pub(crate) fn value_at_least(minimum: i64) -> String {
        format!("Member must have value greater than or equal to {minimum}")
    }

    pub(crate) fn value_at_most(maximum: i64) -> String {
        format!("Member must have value less than or equal to {maximum}")
    }

    pub(crate) fn pattern(pattern: &str) -> String {
        format!("Member must satisfy regular expression pattern: {pattern}")
    }

    pub(crate) fn one_of(values: &[&str]) -> String {
        format!("Member must satisfy enum value set: [{}]", values.join(", "))
    }

    pub(crate) fn each_element(rules: impl Display) -> String {
        format!("Member must satisfy constraint: [{rules}]")
    }

    pub(crate) fn each_key(rules: impl Display) -> String {
        format!("Map keys must satisfy constraint: [{rules}]")
    }

    pub(crate) fn each_value(rules: impl Display) -> String {
        format!("Map value must satisfy constraint: [{rules}]")
    }
}

/// An attribute value that is well-formed JSON and yet no value.
pub(crate) mod value {
    pub(crate) const EMPTY: &str =
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
    pub(crate) const MANY_TYPES: &str = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
    // Two spaces, and "An number": AWS's.
    pub(crate) const EMPTY_STRING_SET: &str = "An string set  may not be empty";
    pub(crate) const EMPTY_NUMBER_SET: &str = "An number set  may not be empty";
    pub(crate) const EMPTY_BINARY_SET: &str = "Binary sets should not be empty";
    pub(crate) const NULL_NOT_TRUE: &str = "Null attribute value types must have the value of true";
    pub(crate) const DUPLICATE_NUMBERS: &str = "Input collection contains duplicates";
    pub(crate) const NOT_A_NUMBER: &str = "The parameter cannot be converted to a numeric value";
    pub(crate) const TOO_MANY_DIGITS: &str =
        "Attempting to store more than 38 significant digits in a Number";
    pub(crate) const OVERFLOW: &str =
        "Number overflow. Attempting to store a number with magnitude larger than supported range";
    pub(crate) const UNDERFLOW: &str =
        "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    pub(crate) const TOO_DEEP: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

    pub(crate) fn not_a_number(text: &str) -> String {
        if text.is_empty() { NOT_A_NUMBER.to_owned() } else { format!("{NOT_A_NUMBER}: {text}") }
    }

    pub(crate) fn duplicate_strings(members: &str) -> String {
        format!("Input collection [{members}] contains duplicates.")
    }

    pub(crate) fn duplicate_binaries(members: &str) -> String {
        format!("Input collection [{members}]of type BS contains duplicates.")
    }

    pub(crate) fn in_starting_key(fault: &str) -> String {
        format!("The provided starting key is invalid: {fault}")
    }

    pub(crate) fn in_expression_values(fault: &str, key: &str) -> String {
        format!("ExpressionAttributeValues contains invalid value: {fault} for key {key}")
    }
}
