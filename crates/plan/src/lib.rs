//! The requests of a compiled design: access paths, the effects of writes,
//! requests in their order, their cost and price.
//!
//! A plan is data. `sortkey plan` prints it, the price list prices it, lints read it, and the runtime carries it out. It is
//! made from a [`Program`](sortkey_design::Program) alone, by ids: names are for people.

mod actions;
mod calls;
mod cascade;
mod columns;
mod cost;
mod effects;
mod facts;
mod flow;
mod pages;
mod path;
mod price;
mod read;
mod request;
mod scans;
mod set;
mod steps;
mod text;
mod write;

pub use actions::actions;
pub use cascade::{Counter, Finding, Sweep, counters, goes_at_once, sweeps};
pub use columns::{columns, row};
pub use cost::{Cost, Entry, Images, read_units, write_units};
pub use effects::{Change, Effects, arms, effects};
pub use facts::{Membership, TextOrder, membership, settles, slots, tells_tenant, text_order, told};
pub use flow::{Flow, Page, Script};
pub use path::{Path, Way};
pub use price::{Bill, Called, Class, HOURS, PRICES, Prices, Rates, Region, TableBill, bill, bill_text};
pub use read::{
    Choice, Given, GivenBy, Held, KeyIs, KeyPart, Limit, Obstacle, ReadPlan, Recipe, Rejected, SortUse,
    limits, of_pattern, pattern_script, read, sent,
};
pub use request::{Act, Arm, Ask, EntryChange, Part, Query, Request, Role};
pub use scans::{Extent, extent};
pub use set::AttributeSet;
pub use steps::{Repeat, Step, steps};
pub use text::{lock_file, operation_lines, pattern_line, plan_text, units};
pub use write::{
    ReceiptCourse, batched, bound_before_the_end, is_result_seen, operation_script, receipt_course,
    receipt_home, repeated_writes, ruled,
};
