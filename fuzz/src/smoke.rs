//! A short run of every target on mutated seeds.

use crate::mutate::{Choices, mutated};
use crate::targets;

/// A target with what it is fed.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, which is also the name of its binary and of its seeds.
    pub name: &'static str,
    /// What is called.
    pub run: fn(&[u8]),
    /// Inputs that are right, or nearly: one per line, `\n` written for a line's end within one.
    seeds: &'static str,
    /// Words that mutations insert.
    tokens: &'static [&'static str],
    /// How many times longer one input takes than a short expression: so many fewer are fed.
    weight: usize,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "condition",
        run: targets::condition,
        seeds: include_str!("../seeds/condition.txt"),
        tokens: EXPRESSION_TOKENS,
        weight: 1,
    },
    Target {
        name: "key_condition",
        run: targets::key_condition,
        seeds: include_str!("../seeds/key_condition.txt"),
        tokens: EXPRESSION_TOKENS,
        weight: 1,
    },
    Target {
        name: "projection",
        run: targets::projection,
        seeds: include_str!("../seeds/projection.txt"),
        tokens: EXPRESSION_TOKENS,
        weight: 1,
    },
    Target {
        name: "update",
        run: targets::update,
        seeds: include_str!("../seeds/update.txt"),
        tokens: EXPRESSION_TOKENS,
        weight: 1,
    },
    Target {
        name: "partiql",
        run: targets::partiql,
        seeds: include_str!("../seeds/partiql.txt"),
        tokens: PARTIQL_TOKENS,
        weight: 1,
    },
    Target {
        name: "request",
        run: targets::request,
        seeds: include_str!("../seeds/request.txt"),
        tokens: JSON_TOKENS,
        weight: 1,
    },
    Target {
        name: "number",
        run: targets::number,
        seeds: include_str!("../seeds/number.txt"),
        tokens: &["0", "9", "-", "+", ".", "e", "E-130", "E+125", "\n", "00000000000000000000"],
        weight: 1,
    },
    Target {
        name: "design",
        run: targets::design,
        seeds: include_str!("../seeds/design.txt"),
        tokens: DESIGN_TOKENS,
        weight: 20,
    },
    Target {
        name: "check",
        run: targets::check,
        seeds: include_str!("../seeds/check.txt"),
        tokens: DESIGN_TOKENS,
        weight: 50,
    },
];

const DESIGN_TOKENS: &[&str] = &[
    "table ",
    "entity ",
    " in ",
    "pattern ",
    "operation ",
    "rule ",
    "enum ",
    "record ",
    "mixin ",
    "include ",
    "test ",
    "claim ",
    "migrate ",
    "module ",
    "allow ",
    "key ",
    "index ",
    "ttl ",
    "project ",
    "unique ",
    "check ",
    "tenant ",
    "states ",
    "enter ",
    "deleted when ",
    "volume ",
    "get ",
    "list ",
    "by ",
    "where ",
    "filter ",
    "page ",
    "create ",
    "update ",
    "delete ",
    "transact {",
    "each x in ",
    "let x = ",
    "require ",
    "return ",
    "else ",
    " if ",
    " when ",
    "->",
    " on delete cascade",
    "@unique",
    "@counts(E)",
    "...x",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "|",
    "=",
    ":=",
    "+=",
    "..",
    "?",
    "\"{a}#{b:pad(4)}\"",
    "`a#b`",
    "uuid",
    "int(0..9)",
    "time(s)",
    "list(",
    "new(E)",
    "key(E)",
    "99999999999999999999",
    "15m",
    "256 KB",
    "now",
    "caller.",
    "it.",
    "//",
    "\n",
    "\u{0}",
];

const EXPRESSION_TOKENS: &[&str] = &[
    "#a",
    ":a",
    ":b",
    ":g",
    "a",
    "a.b[1]",
    "[0]",
    ".",
    ",",
    "(",
    ")",
    "=",
    "<>",
    "<",
    ">=",
    "+",
    "-",
    " AND ",
    " OR ",
    "NOT ",
    " BETWEEN ",
    " IN ",
    "SET ",
    "REMOVE ",
    "ADD ",
    "DELETE ",
    "size(",
    "contains(",
    "begins_with(",
    "attribute_exists(",
    "attribute_type(",
    "if_not_exists(",
    "list_append(",
    "[4294967296]",
    "é",
    "\u{0}",
];

const PARTIQL_TOKENS: &[&str] = &[
    "SELECT ",
    "INSERT INTO ",
    "UPDATE ",
    "DELETE FROM ",
    " WHERE ",
    " SET ",
    " REMOVE ",
    " VALUE ",
    " RETURNING ",
    "ALL OLD *",
    " ORDER BY ",
    " DESC",
    " AND ",
    " OR ",
    "NOT ",
    " IN ",
    " BETWEEN ",
    " IS MISSING",
    "\"users\"",
    "'text'",
    "?",
    "{",
    "}",
    "[",
    "]",
    "<<",
    ">>",
    "(",
    ")",
    ",",
    ":",
    ".",
    "*",
    "1",
    "1e400",
    "--",
    "''",
    "\"\"",
];

const JSON_TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e999",
    "99999999999999999999",
    "\\u0000",
    "\\ud800",
    "\\",
    "{\"S\":\"a\"}",
    "{\"N\":\"1\"}",
    "{\"M\":{}}",
    "{\"L\":[]}",
    "{\"SS\":[\"a\",\"a\"]}",
    "{\"B\":\"!\"}",
    "\"users\"",
    "\"Limit\":1",
    "[[[[[[[[",
    "{\"M\":{\"a\":",
];

impl Target {
    /// The seeds, each as it is fed.
    pub fn seeds(&self) -> Vec<String> {
        self.seeds.lines().filter(|line| !line.is_empty()).map(|line| line.replace("\\n", "\n")).collect()
    }

    /// Feeds the seeds as they are, and `inputs` mutations of them, fewer of what takes longer. The same seed repeats the same inputs.
    pub fn smoke(&self, seed: u64, inputs: usize) {
        let seeds = self.seeds();
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        for input in &seeds {
            (self.run)(input.as_bytes());
        }
        let mut choices = Choices::new(seed);
        for _ in 0..inputs / self.weight {
            (self.run)(&mutated(&seeds, self.tokens, &mut choices));
        }
    }
}
