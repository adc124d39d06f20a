//! How items are named: key schemas, templates, collisions.

mod attribute_name_case_mismatch;
mod attribute_name_needs_placeholder;
mod composite_range_upper_bound;
mod constant_sort_key;
mod delimiter_collision;
mod derived_key_drift;
mod key_collision;
mod key_too_long;
mod key_type_not_scalar;
mod mutable_attribute_in_primary_key;
mod numeric_in_sort_template_unpadded;
mod range_condition_on_partition_key;
mod reserved_word_attribute;
mod timestamp_format_unspecified;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &range_condition_on_partition_key::LINT,
    &key_type_not_scalar::LINT,
    &key_collision::LINT,
    &delimiter_collision::LINT,
    &numeric_in_sort_template_unpadded::LINT,
    &mutable_attribute_in_primary_key::LINT,
    &derived_key_drift::LINT,
    &attribute_name_needs_placeholder::LINT,
    &reserved_word_attribute::LINT,
    &timestamp_format_unspecified::LINT,
    &constant_sort_key::LINT,
    &composite_range_upper_bound::LINT,
    &attribute_name_case_mismatch::LINT,
    &key_too_long::LINT,
];
