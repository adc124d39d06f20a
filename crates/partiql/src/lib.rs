//! DynamoDB's dialect of PartiQL: `SELECT`, `INSERT`, `UPDATE`, `DELETE` and `EXISTS`.
//!
//! A text is first [parsed](parse) into a tree that depends on nothing but the text. [Binding](Parsed::bind) puts
//! the parameters in and gives a [`Statement`], whose conditions and updates are the trees of
//! `sortkey-expression`: from there on a statement is the same reads and writes as any other request. The reads
//! and writes for a given key are chosen in [`plan`].
//!
//! The crate is independent of tables and requests. Its errors are data whose texts are DynamoDB's.

mod bind;
mod error;
mod lexer;
mod parse;
pub mod plan;
mod statement;
mod syntax;

pub use error::{PartiqlError, Place};
pub use statement::{Column, Delete, Insert, Order, Returning, Select, Source, Statement, UpdateItem};

use sortkey_value::AttributeValue;

/// The longest statement, in characters.
pub const STATEMENT_CHARACTERS: usize = 8192;

/// A statement as written: its parameters are still missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    root: syntax::StatementNode,
    parameters: usize,
}

/// Reads a statement.
pub fn parse(text: &str) -> Result<Parsed, PartiqlError> {
    if text.chars().count() > STATEMENT_CHARACTERS {
        return Err(PartiqlError::TooLong);
    }
    let tokens = lexer::tokens(text)?;
    parse::statement(&tokens)
}

impl Parsed {
    /// The statement with its parameters in place, in the order of its question marks.
    pub fn bind(&self, parameters: &[AttributeValue]) -> Result<Statement, PartiqlError> {
        if parameters.len() != self.parameters {
            return Err(PartiqlError::ParameterCount);
        }
        bind::statement(&self.root, parameters)
    }
}
