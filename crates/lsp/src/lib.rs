//! The language server: diagnostics while typing, hover, go to definition, formatting, quick fixes.
//!
//! It holds the text of open files and nothing else; every answer is computed from the text, which the compiler does in a
//! few milliseconds. Positions cross the wire in UTF-16 units and are bytes on this side.

mod actions;
mod answers;
mod definition;
mod documents;
mod hover;
mod server;

pub use server::{ServerError, run, run_stdio};
