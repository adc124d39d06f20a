//! The origin of an attribute's value: given by a write, or made by the design.

use crate::model::*;

/// Whether a write may name a value for an attribute at all.
pub fn can_be_given(attribute: &Attribute) -> bool {
    !attribute.is_derived() && !attribute.has("virtual")
}

/// Whether the design makes the value for a new item: an id, the time of its creation, a count, a version.
pub fn is_made(attribute: &Attribute) -> bool {
    let filled =
        |name: &str| attribute.value.as_ref().is_some_and(|fill| !fill.derived && fill.value.is_name(name));
    filled("new")
        || (filled("now") && attribute.has("immutable"))
        || attribute.has("counter")
        || attribute.has("version")
}

/// Whether a caller of the operation cannot choose such a value. A caller who chose ids could take those of others;
/// `system` may, since it imports data. An operation that names the attribute allows it to every caller.
pub fn is_made_for(design: &Design, operation: &Operation, attribute: &Attribute) -> bool {
    !operation.system && !design.caller.is_empty() && is_made(attribute)
}

/// Whether an item cannot be made without a value for an attribute.
pub fn must_be_given(attribute: &Attribute) -> bool {
    can_be_given(attribute) && attribute.value.is_none() && !attribute.may_be_absent()
}
