//! Typed clients: a program as its callers see it, and printers for their languages.
//!
//! [`surface`] describes what can be called, with which types, independent of any language. A printer decides names and
//! spelling only; optionality, branded ids and the errors of a call are decided here, once.

mod brands;
mod calls;
mod clashes;
mod docs;
mod inputs;
mod names;
mod python;
mod results;
mod rust;
mod surface;
mod types;
mod typescript;

use sortkey_design::Program;

pub use names::{camel, pascal, snake};
pub use python::python;
pub use rust::rust;
pub use surface::*;
pub use typescript::typescript;

/// The surface of a program. `name` is what the design is called if it does not name itself.
pub fn surface(program: &Program, name: &str) -> Surface {
    calls::Builder::new(program, name).surface()
}
