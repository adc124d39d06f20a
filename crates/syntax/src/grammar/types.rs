//! Types and attributes.

use super::expressions;
use crate::kind::Kind;
use crate::parser::Parser;

/// `{ attribute, ... }`
pub(super) fn object(p: &mut Parser<'_>) {
    p.start(Kind::TypeObject);
    p.block("an attribute", |p| {
        if p.at(Kind::Name) {
            attribute(p);
        }
    });
    p.end();
}

/// `name[?] [type] [-> Entity[.attribute] [on delete ...]] [= expr | := expr] [when expr] { @annotation }`
pub(super) fn attribute(p: &mut Parser<'_>) {
    p.start(Kind::Attribute);
    p.expect(Kind::Name);
    p.eat(Kind::Question);
    if matches!(p.kind(), Kind::Name | Kind::LBrace) && !p.at_word("when") {
        ty(p);
    }
    if p.at(Kind::Arrow) {
        reference(p);
    }
    if matches!(p.kind(), Kind::Eq | Kind::ColonEq) {
        p.bump();
        expressions::expr(p);
    }
    when(p);
    while p.at(Kind::At) {
        p.start(Kind::Annotation);
        p.bump();
        p.expect(Kind::Name);
        if p.at(Kind::LParen) {
            expressions::args(p);
        }
        p.end();
    }
    p.eat(Kind::Comma);
    p.end();
}

pub(super) fn when(p: &mut Parser<'_>) {
    if p.at_word("when") {
        super::clause(p, Kind::When, |p| {
            expressions::expr(p);
        });
    }
}

fn reference(p: &mut Parser<'_>) {
    p.start(Kind::Reference);
    p.bump();
    p.expect(Kind::Name);
    if p.eat(Kind::Dot) {
        p.expect(Kind::Name);
    }
    if p.at_word("on") && p.nth_word(1) == Some("delete") {
        p.bump();
        p.bump();
        if !p.eat_word("cascade") && !p.eat_word("keep") {
            p.error(format!("expected `cascade` or `keep`, found {}", p.found()));
        }
    }
    p.end();
}

/// An object, a union of words, or a name with arguments.
pub(super) fn ty(p: &mut Parser<'_>) {
    p.nested(|p| {
        if p.at(Kind::LBrace) {
            object(p);
            return;
        }
        let start = p.checkpoint();
        if !p.expect(Kind::Name) {
            return;
        }
        if p.at(Kind::Bar) {
            p.start_at(start, Kind::TypeUnion);
            while p.eat(Kind::Bar) {
                if !p.eat(Kind::DotDotDot) {
                    p.expect(Kind::Name);
                }
            }
        } else {
            p.start_at(start, Kind::TypeName);
            if p.eat(Kind::LParen) {
                arguments(p);
                p.expect(Kind::RParen);
            }
        }
        p.end();
    });
}

fn arguments(p: &mut Parser<'_>) {
    while !matches!(p.kind(), Kind::RParen | Kind::Eof) {
        p.start(Kind::TypeArg);
        let understood = argument(p);
        p.end();
        if !understood {
            p.error(format!("expected a type, a number, a string or a range, found {}", p.found()));
            return;
        }
        if !p.eat(Kind::Comma) {
            return;
        }
    }
}

/// `[-]1..9`, `..9`, `16`, `"usr_"`, `max 20`, or a type.
fn argument(p: &mut Parser<'_>) -> bool {
    match p.kind() {
        Kind::Minus | Kind::Number | Kind::DotDot => {
            bound(p);
            if p.eat(Kind::DotDot) {
                bound(p);
            }
        }
        Kind::Str => p.bump(),
        Kind::Name if p.nth(1) == Kind::Number => {
            p.bump();
            p.bump();
        }
        Kind::Name | Kind::LBrace => ty(p),
        _ => return false,
    }
    true
}

/// `[-]9`, or nothing
fn bound(p: &mut Parser<'_>) {
    if p.eat(Kind::Minus) {
        p.expect(Kind::Number);
    } else {
        p.eat(Kind::Number);
    }
}
