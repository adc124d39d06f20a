//! The messages of the compiler: where (`Span` in `Sources`), what (`Diagnostic`), and how to
//! repair it (`Fix`); rendered as text for a terminal and as JSON for a machine.
//!
//! This crate is independent of the language. Every phase of the compiler depends on it, so it stays small.

mod diagnostic;
mod fix;
mod json;
mod source;
mod span;
mod text;
mod words;

pub use diagnostic::{Diagnostic, Label, Severity, sort};
pub use fix::{Edit, Fix, apply};
pub use json::to_json;
pub use source::{Position, Source, Sources};
pub use span::{FileId, Span};
pub use text::{Style, render};
pub use words::{a, a_quoted, counted, counted_with};
