//! Access patterns: what is read, by which attributes, in which order.

use super::{allow, clause as word_clause, expressions, names, types};
use crate::kind::Kind;
use crate::parser::Parser;

/// The verbs of a pattern, `sum(...)` apart.
const READS: [&str; 6] = ["get", "list", "count", "exists", "scan", "collect"];

/// `[system] pattern name [(params)] = verb Entities { clause }`
pub(super) fn pattern(p: &mut Parser<'_>) {
    p.start(Kind::Pattern);
    p.eat_word("system");
    p.bump();
    p.expect(Kind::Name);
    if p.at(Kind::LParen) {
        params(p);
    }
    p.expect(Kind::Eq);
    if p.at_any(&READS) {
        p.bump();
    } else if p.at_word("sum") {
        p.bump();
        if p.expect(Kind::LParen) {
            names(p);
            p.expect(Kind::RParen);
        }
    } else {
        super::wrong_verb(p, "`get`, `list`, `count`, `exists`, `sum`, `collect` or `scan`");
    }
    names(p);
    while clause(p) {}
    p.end();
}

/// `(name[?] [: type] [= expr], ...)`
pub(super) fn params(p: &mut Parser<'_>) {
    p.start(Kind::Params);
    p.expect(Kind::LParen);
    while p.at(Kind::Name) {
        p.start(Kind::Param);
        p.bump();
        p.eat(Kind::Question);
        if p.eat(Kind::Colon) {
            types::ty(p);
        }
        if p.eat(Kind::Eq) {
            expressions::expr(p);
        }
        p.end();
        if !p.eat(Kind::Comma) {
            break;
        }
    }
    p.expect(Kind::RParen);
    p.end();
}

fn clause(p: &mut Parser<'_>) -> bool {
    match p.word() {
        Some("by") => word_clause(p, Kind::By, |p| {
            bind(p);
            while p.eat(Kind::Comma) {
                bind(p);
            }
        }),
        Some("where") => word_clause(p, Kind::Where, expr),
        Some("filter") => word_clause(p, Kind::Filter, expr),
        Some("newest" | "oldest") => word_clause(p, Kind::Order, |p| {
            p.expect_word("first");
        }),
        Some("order") => word_clause(p, Kind::Order, |p| {
            p.expect_word("by");
            p.expect(Kind::Name);
            if !p.eat_word("asc") {
                p.eat_word("desc");
            }
        }),
        Some("page") => word_clause(p, Kind::Page, number),
        Some("limit") => word_clause(p, Kind::Limit, number),
        Some("all") => word_clause(p, Kind::All, |_| {}),
        Some("strong") => word_clause(p, Kind::Strong, |_| {}),
        Some("via") => word_clause(p, Kind::Via, name),
        Some("select") => word_clause(p, Kind::Select, |p| {
            p.expect(Kind::LBracket);
            names(p);
            p.expect(Kind::RBracket);
        }),
        Some("then") => word_clause(p, Kind::Then, |p| {
            p.expect_word("get");
            p.expect(Kind::Name);
        }),
        Some("including") => word_clause(p, Kind::Including, |p| {
            if !p.eat_word("expired") && !p.eat_word("deleted") {
                p.error(format!("expected `expired` or `deleted`, found {}", p.found()));
            }
        }),
        Some("requires") => word_clause(p, Kind::Requires, expr),
        Some("load") => load(p),
        Some("allow") => allow(p),
        _ => return false,
    }
    true
}

fn expr(p: &mut Parser<'_>) {
    expressions::expr(p);
}

fn number(p: &mut Parser<'_>) {
    p.expect(Kind::Number);
}

fn name(p: &mut Parser<'_>) {
    p.expect(Kind::Name);
}

/// `name [= sum | in (all | expr)]`
fn bind(p: &mut Parser<'_>) {
    p.start(Kind::Bind);
    p.expect(Kind::Name);
    if p.eat(Kind::Eq) {
        expressions::sum(p);
    } else if p.eat_word("in") && !p.eat_word("all") {
        expressions::expr(p);
    }
    p.end();
}

/// `load 200/s [peak 2_000/s]`
pub(super) fn load(p: &mut Parser<'_>) {
    word_clause(p, Kind::Load, |p| {
        rate(p);
        if p.eat_word("peak") {
            rate(p);
        }
    });
}

pub(super) fn rate(p: &mut Parser<'_>) {
    p.start(Kind::Rate);
    p.expect(Kind::Number);
    p.expect(Kind::Slash);
    p.expect(Kind::Name);
    p.end();
}
