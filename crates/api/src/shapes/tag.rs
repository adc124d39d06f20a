//! Tags.

use crate::shape::shape;

shape! {
    /// A label on a table.
    struct Tag {
        key: String = "Key", &[MaxLength(128), MinLength(1)];
        value: String = "Value", &[MaxLength(256)];
    }
}
