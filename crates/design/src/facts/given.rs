//! Who gives the value of an attribute: whoever writes an item, or the design.

use crate::model::*;

/// Whether a write may name a value for an attribute at all.
pub fn can_be_given(attribute: &Attribute) -> bool {
    !attribute.is_derived() && !attribute.has("virtual")
}

/// Whether the value of a new item is the design's to make: an id, the time of its creation, a count, a version.
pub fn is_made(attribute: &Attribute) -> bool {
    let filled =
        |name: &str| attribute.value.as_ref().is_some_and(|fill| !fill.derived && fill.value.is_name(name));
    filled("new")
        || (filled("now") && attribute.has("immutable"))
        || attribute.has("counter")
        || attribute.has("version")
}

/// Whether whoever calls an operation cannot choose such a value. Somebody who chose ids could take those of others;
/// `system` may, for it brings data along. An operation that names the attribute lets everybody.
pub fn is_made_for(design: &Design, operation: &Operation, attribute: &Attribute) -> bool {
    !operation.system && !design.caller.is_empty() && is_made(attribute)
}

/// Whether an item cannot be made without a value for an attribute.
pub fn must_be_given(attribute: &Attribute) -> bool {
    can_be_given(attribute) && attribute.value.is_none() && !attribute.may_be_absent()
}
