//! One error never hides the next, and what is well formed stays in the tree.

use sortkey_diagnostics::{FileId, Sources};
use sortkey_syntax::ast::Item;
use sortkey_syntax::parse;

/// Checks the complaints (line:column, then the sentence) and how many declarations survive.
fn check(text: &str, declarations: usize, expected: &[&str]) {
    let mut sources = Sources::new();
    let file = sources.add("t.sk", text);
    let parsed = parse(text, file);
    let found: Vec<String> = parsed
        .diagnostics()
        .iter()
        .map(|diagnostic| {
            let at = sources.position(diagnostic.primary.span);
            format!("{}:{} {}", at.line, at.column, diagnostic.title)
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(parsed.file().items().count(), declarations);
}

#[test]
fn a_missing_brace_does_not_swallow_the_next_declaration() {
    check("table T {\n  key (a)\n\nentity E in T {\n  a uuid\n}\n", 2, &["4:1 expected `}`, found `entity`"]);
}

#[test]
fn a_wrong_clause_is_skipped_token_by_token() {
    check(
        "table T {\n  key (a)\n  sort b\n  ttl c\n}\nentity E in T { a uuid }\n",
        2,
        &["3:3 expected a table clause, found `sort`", "3:8 expected a table clause, found `b`"],
    );
}

#[test]
fn several_errors_are_all_reported() {
    check(
        "pattern p = fetch User by id\nentity in T { }\noperation o = update\ntable T { key }\n",
        4,
        &[
            "1:13 expected `get`, `list`, `count`, `exists`, `sum`, `collect` or `scan`, found `fetch`",
            "2:11 expected `in`, found `T`",
            "4:1 expected a name, found `table`",
            "4:15 expected `(`, found `}`",
        ],
    );
}

#[test]
fn an_unfinished_expression_names_what_is_missing() {
    check("claim \"x\" a =\ntable T { key (a) }\n", 2, &["2:1 expected an expression, found `table`"]);
}

#[test]
fn forgotten_quotes_and_stray_characters_are_pointed_at() {
    check(
        "table T \"name {\n  key (a)\n}\n§\n",
        1,
        &["1:9 this quote is never closed", "2:3 expected `{`, found `key`", "4:1 `§` has no meaning here"],
    );
}

#[test]
fn documentation_belongs_to_the_next_declaration() {
    let parsed = parse("/// One.\n/// Two.\ntable T { key (a) }\n", FileId(0));
    let Some(Item::Table(table)) = parsed.file().items().next() else { panic!("a table") };
    use sortkey_syntax::ast::AstNode;
    assert_eq!(sortkey_syntax::ast::docs(table.syntax()).as_deref(), Some("One.\nTwo."));
}
