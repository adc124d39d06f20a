//! Clauses of an entity and of a mixin.

use super::{allow, clause as word_clause, expressions, names, path, types};
use crate::kind::Kind;
use crate::parser::Parser;

pub(super) fn clause(p: &mut Parser<'_>) {
    if !p.at(Kind::Name) {
        return;
    }
    match p.word() {
        Some("unique") => word_clause(p, Kind::Unique, |p| {
            names(p);
            types::when(p);
            otherwise(p);
        }),
        Some("check") => word_clause(p, Kind::Check, |p| {
            expressions::expr(p);
            otherwise(p);
        }),
        Some("tenant") => word_clause(p, Kind::Tenant, |p| {
            p.expect(Kind::Name);
        }),
        Some("deleted") if p.nth_word(1) == Some("when") => word_clause(p, Kind::Deleted, types::when),
        Some("states") => word_clause(p, Kind::States, |p| {
            path(p);
            p.block("a transition", transition);
        }),
        Some("volume") => volume(p),
        Some("include") => word_clause(p, Kind::Include, |p| {
            p.expect(Kind::Name);
        }),
        Some("allow") => allow(p),
        _ if p.nth(1) == Kind::Eq && p.nth(2) == Kind::Str => template(p),
        _ => types::attribute(p),
    }
}

/// `name = "TEMPLATE" [when expr]`
fn template(p: &mut Parser<'_>) {
    p.start(Kind::Template);
    p.bump();
    p.bump();
    p.bump();
    types::when(p);
    p.end();
}

/// `else Error`
pub(super) fn otherwise(p: &mut Parser<'_>) {
    if p.at_word("else") {
        word_clause(p, Kind::Else, |p| {
            p.expect(Kind::Name);
        });
    }
}

/// `a, b -> c, d [if expr]` or `enter a, b { fields }`
fn transition(p: &mut Parser<'_>) {
    if !p.at(Kind::Name) {
        return;
    }
    if p.at_word("enter") && p.nth(1) == Kind::Name {
        word_clause(p, Kind::Enter, |p| {
            names(p);
            expressions::fields(p);
        });
        return;
    }
    p.start(Kind::Transition);
    names(p);
    if p.expect(Kind::Arrow) {
        names(p);
    }
    if p.at_word("if") {
        word_clause(p, Kind::If, |p| {
            expressions::expr(p);
        });
    }
    p.end();
}

/// `volume 5_000 items, 1 KB each, 20 per userId max 200`
fn volume(p: &mut Parser<'_>) {
    word_clause(p, Kind::Volume, |p| {
        p.expect(Kind::Number);
        p.expect_word("items");
        while p.eat(Kind::Comma) {
            p.start(Kind::VolumePart);
            p.expect(Kind::Number);
            if !p.eat_word("each") && p.expect_word("per") {
                p.expect(Kind::Name);
                if p.eat_word("max") {
                    p.expect(Kind::Number);
                }
            }
            p.end();
        }
    });
}
