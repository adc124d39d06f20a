//! The grammar of the terms between operators.
//!
//! ```text
//! term      = literal | "?" | path | call | list | bag | structure
//! path      = name ("." name | "." "*" | "[" expression "]" | "[" "*" "]")*
//! call      = name "(" [expression ("," expression)* | "*" | select] ")"
//! list      = "(" expression ("," expression)* ")" | "[" [expression ("," expression)*] "]"
//! bag       = "<<" [expression ("," expression)*] ">>"
//! structure = "{" [expression ":" expression ("," expression ":" expression)*] "}"
//! ```

use crate::error::{PartiqlError, Place};
use crate::lexer::TokenKind;
use crate::syntax::{Expr, Node, StepNode};

use super::cursor::{Parser, is_reserved};

impl Parser<'_> {
    pub(super) fn term(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        let literal = |parser: &mut Self, expr| {
            parser.advance();
            Ok(Node { expr, place })
        };
        match self.peek() {
            TokenKind::Text(text) => literal(self, Expr::Text(text.clone())),
            TokenKind::Number(digits) => literal(self, Expr::Number(digits.clone())),
            TokenKind::Ion(text) => literal(self, Expr::Ion(text.clone())),
            TokenKind::Quoted(_) => self.path(),
            TokenKind::Word(word) => self.word(word, place),
            TokenKind::Symbol("?") => {
                let position = self.next_parameter();
                literal(self, Expr::Parameter(position))
            }
            TokenKind::Symbol("(") => self.parenthesised(),
            TokenKind::Symbol("[") => Ok(Node { expr: Expr::List(self.members("[", "]")?), place }),
            TokenKind::Symbol("<<") => Ok(Node { expr: Expr::Bag(self.members("<<", ">>")?), place }),
            TokenKind::Symbol("{") => self.structure(),
            TokenKind::Symbol("=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" | "*" | "/" | "%" | "||") => {
                Err(PartiqlError::NotWellFormed("Unexpected operator"))
            }
            TokenKind::Symbol(_) | TokenKind::End => Err(PartiqlError::NotWellFormed("Unexpected term")),
        }
    }

    /// A keyword, a call or a path.
    fn word(&mut self, word: &str, place: Place) -> Result<Node, PartiqlError> {
        let upper = word.to_ascii_uppercase();
        let constant = match upper.as_str() {
            "TRUE" => Some(Expr::Bool(true)),
            "FALSE" => Some(Expr::Bool(false)),
            "NULL" => Some(Expr::Null),
            "MISSING" => Some(Expr::Missing),
            _ => None,
        };
        if let Some(expr) = constant {
            self.advance();
            return Ok(Node { expr, place });
        }
        let calls = matches!(self.peek_second(), TokenKind::Symbol("("));
        match upper.as_str() {
            "AND" | "OR" | "IN" | "IS" | "LIKE" | "BETWEEN" => {
                Err(PartiqlError::NotWellFormed("Unexpected operator"))
            }
            "EXISTS" if calls => self.call(word, place),
            _ if is_reserved(word) => Err(PartiqlError::NotWellFormed("Unexpected keyword")),
            _ if calls => self.call(word, place),
            _ => self.path(),
        }
    }

    fn call(&mut self, name: &str, place: Place) -> Result<Node, PartiqlError> {
        self.advance();
        let name = name.to_ascii_lowercase();
        self.expect("(", "Expected left parenthesis")?;
        let mut operands = Vec::new();
        if self.at_symbol("*") {
            operands.push(Node { expr: Expr::Star, place: self.place() });
            self.advance();
        } else if self.at_keyword("SELECT") {
            let at = self.place();
            let select = self.nested(Self::select)?;
            operands.push(Node { expr: Expr::Select(Box::new(select)), place: at });
        } else if !self.at_symbol(")") {
            operands.push(self.expression()?);
            while self.accept(",") {
                operands.push(self.expression()?);
            }
        }
        self.expect(")", "Expected closing parenthesis")?;
        Ok(Node { expr: Expr::Call(name, operands), place })
    }

    /// A name and the steps behind it.
    pub(super) fn path(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        let Some(name) = self.accept_name() else {
            return Err(PartiqlError::NotWellFormed("Expected identifier for simple path"));
        };
        let mut steps = Vec::new();
        loop {
            if self.accept(".") {
                steps.push(match self.accept("*") {
                    true => StepNode::Unpivot,
                    false => StepNode::Member(
                        self.accept_name()
                            .ok_or(PartiqlError::NotWellFormed("Invalid path dot component"))?,
                    ),
                });
            } else if self.accept("[") {
                let place = self.place();
                let index = match self.accept("*") {
                    true => Node { expr: Expr::Star, place },
                    false => self.expression()?,
                };
                self.expect("]", "Expected right bracket")?;
                steps.push(StepNode::Index(index));
            } else {
                return Ok(Node { expr: Expr::Path(name, steps), place });
            }
        }
    }

    /// Parentheses enclose one expression, or the members of a list.
    fn parenthesised(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        self.advance();
        let first = self.expression()?;
        if !self.at_symbol(",") {
            self.expect(")", "Expected right parenthesis")?;
            return Ok(first);
        }
        let mut members = vec![first];
        while self.accept(",") {
            members.push(self.expression()?);
        }
        self.expect(")", "Expected right parenthesis")?;
        Ok(Node { expr: Expr::List(members), place })
    }

    fn members(&mut self, open: &str, close: &str) -> Result<Vec<Node>, PartiqlError> {
        const UNCLOSED: &str = "Expected closing token of collection";
        self.expect(open, UNCLOSED)?;
        let mut members = Vec::new();
        if self.accept(close) {
            return Ok(members);
        }
        loop {
            members.push(self.expression()?);
            if !self.accept(",") {
                self.expect(close, UNCLOSED)?;
                return Ok(members);
            }
        }
    }

    fn structure(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        self.advance();
        let mut members = Vec::new();
        if self.accept("}") {
            return Ok(Node { expr: Expr::Struct(members), place });
        }
        loop {
            let key = self.expression()?;
            self.expect(":", "Expected ':' after member name")?;
            members.push((key, self.expression()?));
            if !self.accept(",") {
                self.expect("}", "Expected closing token of struct")?;
                return Ok(Node { expr: Expr::Struct(members), place });
            }
        }
    }

    /// The type after `IS`.
    pub(super) fn type_name(&mut self) -> Result<String, PartiqlError> {
        #[rustfmt::skip]
        const TYPES: [&str; 34] = [
            "MISSING", "NULL", "BOOL", "BOOLEAN", "SMALLINT", "INT", "INTEGER", "INT2", "INTEGER2", "INT4",
            "INTEGER4", "INT8", "INTEGER8", "BIGINT", "FLOAT", "REAL", "DOUBLE", "DECIMAL", "DEC",
            "NUMERIC", "DATE", "TIME", "TIMESTAMP", "CHAR", "CHARACTER", "VARCHAR", "STRING", "SYMBOL",
            "CLOB", "BLOB", "STRUCT", "TUPLE", "LIST", "BAG",
        ];
        let unknown = PartiqlError::NotWellFormed("Expected type name");
        let TokenKind::Word(word) = self.peek() else { return Err(unknown) };
        let name = word.to_ascii_uppercase();
        if !TYPES.contains(&name.as_str()) {
            return Err(unknown);
        }
        self.advance();
        match name.as_str() {
            "DOUBLE" => self.expect_keyword("PRECISION", "Expected PRECISION after DOUBLE")?,
            "CHARACTER" => drop(self.accept_keyword("VARYING")),
            _ => {}
        }
        Ok(name)
    }
}
