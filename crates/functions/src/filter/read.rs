//! JSON → filter. Every mistake names its place in the JSON.

use regex_lite::RegexBuilder;
use serde_json::{Map, Value};
use thiserror::Error;

use super::condition::{Check, Condition, Order, Source};
use super::{MAX_CONDITIONS, MAX_FILTER_BYTES, MAX_FILTER_DEPTH, MAX_PATTERN_BYTES, MAX_PATTERNS, Node};
use crate::config::{Place, is_header_name, unknown};
use crate::json;
use crate::pointer::{Pointer, PointerError};

/// The most memory that a compiled regular expression takes. With the length of the text it bounds how long a search takes.
const MAX_COMPILED_BYTES: usize = 32 * 1024;

/// A mistake in a filter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct FilterError {
    /// Its place.
    pub place: Place,
    /// Its kind.
    pub problem: FilterProblem,
}

/// An error in a part of a filter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilterProblem {
    /// The text is not JSON.
    #[error("a filter is JSON; line {line}, column {column} is not")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// Neither a list nor an object.
    #[error("expected a list of conditions, a group or a condition")]
    Shape,
    /// A group with something else beside it.
    #[error("a group is an object with `all`, `any` or `not` alone")]
    Group,
    /// The members of `all` or `any` are not in a list.
    #[error("expected a list")]
    List,
    /// A member that conditions do not have.
    #[error("unknown field `{0}`: a condition has `path` or `header`, `op` and `value`")]
    UnknownField(String),
    /// Nothing, or two things, to look at.
    #[error("a condition has either `path` or `header`")]
    Source,
    /// A path that is none.
    #[error(transparent)]
    Path(#[from] PointerError),
    /// A name of a header that is none.
    #[error("expected the name of a header")]
    Header,
    /// No operator, or one that does not exist.
    #[error(
        "expected one of eq, ne, lt, le, gt, ge, in, contains, starts_with, ends_with, exists, absent, matches"
    )]
    Operator,
    /// No value.
    #[error("this operator needs a `value`")]
    ValueMissing,
    /// A value that nothing is compared with.
    #[error("`exists` and `absent` have no `value`")]
    ValueUnexpected,
    /// A value of another type.
    #[error("expected {0}")]
    ValueType(&'static str),
    /// A regular expression that cannot be read, or is too large.
    #[error(
        "not a regular expression of at most {MAX_PATTERN_BYTES} bytes, or one that is too large when compiled"
    )]
    Pattern,
    /// Groups within groups within groups.
    #[error("groups are nested at most {MAX_FILTER_DEPTH} deep")]
    TooDeep,
    /// Too many conditions.
    #[error("a filter has at most {MAX_CONDITIONS} conditions")]
    TooManyConditions,
    /// Too many regular expressions.
    #[error("a filter has at most {MAX_PATTERNS} conditions with `matches`")]
    TooManyPatterns,
    /// Too large as a whole.
    #[error("a filter has at most {MAX_FILTER_BYTES} bytes")]
    TooLarge,
}

pub(super) fn filter(value: &Value) -> Result<Node, FilterError> {
    let place = Place::default();
    if json::extent(value).bytes > MAX_FILTER_BYTES {
        return Err(FilterError { place, problem: FilterProblem::TooLarge });
    }
    Reader { conditions: 0, patterns: 0 }.node(value, &place, 0)
}

/// Counts what was read.
struct Reader {
    conditions: usize,
    patterns: usize,
}

impl Reader {
    fn node(&mut self, value: &Value, place: &Place, depth: usize) -> Result<Node, FilterError> {
        let wrong = |problem| Err(FilterError { place: place.clone(), problem });
        if depth > MAX_FILTER_DEPTH {
            return wrong(FilterProblem::TooDeep);
        }
        match value {
            Value::Array(_) => self.list(value, place, depth).map(Node::All),
            Value::Object(object) => {
                let group =
                    ["all", "any", "not"].into_iter().find_map(|name| Some((name, object.get(name)?)));
                match group {
                    None => self.condition(object, place).map(Node::Condition),
                    Some(_) if object.len() != 1 => wrong(FilterProblem::Group),
                    Some(("all", inner)) => self.list(inner, &place.at("all"), depth).map(Node::All),
                    Some(("any", inner)) => self.list(inner, &place.at("any"), depth).map(Node::Any),
                    Some((name, inner)) => {
                        self.node(inner, &place.at(name), depth + 1).map(|node| Node::Not(Box::new(node)))
                    }
                }
            }
            _ => wrong(FilterProblem::Shape),
        }
    }

    fn list(&mut self, value: &Value, place: &Place, depth: usize) -> Result<Vec<Node>, FilterError> {
        let wrong = || FilterError { place: place.clone(), problem: FilterProblem::List };
        let elements = value.as_array().ok_or_else(wrong)?;
        let numbered = elements.iter().enumerate();
        numbered.map(|(at, element)| self.node(element, &place.at(at), depth + 1)).collect()
    }

    fn condition(&mut self, object: &Map<String, Value>, place: &Place) -> Result<Condition, FilterError> {
        let wrong = |problem| FilterError { place: place.clone(), problem };
        if let Some(name) = unknown(object, &["path", "header", "op", "value"]) {
            return Err(wrong(FilterProblem::UnknownField(name)));
        }
        self.conditions += 1;
        if self.conditions > MAX_CONDITIONS {
            return Err(wrong(FilterProblem::TooManyConditions));
        }
        let source = source(object, place)?;
        let at_operator = |problem| FilterError { place: place.at("op"), problem };
        let operator = object.get("op").and_then(Value::as_str);
        let operator = operator.ok_or_else(|| at_operator(FilterProblem::Operator))?;
        let value = object.get("value");
        if matches!(operator, "exists" | "absent") {
            let check = if operator == "exists" { Check::Exists } else { Check::Absent };
            return match value {
                None => Ok(Condition { place: source, check }),
                Some(_) => Err(wrong(FilterProblem::ValueUnexpected)),
            };
        }
        if !OPERATORS.contains(&operator) {
            return Err(at_operator(FilterProblem::Operator));
        }
        let value = value.ok_or_else(|| wrong(FilterProblem::ValueMissing))?;
        let check = self.check(operator, value);
        let check = check.map_err(|problem| FilterError { place: place.at("value"), problem })?;
        Ok(Condition { place: source, check })
    }

    fn check(&mut self, operator: &str, value: &Value) -> Result<Check, FilterProblem> {
        let ordered = |order| match value {
            Value::Number(_) | Value::String(_) => Ok(Check::Ordered(order, value.clone())),
            _ => Err(FilterProblem::ValueType("a number or a text")),
        };
        let text = || value.as_str().map(str::to_owned).ok_or(FilterProblem::ValueType("a text"));
        match operator {
            "eq" => Ok(Check::Equal(value.clone())),
            "ne" => Ok(Check::NotEqual(value.clone())),
            "lt" => ordered(Order::Less),
            "le" => ordered(Order::LessOrEqual),
            "gt" => ordered(Order::Greater),
            "ge" => ordered(Order::GreaterOrEqual),
            "in" => value.as_array().cloned().map(Check::In).ok_or(FilterProblem::ValueType("a list")),
            "contains" => Ok(Check::Contains(value.clone())),
            "starts_with" => text().map(Check::StartsWith),
            "ends_with" => text().map(Check::EndsWith),
            _ => self.pattern(&text()?),
        }
    }

    fn pattern(&mut self, text: &str) -> Result<Check, FilterProblem> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            return Err(FilterProblem::TooManyPatterns);
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(FilterProblem::Pattern);
        }
        let regex = RegexBuilder::new(text).size_limit(MAX_COMPILED_BYTES).build();
        regex.map(Check::Matches).map_err(|_| FilterProblem::Pattern)
    }
}

/// The operators with a value.
const OPERATORS: [&str; 11] =
    ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "starts_with", "ends_with", "matches"];

fn source(object: &Map<String, Value>, place: &Place) -> Result<Source, FilterError> {
    let at = |name, problem| FilterError { place: place.at(name), problem };
    match (object.get("path"), object.get("header")) {
        (Some(path), None) => {
            let text = path.as_str().ok_or_else(|| at("path", FilterProblem::ValueType("a text")))?;
            Pointer::parse(text).map(Source::Body).map_err(|problem| at("path", problem.into()))
        }
        (None, Some(header)) => {
            let name = header.as_str().filter(|name| is_header_name(name));
            name.map(|name| Source::Header(name.to_owned()))
                .ok_or_else(|| at("header", FilterProblem::Header))
        }
        _ => Err(FilterError { place: place.clone(), problem: FilterProblem::Source }),
    }
}
