//! Text and numbers written in place, against the type that is wanted.
//!
//! A literal that the running operation would refuse is refused here already, after the same normalisation.

use sortkey_diagnostics::Span;

use super::{Elaboration, Wanted, did_you_mean, typed};
use crate::formats;
use crate::model::{self, IdBody};
use crate::problems::{MISMATCH, nearest};
use crate::program::ty::fits;
use crate::program::{Expr, ExprKind, Ty, Type};

impl<'a> Elaboration<'a, '_> {
    pub(super) fn text_literal(&mut self, written: &'a str, span: Span, wanted: &Wanted) -> Expr {
        let normalised = formats::normalize(&wanted.normalize, written.to_owned());
        let value = normalised.as_str();
        let named = || wanted.ty.describe(self.declaring);
        let refuse = |why: String| wanted.show(MISMATCH.at(span, why));
        let problem = match wanted.ty.content() {
            // JSON text may be given as it is.
            _ if matches!(*wanted.ty, Type::Json { .. }) => None,
            Type::Enum(words) if !words.open && !words.has(value) => {
                let near = nearest(value, words.words.iter().map(|word| &**word));
                let problem = refuse(format!("\"{value}\" is not one of `{}`", named()));
                Some(did_you_mean(problem, span, near))
            }
            Type::Enum(_) => None,
            Type::String { format, min, max } => {
                let length = value.chars().count() as u64;
                if length < *min || max.is_some_and(|max| length > max) {
                    Some(refuse(format!("{length} characters where {} are allowed", bounds(*min, *max))))
                } else if formats::complaint(format, value).is_some() {
                    Some(refuse(format!("\"{value}\" is not a valid {}", named())))
                } else {
                    None
                }
            }
            Type::Id { prefix, body } if !is_id(value, prefix, *body) => {
                Some(refuse(format!("\"{value}\" is not a valid {}", named())))
            }
            Type::Date if !formats::is_day(value) => {
                Some(refuse(format!("\"{value}\" is not a day")).note("A day is written `YYYY-MM-DD`."))
            }
            Type::Month if !formats::is_day(&format!("{value}-01")) => {
                Some(refuse(format!("\"{value}\" is not a month")).note("A month is written `YYYY-MM`."))
            }
            Type::Time { .. } if !value.get(..10).is_some_and(formats::is_day) => Some(
                refuse(format!("\"{value}\" is not a time"))
                    .note("A time is written `YYYY-MM-DDThh:mm:ssZ`."),
            ),
            Type::Date | Type::Month | Type::Time { .. } | Type::Id { .. } => None,
            ty if !fits(ty, &Ty::Literal) => {
                self.mismatch(&Ty::Literal, span, wanted);
                None
            }
            _ => None,
        };
        self.problems.extend(problem);
        typed(ExprKind::Text(normalised), Ty::Literal, span)
    }

    pub(super) fn number_literal(
        &mut self,
        digits: &str,
        unit: &str,
        negative: bool,
        expr: &'a model::Expr,
        wanted: &Wanted,
    ) -> Expr {
        let given = self.infer(expr, None);
        if !fits(wanted.ty.content(), &given.ty) {
            self.mismatch(&given.ty, expr.span, wanted);
            return given;
        }
        let (min, max) = match wanted.ty.content() {
            _ if !unit.is_empty() => return given,
            Type::Int { min, max } => (min, max),
            Type::Decimal { digits: most, scale } => {
                let plain = digits.replace('_', "");
                let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
                let whole = whole.trim_start_matches('0').len() as u64;
                let fraction = fraction.trim_end_matches('0').len() as u64;
                if fraction > *scale || whole > most.saturating_sub(*scale) {
                    let title = format!("{digits} has more digits than decimal({most}, {scale})");
                    self.push(wanted.show(MISMATCH.at(expr.span, title)));
                }
                return given;
            }
            _ => return given,
        };
        let edge = |edge: &Option<i64>| edge.map(|edge| edge.to_string()).unwrap_or_default();
        let is_bounded = min.is_some() || max.is_some();
        let title = match digits.replace('_', "").parse::<i64>() {
            Err(_) if digits.contains('.') => format!("{digits} is not a whole number"),
            Err(_) if !is_bounded => format!("{digits} does not fit into 64 bits"),
            Err(_) => format!("{digits} is outside {}..{}", edge(min), edge(max)),
            Ok(number) => {
                let number = if negative { -number } else { number };
                let below = min.is_some_and(|min| number < min);
                if !below && max.is_none_or(|max| number <= max) {
                    return given;
                }
                format!("{number} is outside {}..{}", edge(min), edge(max))
            }
        };
        self.push(wanted.show(MISMATCH.at(expr.span, title)));
        given
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

/// Whether a text may be an id. Lenient, since a searched value need not have the stored form.
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
