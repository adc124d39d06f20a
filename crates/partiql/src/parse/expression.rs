//! The grammar of expressions: their operators, from the loosest to the tightest.
//!
//! ```text
//! or         = and (OR and)*
//! and        = not (AND not)*
//! not        = NOT not | comparison
//! comparison = sum (comparator sum | [NOT] BETWEEN sum AND sum | [NOT] IN sum | IS [NOT] type | [NOT] LIKE sum)*
//! sum        = product (("+" | "-" | "||") product)*
//! product    = signed (("*" | "/" | "%") signed)*
//! signed     = ("+" | "-")* term
//! ```

use crate::error::{PartiqlError, Place};
use crate::lexer::TokenKind;
use crate::syntax::{Expr, Node};

use super::cursor::{Parser, is_keyword};

/// How many operators of one rank can follow each other: each makes the tree deeper by one.
const CHAIN: usize = 100;

const TOO_LONG: PartiqlError = PartiqlError::NotWellFormed("");

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Node, PartiqlError> {
        self.nested(Self::or)
    }

    fn or(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        let mut terms = vec![self.and()?];
        while self.accept_keyword("OR") {
            terms.push(self.right_side(Self::and)?);
        }
        Ok(junction(terms, place, Expr::Or))
    }

    fn and(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        let mut terms = vec![self.not()?];
        while self.accept_keyword("AND") {
            terms.push(self.right_side(Self::not)?);
        }
        Ok(junction(terms, place, Expr::And))
    }

    fn not(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        if !self.accept_keyword("NOT") {
            return self.comparison();
        }
        let inner = self.nested(Self::not)?;
        Ok(Node { expr: Expr::Not(Box::new(inner)), place })
    }

    fn comparison(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        let mut left = self.sum()?;
        for _ in 0..CHAIN {
            let negated = self.at_keyword("NOT")
                && ["BETWEEN", "IN", "LIKE"].iter().any(|keyword| is_keyword(self.peek_second(), keyword));
            if negated {
                self.advance();
            }
            let Some(operator) = self.accept_comparison() else {
                return Ok(left);
            };
            left = Node { expr: self.compared(left, operator)?, place };
            if negated {
                left = Node { expr: Expr::Not(Box::new(left)), place };
            }
        }
        Err(TOO_LONG)
    }

    /// The operator of a comparison, if the next token is one.
    fn accept_comparison(&mut self) -> Option<&'static str> {
        let keyword = ["BETWEEN", "IN", "LIKE", "IS"].into_iter().find(|keyword| self.at_keyword(keyword));
        let operator = keyword.or(match self.peek() {
            TokenKind::Symbol("!=") => Some("<>"),
            TokenKind::Symbol(symbol @ ("=" | "<>" | "<" | "<=" | ">" | ">=")) => Some(*symbol),
            _ => None,
        });
        if operator.is_some() {
            self.advance();
        }
        operator
    }

    /// The comparison whose left side and operator have been read.
    fn compared(&mut self, left: Node, operator: &'static str) -> Result<Expr, PartiqlError> {
        let left = Box::new(left);
        if operator == "IS" {
            let place = self.place();
            let negated = self.accept_keyword("NOT");
            let test = Expr::Is(left, self.type_name()?);
            return Ok(match negated {
                true => Expr::Not(Box::new(Node { expr: test, place })),
                false => test,
            });
        }
        let right = Box::new(self.right_side(Self::sum)?);
        Ok(match operator {
            "IN" => Expr::In(left, right),
            "BETWEEN" => {
                self.expect_keyword("AND", "Expected AND after BETWEEN")?;
                Expr::Between(left, right, Box::new(self.right_side(Self::sum)?))
            }
            _ => Expr::Binary(operator, left, right),
        })
    }

    fn sum(&mut self) -> Result<Node, PartiqlError> {
        self.chain(&["+", "-", "||"], Self::product)
    }

    fn product(&mut self) -> Result<Node, PartiqlError> {
        self.chain(&["*", "/", "%"], Self::signed)
    }

    fn chain(
        &mut self,
        operators: &[&'static str],
        operand: fn(&mut Self) -> Result<Node, PartiqlError>,
    ) -> Result<Node, PartiqlError> {
        let place = self.place();
        let mut left = operand(self)?;
        for _ in 0..CHAIN {
            let Some(operator) = operators.iter().copied().find(|symbol| self.at_symbol(symbol)) else {
                return Ok(left);
            };
            self.advance();
            let right = self.right_side(operand)?;
            left = Node { expr: Expr::Binary(operator, Box::new(left), Box::new(right)), place };
        }
        Err(TOO_LONG)
    }

    /// Signs before a number become part of it.
    fn signed(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        let mut sign = None;
        while self.at_symbol("+") || self.at_symbol("-") {
            let minus = self.at_symbol("-");
            sign = Some(sign.unwrap_or(false) ^ minus);
            self.advance();
        }
        let term = self.term()?;
        let Some(negative) = sign else { return Ok(term) };
        let sign = if negative { "-" } else { "+" };
        Ok(match term.expr {
            Expr::Number(digits) if negative => Node { expr: Expr::Number(format!("-{digits}")), ..term },
            Expr::Number(_) => term,
            _ => Node { expr: Expr::Sign(sign, Box::new(term)), place },
        })
    }

    /// Parses the right-hand side of an operator.
    fn right_side(
        &mut self,
        read: fn(&mut Self) -> Result<Node, PartiqlError>,
    ) -> Result<Node, PartiqlError> {
        if matches!(self.peek(), TokenKind::End) {
            return Err(PartiqlError::NotWellFormed("Missing right-hand side expression of infix operator"));
        }
        read(self)
    }
}

/// Joins terms; a single term is returned as it is.
fn junction(mut terms: Vec<Node>, place: Place, join: fn(Vec<Node>) -> Expr) -> Node {
    match terms.pop() {
        Some(term) if terms.is_empty() => term,
        Some(term) => {
            terms.push(term);
            Node { expr: join(terms), place }
        }
        None => Node { expr: join(terms), place },
    }
}
