//! The difference between two versions of a design: what changed, and what it takes to apply it to existing items.
//!
//! [`diff`] compares two compiled programs. It reads no tables, so its answer is about every database that holds items of
//! the old version. The [`Class`] of a [`Difference`] is whether anything has to be rewritten, moved or removed.
//! Attributes, entities and tables are the same in both versions if they have the same name; an attribute with
//! `@was(old)` is the one that was called `old`.

mod attributes;
mod calls;
mod class;
mod difference;
mod entities;
mod form;
mod keys;
mod report;
mod show;
mod tables;
mod task;
mod types;

pub use class::Class;
pub use difference::{Difference, Work};
pub use form::{ENCRYPTED, reads, stored_form};
pub use report::{json, text};
pub use task::{Concern, Task};

use sortkey_design::Program;

/// Every difference between two versions of a design, the smallest class first.
pub fn diff(old: &Program, new: &Program) -> Vec<Difference> {
    let mut found = Vec::new();
    tables::compare(old, new, &mut found);
    entities::compare(old, new, &mut found);
    calls::compare(old, new, &mut found);
    // The order within a class is that of the designs.
    found.sort_by_key(|each| each.class);
    found
}
