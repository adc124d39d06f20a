//! Statements of a test.

use super::{clause as word_clause, expressions, operations};
use crate::kind::Kind;
use crate::parser::Parser;

pub(super) fn statement(p: &mut Parser<'_>) {
    match p.word() {
        Some("let") if p.nth(1) == Kind::Name && p.nth(2) == Kind::Eq => word_clause(p, Kind::Let, |p| {
            p.expect(Kind::Name);
            p.expect(Kind::Eq);
            value(p);
        }),
        Some("expect") => word_clause(p, Kind::Expect, |p| {
            value(p);
            if p.eat_word("fails") {
                p.expect(Kind::Name);
            }
            if p.eat_word("using") {
                p.expect(Kind::Number);
                p.expect(Kind::Name);
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
