//! The grammar of projections: paths, separated by commas.

use crate::error::Problem;

use super::parser::Parser;
use super::token::Token;
use super::tree::SyntaxProjection;

impl SyntaxProjection {
    pub(crate) fn read(text: &str) -> Result<SyntaxProjection, Problem> {
        let mut parser = Parser::new(text)?;
        let mut paths = vec![parser.path()?];
        while parser.accept(Token::Comma) {
            paths.push(parser.path()?);
        }
        parser.finish()?;
        Ok(SyntaxProjection { paths })
    }
}
