//! Whether the known facts about an item imply a condition: by meaning, not by spelling.
//!
//! An attribute that a condition compares with constants has few cases that matter: each constant, any other value (of a number:
//! the values between two constants), and absence. The wanted condition is implied if it holds in every combination of cases that the known conditions admit.
//! The answer is sound and incomplete: it is yes only if the wanted condition surely holds.

use std::sync::Arc;

use sortkey_design::model::Op;
use sortkey_design::program::{AttributeId, Entity, Expr, ExprKind, Type};
use sortkey_value::Number;

use crate::AttributeSet;

/// More combinations than this are not tried.
const MAX_COMBINATIONS: usize = 4_096;

/// The known facts about an item of an entity.
#[derive(Clone, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) entity: &'a Entity,
    /// Conditions that hold.
    pub(crate) conditions: Vec<&'a Expr>,
    /// Attributes that are there.
    pub(crate) present: AttributeSet,
}

/// A class of values of an attribute, as far as equality with the constants at hand can distinguish them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Case {
    Is(Constant),
    /// A number above the first and below the second constant, where there are such.
    Between(Option<Number>, Option<Number>),
    Other,
    Absent,
}

/// A value that a condition compares with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Constant {
    Bool(bool),
    Text(Arc<str>),
    Number(Number),
}

/// One combination: a case for some attributes.
type Cases<'c> = [(AttributeId, &'c Case)];

/// A truth value that may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    Unknown,
}

impl Known<'_> {
    /// Whether a wanted condition surely holds.
    pub(crate) fn implies(&self, wanted: &Expr) -> bool {
        wanted.conjuncts().into_iter().all(|conjunct| self.stated(conjunct) || self.in_every_case(conjunct))
    }

    /// Whether a condition holds for a reason other than its cases: it was stated, or presence is certain.
    fn stated(&self, wanted: &Expr) -> bool {
        if self.conditions.contains(&wanted) {
            return true;
        }
        match &wanted.kind {
            ExprKind::Exists(operand) => attribute(operand).is_some_and(|id| self.is_there(id)),
            _ => false,
        }
    }

    /// Whether an attribute is present: always, or because a condition compares its value.
    fn is_there(&self, id: AttributeId) -> bool {
        let always = !self.entity.attributes[id].may_be_absent();
        always || self.present.contains(id) || self.conditions.iter().any(|each| asks_value(each, id))
    }

    fn in_every_case(&self, wanted: &Expr) -> bool {
        let mut ids: Vec<AttributeId> = Vec::new();
        wanted.walk(&mut |expr| {
            if let Some(id) = attribute(expr).filter(|id| self.has_cases(*id))
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        });
        let cases: Vec<Vec<Case>> = ids.iter().map(|id| self.cases(*id, wanted)).collect();
        let combinations = cases.iter().try_fold(1_usize, |all, each| all.checked_mul(each.len()));
        let Some(combinations) = combinations.filter(|count| *count <= MAX_COMBINATIONS) else {
            return false;
        };
        (0..combinations).all(|mut number| {
            let mut item = Vec::new();
            for (id, cases) in ids.iter().zip(&cases) {
                item.push((*id, &cases[number % cases.len()]));
                number /= cases.len();
            }
            let excluded = self.conditions.iter().any(|each| self.truth(each, &item, false) == Truth::No);
            excluded || self.truth(wanted, &item, true) == Truth::Yes
        })
    }

    /// Whether constants distinguish the values of an attribute. A normalised value may equal a constant that is
    /// spelled differently, and NULL is neither a value nor absence.
    fn has_cases(&self, id: AttributeId) -> bool {
        // The condition of `with` is about another item.
        let attribute = self.entity.attributes.get(id);
        attribute.is_some_and(|each| each.normalize.is_empty() && !each.flags.null)
    }

    /// The cases of an attribute: the values of its type if they are few, otherwise the constants at hand.
    fn cases(&self, id: AttributeId, wanted: &Expr) -> Vec<Case> {
        let ty = &*self.entity.attributes[id].ty;
        let mut values: Vec<Constant> = match ty {
            Type::Bool => vec![Constant::Bool(true), Constant::Bool(false)],
            Type::Enum(words) => words.words.iter().cloned().map(Constant::Text).collect(),
            _ => Vec::new(),
        };
        let closed = match ty {
            Type::Bool => true,
            Type::Enum(words) => !words.open,
            _ => false,
        };
        if !closed {
            for expr in self.conditions.iter().copied().chain([wanted]) {
                expr.walk(&mut |each| {
                    let constant = constant(ty, each).filter(|constant| !values.contains(constant));
                    values.extend(constant);
                });
            }
        }
        let numbers = gaps(ty, &values);
        values.retain(|value| is_value(ty, value));
        let is_number = !numbers.is_empty();
        let mut cases: Vec<Case> = values.into_iter().map(Case::Is).chain(numbers).collect();
        if !(closed || is_number) || cases.is_empty() {
            cases.push(Case::Other);
        }
        if !self.is_there(id) {
            cases.push(Case::Absent);
        }
        cases
    }

    /// The truth of a condition for one combination of cases. Only a wanted condition may rely on what was stated: a
    /// known one would otherwise confirm itself.
    fn truth(&self, expr: &Expr, item: &Cases<'_>, is_wanted: bool) -> Truth {
        let of = |expr: &Expr| self.truth(expr, item, is_wanted);
        let found = match &expr.kind {
            ExprKind::Not(operand) => of(operand).not(),
            ExprKind::Binary { op: Op::And, left, right } => of(left).and(of(right)),
            ExprKind::Binary { op: Op::Or, left, right } => of(left).or(of(right)),
            ExprKind::Binary { op: Op::Implies, left, right } => of(left).not().or(of(right)),
            ExprKind::Binary { op: Op::Eq, left, right } => self.equal(left, right, item),
            ExprKind::Binary { op: Op::NotEq, left, right } => self.equal(left, right, item).not(),
            ExprKind::Binary { op: op @ (Op::Lt | Op::LtEq | Op::Gt | Op::GtEq), left, right } => {
                self.ordered(*op, left, right, item)
            }
            ExprKind::Binary { op: Op::In, left, right } => match &right.kind {
                ExprKind::List(elements) => elements
                    .iter()
                    .fold(Truth::No, |found, element| found.or(self.equal(left, element, item))),
                ExprKind::Range { low, high } => {
                    let bound = |op: Op, bound: &Option<Box<Expr>>| match bound {
                        Some(bound) => self.ordered(op, left, bound, item),
                        None => Truth::Yes,
                    };
                    bound(Op::GtEq, low).and(bound(Op::LtEq, high))
                }
                _ => Truth::Unknown,
            },
            ExprKind::Exists(operand) => case_of(operand, item).map_or(Truth::Unknown, is_present),
            ExprKind::Absent(operand) => case_of(operand, item).map_or(Truth::Unknown, is_present).not(),
            // A bare attribute is a condition if it is a bool; absent is not true.
            _ => match case_of(expr, item) {
                Some(Case::Is(Constant::Bool(value))) => Truth::of(*value),
                Some(Case::Absent) => Truth::No,
                _ => Truth::Unknown,
            },
        };
        if found == Truth::Unknown && is_wanted && self.stated(expr) { Truth::Yes } else { found }
    }

    fn equal(&self, left: &Expr, right: &Expr, item: &Cases<'_>) -> Truth {
        let compare = |of: &Expr, with: &Expr| {
            let case = case_of(of, item)?;
            let constant = constant(&self.entity.attributes[attribute(of)?].ty, with)?;
            Some(Truth::of(*case == Case::Is(constant)))
        };
        compare(left, right).or_else(|| compare(right, left)).unwrap_or(Truth::Unknown)
    }

    /// A comparison by order, with the attribute on either side.
    fn ordered(&self, op: Op, left: &Expr, right: &Expr, item: &Cases<'_>) -> Truth {
        let turned = match op {
            Op::Lt => Op::Gt,
            Op::LtEq => Op::GtEq,
            Op::Gt => Op::Lt,
            _ => Op::LtEq,
        };
        let compare = |op: Op, of: &Expr, with: &Expr| {
            let case = case_of(of, item)?;
            let Constant::Number(with) = constant(&self.entity.attributes[attribute(of)?].ty, with)? else {
                return None;
            };
            Some(match case {
                Case::Absent => Truth::No,
                Case::Is(Constant::Number(value)) => Truth::of(match op {
                    Op::Lt => *value < with,
                    Op::LtEq => *value <= with,
                    Op::Gt => *value > with,
                    _ => *value >= with,
                }),
                // The constant is one of those that the gaps lie between.
                Case::Between(low, high) => match op {
                    Op::Lt | Op::LtEq if high.is_some_and(|high| high <= with) => Truth::Yes,
                    Op::Gt | Op::GtEq if low.is_some_and(|low| low >= with) => Truth::Yes,
                    _ => Truth::No,
                },
                _ => Truth::Unknown,
            })
        };
        compare(op, left, right).or_else(|| compare(turned, right, left)).unwrap_or(Truth::Unknown)
    }
}

/// Whether a constant is a value of a type at all.
fn is_value(ty: &Type, value: &Constant) -> bool {
    match (ty, value) {
        (Type::Int { min, max }, Constant::Number(number)) => number
            .to_i64()
            .is_some_and(|number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)),
        _ => true,
    }
}

/// The numbers between, below and above some constants, as far as a type has any.
fn gaps(ty: &Type, values: &[Constant]) -> Vec<Case> {
    let (min, max) = match ty {
        Type::Int { min, max } => (*min, *max),
        Type::Decimal { .. } => (None, None),
        _ => return Vec::new(),
    };
    let number = |value: &Constant| match value {
        Constant::Number(number) => Some(*number),
        _ => None,
    };
    let mut numbers: Vec<Number> = values.iter().filter_map(number).collect();
    sortkey_value::order::sort(&mut numbers);
    let edges = || std::iter::once(None).chain(numbers.iter().copied().map(Some));
    let ends = numbers.iter().copied().map(Some).chain([None]);
    let is_whole = matches!(ty, Type::Int { .. });
    let is_empty = |low: Option<Number>, high: Option<Number>| {
        let least = low.map_or(min, |low| low.to_i64().and_then(|low| low.checked_add(1)).or(min));
        let most = high.map_or(max, |high| high.to_i64().and_then(|high| high.checked_sub(1)).or(max));
        let least = least.max(min);
        let most = match (most, max) {
            (Some(most), Some(max)) => Some(most.min(max)),
            (most, max) => most.or(max),
        };
        is_whole && least.zip(most).is_some_and(|(least, most)| least > most)
    };
    edges()
        .zip(ends)
        .filter(|(low, high)| !is_empty(*low, *high))
        .map(|(low, high)| Case::Between(low, high))
        .collect()
}

/// The attribute of the item that an expression is.
fn attribute(expr: &Expr) -> Option<AttributeId> {
    match &expr.kind {
        ExprKind::Attribute(id) => Some(*id),
        _ => None,
    }
}

/// Whether a condition compares an attribute with something, so that it only holds where the attribute is there.
fn asks_value(condition: &Expr, id: AttributeId) -> bool {
    match &condition.kind {
        ExprKind::Binary { op: Op::Eq, left, right } => {
            attribute(left) == Some(id) && !matches!(right.kind, ExprKind::Nothing | ExprKind::Null)
        }
        ExprKind::Binary { op: Op::Lt | Op::LtEq | Op::Gt | Op::GtEq, left, right } => {
            attribute(left) == Some(id) || attribute(right) == Some(id)
        }
        ExprKind::Binary { op: Op::StartsWith, left, .. } => attribute(left) == Some(id),
        ExprKind::Binary { op: Op::In, left, right } => {
            attribute(left) == Some(id) && matches!(right.kind, ExprKind::Range { .. })
        }
        ExprKind::Exists(operand) => attribute(operand) == Some(id),
        _ => false,
    }
}

/// The constant that an expression is for an attribute of a type.
fn constant(ty: &Type, expr: &Expr) -> Option<Constant> {
    match (&expr.kind, ty) {
        (ExprKind::Bool(value), Type::Bool) => Some(Constant::Bool(*value)),
        (ExprKind::Word(word), Type::Enum(words)) => {
            words.has(word).then(|| Constant::Text(Arc::clone(word)))
        }
        (ExprKind::Text(text), Type::String { .. } | Type::Enum(_)) => {
            Some(Constant::Text(text.as_str().into()))
        }
        (ExprKind::Number(number), Type::Int { .. } | Type::Decimal { .. }) => {
            Some(Constant::Number(*number))
        }
        (ExprKind::Negative(operand), Type::Int { .. } | Type::Decimal { .. }) => match &operand.kind {
            ExprKind::Number(number) => Some(Constant::Number(number.negated())),
            _ => None,
        },
        _ => None,
    }
}

fn case_of<'c>(expr: &Expr, item: &Cases<'c>) -> Option<&'c Case> {
    let id = attribute(expr)?;
    item.iter().find(|(each, _)| *each == id).map(|(_, case)| *case)
}

fn is_present(case: &Case) -> Truth {
    Truth::of(*case != Case::Absent)
}

impl Truth {
    fn of(holds: bool) -> Truth {
        if holds { Truth::Yes } else { Truth::No }
    }

    fn not(self) -> Truth {
        match self {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
        }
    }

    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Unknown,
        }
    }

    fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }
}
