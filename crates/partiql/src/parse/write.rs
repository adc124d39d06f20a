//! `INSERT`, `UPDATE` and `DELETE`.

use crate::error::PartiqlError;
use crate::statement::Returning;
use crate::syntax::{ChangeNode, DeleteNode, InsertNode, UpdateNode};

use super::cursor::Parser;

impl Parser<'_> {
    /// `INSERT INTO table VALUE item`.
    pub(super) fn insert(&mut self) -> Result<InsertNode, PartiqlError> {
        self.advance();
        self.expect_keyword("INTO", "Expected INTO after INSERT")?;
        let table = self.table()?;
        let single = self.accept_keyword("VALUE");
        let item = self.expression()?;
        let returning = self.returning()?.is_some();
        Ok(InsertNode { table, single, item, returning })
    }

    /// `UPDATE table SET ... REMOVE ... WHERE ... RETURNING ...`.
    pub(super) fn update(&mut self) -> Result<UpdateNode, PartiqlError> {
        self.advance();
        let table = self.table()?;
        let aliased = self.alias()?;
        let changes = self.changes()?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        Ok(UpdateNode { table, aliased, changes, condition, returning })
    }

    /// `FROM table WHERE ... SET ... REMOVE ... RETURNING ...`.
    pub(super) fn update_after_from(&mut self) -> Result<UpdateNode, PartiqlError> {
        self.advance();
        let table = self.table()?;
        let aliased = self.alias()?;
        let condition = self.condition()?;
        let changes = self.changes()?;
        let returning = self.returning()?;
        Ok(UpdateNode { table, aliased, changes, condition, returning })
    }

    /// `DELETE FROM table WHERE ... RETURNING ...`.
    pub(super) fn delete(&mut self) -> Result<DeleteNode, PartiqlError> {
        self.advance();
        self.expect_keyword("FROM", "Expected FROM after DELETE")?;
        let table = self.table()?;
        let aliased = self.alias()?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        Ok(DeleteNode { table, aliased, condition, returning })
    }

    /// `SET path = value, ...` and `REMOVE path`, in any number.
    fn changes(&mut self) -> Result<Vec<ChangeNode>, PartiqlError> {
        let mut changes = Vec::new();
        loop {
            if self.accept_keyword("SET") {
                loop {
                    let target = self.path()?;
                    self.expect("=", "Expected = in SET assignment")?;
                    changes.push(ChangeNode::Set(target, self.expression()?));
                    if !self.accept(",") {
                        break;
                    }
                }
            } else if self.accept_keyword("REMOVE") {
                changes.push(ChangeNode::Remove(self.path()?));
            } else if changes.is_empty() {
                return Err(PartiqlError::NotWellFormed("Expected data manipulation"));
            } else {
                return Ok(changes);
            }
        }
    }

    fn returning(&mut self) -> Result<Option<Returning>, PartiqlError> {
        if !self.accept_keyword("RETURNING") {
            return Ok(None);
        }
        let all = match (self.accept_keyword("ALL"), self.accept_keyword("MODIFIED")) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => {
                return Err(PartiqlError::NotWellFormed("Expected ALL or MODIFIED in a returning clause."));
            }
        };
        let old = match (self.accept_keyword("OLD"), self.accept_keyword("NEW")) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => {
                return Err(PartiqlError::NotWellFormed("Expected OLD or NEW in a returning clause."));
            }
        };
        if !self.accept("*") {
            return Err(PartiqlError::ReturningColumns);
        }
        if self.at_symbol(",") {
            return Err(PartiqlError::SeveralReturning);
        }
        Ok(Some(match (all, old) {
            (true, true) => Returning::AllOld,
            (true, false) => Returning::AllNew,
            (false, true) => Returning::ModifiedOld,
            (false, false) => Returning::ModifiedNew,
        }))
    }
}
