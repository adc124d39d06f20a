//! Text and numbers written in place, against the type that is wanted.
//!
//! What would be refused when the operation runs is refused here already.

use super::names::content;
use super::ty::{Ty, fits};
use super::{Typing, Wanted, did_you_mean};
use crate::model::*;
use crate::problems::{MISMATCH, nearest};
use sortkey_diagnostics::Span;

impl<'a> Typing<'a, '_> {
    pub(super) fn text_literal(&mut self, value: &'a str, span: Span, wanted: &Wanted<'a>) {
        let refuse = |why: String| wanted.show(MISMATCH.at(span, why));
        let problem = match content(wanted.ty) {
            // JSON text may be given as it is.
            _ if matches!(wanted.ty, Type::Json { .. }) => None,
            Type::Enum { members, open: false, .. } if !members.iter().any(|member| member == value) => {
                let near = nearest(value, members.iter().map(String::as_str));
                let problem = refuse(format!("\"{value}\" is not one of `{}`", wanted.ty.describe()));
                Some(did_you_mean(problem, span, near))
            }
            Type::Enum { .. } => None,
            Type::String { format, min, max } => {
                let length = value.chars().count() as u64;
                if length < *min || max.is_some_and(|max| length > max) {
                    Some(refuse(format!("{length} characters where {} are allowed", bounds(*min, *max))))
                } else if !looks_like(format, value) {
                    Some(refuse(format!("\"{value}\" is no {}", wanted.ty.describe())))
                } else {
                    None
                }
            }
            Type::Id { prefix, body } if !is_id(value, prefix, *body) => {
                Some(refuse(format!("\"{value}\" is no {}", wanted.ty.describe())))
            }
            Type::Date if !is_digits(value, "0000-00-00") => {
                Some(refuse(format!("\"{value}\" is no day")).note("A day is written `YYYY-MM-DD`."))
            }
            Type::Month if !is_digits(value, "0000-00") => {
                Some(refuse(format!("\"{value}\" is no month")).note("A month is written `YYYY-MM`."))
            }
            Type::Time { .. } if !value.get(..10).is_some_and(|day| is_digits(day, "0000-00-00")) => Some(
                refuse(format!("\"{value}\" is no time")).note("A time is written `YYYY-MM-DDThh:mm:ssZ`."),
            ),
            Type::Date | Type::Month | Type::Time { .. } | Type::Id { .. } => None,
            ty if !fits(ty, &Ty::Literal) => {
                self.mismatch(&Ty::Literal, span, wanted);
                None
            }
            _ => None,
        };
        self.problems.extend(problem);
    }

    pub(super) fn number_literal(
        &mut self,
        digits: &str,
        unit: &str,
        negative: bool,
        expr: &'a Expr,
        wanted: &Wanted<'a>,
    ) {
        let given = self.infer(expr, None);
        if !fits(content(wanted.ty), &given) {
            self.mismatch(&given, expr.span, wanted);
            return;
        }
        let Type::Int { min, max } = content(wanted.ty) else {
            return;
        };
        if !unit.is_empty() {
            return;
        }
        let title = match digits.replace('_', "").parse::<i64>() {
            Err(_) if digits.contains('.') => format!("{digits} is no whole number"),
            Err(_) => return,
            Ok(number) => {
                let number = if negative { -number } else { number };
                let below = min.is_some_and(|min| number < min);
                if !below && max.is_none_or(|max| number <= max) {
                    return;
                }
                let edge = |edge: &Option<i64>| edge.map(|edge| edge.to_string()).unwrap_or_default();
                format!("{number} is outside {}..{}", edge(min), edge(max))
            }
        };
        self.push(wanted.show(MISMATCH.at(expr.span, title)));
    }
}

fn bounds(min: u64, max: Option<u64>) -> String {
    match max {
        Some(max) if max == min => format!("exactly {max}"),
        Some(max) if min == 0 => format!("at most {max}"),
        Some(max) => format!("{min} to {max}"),
        None => format!("at least {min}"),
    }
}

/// Only what is surely wrong: the exact formats are the runtime's.
fn looks_like(format: &StringFormat, value: &str) -> bool {
    match format {
        StringFormat::Email => {
            value.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
        }
        StringFormat::Url => value.contains("://"),
        StringFormat::Slug => value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)),
        StringFormat::Cron => (5..=6).contains(&value.split_whitespace().count()),
        StringFormat::Plain | StringFormat::Matching(_) => true,
    }
}

fn is_id(value: &str, prefix: &str, body: IdBody) -> bool {
    let Some(rest) = value.strip_prefix(prefix) else {
        return false;
    };
    match body {
        IdBody::Uuid => {
            rest.len() == 36
                && rest.bytes().enumerate().all(|(at, byte)| match at {
                    8 | 13 | 18 | 23 => byte == b'-',
                    _ => byte.is_ascii_hexdigit(),
                })
        }
        IdBody::Ulid => rest.len() == 26 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        // Short names such as `src_1` are common in tests and documents.
        IdBody::Nanoid(_) => rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
    }
}

/// Whether a text has digits where the shape has zeros, and the same signs elsewhere.
fn is_digits(value: &str, shape: &str) -> bool {
    value.len() == shape.len()
        && value.bytes().zip(shape.bytes()).all(|(byte, sign)| match sign {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
}
