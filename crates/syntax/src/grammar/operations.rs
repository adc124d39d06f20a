//! Operations: what is written, in which steps, under which conditions.

use super::entities::otherwise;
use super::{allow, clause as word_clause, expressions, names, patterns, types};
use crate::kind::Kind;
use crate::parser::Parser;

/// Verbs that write.
const WRITES: [&str; 6] = ["create", "put", "update", "upsert", "delete", "purge"];

/// `[system] operation name [(params)] (= verb Entity [names] { clause } | { clause } { body } { on Error { } })`
pub(super) fn operation(p: &mut Parser<'_>) {
    p.start(Kind::Operation);
    p.eat_word("system");
    p.bump();
    p.expect(Kind::Name);
    if p.at(Kind::LParen) {
        patterns::params(p);
    }
    if p.eat(Kind::Eq) {
        short_form(p);
    } else {
        while clause(p) {}
        body(p);
        handlers(p);
    }
    p.end();
}

/// `{ on Error { statements } }`
pub(super) fn handlers(p: &mut Parser<'_>) {
    while p.at_word("on") && p.nth(1) == Kind::Name {
        word_clause(p, Kind::On, |p| {
            p.expect(Kind::Name);
            body(p);
        });
    }
}

fn short_form(p: &mut Parser<'_>) {
    if p.at_any(&WRITES) {
        p.bump();
    } else {
        super::wrong_verb(p, "`create`, `put`, `update`, `upsert`, `delete` or `purge`");
    }
    p.expect(Kind::Name);
    if p.eat(Kind::LBracket) {
        names(p);
        p.expect(Kind::RBracket);
    }
    while clause(p) {}
}

fn clause(p: &mut Parser<'_>) -> bool {
    match p.word() {
        Some("requires") => word_clause(p, Kind::Requires, expr),
        Some("idempotent") => word_clause(p, Kind::Idempotent, |p| {
            p.expect_word("by");
            names(p);
            if p.eat_word("for") {
                p.expect(Kind::Number);
            }
        }),
        Some("load") => patterns::load(p),
        Some("if") => word_clause(p, Kind::If, expr),
        Some("else") => otherwise(p),
        Some("allow") => allow(p),
        _ => return false,
    }
    true
}

fn expr(p: &mut Parser<'_>) {
    expressions::expr(p);
}

pub(super) fn body(p: &mut Parser<'_>) {
    p.start(Kind::Body);
    p.block("a statement", statement);
    p.end();
}

fn statement(p: &mut Parser<'_>) {
    if at_action(p) {
        return action(p);
    }
    match p.word() {
        Some("let") if p.nth(1) == Kind::Name => word_clause(p, Kind::Let, |p| {
            p.expect(Kind::Name);
            p.expect(Kind::Eq);
            if at_action(p) {
                action(p);
            } else {
                expressions::expr(p);
                otherwise(p);
            }
        }),
        Some("transact") => word_clause(p, Kind::Transact, |p| p.block("a statement", statement)),
        Some("each") => word_clause(p, Kind::Each, |p| {
            p.expect(Kind::Name);
            p.expect_word("in");
            expressions::expr(p);
            p.block("a statement", statement);
        }),
        Some("require") => word_clause(p, Kind::Require, |p| {
            expressions::expr(p);
            otherwise(p);
        }),
        Some("return") => word_clause(p, Kind::Return, expr),
        _ if p.at(Kind::Name) => {
            p.start(Kind::ExprStmt);
            expressions::expr(p);
            otherwise(p);
            p.end();
        }
        _ => {}
    }
}

/// A verb with an entity behind it begins an action; a verb alone is a name like any other.
pub(super) fn at_action(p: &Parser<'_>) -> bool {
    (p.at_any(&WRITES) || p.at_any(&["check", "get"])) && p.nth(1) == Kind::Name
}

/// `verb Entity [(key)] { strong | if expr | else Error | fields | when expr }`
pub(super) fn action(p: &mut Parser<'_>) {
    p.start(Kind::Action);
    p.bump();
    p.expect(Kind::Name);
    if p.at(Kind::LParen) {
        expressions::args(p);
    }
    let mut fields = false;
    loop {
        match p.word() {
            Some("strong") => word_clause(p, Kind::Strong, |_| {}),
            Some("if") => word_clause(p, Kind::If, expr),
            Some("else") => otherwise(p),
            Some("when") => types::when(p),
            _ if p.at(Kind::LBrace) && !fields => {
                expressions::fields(p);
                fields = true;
            }
            _ => break,
        }
    }
    p.end();
}
