//! Writes: keys in hand, atomicity, counters, states.

mod attribute_never_written;
mod audit_attribute_missing;
mod cascade_without_path;
mod claim_without_condition;
mod counter_without_atomic_operation;
mod counter_without_period_guard;
mod distinct_count_not_additive;
mod fan_out_status;
mod hot_counter_item;
mod idempotent_in_steps;
mod idempotent_without_scope;
mod limit_without_counter;
mod multi_item_write_not_transactional;
mod nested_update_missing_parent;
mod orphan_on_delete;
mod parameter_never_used;
mod put_without_not_exists;
mod read_modify_write_without_version;
mod single_use_without_conditional_delete;
mod singleton_flag_unenforced;
mod soft_delete_status_missing;
mod state_without_transition;
mod write_needs_unknown_key;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &write_needs_unknown_key::LINT,
    &put_without_not_exists::LINT,
    &multi_item_write_not_transactional::LINT,
    &read_modify_write_without_version::LINT,
    &nested_update_missing_parent::LINT,
    &counter_without_atomic_operation::LINT,
    &counter_without_period_guard::LINT,
    &limit_without_counter::LINT,
    &hot_counter_item::LINT,
    &attribute_never_written::LINT,
    &fan_out_status::LINT,
    &single_use_without_conditional_delete::LINT,
    &singleton_flag_unenforced::LINT,
    &state_without_transition::LINT,
    &soft_delete_status_missing::LINT,
    &orphan_on_delete::LINT,
    &audit_attribute_missing::LINT,
    &claim_without_condition::LINT,
    &distinct_count_not_additive::LINT,
    &cascade_without_path::LINT,
    &idempotent_without_scope::LINT,
    &idempotent_in_steps::LINT,
    &parameter_never_used::LINT,
];
