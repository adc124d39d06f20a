//! `SELECT`.

use crate::error::PartiqlError;
use crate::lexer::TokenKind;
use crate::syntax::{Expr, Node, OrderNode, SelectNode};

use super::cursor::Parser;

impl Parser<'_> {
    pub(super) fn select(&mut self) -> Result<SelectNode, PartiqlError> {
        self.advance();
        for quantifier in ["DISTINCT", "ALL"] {
            if self.at_keyword(quantifier) {
                return Err(PartiqlError::UnsupportedClause("DISTINCT"));
            }
        }
        let mut aliased = false;
        let mut columns = Vec::new();
        loop {
            columns.push(self.column()?);
            aliased |= self.alias()?;
            if !self.accept(",") {
                break;
            }
        }
        self.expect_keyword("FROM", "Expected FROM after SELECT list")?;
        let source = self.expression()?;
        aliased |= self.alias()?;
        if self.at_symbol(",")
            || ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS"].iter().any(|join| self.at_keyword(join))
        {
            return Err(PartiqlError::SeveralSources);
        }
        let condition = self.condition()?;
        for clause in ["GROUP", "HAVING"] {
            if self.at_keyword(clause) {
                return Err(PartiqlError::UnsupportedClause(clause));
            }
        }
        let order = self.order()?;
        for clause in ["LIMIT", "OFFSET"] {
            if self.at_keyword(clause) {
                return Err(PartiqlError::UnsupportedClause(clause));
            }
        }
        Ok(SelectNode { columns, source, aliased, condition, order })
    }

    fn column(&mut self) -> Result<Node, PartiqlError> {
        let place = self.place();
        match self.accept("*") {
            true => Ok(Node { expr: Expr::Star, place }),
            false => self.expression(),
        }
    }

    /// Another name for a table or a column.
    pub(super) fn alias(&mut self) -> Result<bool, PartiqlError> {
        if self.accept_keyword("AS") {
            return match self.accept_name() {
                Some(_) => Ok(true),
                None => Err(PartiqlError::NotWellFormed("Expected identifier for alias")),
            };
        }
        Ok(self.accept_name().is_some())
    }

    /// Parses `WHERE`, if there is one.
    pub(super) fn condition(&mut self) -> Result<Option<Node>, PartiqlError> {
        match self.accept_keyword("WHERE") {
            true => self.expression().map(Some),
            false => Ok(None),
        }
    }

    fn order(&mut self) -> Result<Vec<OrderNode>, PartiqlError> {
        let mut order = Vec::new();
        if !self.accept_keyword("ORDER") {
            return Ok(order);
        }
        self.expect_keyword("BY", "Expected BY after ORDER")?;
        loop {
            let term = self.expression()?;
            let descending = self.accept_keyword("DESC");
            if !descending {
                self.accept_keyword("ASC");
            }
            order.push(OrderNode { term, descending });
            if !self.accept(",") {
                return Ok(order);
            }
        }
    }

    /// The name of a table in a write, and the names after its dots.
    pub(super) fn table(&mut self) -> Result<Vec<String>, PartiqlError> {
        let mut names = Vec::new();
        loop {
            match self.accept_name() {
                Some(name) => names.push(name),
                None => return Err(PartiqlError::NotWellFormed("Expected identifier for simple path")),
            }
            if !matches!(self.peek(), TokenKind::Symbol(".")) {
                return Ok(names);
            }
            self.advance();
        }
    }
}
