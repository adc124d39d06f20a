//! The contents of items: types, sizes, duplicates, derived values.

mod ambiguous_attribute_name;
mod attribute_type_inconsistent;
mod billing_mode_missing;
mod binary_payload_in_string;
mod capacity_vs_pattern;
mod conditional_required_undeclared;
mod derived_attribute_unchecked;
mod duplicate_source_of_truth;
mod entity_unreachable;
mod enum_mismatch;
mod enum_open;
mod item_size_growth;
mod json_string_not_queryable;
mod large_item_update_cost;
mod materialized_path_rewrite;
mod null_vs_absent_ambiguity;
mod reference_missing;
mod replicas_not_created;
mod required_contradicts_state;
mod required_undeclared;
mod type_undeclared;
mod unbounded_list_in_item;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &type_undeclared::LINT,
    &unbounded_list_in_item::LINT,
    &item_size_growth::LINT,
    &large_item_update_cost::LINT,
    &binary_payload_in_string::LINT,
    &json_string_not_queryable::LINT,
    &null_vs_absent_ambiguity::LINT,
    &enum_open::LINT,
    &enum_mismatch::LINT,
    &attribute_type_inconsistent::LINT,
    &ambiguous_attribute_name::LINT,
    &duplicate_source_of_truth::LINT,
    &derived_attribute_unchecked::LINT,
    &materialized_path_rewrite::LINT,
    &reference_missing::LINT,
    &required_undeclared::LINT,
    &required_contradicts_state::LINT,
    &entity_unreachable::LINT,
    &billing_mode_missing::LINT,
    &capacity_vs_pattern::LINT,
    &conditional_required_undeclared::LINT,
    &replicas_not_created::LINT,
];
