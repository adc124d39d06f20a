//! Secondary indexes: who is in them, what they cost, whether they are needed.

mod attribute_missing_for_index;
mod gsi_capacity_missing;
mod gsi_could_be_lsi;
mod gsi_mergeable;
mod gsi_redundant;
mod hot_partition_low_cardinality;
mod hot_partition_monotonic_key;
mod hot_partition_tenant_skew;
mod index_name_misleading;
mod index_without_pattern;
mod inverse_lookup_missing;
mod mutable_index_key;
mod null_in_index_key;
mod projection_unspecified;
mod sparse_index_not_sparse;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &attribute_missing_for_index::LINT,
    &null_in_index_key::LINT,
    &sparse_index_not_sparse::LINT,
    &projection_unspecified::LINT,
    &gsi_redundant::LINT,
    &index_without_pattern::LINT,
    &index_name_misleading::LINT,
    &gsi_could_be_lsi::LINT,
    &gsi_mergeable::LINT,
    &hot_partition_low_cardinality::LINT,
    &hot_partition_monotonic_key::LINT,
    &hot_partition_tenant_skew::LINT,
    &mutable_index_key::LINT,
    &gsi_capacity_missing::LINT,
    &inverse_lookup_missing::LINT,
];
