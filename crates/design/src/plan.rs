//! Access paths: which key, index or guard serves a pattern, and what it costs; which requests an operation makes.
//!
//! A path never changes the answer. If several serve, the table comes before an index, and an index before a guard
//! (a guard before a global index where the read must be strong).

mod after;
mod bill;
mod bill_text;
mod calls;
mod cascade;
mod columns;
mod cost;
mod deed;
mod describe;
mod effects;
mod flow;
mod lock;
mod order;
mod pages;
mod prices;
mod question;
mod read;
mod request;
mod steps;
mod write;

pub use after::is_result_seen;
pub use bill::{Bill, Called, HOURS, TableBill, bill};
pub use bill_text::bill_text;
pub use cascade::{Counter, Sweep, counters, goes_at_once, sweeps};
pub use columns::{columns, row};
pub use cost::{Cost, Entry, Images, read_units, write_units};
pub use flow::{Flow, Page, Script};
pub use lock::{lock_file, plan_text, units};
pub use prices::{Class, PRICES, Prices, Rates, Region};
pub use read::{Choice, Obstacle, Path, ReadPlan, Rejected, SortUse, pattern_script, read};
pub use request::{Act, Arm, Ask, Change, Part, Query, Request, Role};
pub use steps::{Repeat, Step, write};
pub use write::{batched, operation as operation_script};
