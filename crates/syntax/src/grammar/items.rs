//! The file and its declarations.

use super::{allow, clause, entities, expressions, live, names, operations, patterns, tables, tests, types};
use crate::kind::Kind;
use crate::parser::Parser;

/// The words that begin a declaration.
const ITEMS: [&str; 22] = [
    "import",
    "parameter",
    "caller",
    "defaults",
    "enum",
    "record",
    "mixin",
    "table",
    "entity",
    "rule",
    "system",
    "pattern",
    "operation",
    "effect",
    "worker",
    "route",
    "session",
    "test",
    "claim",
    "migrate",
    "module",
    "allow",
];

pub(super) fn file(p: &mut Parser<'_>) {
    p.start_file();
    if p.at_word("design") {
        header(p);
    }
    while !p.at(Kind::Eof) {
        if !item(p) {
            skip_to_item(p);
        }
    }
    p.end_file();
}

/// `design name [version n]`
fn header(p: &mut Parser<'_>) {
    p.start(Kind::Header);
    p.bump();
    p.expect(Kind::Name);
    if p.eat_word("version") {
        p.expect(Kind::Number);
    }
    p.end();
}

/// One declaration; false if no declaration begins here.
fn item(p: &mut Parser<'_>) -> bool {
    let Some(word) = p.word() else { return false };
    match word {
        "design" => header(p),
        "import" => clause(p, Kind::Import, |p| {
            p.expect(Kind::Str);
        }),
        "parameter" => parameter(p),
        "caller" => clause(p, Kind::Caller, types::object),
        "defaults" => clause(p, Kind::Defaults, |p| p.block("a table clause", tables::clause)),
        "enum" => named(p, Kind::Enum, |p| p.block("an enum member", member)),
        "record" => named(p, Kind::Record, types::object),
        "mixin" => named(p, Kind::Mixin, |p| {
            p.block("an attribute or clause", entities::clause);
        }),
        "table" => named(p, Kind::Table, |p| {
            p.eat(Kind::Str);
            p.block("a table clause", tables::clause);
        }),
        "entity" => named(p, Kind::Entity, |p| {
            if p.expect_word("in") {
                p.expect(Kind::Name);
            }
            p.block("an attribute or clause", entities::clause);
        }),
        "rule" => named(p, Kind::Rule, |p| {
            patterns::params(p);
            p.expect(Kind::Eq);
            expressions::expr(p);
        }),
        "system" if matches!(p.nth_word(1), Some("pattern")) => patterns::pattern(p),
        "system" if matches!(p.nth_word(1), Some("operation")) => operations::operation(p),
        "pattern" => patterns::pattern(p),
        "operation" => operations::operation(p),
        "effect" => live::effect(p),
        "worker" => live::worker(p),
        "route" => live::route(p),
        "session" => live::session(p),
        "test" => clause(p, Kind::Test, |p| {
            p.expect(Kind::Str);
            p.block("a test statement", tests::statement);
        }),
        "claim" => clause(p, Kind::Claim, |p| {
            p.expect(Kind::Str);
            expressions::expr(p);
        }),
        "migrate" => clause(p, Kind::Migrate, |p| {
            p.expect(Kind::Str);
            if p.eat_word("steps") {
                names(p);
            }
            p.block("a mapping", mapping);
        }),
        "module" => named(p, Kind::Module, |p| {
            expressions::fields(p);
        }),
        "allow" => allow(p),
        _ => return false,
    }
    true
}

fn named(p: &mut Parser<'_>, kind: Kind, rest: impl FnOnce(&mut Parser<'_>)) {
    p.start(kind);
    p.bump();
    p.expect(Kind::Name);
    rest(p);
    p.end();
}

/// `parameter name: type [= expr]`
fn parameter(p: &mut Parser<'_>) {
    named(p, Kind::Parameter, |p| {
        if p.expect(Kind::Colon) {
            types::ty(p);
        }
        if p.eat(Kind::Eq) {
            expressions::expr(p);
        }
    });
}

/// `name [(constant: expr, ...)]`, or `...` for an open enum.
fn member(p: &mut Parser<'_>) {
    if !matches!(p.kind(), Kind::Name | Kind::DotDotDot) {
        return;
    }
    p.start(Kind::Member);
    p.bump();
    if p.eat(Kind::LParen) {
        while p.at(Kind::Name) {
            p.start(Kind::Constant);
            p.bump();
            p.expect(Kind::Colon);
            expressions::expr(p);
            p.end();
            p.eat(Kind::Comma);
        }
        p.expect(Kind::RParen);
    }
    p.eat(Kind::Comma);
    p.end();
}

/// `New from Old [where expr] { fields } [merge names] [drop names]`
fn mapping(p: &mut Parser<'_>) {
    if !p.at(Kind::Name) {
        return;
    }
    p.start(Kind::Mapping);
    p.bump();
    if p.expect_word("from") {
        p.expect(Kind::Name);
    }
    if p.at_word("where") {
        clause(p, Kind::Where, |p| {
            expressions::expr(p);
        });
    }
    expressions::fields(p);
    if p.eat_word("merge") {
        names(p);
    }
    if p.eat_word("drop") {
        names(p);
    }
    p.end();
}

/// Everything up to what looks like the next declaration becomes one error.
fn skip_to_item(p: &mut Parser<'_>) {
    p.error(format!("expected a declaration, found {}", p.found()));
    p.start(Kind::Error);
    p.bump();
    while !p.at(Kind::Eof) {
        if p.looks_like_item() || (p.at_line_start() && p.at_any(&ITEMS)) {
            break;
        }
        p.bump();
    }
    p.end();
}

impl Parser<'_> {
    /// A declaration at the very beginning of a line, inside a block: the brace before it was forgotten.
    pub(crate) fn at_item_after_missing_brace(&self) -> bool {
        self.at_line_start() && self.looks_like_item()
    }

    /// A word alone does not distinguish a declaration from an attribute of that name, so the tokens after it must fit too.
    fn looks_like_item(&self) -> bool {
        let Some(word) = self.word() else { return false };
        let (one, two) = (self.nth(1), self.nth(2));
        match word {
            "import" | "test" | "claim" | "migrate" => one == Kind::Str,
            "caller" | "defaults" => one == Kind::LBrace,
            "enum" | "record" | "mixin" | "module" => one == Kind::Name && two == Kind::LBrace,
            "parameter" => one == Kind::Name && two == Kind::Colon,
            "table" => one == Kind::Name && matches!(two, Kind::Str | Kind::LBrace),
            "entity" => one == Kind::Name && self.nth_word(2) == Some("in"),
            "rule" => one == Kind::Name && two == Kind::LParen,
            "pattern" => one == Kind::Name && matches!(two, Kind::LParen | Kind::Eq),
            "operation" => one == Kind::Name && matches!(two, Kind::LParen | Kind::Eq | Kind::LBrace),
            "effect" => one == Kind::Name && two == Kind::LParen,
            "worker" => one == Kind::Name && matches!(self.nth_word(2), Some("on" | "due" | "every")),
            "route" => one == Kind::Str || (one == Kind::Name && two == Kind::Str),
            "session" => one == Kind::Eq || (one == Kind::Str && two == Kind::Eq),
            "system" => matches!(self.nth_word(1), Some("pattern" | "operation")),
            _ => false,
        }
    }
}
