//! Sentences of the prose that the design does not bear out.

mod consistent_read_not_requested;
mod cost;
mod count_mismatch;
mod doc_contradicts_model;
mod example_violates_rule;
pub(crate) mod facts;
mod ttl_undeclared;
mod unknown_fact;

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &doc_contradicts_model::LINT,
    &count_mismatch::LINT,
    &consistent_read_not_requested::LINT,
    &example_violates_rule::LINT,
    &unknown_fact::LINT,
    &ttl_undeclared::LINT,
];
