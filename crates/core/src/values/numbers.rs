//! Arithmetic on decimal numbers: exact where 38 digits suffice, refused where they do not.

use sortkey_design::model::Op;
use sortkey_value::Number;

/// `left op right`; none if the result cannot be kept, or is not defined.
pub(crate) fn arithmetic(op: Op, left: Number, right: Number) -> Option<Number> {
    match op {
        Op::Add => left.checked_add(right).ok(),
        Op::Sub => left.checked_sub(right).ok(),
        Op::Mul => multiply(left, right),
        // Integers divide as integers: percentages and shards have no fractions.
        Op::Div => divide(left, right),
        Op::Rem => {
            let (left, right) = (left.to_i64()?, right.to_i64()?);
            left.checked_rem_euclid(right).map(Number::from)
        }
        _ => None,
    }
}

fn multiply(left: Number, right: Number) -> Option<Number> {
    let ((left, left_scale), (right, right_scale)) = (scaled(left)?, scaled(right)?);
    unscaled(left.checked_mul(right)?, left_scale + right_scale)
}

fn divide(left: Number, right: Number) -> Option<Number> {
    let ((left, left_scale), (right, right_scale)) = (scaled(left)?, scaled(right)?);
    if left_scale == 0 && right_scale == 0 {
        return unscaled(left.checked_div_euclid(right)?, 0);
    }
    quotient_of((left, left_scale), (right, right_scale))
}

/// `left / right` of decimal numbers; none if the result cannot be kept, or is not defined.
pub(crate) fn quotient(left: Number, right: Number) -> Option<Number> {
    quotient_of(scaled(left)?, scaled(right)?)
}

/// Ten digits behind the point, cut off.
fn quotient_of((left, left_scale): (i128, u32), (right, right_scale): (i128, u32)) -> Option<Number> {
    let widened = left.checked_mul(10_i128.checked_pow(10 + right_scale)?)?;
    unscaled(widened.checked_div(right)?, 10 + left_scale)
}

/// The digits as an integer, and the number of decimal places.
fn scaled(number: Number) -> Option<(i128, u32)> {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    Some((digits, u32::try_from(fraction.len()).ok()?))
}

fn unscaled(digits: i128, scale: u32) -> Option<Number> {
    Number::parse(&format!("{digits}E-{scale}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(op: Op, left: &str, right: &str, expected: Option<&str>) {
        let number = |text: &str| Number::parse(text).expect("a number");
        assert_eq!(
            arithmetic(op, number(left), number(right)),
            expected.map(number),
            "{left} {op:?} {right}"
        );
    }

    #[test]
    fn arithmetic_is_exact_or_refused() {
        check(Op::Mul, "3", "1.25", Some("3.75"));
        check(Op::Mul, "-2", "0.5", Some("-1"));
        check(Op::Div, "7", "2", Some("3"));
        check(Op::Div, "7.5", "2", Some("3.75"));
        check(Op::Div, "1", "0", None);
        check(Op::Rem, "-1", "16", Some("15"));
        check(Op::Rem, "1", "0", None);
        check(Op::Add, "0.1", "0.2", Some("0.3"));
    }

    #[test]
    fn decimals_divide_with_ten_digits() {
        let number = |text: &str| Number::parse(text).expect("a number");
        for (left, right, expected) in [
            ("7", "2", Some("3.5")),
            ("-7", "2", Some("-3.5")),
            ("1", "3", Some("0.3333333333")),
            ("1", "0", None),
        ] {
            assert_eq!(quotient(number(left), number(right)), expected.map(number), "{left} / {right}");
        }
    }
}
