//! Expiry, retention, schedules, and how times are written.

mod pitr_on_ttl_table;
mod scheduling_attribute_without_index;
mod timestamp_format_mixed;
mod ttl_as_enforcement;
mod ttl_attribute_is_event_time;
mod ttl_attribute_not_number;
mod ttl_base_mismatch;
mod ttl_duration_unspecified;
mod ttl_missing_on_child;
mod ttl_read_filter_missing;
mod unbounded_table_growth;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &ttl_attribute_not_number::LINT,
    &ttl_attribute_is_event_time::LINT,
    &ttl_duration_unspecified::LINT,
    &ttl_as_enforcement::LINT,
    &ttl_read_filter_missing::LINT,
    &ttl_missing_on_child::LINT,
    &ttl_base_mismatch::LINT,
    &unbounded_table_growth::LINT,
    &pitr_on_ttl_table::LINT,
    &scheduling_attribute_without_index::LINT,
    &timestamp_format_mixed::LINT,
];
