//! Reads: whether a path exists, and what it really returns.

mod aggregate_without_rollup;
mod condition_names_unknown_attribute;
mod filter_discards_read_items;
mod gsi_read_after_write;
mod history_not_time_ordered;
mod incomplete_key_for_getitem;
mod list_membership_not_indexable;
mod lookup_chain_broken;
mod n_plus_one_resolver;
mod order_within_a_second;
mod pattern_without_index;
mod query_where_getitem;
mod scan_in_pattern;
mod sort_order_lost;
mod sparse_index_omits_items;
mod strong_read_on_global_index;
mod table_without_access_pattern;
mod unpaginated_list;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &pattern_without_index::LINT,
    &condition_names_unknown_attribute::LINT,
    &incomplete_key_for_getitem::LINT,
    &query_where_getitem::LINT,
    &lookup_chain_broken::LINT,
    &sort_order_lost::LINT,
    &history_not_time_ordered::LINT,
    &unpaginated_list::LINT,
    &filter_discards_read_items::LINT,
    &list_membership_not_indexable::LINT,
    &aggregate_without_rollup::LINT,
    &scan_in_pattern::LINT,
    &strong_read_on_global_index::LINT,
    &gsi_read_after_write::LINT,
    &n_plus_one_resolver::LINT,
    &table_without_access_pattern::LINT,
    &sparse_index_omits_items::LINT,
    &order_within_a_second::LINT,
];
