//! Lists of their own: types, which are written once each, however often they are named, and expressions, which would
//! nest deeper than readers of JSON follow.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use serde_json::Value as Json;

use super::form::{Unreadable, Wire};
use super::json::{list, place};
use super::{expressions, types};
use crate::program::{Expr, Type};

/// Expressions that nest deeper than this are none that the compiler wrote.
const MAX_HEIGHT: usize = 512;

/// A program that is being written.
#[derive(Debug, Default)]
pub struct Writing {
    /// The types so far, and what they are written as.
    known: Vec<Arc<Type>>,
    pub(super) types: Vec<types::Type>,
    pub(super) expressions: Vec<expressions::Expr>,
}

/// A program that is being read: how long its lists are, and its types.
#[derive(Debug, Default)]
pub struct Reading {
    pub(super) tables: usize,
    pub(super) entities: usize,
    pub(super) enums: usize,
    pub(super) objects: usize,
    pub(super) settings: usize,
    pub(super) rules: usize,
    pub(super) patterns: usize,
    pub(super) operations: usize,
    pub(super) effects: usize,
    pub(super) errors: usize,
    pub(super) types: Vec<Arc<Type>>,
    /// The expressions so far that nothing has taken yet, with their heights.
    pub(super) expressions: RefCell<Vec<Option<(Expr, usize)>>>,
    /// The height of the highest that was taken for the one that is being read.
    pub(super) height: Cell<usize>,
}

impl Reading {
    /// Reads the expressions in their order: each is made of those before it.
    pub(super) fn read_expressions(&self, all: &Json) -> Result<(), Unreadable> {
        for json in list(all)? {
            self.height.set(0);
            let expr = expressions::Expr::read(json, self)?;
            let height = self.height.get() + 1;
            if height > MAX_HEIGHT {
                return Err(Unreadable("an expression nests too deep".to_owned()));
            }
            self.expressions.borrow_mut().push(Some((expr, height)));
        }
        Ok(())
    }

    /// Each expression is used in one place only, so that reading takes no longer than writing did.
    fn take(&self, at: u32) -> Result<Expr, Unreadable> {
        let mut all = self.expressions.borrow_mut();
        let taken = all.get_mut(at as usize).and_then(Option::take);
        let (expr, height) =
            taken.ok_or_else(|| Unreadable(format!("there is no expression {at} to be used here")))?;
        self.height.set(self.height.get().max(height));
        Ok(expr)
    }
}

/// An expression is written as its place among the expressions.
impl Wire for Expr {
    type Form = u32;

    fn write(&self, out: &mut Writing) -> u32 {
        let form = expressions::Expr { kind: self.kind.write(out), ty: self.ty.write(out) };
        out.expressions.push(form);
        u32::try_from(out.expressions.len() - 1).unwrap_or(u32::MAX)
    }

    fn read(json: &Json, from: &Reading) -> Result<Expr, Unreadable> {
        from.take(place(json)?)
    }
}

/// A type is written as its place among the types.
impl Wire for Arc<Type> {
    type Form = u32;

    fn write(&self, out: &mut Writing) -> u32 {
        let same = |each: &Arc<Type>| Arc::ptr_eq(each, self) || each == self;
        let at = match out.known.iter().position(same) {
            Some(at) => at,
            None => {
                // Its parts come before it.
                let form = (**self).write(out);
                out.known.push(Arc::clone(self));
                out.types.push(form);
                out.types.len() - 1
            }
        };
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn read(json: &Json, from: &Reading) -> Result<Arc<Type>, Unreadable> {
        let place = place(json)?;
        let ty = from.types.get(place as usize).map(Arc::clone);
        ty.ok_or_else(|| Unreadable(format!("there is no type {place}, or none before it")))
    }
}
