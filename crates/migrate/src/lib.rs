//! Items of one design carried over to the next, exactly, while both are in use.
//!
//! A [`Plan`] is a design with its `migrate` block, prepared. While a migration is under way, each of the two designs runs on
//! a [`Layer`]: every write becomes one transaction that writes both designs, computed from items that were read with strong
//! consistency and stored only if they are unchanged. A [`Runner`] copies what was there before, compares, switches and
//! finishes. How far it is lies in one item of the tables, of which every process has a copy that is never older than a
//! bound ([`Ages`]). See `docs/adr/0008-migrations.md`.

mod answers;
mod backward;
mod captured;
mod check;
mod copy;
mod dice;
mod effect;
mod finish;
mod forward;
mod hidden;
mod image;
mod layer;
mod mapper;
mod mirror;
mod pace;
mod pack;
mod parts;
mod patterns;
mod place;
mod plan;
mod reader;
mod refusal;
mod rehearse;
mod runner;
mod same;
mod segments;
mod sent;
mod shadow;
mod state;
mod steady;
mod survey;
mod verify;
mod walk;
mod watch;
mod withdraw;

pub use captured::Captured;
pub use copy::Copied;
pub use dice::Dice;
pub use layer::Layer;
pub use pace::Rate;
pub use place::Place;
pub use plan::{Plan, Side, Stage};
pub use refusal::Refusal;
pub use rehearse::{Rehearsed, Stage as Rehearsing, Trouble, cut_at, rehearse, torture};
pub use runner::Runner;
pub use shadow::{Shadow, Spawn};
pub use state::{Lease, Phase, State, Verified, Walk};
pub use steady::Steady;
pub use survey::{Row, Survey};
pub use verify::{Answers, Difference, Extent, Report};
pub use watch::{Ages, Watch};
