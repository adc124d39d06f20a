//! The requests and consumption of calls, compared with the compiler's predictions.
//!
//! A [`Meter`] is a backend between a runtime and the engine that records every request with the images of its items and
//! the capacity it consumed. [`Comparison`] compares a call's requests with the plan: they must be an instance of it, and
//! the plan's arithmetic with the actual sizes must give exactly the units that were consumed, table by table and index by
//! index. The prediction never looks at the consumption.

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
