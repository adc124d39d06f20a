//! DynamoDB's quotas that concern values, each with the unit in its name.

/// The largest item, keys and attribute names included.
pub const ITEM_SIZE_BYTES: usize = 400 * 1024;
/// How deep lists and maps may be nested inside an attribute.
pub const NESTING_LEVELS: usize = 32;
/// The longest partition key value.
pub const PARTITION_KEY_BYTES: usize = 2048;
/// The longest sort key value.
pub const SORT_KEY_BYTES: usize = 1024;
/// The longest attribute name.
pub const ATTRIBUTE_NAME_BYTES: usize = 65_535;
/// The longest name of an attribute that is part of a key or of an index.
pub const KEY_ATTRIBUTE_NAME_BYTES: usize = 255;
