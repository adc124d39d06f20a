//! The grammar of expressions.
//!
//! ```text
//! or         = and (OR and)*
//! and        = not (AND not)*
//! not        = NOT not | comparison
//! comparison = sum (comparator sum | [NOT] BETWEEN sum AND sum | [NOT] IN sum | IS [NOT] type | [NOT] LIKE sum)*
//! sum        = product (("+" | "-" | "||") product)*
//! product    = signed (("*" | "/" | "%") signed)*
//! signed     = ("+" | "-")* term
//! term       = literal | "?" | path | call | "(" or ("," or)* ")" | "[" or,* "]" | "<<" or,* ">>" | "{" pair,* "}"
//! ```

use crate::error::{PartiqlError, Place};
use crate::lexer::TokenKind;
use crate::syntax::{Expr, Node, StepNode};

use super::cursor::{Parser, is_keyword, is_reserved};

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

    /// The operator of a comparison, if one stands here.
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

    fn type_name(&mut self) -> Result<String, PartiqlError> {
        const TYPES: [&str; 34] = [
            "MISSING",
            "NULL",
            "BOOL",
            "BOOLEAN",
            "SMALLINT",
            "INT",
            "INTEGER",
            "INT2",
            "INTEGER2",
            "INT4",
            "INTEGER4",
            "INT8",
            "INTEGER8",
            "BIGINT",
            "FLOAT",
            "REAL",
            "DOUBLE",
            "DECIMAL",
            "DEC",
            "NUMERIC",
            "DATE",
            "TIME",
            "TIMESTAMP",
            "CHAR",
            "CHARACTER",
            "VARCHAR",
            "STRING",
            "SYMBOL",
            "CLOB",
            "BLOB",
            "STRUCT",
            "TUPLE",
            "LIST",
            "BAG",
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

    fn term(&mut self) -> Result<Node, PartiqlError> {
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

    /// What stands to the right of an operator.
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

/// A single term stands for itself.
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
