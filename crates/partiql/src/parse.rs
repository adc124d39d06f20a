//! Tokens to a statement as written.
//!
//! Reading is by descent. Its depth is bounded: what is nested deeper than any statement that DynamoDB accepts is
//! not well formed.

mod cursor;
mod expression;
mod query;
mod term;
mod write;

use cursor::Parser;

use crate::Parsed;
use crate::error::PartiqlError;
use crate::lexer::{Token, TokenKind};
use crate::syntax::StatementNode;

/// Reads a statement, which may end with a semicolon.
pub(crate) fn statement(tokens: &[Token]) -> Result<Parsed, PartiqlError> {
    let mut parser = Parser::new(tokens);
    let root = if parser.at_keyword("SELECT") {
        StatementNode::Select(parser.select()?)
    } else if parser.at_keyword("INSERT") {
        StatementNode::Insert(parser.insert()?)
    } else if parser.at_keyword("UPDATE") {
        StatementNode::Update(parser.update()?)
    } else if parser.at_keyword("FROM") {
        StatementNode::Update(parser.update_after_from()?)
    } else if parser.at_keyword("DELETE") {
        StatementNode::Delete(parser.delete()?)
    } else {
        StatementNode::Expression(parser.expression()?)
    };
    let ended = parser.accept(";");
    match (ended, parser.peek()) {
        (_, TokenKind::End) => Ok(Parsed { root, parameters: parser.parameters() }),
        (true, _) => Err(PartiqlError::SeveralOperations),
        (false, _) => Err(PartiqlError::NotWellFormed("Unexpected token after expression")),
    }
}
