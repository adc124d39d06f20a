//! The statements of operations and tests, in the order in which they run.

use super::{Ty, Typing, Wanted};
use crate::model::*;
use crate::problems::{ABSENT, ARGUMENT, MISMATCH, NOT_SETTABLE, UNKNOWN};

impl<'a> Typing<'a, '_> {
    /// The parser bounds how deep blocks nest, so this may recurse.
    pub(super) fn body(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match &statement.kind {
                StmtKind::Let { name, value, .. } => {
                    let ty = self.value(value);
                    self.scope.bind(name, ty);
                }
                StmtKind::Do { value } => drop(self.value(value)),
                StmtKind::Transact { body } => self.body(body),
                StmtKind::Each { name, list, body } => self.each(name, list, body),
                StmtKind::Require { condition, .. } => self.condition(condition),
                StmtKind::Return { value } => drop(self.infer(value, None)),
                StmtKind::Expect { value, fails, .. } => {
                    let before = self.problems.len();
                    self.value(value);
                    if fails.as_ref().is_some_and(|error| error.is("Invalid")) {
                        self.forgive_wrong_values(before);
                    }
                    fails.iter().for_each(|error| self.known_error(error));
                }
                StmtKind::Advance { .. } => {}
                StmtKind::As { caller, body } => {
                    self.caller_of(caller);
                    let system = std::mem::replace(&mut self.scope.system, false);
                    self.body(body);
                    self.scope.system = system;
                }
                StmtKind::Race { bodies, succeeds } => {
                    let outer = self.scope.locals.len();
                    for body in bodies {
                        self.body(body);
                        self.scope.locals.truncate(outer);
                    }
                    if *succeeds > bodies.len() as u64 {
                        let title = format!("{succeeds} of {} cannot succeed", bodies.len());
                        self.push(ARGUMENT.at(statement.span, title));
                    }
                }
            }
        }
    }

    /// Who expects `Invalid` gives a wrong value on purpose.
    fn forgive_wrong_values(&mut self, from: usize) {
        let on_purpose = [MISMATCH.name, ARGUMENT.name, ABSENT.name, UNKNOWN.name, NOT_SETTABLE.name];
        let found = self.problems.split_off(from);
        self.problems.extend(found.into_iter().filter(|problem| !on_purpose.contains(&problem.rule)));
    }

    fn value(&mut self, value: &'a Value) -> Ty<'a> {
        match value {
            Value::Action(action) => self.action(action),
            Value::Expr(expr) => self.infer(expr, None),
        }
    }

    fn each(&mut self, name: &'a Name, list: &'a Expr, body: &'a [Stmt]) {
        let ty = self.infer(list, None);
        let element = match ty.element() {
            Some(element) => element,
            None => {
                let title = format!("`each` goes through a list or a set, not {}", ty.named());
                self.push(MISMATCH.at(list.span, title));
                Ty::Unknown
            }
        };
        let outer = self.scope.locals.len();
        self.scope.bind(name, element);
        self.body(body);
        self.scope.locals.truncate(outer);
    }

    /// `as (userId: x)` against what `caller` declares.
    fn caller_of(&mut self, args: &'a Args) {
        let design = self.design;
        for (at, (name, value)) in args.values.iter().enumerate() {
            let attribute = match name {
                Some(name) => design.caller.iter().find(|attribute| attribute.name == *name),
                None => design.caller.get(at),
            };
            match (attribute, name) {
                (Some(attribute), _) => self.want(value, &Wanted::attribute(design, attribute)),
                (None, Some(name)) => {
                    let known = design.caller.iter().map(|attribute| attribute.name.text.as_str());
                    self.unknown("part of the caller", &name.text, name.span, known);
                }
                (None, None) => {
                    let title = format!("a caller has {} parts", design.caller.len());
                    self.push(ARGUMENT.at(value.span, title));
                }
            }
        }
    }
}
