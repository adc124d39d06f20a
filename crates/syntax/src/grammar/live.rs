//! Declarations that run by themselves: effects, workers, routes and sessions.

use super::{allow, clause as word_clause, expressions, names, operations, patterns, types};
use crate::kind::Kind;
use crate::parser::Parser;

/// The changes that can trigger a worker.
const CHANGES: [&str; 4] = ["create", "update", "delete", "expire"];

/// `effect name(params) [-> { attributes }] = kind [timeout duration]`, where the kind is `http METHOD url`, `mail`,
/// `jwt issuer audience text [keys url]`, `live channel` or `extern [live channel]`
pub(super) fn effect(p: &mut Parser<'_>) {
    p.start(Kind::Effect);
    p.bump();
    p.expect(Kind::Name);
    patterns::params(p);
    if p.eat(Kind::Arrow) {
        types::object(p);
    }
    p.expect(Kind::Eq);
    match p.word() {
        Some("http") => {
            p.bump();
            p.expect(Kind::Name);
            expressions::sum(p);
        }
        Some("jwt") => {
            p.bump();
            expressions::sum(p);
            match p.at_word("audience") {
                true => word_clause(p, Kind::Audience, sum),
                false => p.error(format!("expected `audience`, found {}", p.found())),
            }
            if p.at_word("keys") {
                word_clause(p, Kind::Keys, sum);
            }
        }
        Some("live") => {
            p.bump();
            expressions::sum(p);
        }
        Some("extern") => {
            p.bump();
            if p.at_word("live") {
                word_clause(p, Kind::Channel, sum);
            }
        }
        Some("mail") => p.bump(),
        _ => p.error(format!("expected `http`, `mail`, `jwt`, `live` or `extern`, found {}", p.found())),
    }
    if p.at_word("timeout") {
        word_clause(p, Kind::Timeout, number);
    }
    p.end();
}

/// `worker name trigger { clause } { statements } { on Error { statements } }`
pub(super) fn worker(p: &mut Parser<'_>) {
    p.start(Kind::Worker);
    p.bump();
    p.expect(Kind::Name);
    trigger(p);
    while clause(p) {}
    operations::body(p);
    operations::handlers(p);
    p.end();
}

/// `on create, update Entity as name [when expr]`, `due Entity as name by attribute [when expr]` or
/// `every (duration | "cron" [in "zone"])`
fn trigger(p: &mut Parser<'_>) {
    match p.word() {
        Some("on") => word_clause(p, Kind::Trigger, |p| {
            if !p.at_any(&CHANGES) {
                p.error(format!("expected `create`, `update`, `delete` or `expire`, found {}", p.found()));
            }
            names(p);
            item(p);
            types::when(p);
        }),
        Some("due") => word_clause(p, Kind::Trigger, |p| {
            item(p);
            p.expect_word("by");
            p.expect(Kind::Name);
            types::when(p);
        }),
        Some("every") => word_clause(p, Kind::Trigger, |p| {
            if !p.eat(Kind::Number) {
                p.expect(Kind::Str);
            }
            if p.eat_word("in") {
                p.expect(Kind::Str);
            }
        }),
        _ => p.error(format!("expected `on`, `due` or `every`, found {}", p.found())),
    }
}

/// `Entity as name`
fn item(p: &mut Parser<'_>) {
    p.expect(Kind::Name);
    if p.expect_word("as") {
        p.expect(Kind::Name);
    }
}

fn clause(p: &mut Parser<'_>) -> bool {
    match p.word() {
        Some("concurrency") => word_clause(p, Kind::Concurrency, |p| {
            p.expect(Kind::Number);
            if p.eat_word("per") {
                p.expect(Kind::Name);
                p.expect(Kind::Number);
            }
        }),
        Some("lease") => word_clause(p, Kind::Lease, number),
        Some("attempts") => word_clause(p, Kind::Attempts, number),
        Some("allow") => allow(p),
        _ => return false,
    }
    true
}

/// `route [METHOD] "/path/{name}" = expr { answers status | as "type" | live | max size | limit rate }`
pub(super) fn route(p: &mut Parser<'_>) {
    p.start(Kind::Route);
    p.bump();
    p.eat(Kind::Name);
    p.expect(Kind::Str);
    p.expect(Kind::Eq);
    expressions::expr(p);
    while route_clause(p) {}
    p.end();
}

fn route_clause(p: &mut Parser<'_>) -> bool {
    match p.word() {
        Some("answers") => word_clause(p, Kind::Answers, number),
        Some("as") => word_clause(p, Kind::Typed, |p| {
            p.expect(Kind::Str);
        }),
        Some("live") => word_clause(p, Kind::Live, |_| ()),
        Some("max") => word_clause(p, Kind::MaxBody, number),
        Some("limit") => word_clause(p, Kind::Throttle, patterns::rate),
        _ => return false,
    }
    true
}

/// `session ["prefix"] = expr as name { fields }`
pub(super) fn session(p: &mut Parser<'_>) {
    p.start(Kind::Session);
    p.bump();
    p.eat(Kind::Str);
    p.expect(Kind::Eq);
    expressions::expr(p);
    if p.expect_word("as") {
        p.expect(Kind::Name);
        expressions::fields(p);
    }
    p.end();
}

fn sum(p: &mut Parser<'_>) {
    expressions::sum(p);
}

fn number(p: &mut Parser<'_>) {
    p.expect(Kind::Number);
}
