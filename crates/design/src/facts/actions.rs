//! The actions of an operation, flattened, with the context of each.

use crate::model::*;

/// An action and its place in an operation.
#[derive(Clone, Debug)]
pub struct ActionSite<'a> {
    /// The action.
    pub action: &'a Action,
    /// The number of its `transact` block, counted from one.
    pub transact: Option<usize>,
    /// Whether it is inside an `each`.
    pub each: bool,
    /// Whether it is in an error handler.
    pub handler: bool,
    /// The name its result is bound to.
    pub bound: Option<&'a Name>,
    /// The names bound before it.
    pub lets: Vec<(&'a Name, Bound<'a>)>,
}

/// The meaning of a bound name in an operation.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'a> {
    /// The value of a `let`.
    Value(&'a Value),
    /// An element of a list, in `each`.
    Element(&'a Expr),
}

/// Every action of an operation in the order of the text.
pub fn actions(operation: &Operation) -> Vec<ActionSite<'_>> {
    let mut walk = Walk::default();
    walk.body(&operation.body, None, false);
    walk.handler = true;
    for (_, body) in &operation.handlers {
        walk.body(body, None, false);
    }
    walk.found
}

#[derive(Default)]
struct Walk<'a> {
    found: Vec<ActionSite<'a>>,
    lets: Vec<(&'a Name, Bound<'a>)>,
    blocks: usize,
    handler: bool,
}

impl<'a> Walk<'a> {
    fn body(&mut self, body: &'a [Stmt], transact: Option<usize>, each: bool) {
        for statement in body {
            match &statement.kind {
                StmtKind::Let { name, value, .. } => {
                    self.value(value, transact, each, Some(name));
                    self.lets.push((name, Bound::Value(value)));
                }
                StmtKind::Do { value } | StmtKind::Expect { value, .. } => {
                    self.value(value, transact, each, None);
                }
                StmtKind::Transact { body } => {
                    self.blocks += 1;
                    self.body(body, Some(self.blocks), each);
                }
                StmtKind::Each { name, list, body } => {
                    self.lets.push((name, Bound::Element(list)));
                    self.body(body, transact, true);
                }
                StmtKind::As { body, .. } => self.body(body, transact, each),
                StmtKind::Race { bodies, .. } => {
                    bodies.iter().for_each(|body| self.body(body, transact, each));
                }
                StmtKind::Require { .. }
                | StmtKind::Return { .. }
                | StmtKind::Advance { .. }
                | StmtKind::Given { .. }
                | StmtKind::Did { .. }
                | StmtKind::Work => {}
            }
        }
    }

    fn value(&mut self, value: &'a Value, transact: Option<usize>, each: bool, bound: Option<&'a Name>) {
        if let Value::Action(action) = value {
            let lets = self.lets.clone();
            self.found.push(ActionSite { action, transact, each, handler: self.handler, bound, lets });
        }
    }
}

/// Every call in an operation of a pattern or another operation, by name.
pub fn calls(operation: &Operation) -> Vec<&str> {
    fn body<'a>(statements: &'a [Stmt], found: &mut Vec<&'a str>) {
        for statement in statements {
            match &statement.kind {
                StmtKind::Let { value, .. } | StmtKind::Do { value } | StmtKind::Expect { value, .. } => {
                    if let Value::Expr(expr) = value {
                        expr.walk(&mut |inner| {
                            if let ExprKind::Call { callee, .. } = &inner.kind {
                                found.extend(callee.as_name());
                            }
                        });
                    }
                }
                StmtKind::Transact { body: inner }
                | StmtKind::Each { body: inner, .. }
                | StmtKind::As { body: inner, .. } => {
                    body(inner, found);
                }
                StmtKind::Race { bodies, .. } => bodies.iter().for_each(|inner| body(inner, found)),
                StmtKind::Require { .. }
                | StmtKind::Return { .. }
                | StmtKind::Advance { .. }
                | StmtKind::Given { .. }
                | StmtKind::Did { .. }
                | StmtKind::Work => {}
            }
        }
    }
    let mut found = Vec::new();
    body(&operation.body, &mut found);
    operation.handlers.iter().for_each(|(_, inner)| body(inner, &mut found));
    found
}

/// The attributes that an action may change: named in its fields, copied by a spread, or listed by the short form.
pub fn settable<'a>(design: &'a Design, operation: &'a Operation, action: &'a Action) -> Vec<&'a str> {
    let Some(entity) = design.entity(&action.entity.text) else {
        return Vec::new();
    };
    let open = |attribute: &&Attribute| !attribute.is_derived() && !attribute.has("immutable");
    let everything =
        || entity.attributes.iter().filter(open).map(|each| each.name.text.as_str()).collect::<Vec<_>>();
    match &operation.short {
        Some(ShortForm { names: Some(names) }) => names.iter().map(|name| name.text.as_str()).collect(),
        Some(ShortForm { names: None }) if matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge) => {
            Vec::new()
        }
        Some(ShortForm { names: None }) => everything(),
        None => {
            let mut found: Vec<&str> = action
                .fields
                .fields
                .iter()
                .filter_map(|field| Some(field.path.first()?.text.as_str()))
                .collect();
            if !action.fields.spreads.is_empty() {
                found.extend(everything());
            }
            found
        }
    }
}
