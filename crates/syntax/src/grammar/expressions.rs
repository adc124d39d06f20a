//! Expressions, field lists and arguments.
//!
//! Every function returns the height of what it parsed: chains such as `a + b + c` lean to the left, and without
//! a bound a long one would make a tree that nothing can walk recursively.

use super::path;
use crate::kind::Kind;
use crate::parser::{MAX_DEPTH, Parser};
use rowan::Checkpoint;

type Height = u32;

/// `or { implies or }`
pub(super) fn expr(p: &mut Parser<'_>) -> Height {
    p.nested(|p| chain(p, or, |p| p.at_word("implies")))
}

fn or(p: &mut Parser<'_>) -> Height {
    chain(p, and, |p| p.at_word("or"))
}

fn and(p: &mut Parser<'_>) -> Height {
    chain(p, not, |p| p.at_word("and"))
}

fn not(p: &mut Parser<'_>) -> Height {
    if p.at_word("not") && is_operand(p.nth(1)) {
        p.start(Kind::UnaryExpr);
        p.bump();
        let height = p.nested(not);
        p.end();
        return height + 1;
    }
    comparison(p)
}

fn comparison(p: &mut Parser<'_>) -> Height {
    let start = p.checkpoint();
    let left = sum(p);
    match p.kind() {
        Kind::Eq | Kind::NotEq | Kind::Lt | Kind::LtEq | Kind::Gt | Kind::GtEq => binary(p, start, left, sum),
        _ => match p.word() {
            Some("contains") => binary(p, start, left, sum),
            Some("starts") if p.nth_word(1) == Some("with") => {
                p.start_at(start, Kind::BinaryExpr);
                p.bump();
                p.bump();
                let right = sum(p);
                p.end();
                left.max(right) + 1
            }
            Some("in") => binary(p, start, left, range),
            Some("exists" | "absent") => {
                p.start_at(start, Kind::PresenceExpr);
                p.bump();
                p.end();
                left + 1
            }
            _ => left,
        },
    }
}

/// `a`, `a..b`, `..b` or `a..` after `in`.
fn range(p: &mut Parser<'_>) -> Height {
    let start = p.checkpoint();
    let left = if p.at(Kind::DotDot) { 0 } else { sum(p) };
    if !p.at(Kind::DotDot) {
        return left;
    }
    p.start_at(start, Kind::RangeExpr);
    p.bump();
    let right = if begins_operand(p) && !p.at_any(PATTERN_CLAUSES) { sum(p) } else { 0 };
    p.end();
    left.max(right) + 1
}

/// After an open range (`in since..`) these words are the next clause, not its end.
const PATTERN_CLAUSES: &[&str] =
    &["newest", "oldest", "order", "page", "limit", "all", "strong", "via", "and", "or"];

pub(super) fn sum(p: &mut Parser<'_>) -> Height {
    chain(p, term, |p| matches!(p.kind(), Kind::Plus | Kind::Minus))
}

fn term(p: &mut Parser<'_>) -> Height {
    chain(p, unary, |p| matches!(p.kind(), Kind::Star | Kind::Slash | Kind::Percent))
}

fn unary(p: &mut Parser<'_>) -> Height {
    if p.at(Kind::Minus) {
        p.start(Kind::UnaryExpr);
        p.bump();
        let height = atom(p);
        p.end();
        return height + 1;
    }
    atom(p)
}

fn atom(p: &mut Parser<'_>) -> Height {
    let start = p.checkpoint();
    let mut height = 1;
    match p.kind() {
        Kind::Number | Kind::Str => {
            p.start(Kind::LiteralExpr);
            p.bump();
            p.end();
        }
        Kind::Name if p.at_word("do") && p.nth(1) == Kind::Name && p.nth(2) == Kind::LParen => {
            p.start(Kind::DoExpr);
            p.bump();
            height += p.nested(atom);
            p.end();
            return height;
        }
        Kind::Name if p.at_word("choose") && p.nth(1) == Kind::LBrace => {
            p.start(Kind::ChooseExpr);
            p.bump();
            p.block("`condition: value`", |p| height = height.max(arm(p) + 1));
            p.end();
        }
        Kind::Name if !p.at_item_after_missing_brace() => {
            p.start(Kind::NameExpr);
            p.bump();
            p.end();
        }
        Kind::LParen => {
            p.start(Kind::ParenExpr);
            p.bump();
            height += expr(p);
            p.expect(Kind::RParen);
            p.end();
        }
        Kind::LBracket => {
            p.start(Kind::ListExpr);
            p.bump();
            while begins_operand(p) {
                height = height.max(expr(p) + 1);
                p.eat(Kind::Comma);
            }
            p.expect(Kind::RBracket);
            p.end();
        }
        Kind::LBrace => {
            p.start(Kind::ObjectExpr);
            height += p.nested(fields);
            p.end();
        }
        _ => {
            p.error(format!("expected an expression, found {}", p.found()));
            return 0;
        }
    }
    postfix(p, start, height)
}

/// `condition: value` of `choose`
fn arm(p: &mut Parser<'_>) -> Height {
    if !begins_operand(p) {
        return 0;
    }
    p.start(Kind::ChooseArm);
    let condition = expr(p);
    let value = if p.expect(Kind::Colon) { expr(p) } else { 0 };
    p.eat(Kind::Comma);
    p.end();
    condition.max(value) + 1
}

fn postfix(p: &mut Parser<'_>, start: Checkpoint, mut height: Height) -> Height {
    loop {
        let kind = match p.kind() {
            Kind::Dot => Kind::MemberExpr,
            Kind::Arrow => Kind::ArrowExpr,
            Kind::LParen => Kind::CallExpr,
            Kind::LBracket => Kind::IndexExpr,
            _ if p.at_word("with") && p.nth(1) == Kind::LParen => Kind::WithExpr,
            _ => return height,
        };
        if height > 2 * MAX_DEPTH {
            p.error("this expression is too long".to_owned());
            return height;
        }
        p.start_at(start, kind);
        let inner = match kind {
            Kind::CallExpr => args(p),
            Kind::MemberExpr | Kind::ArrowExpr => {
                p.bump();
                p.expect(Kind::Name);
                0
            }
            Kind::IndexExpr => {
                p.bump();
                let inner = expr(p);
                p.expect(Kind::RBracket);
                inner
            }
            _ => {
                p.bump();
                p.bump();
                let inner = expr(p);
                p.expect(Kind::RParen);
                inner
            }
        };
        p.end();
        height = height.max(inner) + 1;
    }
}

/// `operand { operator operand }`, leaning to the left.
fn chain(
    p: &mut Parser<'_>,
    operand: fn(&mut Parser<'_>) -> Height,
    at_operator: fn(&Parser<'_>) -> bool,
) -> Height {
    let start = p.checkpoint();
    let mut height = operand(p);
    while at_operator(p) {
        if height > 2 * MAX_DEPTH {
            p.error("this expression is too long".to_owned());
            return height;
        }
        height = binary(p, start, height, operand);
    }
    height
}

fn binary(
    p: &mut Parser<'_>,
    start: Checkpoint,
    left: Height,
    operand: fn(&mut Parser<'_>) -> Height,
) -> Height {
    p.start_at(start, Kind::BinaryExpr);
    p.bump();
    let right = operand(p);
    p.end();
    left.max(right) + 1
}

/// Whether an operand begins here. A name that begins the next declaration does not: every loop over operands must
/// move on or end.
fn begins_operand(p: &Parser<'_>) -> bool {
    is_operand(p.kind()) && !p.at_item_after_missing_brace()
}

fn is_operand(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name | Kind::Number | Kind::Str | Kind::LParen | Kind::LBracket | Kind::LBrace | Kind::Minus
    )
}

/// `{ ...x, path[index]: expr, path += expr, path }`
pub(super) fn fields(p: &mut Parser<'_>) -> Height {
    let mut height = 0;
    p.start(Kind::Fields);
    p.block("a field", |p| height = height.max(field(p)));
    p.end();
    height + 1
}

fn field(p: &mut Parser<'_>) -> Height {
    let mut height = 0;
    if p.at(Kind::DotDotDot) {
        spread(p);
    } else if p.at(Kind::Name) {
        p.start(Kind::Field);
        path(p);
        if p.eat(Kind::LBracket) {
            height = expr(p);
            p.expect(Kind::RBracket);
        }
        if matches!(p.kind(), Kind::Colon | Kind::PlusEq | Kind::MinusEq) {
            p.bump();
            height = height.max(expr(p));
        }
        p.end();
    } else {
        return 0;
    }
    p.eat(Kind::Comma);
    height + 1
}

fn spread(p: &mut Parser<'_>) {
    p.start(Kind::Spread);
    p.bump();
    p.expect(Kind::Name);
    p.end();
}

/// `( ...x, name: expr, expr )`
pub(super) fn args(p: &mut Parser<'_>) -> Height {
    p.start(Kind::Args);
    p.bump();
    let height = p.nested(|p| {
        let mut height = 0;
        loop {
            if p.at(Kind::DotDotDot) {
                spread(p);
            } else if begins_operand(p) {
                p.start(Kind::Arg);
                if p.at(Kind::Name) && p.nth(1) == Kind::Colon {
                    p.bump();
                    p.bump();
                }
                height = height.max(expr(p));
                p.end();
            } else {
                break;
            }
            p.eat(Kind::Comma);
        }
        height
    });
    p.expect(Kind::RParen);
    p.end();
    height + 1
}
