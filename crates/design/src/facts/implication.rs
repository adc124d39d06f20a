//! Whether the known facts about an item imply a condition: by meaning, not by spelling.
//!
//! An attribute that a condition compares with constants has few cases that matter: each constant, any other value, and
//! absence. The wanted condition is implied if it holds in every combination of cases that the known conditions admit.
//! The answer is sound and incomplete: it is yes only if the wanted condition surely holds.

use super::conditions::attribute;
use super::{Condition, condition};
use crate::model::*;

/// More combinations than this are not tried.
const MAX_COMBINATIONS: usize = 4_096;

/// The known facts about an item of an entity.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// The design, for the types of attributes.
    pub design: &'a Design,
    /// The entity.
    pub entity: &'a Entity,
    /// Conditions that hold.
    pub conditions: Vec<&'a Expr>,
    /// Attributes that are there.
    pub present: Vec<&'a str>,
    /// Names of parameters: never taken for a member of an enum.
    pub parameters: Vec<&'a str>,
}

/// A class of values of an attribute, as far as equality with the constants at hand can distinguish them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Case {
    Is(String),
    Other,
    Absent,
}

/// A truth value that may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    Unknown,
}

impl<'a> Known<'a> {
    /// Whether a wanted condition surely holds.
    pub fn implies(&self, wanted: &Expr) -> bool {
        wanted.conjuncts().into_iter().all(|conjunct| self.stated(conjunct) || self.in_every_case(conjunct))
    }

    /// Whether a condition holds for a reason other than its cases: it was stated, or presence is certain.
    fn stated(&self, wanted: &Expr) -> bool {
        if self.conditions.contains(&wanted) {
            return true;
        }
        match &wanted.kind {
            ExprKind::Exists { operand } => attribute(operand).is_some_and(|name| self.is_there(name)),
            _ => false,
        }
    }

    /// Whether an attribute is present: always, or because a condition compares its value.
    fn is_there(&self, name: &str) -> bool {
        let always = self.entity.attribute(name).is_some_and(|each| !each.may_be_absent());
        let asked = self.conditions.iter().any(|each| match condition(each) {
            Condition::Equal(_, value) if value.is_name("absent") || value.is_name("null") => false,
            asked => asked.attribute() == Some(name),
        });
        always || asked || self.present.contains(&name)
    }

    fn in_every_case(&self, wanted: &Expr) -> bool {
        let mut names: Vec<&str> = Vec::new();
        wanted.walk(&mut |expr| {
            if let Some(name) = attribute(expr).filter(|name| self.has_cases(name))
                && !names.contains(&name)
            {
                names.push(name);
            }
        });
        let cases: Vec<Vec<Case>> = names.iter().map(|name| self.cases(name, wanted)).collect();
        let combinations = cases.iter().try_fold(1_usize, |all, each| all.checked_mul(each.len()));
        let Some(combinations) = combinations.filter(|count| *count <= MAX_COMBINATIONS) else {
            return false;
        };
        (0..combinations).all(|mut number| {
            let mut item = Vec::new();
            for (name, cases) in names.iter().zip(&cases) {
                item.push((*name, &cases[number % cases.len()]));
                number /= cases.len();
            }
            let excluded = self.conditions.iter().any(|each| self.truth(each, &item, false) == Truth::No);
            excluded || self.truth(wanted, &item, true) == Truth::Yes
        })
    }

    /// Whether constants distinguish the values of an attribute. A normalised value may equal a constant that is
    /// spelled differently, and NULL is neither a value nor absence.
    fn has_cases(&self, name: &str) -> bool {
        let attribute = self.entity.attribute(name);
        attribute.is_some_and(|each| !each.has("normalize") && !each.has("null"))
            && !self.parameters.contains(&name)
    }

    /// The cases of an attribute: the values of its type if they are few, otherwise the constants at hand.
    fn cases(&self, name: &str, wanted: &Expr) -> Vec<Case> {
        let Some(attribute) = self.entity.attribute(name) else { return vec![Case::Other] };
        let mut words: Vec<String> = match self.design.type_of(attribute) {
            Type::Bool => vec!["true".to_owned(), "false".to_owned()],
            Type::Enum { members, .. } => members.clone(),
            _ => Vec::new(),
        };
        let closed = matches!(self.design.type_of(attribute), Type::Bool | Type::Enum { open: false, .. });
        if !closed {
            for expr in self.conditions.iter().copied().chain([wanted]) {
                expr.walk(&mut |each| words.extend(self.constant(name, each)));
            }
            sortkey_value::order::sort(&mut words);
            words.dedup();
        }
        let mut cases: Vec<Case> = words.into_iter().map(Case::Is).collect();
        if !closed || cases.is_empty() {
            cases.push(Case::Other);
        }
        if !self.is_there(name) {
            cases.push(Case::Absent);
        }
        cases
    }

    /// The constant that an expression is for an attribute: a literal, or a word of the attribute's own type.
    fn constant(&self, name: &str, expr: &Expr) -> Option<String> {
        let ty = self.design.type_of(self.entity.attribute(name)?);
        match (&expr.kind, ty) {
            (ExprKind::Name { name: word }, _) if self.parameters.contains(&word.as_str()) => None,
            (ExprKind::Name { name: word }, Type::Bool) => {
                matches!(word.as_str(), "true" | "false").then(|| word.clone())
            }
            // A bare name is the item's attribute before it is a word.
            (ExprKind::Name { name: word }, Type::Enum { members, .. }) => {
                (members.contains(word) && self.entity.attribute(word).is_none()).then(|| word.clone())
            }
            (ExprKind::Text { value }, Type::String { .. } | Type::Enum { .. }) => Some(value.clone()),
            (ExprKind::Number { digits, unit }, Type::Int { .. }) if unit.is_empty() => {
                digits.parse::<i64>().ok().map(|number| number.to_string())
            }
            _ => None,
        }
    }

    /// The truth of a condition for one combination of cases. Only a wanted condition may rely on what was stated: a
    /// known one would otherwise confirm itself.
    fn truth(&self, expr: &Expr, item: &[(&str, &Case)], is_wanted: bool) -> Truth {
        let of = |expr: &Expr| self.truth(expr, item, is_wanted);
        let found = match &expr.kind {
            ExprKind::Not { operand } => of(operand).not(),
            ExprKind::Binary { op: Op::And, left, right } => of(left).and(of(right)),
            ExprKind::Binary { op: Op::Or, left, right } => of(left).or(of(right)),
            ExprKind::Binary { op: Op::Implies, left, right } => of(left).not().or(of(right)),
            ExprKind::Binary { op: Op::Eq, left, right } => self.equal(left, right, item),
            ExprKind::Binary { op: Op::NotEq, left, right } => self.equal(left, right, item).not(),
            ExprKind::Binary { op: Op::In, left, right } => match &right.kind {
                ExprKind::List { elements } => elements
                    .iter()
                    .fold(Truth::No, |found, element| found.or(self.equal(left, element, item))),
                _ => Truth::Unknown,
            },
            ExprKind::Exists { operand } => case_of(operand, item).map_or(Truth::Unknown, is_present),
            ExprKind::Absent { operand } => case_of(operand, item).map_or(Truth::Unknown, is_present).not(),
            // A bare attribute is a condition if it is a bool; absent is not true.
            _ => match case_of(expr, item) {
                Some(Case::Is(word)) if word == "true" => Truth::Yes,
                Some(Case::Is(word)) if word == "false" => Truth::No,
                Some(Case::Absent) => Truth::No,
                _ => Truth::Unknown,
            },
        };
        if found == Truth::Unknown && is_wanted && self.stated(expr) { Truth::Yes } else { found }
    }

    fn equal(&self, left: &Expr, right: &Expr, item: &[(&str, &Case)]) -> Truth {
        let compare = |of: &Expr, with: &Expr| {
            let case = case_of(of, item)?;
            let constant = self.constant(attribute(of)?, with)?;
            Some(match case {
                Case::Is(word) if *word == constant => Truth::Yes,
                _ => Truth::No,
            })
        };
        compare(left, right).or_else(|| compare(right, left)).unwrap_or(Truth::Unknown)
    }
}

fn case_of<'c>(expr: &Expr, item: &[(&str, &'c Case)]) -> Option<&'c Case> {
    let name = attribute(expr)?;
    item.iter().find(|(each, _)| *each == name).map(|(_, case)| *case)
}

fn is_present(case: &Case) -> Truth {
    if *case == Case::Absent { Truth::No } else { Truth::Yes }
}

impl Truth {
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
