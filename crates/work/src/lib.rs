//! The workers of a design: due items are claimed and run, changes of items are followed in order, schedules are kept.
//!
//! [`Work::settle`] does everything that can be done at this moment and returns: tests of designs call it with a clock of
//! their own. [`Work::run`] goes on until it is stopped. Both do the same single steps.
//!
//! Invariants:
//! - A run owns its item by a lease with a token; its writes to the item carry the token (`sortkey-core`).
//! - The position in a stream advances after the runs that it covers, and only in the process that holds the note of it. One
//!   reader serves all workers that follow a table.
//! - A slot of a schedule runs once, whatever the number of processes.
//! - A run that keeps failing is put aside as a letter, and blocks no others.

mod changes;
mod due;
mod every;
mod letters;
mod looks;
mod metrics;
mod status;
mod turns;
mod waiting;
mod wake;
mod waking;
mod work;

pub use letters::Letter;
pub use status::{Status, TIMES_MS, Times};
pub use wake::Wake;
pub use waking::Waking;
pub use work::{Report, Work};
