//! Access paths: which key, index or guard serves a pattern, and what it costs; which requests an operation makes.
//!
//! A path never changes the answer. If several serve, the table comes before an index, and an index before a guard
//! (a guard before a global index where the read must be strong).

mod cascade;
mod cost;
mod effects;
mod lock;
mod question;
mod read;
mod write;

pub use cascade::{Sweep, cascade};
pub use cost::{Cost, read_units, write_units};
pub use effects::{Effects, effects};
pub use lock::{lock_file, plan_text};
pub use read::{Choice, Obstacle, Path, ReadPlan, Rejected, SortUse, read};
pub use write::{Repeat, Step, write};
