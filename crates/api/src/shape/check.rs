//! Holding a shape against its constraints, and the report that comes of it:
//! "2 validation errors detected: Value ... at ... failed to satisfy constraint: ...; Value ...".

use super::constraint::Constraint;
use super::path::Path;
use crate::error::ApiError;
use crate::text::constraint as text;

/// AWS stops counting here.
const MAX_VIOLATIONS: usize = 10;

/// A shape that can be held against constraints.
pub trait Check {
    /// The aspect of the value that constraints measure.
    fn measure(&self) -> Measure<'_> {
        Measure::Opaque
    }

    /// Visits the keys and values of a map, the elements of a list.
    fn for_each_part(&self, _visit: &mut dyn FnMut(Part, Measure<'_>)) {}

    /// Reports the violations inside the value.
    fn check(&self, _at: Path<'_>, _report: &mut Report<'_>) {}

    /// Prints the value as the service's own language prints it; messages quote values in that form.
    fn print(&self, out: &mut String);
}

/// The aspect of a value that constraints measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure<'a> {
    /// A text.
    Text(&'a str),
    /// The number of entries of a list or map.
    Count(usize),
    /// A whole number.
    Integer(i64),
    /// Nothing that a constraint concerns.
    Opaque,
}

/// The kind of part that [`Check::for_each_part`] visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An element of a list.
    Element,
    /// A key of a map.
    Key,
    /// A value of a map.
    Value,
}

impl Measure<'_> {
    /// The length, of what has one. Texts count UTF-16 code units, as Java does.
    pub fn length(self) -> Option<usize> {
        match self {
            Measure::Text(text) if text.is_ascii() => Some(text.len()),
            Measure::Text(text) => Some(text.encode_utf16().count()),
            Measure::Count(count) => Some(count),
            Measure::Integer(_) | Measure::Opaque => None,
        }
    }
}

/// Collects violations.
#[derive(Debug)]
pub struct Report<'a> {
    /// The paths of required members that the input lacks.
    missing: &'a [String],
    violations: Vec<String>,
    /// The text to answer instead of a list of violations, if there are none.
    own_text: Option<&'static str>,
}

impl<'a> Report<'a> {
    /// An empty report about an input that lacks the required members at these paths.
    pub fn new(missing: &'a [String]) -> Self {
        Self { missing, violations: Vec::new(), own_text: None }
    }

    /// Whether the input lacks the required member at this path; reports it if so.
    #[inline]
    pub fn reports_missing(&mut self, at: Path<'_>) -> bool {
        // Hardly any input lacks a member, and spelling out a path costs more than all other checks.
        !self.missing.is_empty() && !self.is_full() && self.reports_missing_among(at)
    }

    #[cold]
    fn reports_missing_among(&mut self, at: Path<'_>) -> bool {
        let path = at.to_string();
        let missing = self.missing.contains(&path);
        if missing {
            self.push(text::violation(None, &path, text::NOT_NULL));
        }
        missing
    }

    /// Holds a value against the constraints of its member.
    pub fn hold(&mut self, value: &dyn Check, constraints: &[Constraint], at: Path<'_>) {
        for constraint in constraints.iter().filter(|constraint| !constraint.admits(value)) {
            match constraint {
                Constraint::Terse(inner) => {
                    self.push(text::terse_violation(&at.as_sent().to_string(), &inner.rule()));
                }
                Constraint::WhenEmpty(text) => {
                    self.own_text.get_or_insert(text);
                }
                _ => self.violated(value, at, &constraint.rule()),
            }
        }
    }

    /// Reports that a value breaks a rule.
    pub fn violated(&mut self, value: &dyn Check, at: Path<'_>, rule: &str) {
        if self.is_full() {
            return;
        }
        let mut printed = String::new();
        value.print(&mut printed);
        self.push(text::violation(Some(&printed), &at.to_string(), rule));
    }

    /// The error that the report amounts to, if any.
    pub fn finish(self) -> Result<(), ApiError> {
        match self.own_text {
            _ if !self.violations.is_empty() => Err(ApiError::validation(text::detected(&self.violations))),
            Some(text) => Err(ApiError::validation(text)),
            None => Ok(()),
        }
    }

    fn push(&mut self, violation: String) {
        if !self.is_full() {
            self.violations.push(violation);
        }
    }

    fn is_full(&self) -> bool {
        self.violations.len() == MAX_VIOLATIONS
    }
}
