//! The grammar, one module per part of the language, each function named after what it parses.

mod entities;
mod expressions;
mod items;
mod live;
mod operations;
mod patterns;
mod tables;
mod tests;
mod types;

use crate::kind::Kind;
use crate::parser::Parser;
use sortkey_diagnostics::{Diagnostic, FileId};

/// Parses a whole file.
pub(crate) fn file(text: &str, file: FileId) -> (rowan::GreenNode, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, file);
    items::file(&mut parser);
    parser.finish()
}

/// `a, b, c`
fn names(p: &mut Parser<'_>) {
    p.start(Kind::Names);
    p.expect(Kind::Name);
    while p.eat(Kind::Comma) {
        p.expect(Kind::Name);
    }
    p.end();
}

/// `a.b.c`
fn path(p: &mut Parser<'_>) {
    p.start(Kind::Path);
    p.expect(Kind::Name);
    while p.eat(Kind::Dot) {
        p.expect(Kind::Name);
    }
    p.end();
}

/// `allow rule because "..."`
fn allow(p: &mut Parser<'_>) {
    p.start(Kind::Allow);
    p.bump();
    p.expect(Kind::Name);
    if p.expect_word("because") {
        p.expect(Kind::Str);
    }
    p.end();
}

/// A node that is a word, then something.
fn clause(p: &mut Parser<'_>, kind: Kind, rest: impl FnOnce(&mut Parser<'_>)) {
    p.start(kind);
    p.bump();
    rest(p);
    p.end();
}

/// One of a few words.
fn one_of(p: &mut Parser<'_>, words: &[&str], expected: &str) {
    if words.iter().any(|word| p.eat_word(word)) {
        return;
    }
    if p.at(Kind::Name) && !p.at_line_start() {
        p.unexpected(expected);
    } else {
        p.error(format!("expected {expected}, found {}", p.found()));
    }
}

/// A word where a verb should be: taken for a misspelt verb if an entity follows it.
fn wrong_verb(p: &mut Parser<'_>, verbs: &str) {
    if p.at(Kind::Name) && p.nth(1) == Kind::Name && !p.at_line_start() {
        p.unexpected(verbs);
    } else {
        p.error(format!("expected {verbs}, found {}", p.found()));
    }
}
