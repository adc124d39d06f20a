//! Clauses of a table and of `defaults`.

use super::{allow, clause as word_clause, names, one_of};
use crate::kind::Kind;
use crate::parser::Parser;

pub(super) fn clause(p: &mut Parser<'_>) {
    match p.word() {
        Some("key") => word_clause(p, Kind::Key, shape),
        Some("index" | "local") => index(p),
        Some("billing") => word_clause(p, Kind::Billing, |p| {
            if p.at_word("provisioned") {
                provisioned(p);
            } else {
                one_of(p, &["on_demand"], "`on_demand` or `provisioned`");
            }
        }),
        Some("ttl") => word_clause(p, Kind::Ttl, one_name),
        Some("stream") => word_clause(p, Kind::Stream, one_name),
        Some("recovery") => word_clause(p, Kind::Recovery, |p| {
            if !p.eat_word("off") {
                p.expect(Kind::Number);
            }
        }),
        Some("protect") => word_clause(p, Kind::Protect, |p| one_of(p, &["deletion"], "`deletion`")),
        Some("encryption") => word_clause(p, Kind::Encryption, |p| {
            p.expect(Kind::Name);
            p.eat(Kind::Str);
        }),
        Some("replicas") => word_clause(p, Kind::Replicas, names),
        Some("class") => word_clause(p, Kind::Class, one_name),
        Some("kind") => word_clause(p, Kind::KindClause, one_name),
        Some("allow") => allow(p),
        _ => {}
    }
}

fn one_name(p: &mut Parser<'_>) {
    p.expect(Kind::Name);
}

/// `[local] index name ["deployed"] (shape) { project ... | sparse | provisioned ... | allow ... }`
fn index(p: &mut Parser<'_>) {
    p.start(Kind::Index);
    p.eat_word("local");
    p.expect_word("index");
    p.expect(Kind::Name);
    p.eat(Kind::Str);
    shape(p);
    loop {
        match p.word() {
            Some("project") => word_clause(p, Kind::Project, |p| {
                if p.eat(Kind::LBracket) {
                    names(p);
                    p.expect(Kind::RBracket);
                } else {
                    one_of(p, &["all", "keys"], "`all`, `keys` or a list");
                }
            }),
            Some("sparse") => word_clause(p, Kind::Sparse, |_| {}),
            Some("provisioned") => provisioned(p),
            Some("allow") => allow(p),
            _ => break,
        }
    }
    p.end();
}

/// `provisioned 10 rcu 5 wcu`
fn provisioned(p: &mut Parser<'_>) {
    word_clause(p, Kind::Provisioned, |p| {
        p.start(Kind::Capacity);
        p.expect(Kind::Number);
        p.expect_word("rcu");
        p.expect(Kind::Number);
        p.expect_word("wcu");
        p.end();
    });
}

/// `(partition, attributes | sort, attributes)`
fn shape(p: &mut Parser<'_>) {
    p.start(Kind::Shape);
    if p.expect(Kind::LParen) {
        names(p);
        if p.eat(Kind::Bar) {
            names(p);
        }
        p.expect(Kind::RParen);
    }
    p.end();
}
