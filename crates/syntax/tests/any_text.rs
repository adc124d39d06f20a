//! Any text at all: the tree holds every byte, nothing panics or hangs, formatting is a fixed point.

use proptest::prelude::*;
use sortkey_diagnostics::FileId;
use sortkey_syntax::{format, parse};

fn check(text: &str) {
    let parsed = parse(text, FileId(0));
    assert_eq!(parsed.syntax().text().to_string(), text);
    if let Some(once) = format(&parsed) {
        let again = parse(&once, FileId(0));
        assert_eq!(again.diagnostics(), [], "formatting broke\n{text}\ninto\n{once}");
        assert_eq!(format(&again).as_ref(), Some(&once), "formatting twice differs for\n{text}");
    }
}

#[test]
fn spaces_of_the_author_do_not_move_columns() {
    check("entity E in T {\n  id uuid = new\n  if ? design\n}\n");
}

/// Words and signs of the language, so that random texts get past the first token.
const WORDS: &[&str] = &[
    "design",
    "table",
    "entity",
    "in",
    "enum",
    "record",
    "mixin",
    "rule",
    "pattern",
    "operation",
    "effect",
    "http",
    "mail",
    "extern",
    "timeout",
    "worker",
    "on",
    "due",
    "every",
    "as",
    "concurrency",
    "lease",
    "attempts",
    "route",
    "answers",
    "session",
    "do",
    "choose",
    "otherwise",
    "given",
    "did",
    "work",
    "times",
    "system",
    "test",
    "claim",
    "migrate",
    "module",
    "allow",
    "because",
    "key",
    "index",
    "local",
    "project",
    "all",
    "sparse",
    "ttl",
    "unique",
    "check",
    "tenant",
    "states",
    "enter",
    "volume",
    "items",
    "each",
    "per",
    "include",
    "when",
    "if",
    "else",
    "get",
    "list",
    "by",
    "where",
    "page",
    "newest",
    "first",
    "create",
    "update",
    "let",
    "transact",
    "require",
    "return",
    "expect",
    "race",
    "succeeds",
    "exists",
    "absent",
    "and",
    "or",
    "not",
    "starts",
    "with",
    "contains",
    "implies",
    "a",
    "b",
    "c",
    "1",
    "15m",
    "256 KB",
    "\"x{y}\"",
    "`a#b`",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ":=",
    "=",
    "!=",
    "<",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "|",
    ".",
    "..",
    "...",
    "->",
    "?",
    "@",
    "+=",
    "// c\n",
    "/// d\n",
    "\n",
    "\n\n",
    "§",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_characters(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn any_words(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..120)) {
        let spaced = words.iter().map(|word| if word.ends_with('\n') { (*word).to_owned() } else { format!("{word} ") });
        check(&spaced.collect::<String>());
    }

    #[test]
    fn a_valid_shape_with_holes(
        entity in proptest::collection::vec(proptest::sample::select(WORDS), 0..12),
        pattern in proptest::collection::vec(proptest::sample::select(WORDS), 0..8),
    ) {
        check(&format!(
            "entity E in T {{\n  id uuid = new\n  {}\n}}\npattern p = list E by id {} page 5\n",
            entity.join(" "),
            pattern.join(" "),
        ));
    }
}

/// A declaration at the beginning of a line ends what is open before it; a loop that waited for an operand there never
/// ended.
#[test]
fn a_declaration_inside_an_open_bracket_ends_it() {
    for open in
        ["claim \"x\" f(", "claim \"x\" [", "claim \"x\" f(a: ", "claim \"x\" not ", "claim \"x\" a in "]
    {
        check(&format!("{open}\ntable T {{ key (a) }}\n"));
    }
}

#[test]
fn deep_nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{ a: ", "}"), ("f(", ")"), ("not ", ""), ("- ", "")] {
        check(&format!("claim \"x\" {}1{}", open.repeat(20_000), close.repeat(20_000)));
    }
    check(&format!("entity E in T {{ a {}string{} }}", "list(".repeat(20_000), ")".repeat(20_000)));
    check(&format!("operation o {{ {}", "transact { ".repeat(20_000)));
    check(&format!("test \"t\" {{ {}", "race { ".repeat(20_000)));
}

#[test]
fn long_chains_are_bounded() {
    for link in [" + 1", ".a", "->a", "(1)", "[1]", " and a", " implies a", " * 2"] {
        check(&format!("claim \"x\" a{}", link.repeat(20_000)));
    }
}

#[test]
fn large_files_are_parsed_in_linear_time() {
    let text = "entity E in T {\n  id uuid = new\n  name string(1..120) @personal\n}\n".repeat(5_000);
    let parsed = parse(&text, FileId(0));
    assert_eq!(parsed.diagnostics(), []);
    assert_eq!(format(&parsed).unwrap(), text.replace("id uuid", "id   uuid"));
}
