//! The rules that read a design the way an experienced reviewer does.
//!
//! One file per rule, all of one shape: documentation that is also the text of `sortkey explain`, a declaration, one
//! function that inspects one kind of node. Rules are independent of each other; each theme lists its rules.

mod check;
mod claims;
mod context;
mod explain;
mod indexes;
mod keys;
mod migrations;
mod operations;
mod patterns;
mod protection;
mod repair;
mod storage;
mod time;
mod vocabulary;
mod workers;

pub use check::{Options, check, lint};
pub use context::{Context, Inspect, Lint, Theme};
pub use explain::{Explanation, explain};
pub use repair::repair;

/// Every rule, theme by theme.
pub fn lints() -> impl Iterator<Item = &'static Lint> {
    let themes = [
        keys::LINTS,
        indexes::LINTS,
        patterns::LINTS,
        storage::LINTS,
        time::LINTS,
        operations::LINTS,
        workers::LINTS,
        protection::LINTS,
        claims::LINTS,
        migrations::LINTS,
    ];
    themes.into_iter().flatten().copied()
}
