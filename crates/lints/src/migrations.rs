//! From one version of a design to the next.

mod consistency_regression;
mod key_schema_change_in_place;
mod mapping_not_a_function;
mod mapping_reads_mutable;
mod migration_key_collision;
mod migration_one_way;
mod migration_order;
mod migration_transaction_too_large;
mod migration_transform_incomplete;
mod migration_without_cutover;
mod migration_without_verification;
mod multiple_gsi_changes_one_update;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &key_schema_change_in_place::LINT,
    &multiple_gsi_changes_one_update::LINT,
    &migration_key_collision::LINT,
    &migration_transform_incomplete::LINT,
    &consistency_regression::LINT,
    &migration_order::LINT,
    &migration_without_cutover::LINT,
    &migration_without_verification::LINT,
    &mapping_not_a_function::LINT,
    &mapping_reads_mutable::LINT,
    &migration_one_way::LINT,
    &migration_transaction_too_large::LINT,
];
