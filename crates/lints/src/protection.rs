//! Access to data: tenants, secrets, personal data.

mod case_sensitive_lookup_key;
mod cross_tenant_index;
mod encryption_scope_impossible;
mod foreign_parent_read;
mod id_format_mismatch_across_references;
mod identity_attribute_without_lookup;
mod low_entropy_secret_key;
mod pii_unmarked;
mod referential_check_on_gsi;
mod secret_in_plaintext;
mod secret_projected_into_index;
mod security_check_on_gsi;
mod tenant_attribute_missing;
mod tenant_not_in_key;
mod uniqueness_by_gsi;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &uniqueness_by_gsi::LINT,
    &case_sensitive_lookup_key::LINT,
    &cross_tenant_index::LINT,
    &tenant_not_in_key::LINT,
    &tenant_attribute_missing::LINT,
    &security_check_on_gsi::LINT,
    &referential_check_on_gsi::LINT,
    &secret_in_plaintext::LINT,
    &secret_projected_into_index::LINT,
    &low_entropy_secret_key::LINT,
    &identity_attribute_without_lookup::LINT,
    &encryption_scope_impossible::LINT,
    &pii_unmarked::LINT,
    &id_format_mismatch_across_references::LINT,
    &foreign_parent_read::LINT,
];
