//! What calls really send and consume, held against what the compiler predicts.
//!
//! A [`Meter`] stands between a runtime and the engine and writes down every request with the images of its items and
//! the capacity it consumed. [`Comparison`] holds a call's requests against the plan: they must be an instance of it, and
//! the plan's arithmetic with the actual sizes must give exactly the units that were consumed, table by table and index by
//! index. The prediction never looks at what was consumed.

mod fit;
mod meter;
mod observed;
mod predict;
mod report;
mod text;
mod trial;

pub use fit::Comparison;
pub use meter::{Meter, Observation};
pub use observed::{Asked, Charge, Kind, Observed, Written};
pub use report::{Measured, Report};
pub use trial::{tests, trial};
