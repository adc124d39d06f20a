//! The faults of an attribute value whose JSON is well-formed.

use crate::text::{self, value as words};
use sortkey_value::NumberError;
use std::fmt;

/// Why a supplied value is no value. Displays as AWS words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueFault {
    /// No type is given.
    Empty,
    /// More than one type is given.
    ManyTypes,
    /// `{"SS":[]}`
    EmptyStringSet,
    /// `{"NS":[]}`
    EmptyNumberSet,
    /// `{"BS":[]}`
    EmptyBinarySet,
    /// A string set repeats a member; all members, joined.
    DuplicateStrings(String),
    /// A number set repeats a member.
    DuplicateNumbers,
    /// A binary set repeats a member; all members in base64, joined.
    DuplicateBinaries(String),
    /// `{"NULL":false}`
    NullNotTrue,
    /// The text is not a decimal number.
    NotANumber(String),
    /// More than 38 significant digits.
    TooManyDigits,
    /// The magnitude is too large.
    Overflow,
    /// The magnitude is too small.
    Underflow,
    /// Lists and maps lie too deep in each other.
    TooDeep,
}

impl ValueFault {
    /// Why `text` is not a number.
    pub(super) fn of_number(error: NumberError, text: &str) -> Self {
        match error {
            NumberError::NotANumber => Self::NotANumber(text.to_owned()),
            NumberError::TooManyDigits => Self::TooManyDigits,
            NumberError::Overflow => Self::Overflow,
            NumberError::Underflow => Self::Underflow,
        }
    }
}

impl ValueFault {
    /// Whether the fault is one of numbers or of the members of a set.
    pub(super) fn is_found_in_conversion(&self) -> bool {
        match self {
            Self::DuplicateStrings(_)
            | Self::DuplicateNumbers
            | Self::DuplicateBinaries(_)
            | Self::EmptyNumberSet
            | Self::NotANumber(_)
            | Self::TooManyDigits
            | Self::Overflow
            | Self::Underflow => true,
            Self::Empty
            | Self::ManyTypes
            | Self::EmptyStringSet
            | Self::EmptyBinarySet
            | Self::NullNotTrue
            | Self::TooDeep => false,
        }
    }
}

impl fmt::Display for ValueFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Half of the faults carry the general prefix, half do not.
        let plain = match self {
            Self::Empty => words::EMPTY.into(),
            Self::ManyTypes => words::MANY_TYPES.into(),
            Self::DuplicateNumbers => words::DUPLICATE_NUMBERS.into(),
            Self::NotANumber(text) => words::not_a_number(text),
            Self::TooManyDigits => words::TOO_MANY_DIGITS.into(),
            Self::Overflow => words::OVERFLOW.into(),
            Self::Underflow => words::UNDERFLOW.into(),
            Self::TooDeep => words::TOO_DEEP.into(),
            Self::EmptyStringSet => text::invalid_parameter(words::EMPTY_STRING_SET),
            Self::EmptyNumberSet => text::invalid_parameter(words::EMPTY_NUMBER_SET),
            Self::EmptyBinarySet => text::invalid_parameter(words::EMPTY_BINARY_SET),
            Self::DuplicateStrings(members) => text::invalid_parameter(words::duplicate_strings(members)),
            Self::DuplicateBinaries(members) => text::invalid_parameter(words::duplicate_binaries(members)),
            Self::NullNotTrue => text::invalid_parameter(words::NULL_NOT_TRUE),
        };
        f.write_str(&plain)
    }
}
