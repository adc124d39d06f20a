//! The compiler's middle: names resolved, types checked, access paths chosen.
//!
//! `compile` turns source files into a [`Design`] and diagnostics; it never fails and reads files only through a
//! [`Loader`]. The other modules derive facts from a design: paths, costs, collisions, sizes.

mod coherence;
mod compile;
mod deployed;
mod elaborate;
pub mod facts;
pub mod formats;
mod idle;
mod inline;
pub mod keyspace;
mod limits;
mod lower;
pub mod model;
mod problems;
pub mod program;
mod resolve;
mod schema;
mod sealed;
pub mod size;
mod stored;
mod template;
pub mod texts;
pub mod wire;

pub use compile::{Compilation, FileLoader, Loader, NoFiles, compile};
pub use deployed::is_deployed_name;
pub use model::Design;
pub use problems::{
    CANNOT_RUN, NOT_UNIQUE, PARAMETER, PROBLEMS, Problem, SYNTAX, TABLE_DIFFERS, TEST_FAILED, UNKNOWN_RULE,
    nearest,
};
pub use program::Program;
pub use schema::schema;
