//! Statements of a test.

use super::{clause as word_clause, expressions, one_of, operations};
use crate::kind::Kind;
use crate::parser::Parser;

pub(super) fn statement(p: &mut Parser<'_>) {
    match p.word() {
        Some("let") if p.nth(1) == Kind::Name && p.nth(2) == Kind::Eq => word_clause(p, Kind::Let, |p| {
            p.expect(Kind::Name);
            p.expect(Kind::Eq);
            value(p);
        }),
        Some("expect") if p.nth_word(1) == Some("did") && p.nth(2) == Kind::Name => {
            word_clause(p, Kind::Did, |p| {
                p.bump();
                effect(p);
                if p.eat(Kind::Number) {
                    p.expect_word("times");
                }
            });
        }
        Some("given") if p.nth(1) == Kind::Name => word_clause(p, Kind::Given, |p| {
            effect(p);
            if p.eat(Kind::Arrow) {
                expressions::expr(p);
            } else if p.expect_word("fails") {
                p.expect(Kind::Name);
            }
        }),
        Some("work") if is_alone(p) => word_clause(p, Kind::Work, |_| {}),
        Some("expect") => word_clause(p, Kind::Expect, |p| {
            value(p);
            if p.eat_word("fails") {
                p.expect(Kind::Name);
            }
            if p.eat_word("using") {
                p.expect(Kind::Number);
                one_of(p, &["request", "requests"], "`request` or `requests`");
            }
        }),
        Some("advance") => word_clause(p, Kind::Advance, |p| {
            p.expect(Kind::Number);
        }),
        Some("as") if p.nth(1) == Kind::LParen => word_clause(p, Kind::As, |p| {
            expressions::args(p);
            p.block("a test statement", statement);
        }),
        Some("race") if p.nth(1) == Kind::LBrace => word_clause(p, Kind::Race, |p| {
            while p.at(Kind::LBrace) {
                p.start(Kind::Body);
                p.block("a test statement", statement);
                p.end();
            }
            if p.expect_word("succeeds") {
                p.expect(Kind::Number);
            }
        }),
        _ if p.at(Kind::Name) => {
            p.start(Kind::ExprStmt);
            value(p);
            p.end();
        }
        _ => {}
    }
}

/// An action or an expression.
fn value(p: &mut Parser<'_>) {
    if operations::at_action(p) {
        operations::action(p);
    } else {
        expressions::expr(p);
    }
}

/// `name [(arguments)]`: the effect, and what it must be given.
fn effect(p: &mut Parser<'_>) {
    p.expect(Kind::Name);
    if p.at(Kind::LParen) {
        expressions::args(p);
    }
}

/// Whether the next word is a statement of its own, not the beginning of an expression.
fn is_alone(p: &Parser<'_>) -> bool {
    matches!(p.nth(1), Kind::Name | Kind::RBrace | Kind::Eof)
}
