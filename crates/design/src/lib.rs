//! The compiler's middle: names resolved, types checked, access paths chosen.
//!
//! `compile` turns source files into a [`Design`] and diagnostics; it never fails and reads files only through a
//! [`Loader`]. What follows from a design by reasoning (paths, costs, collisions, sizes) is asked of the other modules.

mod compile;
pub mod facts;
pub mod keyspace;
mod lower;
pub mod model;
pub mod plan;
mod problems;
mod resolve;
mod schema;
pub mod size;
mod template;
mod typing;

pub use compile::{Compilation, FileLoader, Loader, NoFiles, compile};
pub use model::Design;
pub use problems::{NOT_UNIQUE, PARAMETER, PROBLEMS, Problem, TABLE_DIFFERS, nearest};
pub use schema::schema;
