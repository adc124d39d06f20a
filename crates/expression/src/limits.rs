//! DynamoDB's quotas that concern expressions, each with the unit in its name.

/// The longest expression, counted as written: placeholders are not replaced first.
pub const EXPRESSION_BYTES: usize = 4096;
/// How many operators an expression can contain.
pub const OPERATORS: usize = 300;
/// The maximum number of operands in the parentheses of `IN`.
pub const IN_OPERANDS: usize = 100;
/// The largest list index.
pub const LIST_INDEX: usize = i32::MAX as usize;
/// How many elements a document path can have.
pub const PATH_ELEMENTS: usize = 32;
/// The longest placeholder, its `#` or `:` included.
pub const PLACEHOLDER_BYTES: usize = 255;

/// How deep parentheses can be nested and still each enclose an operator of its own.
pub(crate) const NESTED_PARENTHESES: usize = OPERATORS + 1;
/// How deep calls can be nested; the text of a valid update expression has room for fewer.
pub(crate) const NESTED_CALLS: usize = 300;
