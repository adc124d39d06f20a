//! The operators of conditions: what it means that one value of a request satisfies one value of a policy.

use std::net::IpAddr;

use crate::context::Context;
use crate::pattern::{Pattern, Syntax};

/// How a value of the request is compared with a value of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Text { ignore_case: bool, wildcards: bool },
    Number(Order),
    Date(Order),
    Bool,
    Ip,
    Arn,
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// How several values of the request are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    None,
    All,
    Any,
}

/// An operator with all its parts: `ForAllValues:StringNotLikeIfExists`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    pub(crate) comparison: Comparison,
    pub(crate) negated: bool,
    pub(crate) if_exists: bool,
    pub(crate) quantifier: Quantifier,
}

impl Operator {
    /// The operator of this name; none if there is none.
    pub(crate) fn read(name: &str) -> Option<Operator> {
        let (quantifier, rest) = match name.split_once(':') {
            None => (Quantifier::None, name),
            Some(("ForAllValues", rest)) => (Quantifier::All, rest),
            Some(("ForAnyValue", rest)) => (Quantifier::Any, rest),
            Some(_) => return None,
        };
        let (base, if_exists) = match rest.strip_suffix("IfExists") {
            Some(base) => (base, true),
            None => (rest, false),
        };
        let text = |ignore_case, wildcards| Comparison::Text { ignore_case, wildcards };
        let (comparison, negated) = match base {
            "StringEquals" => (text(false, false), false),
            "StringNotEquals" => (text(false, false), true),
            "StringEqualsIgnoreCase" => (text(true, false), false),
            "StringNotEqualsIgnoreCase" => (text(true, false), true),
            "StringLike" => (text(false, true), false),
            "StringNotLike" => (text(false, true), true),
            "NumericEquals" => (Comparison::Number(Order::Equal), false),
            "NumericNotEquals" => (Comparison::Number(Order::Equal), true),
            "NumericLessThan" => (Comparison::Number(Order::Less), false),
            "NumericLessThanEquals" => (Comparison::Number(Order::LessOrEqual), false),
            "NumericGreaterThan" => (Comparison::Number(Order::Greater), false),
            "NumericGreaterThanEquals" => (Comparison::Number(Order::GreaterOrEqual), false),
            "DateEquals" => (Comparison::Date(Order::Equal), false),
            "DateNotEquals" => (Comparison::Date(Order::Equal), true),
            "DateLessThan" => (Comparison::Date(Order::Less), false),
            "DateLessThanEquals" => (Comparison::Date(Order::LessOrEqual), false),
            "DateGreaterThan" => (Comparison::Date(Order::Greater), false),
            "DateGreaterThanEquals" => (Comparison::Date(Order::GreaterOrEqual), false),
            "Bool" => (Comparison::Bool, false),
            "BinaryEquals" => (text(false, false), false),
            "IpAddress" => (Comparison::Ip, false),
            "NotIpAddress" => (Comparison::Ip, true),
            "ArnEquals" | "ArnLike" => (Comparison::Arn, false),
            "ArnNotEquals" | "ArnNotLike" => (Comparison::Arn, true),
            "Null" if !if_exists && quantifier == Quantifier::None => (Comparison::Null, false),
            _ => return None,
        };
        Some(Operator { comparison, negated, if_exists, quantifier })
    }
}

/// A value of the policy, ready to compare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Text { pattern: Pattern, ignore_case: bool },
    Number(Order, f64),
    Date(Order, f64),
    Bool(bool),
    Ip { network: u128, mask: u128 },
    Arn(Vec<Pattern>),
}

impl Operand {
    /// Reads a value of the policy; an error describes the mistake.
    pub(crate) fn read(comparison: Comparison, text: &str, variables: bool) -> Result<Operand, String> {
        let wrong = |what: &str| format!("`{text}` is not {what}");
        Ok(match comparison {
            Comparison::Text { ignore_case, wildcards } => Operand::Text {
                pattern: Pattern::compile(text, Syntax { wildcards, variables })?,
                ignore_case,
            },
            Comparison::Number(order) => {
                Operand::Number(order, number(text).ok_or_else(|| wrong("a number"))?)
            }
            Comparison::Date(order) => Operand::Date(order, date(text).ok_or_else(|| wrong("a date"))?),
            Comparison::Bool | Comparison::Null => {
                Operand::Bool(boolean(text).ok_or_else(|| wrong("`true` or `false`"))?)
            }
            Comparison::Ip => {
                let (network, mask) = network(text).ok_or_else(|| wrong("an IP address or range"))?;
                Operand::Ip { network: network & mask, mask }
            }
            Comparison::Arn => {
                let syntax = Syntax { wildcards: true, variables };
                let parts = if variables { arn_pattern_parts(text) } else { arn_parts(text) };
                let parts: Result<Vec<Pattern>, String> =
                    parts.iter().map(|part| Pattern::compile(part, syntax)).collect();
                Operand::Arn(parts?)
            }
        })
    }

    /// Whether a value of the request satisfies this one, before any negation.
    pub(crate) fn accepts(&self, value: &str, context: &dyn Context) -> bool {
        match self {
            Operand::Text { pattern, ignore_case } => pattern.matches(value, *ignore_case, context),
            Operand::Number(order, operand) => {
                number(value).is_some_and(|value| order.holds(value, *operand))
            }
            Operand::Date(order, operand) => date(value).is_some_and(|value| order.holds(value, *operand)),
            Operand::Bool(operand) => boolean(value) == Some(*operand),
            Operand::Ip { network: of, mask } => {
                // A range of IPv6 holds no address of IPv4, however wide it is.
                let same_kind = |address: &IpAddr| address.is_ipv6() || mask >> 32 == u128::MAX >> 32;
                let address = value.parse::<IpAddr>().ok().filter(same_kind);
                address.is_some_and(|address| bits(address) & mask == *of)
            }
            Operand::Arn(patterns) => {
                let parts = arn_parts(value);
                parts.len() == patterns.len()
                    && patterns
                        .iter()
                        .zip(&parts)
                        .all(|(pattern, part)| pattern.matches(part, false, context))
            }
        }
    }
}

impl Order {
    fn holds(self, value: f64, operand: f64) -> bool {
        match self {
            Order::Equal => value == operand,
            Order::Less => value < operand,
            Order::LessOrEqual => value <= operand,
            Order::Greater => value > operand,
            Order::GreaterOrEqual => value >= operand,
        }
    }
}

fn number(text: &str) -> Option<f64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    text.parse::<f64>().ok().filter(|number| digits && number.is_finite())
}

pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Seconds since 1970 of `2026-11-17T01:38:52Z`, of `2026-11-17`, or of a number that is those seconds already.
fn date(text: &str) -> Option<f64> {
    if let Some(seconds) = number(text).filter(|_| !text.contains(['e', 'E'])) {
        return Some(seconds);
    }
    let (day, time) = text.split_once('T').unwrap_or((text, "00:00:00Z"));
    let part = |text: &str, digits: usize| {
        (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())?
    };
    let mut of_day = day.split('-');
    let (year, month, day) = (part(of_day.next()?, 4)?, part(of_day.next()?, 2)?, part(of_day.next()?, 2)?);
    let time = time.strip_suffix('Z')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut of_time = time.split(':');
    let (hour, minute) = (part(of_time.next()?, 2)?, part(of_time.next()?, 2)?);
    let second = of_time.next().map_or(Some(0), |second| part(second, 2))?;
    let fits =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 61;
    if !fits
        || of_day.next().is_some()
        || of_time.next().is_some()
        || !fraction.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds as f64 + format!("0.{fraction}0").parse::<f64>().ok()?)
}

/// Days since 1970 of a date, counted in eras of 400 years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// An address as a number of 128 bits; those of IPv4 are mapped, so that the two never overlap by accident.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_ipv6_mapped()),
        IpAddr::V6(address) => u128::from(address),
    }
}

fn network(text: &str) -> Option<(u128, u128)> {
    let (address, length) =
        text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let address: IpAddr = address.parse().ok()?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    let length = match length {
        None => width,
        Some(length) => length.parse::<u32>().ok().filter(|length| *length <= width)?,
    };
    let host_bits = width - length;
    let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
    Some((bits(address), mask))
}

/// The six parts of an ARN; the last may contain colons.
fn arn_parts(arn: &str) -> Vec<&str> {
    arn.splitn(6, ':').collect()
}

/// Like [`arn_parts`], for an ARN with variables: the colon in `${aws:username}` separates nothing.
fn arn_pattern_parts(arn: &str) -> Vec<&str> {
    let mut in_variable = false;
    let mut last = ' ';
    arn.splitn(6, |letter| {
        in_variable = (in_variable && letter != '}') || (last == '$' && letter == '{');
        last = letter;
        letter == ':' && !in_variable
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Table;

    fn holds(operator: &str, operand: &str, value: &str) -> bool {
        let operator = Operator::read(operator).expect("an operator");
        let operand = Operand::read(operator.comparison, operand, true).expect("an operand");
        operand.accepts(value, &Table::new(&[])) != operator.negated
    }

    #[test]
    fn comparisons() {
        for (operator, operand, value, expected) in [
            ("StringEquals", "a*", "a*", true),
            ("StringEquals", "a*", "ab", false),
            ("StringNotEquals", "a", "b", true),
            ("StringEqualsIgnoreCase", "ABC", "abc", true),
            ("StringNotEqualsIgnoreCase", "ABC", "abc", false),
            ("StringLike", "a*", "ab", true),
            ("StringNotLike", "a*", "ab", false),
            ("NumericEquals", "1.0", "1", true),
            ("NumericLessThan", "10", "9", true),
            ("NumericGreaterThanEquals", "10", "10", true),
            ("NumericLessThan", "10", "x", false),
            ("DateLessThan", "2026-11-17T00:00:00Z", "2026-11-16T23:59:59Z", true),
            ("DateGreaterThan", "2026-11-17", "1794873600", false),
            ("DateEquals", "1970-01-02", "86400", true),
            ("Bool", "true", "TRUE", true),
            ("IpAddress", "10.0.0.0/8", "10.255.1.2", true),
            ("IpAddress", "10.0.0.0/8", "11.0.0.1", false),
            ("IpAddress", "0.0.0.0/0", "203.0.113.7", true),
            ("IpAddress", "0.0.0.0/0", "::1", false),
            ("NotIpAddress", "2001:db8::/32", "2001:db8:1::1", false),
            ("IpAddress", "::/0", "2001:db8::1", true),
            ("IpAddress", "::/0", "203.0.113.7", false),
            ("ArnLike", "arn:aws:iam::*:user/*", "arn:aws:iam::1:user/ann", true),
            ("ArnLike", "arn:aws:iam:*", "arn:aws:iam::1:user/ann", false),
            ("ArnNotEquals", "arn:aws:iam::1:user/ann", "arn:aws:iam::1:user/bob", true),
            // The colons of a variable were taken for those of the ARN, and the policy for one that cannot be read.
            ("ArnLike", "arn:aws:iam::${aws:PrincipalAccount, '1'}:user/*", "arn:aws:iam::1:user/ann", true),
            ("ArnLike", "arn:aws:iam::${aws:PrincipalAccount, '2'}:user/*", "arn:aws:iam::1:user/ann", false),
        ] {
            assert_eq!(holds(operator, operand, value), expected, "{operator} {operand} {value}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for name in
            ["", "Equals", "stringequals", "ForSomeValues:StringEquals", "NullIfExists", "ForAnyValue:Null"]
        {
            assert_eq!(Operator::read(name), None, "{name}");
        }
        for (name, operand) in [
            ("NumericEquals", "one"),
            ("NumericEquals", "NaN"),
            ("NumericEquals", "inf"),
            ("DateEquals", "yesterday"),
            ("DateEquals", "2026-13-01"),
            ("Bool", "yes"),
            ("IpAddress", "10.0.0.0/33"),
            ("IpAddress", "10.0.0"),
            ("StringEquals", "${aws:username"),
        ] {
            let operator = Operator::read(name).expect("an operator");
            assert!(Operand::read(operator.comparison, operand, true).is_err(), "{name} {operand}");
        }
    }
}
