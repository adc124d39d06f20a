//! Expressions.

use super::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// An expression and its place in the text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Expr {
    /// Its kind.
    #[serde(flatten)]
    pub kind: ExprKind,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// Two expressions are equal if they are spelled alike; their places do not matter.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "expr")]
pub enum ExprKind {
    /// A hole in a half-written file.
    #[default]
    Missing,
    /// A number with its unit, in the base unit: milliseconds for durations, bytes for sizes.
    Number {
        /// The digits as written.
        digits: String,
        /// The unit; empty if there is none.
        unit: String,
    },
    /// A string.
    Text {
        /// Its content.
        value: String,
    },
    /// A parameter, a `let`, an attribute, an enum member, `now`, `new`, `it`, `caller`.
    Name {
        /// The name.
        name: String,
    },
    /// `a op b`
    Binary {
        /// The operator.
        op: Op,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `not a`
    Not {
        /// The denied operand.
        operand: Box<Expr>,
    },
    /// `-a`
    Negative {
        /// The negated operand.
        operand: Box<Expr>,
    },
    /// `a exists`
    Exists {
        /// The operand that must be present.
        operand: Box<Expr>,
    },
    /// `a absent`
    Absent {
        /// The operand that must be absent.
        operand: Box<Expr>,
    },
    /// `low..high`
    Range {
        /// The lower bound.
        low: Option<Box<Expr>>,
        /// The upper bound.
        high: Option<Box<Expr>>,
    },
    /// `a.name`
    Member {
        /// Its source.
        base: Box<Expr>,
        /// The name.
        name: Name,
    },
    /// `a->name`: an attribute of the item that `a` refers to.
    Arrow {
        /// The reference.
        base: Box<Expr>,
        /// The attribute.
        name: Name,
    },
    /// `a(args)`
    Call {
        /// The name that is called.
        callee: Box<Expr>,
        /// With what.
        args: Args,
    },
    /// `a[b]`
    Index {
        /// Its source.
        base: Box<Expr>,
        /// The element.
        index: Box<Expr>,
    },
    /// `Entity(key) with (condition)`
    With {
        /// The item.
        base: Box<Expr>,
        /// The condition on it.
        condition: Box<Expr>,
    },
    /// `do effect(args)`
    Do {
        /// The call of the effect.
        call: Box<Expr>,
    },
    /// `choose { condition: value, otherwise: value }`
    Choose {
        /// Conditions and what is chosen if they hold, in order.
        arms: Vec<(Expr, Expr)>,
        /// The value if no condition holds.
        otherwise: Option<Box<Expr>>,
    },
    /// `[a, b]`
    List {
        /// The elements.
        elements: Vec<Expr>,
    },
    /// `{ a: 1 }`
    Object {
        /// The fields.
        fields: Fields,
    },
}

/// A binary operator.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    Implies,
    Or,
    And,
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    Contains,
    StartsWith,
    In,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Arguments of a call or of a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Args {
    /// Named or positional values.
    pub values: Vec<(Option<Name>, Expr)>,
    /// `...x`
    pub spreads: Vec<Name>,
    /// Their places in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `{ ...x, a: 1, b += 2 }`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fields {
    /// The fields.
    pub fields: Vec<Field>,
    /// `...x`
    pub spreads: Vec<Name>,
    /// Their places in the text.
    #[serde(skip)]
    pub span: Span,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// The attribute, as a path.
    pub path: Vec<Name>,
    /// The element of a map or list.
    pub index: Option<Expr>,
    /// How it changes.
    pub op: FieldOp,
    /// The value; a bare name is its own value.
    pub value: Expr,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// How a field changes an attribute.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldOp {
    Set,
    Add,
    Subtract,
}

impl FieldOp {
    /// The sign between a field and its value.
    pub fn sign(self) -> &'static str {
        match self {
            FieldOp::Set => ":",
            FieldOp::Add => "+=",
            FieldOp::Subtract => "-=",
        }
    }
}

impl Op {
    /// Whether it compares two values, or one with several.
    pub fn compares(self) -> bool {
        matches!(self, Op::Eq | Op::NotEq | Op::Lt | Op::LtEq | Op::Gt | Op::GtEq | Op::In)
    }
}

impl Expr {
    /// The name, if it is a bare one.
    pub fn as_name(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Name { name } => Some(name),
            _ => None,
        }
    }

    /// Whether it is that bare name.
    pub fn is_name(&self, text: &str) -> bool {
        self.as_name() == Some(text)
    }

    /// The conjuncts of `a and b and c`.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Binary { op: Op::And, left, right } => {
                    open.push(right);
                    open.push(left);
                }
                _ => found.push(expr),
            }
        }
        found
    }

    /// Calls `visit` with the expression and everything inside it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            visit(expr);
            expr.children(&mut |child| open.push(child));
        }
    }

    /// Calls `visit` with its direct subexpressions, in order.
    pub(crate) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Missing | ExprKind::Number { .. } | ExprKind::Text { .. } | ExprKind::Name { .. } => {}
            ExprKind::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Not { operand }
            | ExprKind::Negative { operand }
            | ExprKind::Exists { operand }
            | ExprKind::Absent { operand } => visit(operand),
            ExprKind::Range { low, high } => low.iter().chain(high).for_each(|each| visit(each)),
            ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => visit(base),
            ExprKind::Call { callee, args } => {
                visit(callee);
                args.values.iter().for_each(|(_, value)| visit(value));
            }
            ExprKind::Index { base, index } => {
                visit(base);
                visit(index);
            }
            ExprKind::With { base, condition } => {
                visit(base);
                visit(condition);
            }
            ExprKind::Do { call } => visit(call),
            ExprKind::Choose { arms, otherwise } => {
                for (condition, value) in arms {
                    visit(condition);
                    visit(value);
                }
                otherwise.iter().for_each(|value| visit(value));
            }
            ExprKind::List { elements } => elements.iter().for_each(visit),
            ExprKind::Object { fields } => fields.walk_values(visit),
        }
    }

    /// Like `children`, but the direct subexpressions may be changed.
    pub(crate) fn children_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Missing | ExprKind::Number { .. } | ExprKind::Text { .. } | ExprKind::Name { .. } => {}
            ExprKind::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Not { operand }
            | ExprKind::Negative { operand }
            | ExprKind::Exists { operand }
            | ExprKind::Absent { operand } => visit(operand),
            ExprKind::Range { low, high } => low.iter_mut().chain(high).for_each(|each| visit(each)),
            ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => visit(base),
            ExprKind::Call { callee, args } => {
                visit(callee);
                args.values.iter_mut().for_each(|(_, value)| visit(value));
            }
            ExprKind::Index { base, index } => {
                visit(base);
                visit(index);
            }
            ExprKind::With { base, condition } => {
                visit(base);
                visit(condition);
            }
            ExprKind::Do { call } => visit(call),
            ExprKind::Choose { arms, otherwise } => {
                for (condition, value) in arms {
                    visit(condition);
                    visit(value);
                }
                otherwise.iter_mut().for_each(|value| visit(value));
            }
            ExprKind::List { elements } => elements.iter_mut().for_each(visit),
            ExprKind::Object { fields } => {
                for field in &mut fields.fields {
                    field.index.iter_mut().for_each(&mut *visit);
                    visit(&mut field.value);
                }
            }
        }
    }

    /// The bare names that occur in it.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.walk(&mut |expr| names.extend(expr.as_name()));
        names
    }

    /// Whether the bare name occurs in it.
    pub fn mentions(&self, name: &str) -> bool {
        self.names().contains(&name)
    }

    /// A duration in milliseconds, if it is a number with a unit of time.
    pub fn as_duration_ms(&self) -> Option<u64> {
        let ExprKind::Number { digits, unit } = &self.kind else {
            return None;
        };
        let factor = match unit.as_str() {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            "w" => 604_800_000.0,
            _ => return None,
        };
        Some((digits.parse::<f64>().ok()? * factor) as u64)
    }
}

impl Fields {
    fn walk_values<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for field in &self.fields {
            field.index.iter().for_each(&mut *visit);
            visit(&field.value);
        }
    }

    /// The field that writes a top-level attribute.
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.path.len() == 1 && field.path[0].is(name))
    }
}
