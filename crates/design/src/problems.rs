//! The errors of the compiler itself, which leave a design without a meaning.
//!
//! Lints, which judge a meaning, live in their own crate.

use sortkey_diagnostics::{Diagnostic, Severity, Span};

/// An error of the compiler, with the text that `sortkey explain` prints.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The short code.
    pub code: &'static str,
    /// The readable name.
    pub name: &'static str,
    /// Its meaning, and how to fix it.
    pub text: &'static str,
}

macro_rules! problems {
    ($($constant:ident $code:literal $name:literal $text:literal)*) => {
        $(pub(crate) const $constant: Problem = Problem { code: $code, name: $name, text: $text };)*
        /// All of them, in the order of their codes.
        pub const PROBLEMS: &[Problem] = &[SYNTAX, $($constant,)* UNKNOWN_RULE, PARAMETER, TABLE_DIFFERS, NOT_UNIQUE, TEST_FAILED, CANNOT_RUN];
    };
}

/// Raised by the parser, listed here so that `explain` finds it.
pub const SYNTAX: Problem = Problem {
    code: "SK0001",
    name: "syntax",
    text: "The text does not have the shape of the language. The parser goes on after the mistake, so later \
           diagnostics are still meaningful; fix the first one first.",
};

/// Raised when a design is compiled, and when it is deployed.
pub const PARAMETER: Problem = Problem {
    code: "SK0020",
    name: "bad-parameter",
    text: "A parameter of the design has no value, a value that is not of its type, or is not declared; or a \
           deployed name that it is part of is none that DynamoDB accepts. Values are given with `--set name=value`.",
};

/// Raised when the tables of a design exist and differ from it.
pub const TABLE_DIFFERS: Problem = Problem {
    code: "SK0021",
    name: "table-differs",
    text: "A table that is there differs from the design in a way that could only be changed by rebuilding it or by \
           taking something away: its key, an index, how it is paid for, how items expire. Nothing was changed. Give \
           the table or the index a new name in the design, or change what is there by hand.",
};

/// Raised when existing items violate a `unique` clause.
pub const NOT_UNIQUE: Problem = Problem {
    code: "SK0022",
    name: "not-unique-yet",
    text: "Two items that are there have the same value of what the design now says is unique. When a clause is new, or \
           its attribute is normalised in another way, every item that is there gets its guard before the design runs; of \
           two items with one value only one can. No item was changed, and guards that were made are seen by nobody. Run the \
           design as it was, change or delete one of the two items, and start again.",
};

/// Raised by `allow`.
pub const UNKNOWN_RULE: Problem = Problem {
    code: "SK0012",
    name: "unknown-rule",
    text: "An `allow` names a rule that does not exist, so it silences nothing. `sortkey explain` lists all rules. Errors \
           of the compiler cannot be silenced.",
};

/// Raised by the rules, even where they are allowed.
pub const CANNOT_RUN: Problem = Problem {
    code: "SK0028",
    name: "cannot-run",
    text: "The design needs a request that DynamoDB does not have: no key, index or guard serves a pattern, finds the \
           children that are deleted with their parent, or finds what is due for a worker. A rule says more about it, \
           and an `allow` silences the rule; the design would still not start. Add an index, or say `scan`.",
};

/// Raised by `sortkey test`.
pub const TEST_FAILED: Problem = Problem {
    code: "SK0023",
    name: "test-failed",
    text: "A test of the design failed at the place that is shown: an `expect` was false, a call failed that should have \
           succeeded, or another number of a race's branches succeeded than `succeeds` says. The notes show both sides of \
           a comparison, the failure of each branch, and the order of requests in which a race fails; `sortkey test \
           --filter TITLE --order CHOICES` runs that order again. A test runs as `system` outside `as`, on empty tables, \
           with a clock that stands still until `advance`.",
};

problems! {
    IMPORT "SK0002" "import" "An imported file or the old design of a migration cannot be read, or imports go in a circle."
    DUPLICATE "SK0003" "duplicate-name" "Two declarations of one kind have the same name. Tables, entities, enums, records, mixins, patterns and operations each have one namespace for the whole design, imported files included; attributes have one per entity."
    UNKNOWN "SK0004" "unknown-name" "A name refers to nothing: a table, entity, attribute, index, mixin, rule or module entry that is not declared. The message offers the nearest name if there is one."
    TYPE "SK0005" "entity-mentioned-not-defined" "A type is not one of the language's, and no enum or record has that name; or its arguments do not fit. Or a claim says that a table holds something that no entity is called."
    ANNOTATION "SK0006" "unknown-annotation" "An annotation is not one of the language's, or says nothing about a part of an object. The annotations are @immutable, @transient, @virtual, @secret, @internal, @encrypted, @personal, @normalize, @unique, @counter, @counts, @version, @null, @was."
    TEMPLATE "SK0007" "bad-template" "A key template has an unclosed brace, an empty slot, or a format that does not exist. A slot is {attribute} or {attribute:format} with the formats pad(n), iso, ms, s, date, month, escape and lower."
    NUMBER "SK0008" "bad-number" "A number has a unit that does not exist or does not fit. Durations take ms, s, m, h, d and w; sizes take B, KB, MB and GB."
    KEY "SK0009" "missing-key" "A table has no `key`, or more than one partition or sort attribute in it. Only an index may have up to four of each."
    CONTRADICTION "SK0011" "key-template-contradiction" "Two places give different templates for one key attribute of an entity. An item has one key: decide which, and delete the other."
    MISMATCH "SK0013" "type-mismatch" "A value is not of the type that its place needs: a field against its attribute, an argument against its parameter, the two sides of a comparison, a key attribute of a table or an index in two entities. Ids of two formats, times and numbers, words that an enum does not have are told apart; what would be refused when the operation runs is refused here."
    ARGUMENT "SK0014" "wrong-argument" "A call leaves out a parameter that must be given, names one that does not exist, gives one twice, or gives more than there are; or a declaration says what cannot be meant: a parameter that nothing uses and nothing gives a type, a list of two lengths, a receipt of an operation that writes nothing, a test without a statement. A pattern takes its unbound `by` names in order and then its declared parameters; an operation in the short form takes the key and the attributes it lists."
    NOT_SETTABLE "SK0015" "not-settable" "A write gives an attribute that nobody can give: it is derived with `:=`, computed from a template, immutable, or part of the key of an item that exists."
    ABSENT "SK0016" "missing-value" "Something that must always be there is left out or removed: an attribute without `?` that nothing fills, or a part of a record."
    UNREAD "SK0017" "reference-not-read" "`->` follows a reference to an item that the operation has not read. A reference never reads by itself, because every request is visible in the text: read the item with `let` first."
    UNREAD_HERE "SK0018" "read-in-condition" "A filter, the condition or a value of a write, or what an entity says of itself calls a pattern, an operation or an entity, or a rule that does. Nothing is read there: the call would have no answer. Rules that only compare values may be used everywhere; what must be read is asked with `requires`, read with `let`, or asked for with `require` or `check`."
    CIRCLE "SK0019" "calls-in-a-circle" "A rule, a pattern or an operation reaches itself through what it calls, or calls nest too deep. The language has no branch that could end such a call, so it would never answer. Write the steps out where they are needed, or let the program that calls repeat the operation. Or a derived attribute is made of itself, directly or through others: it has no value to begin with."
    EFFECT "SK0024" "misplaced-effect" "An effect stands where it cannot happen. Effects are steps of workers and of `system` operations: `let r = do post(...)`, outside of `transact`, never inside of another expression. What callers run only reads and writes: write an item, and let a worker act on it."
    SEALED "SK0025" "encrypted-in-condition" "An encrypted attribute is part of a key, unique, compared in a condition, or changed in part. It is encrypted before it is sent, with another result each time, so the database can neither find nor compare it. Whether it is there can be asked. Store what is looked for beside it, such as a hash of it."
    LIMIT "SK0026" "beyond-dynamodb" "A table says what DynamoDB has not: more than 20 global or 5 local indexes, recovery of more than 35 days, provisioned capacity of nothing, a name of a key attribute above 255 bytes. It would be refused when the design starts."
    RESERVED "SK0027" "reserved-name" "An attribute or a parameter has a name that means something else: `$entity` is the entity of an item in an answer, attributes that begin with `sortkey#` hold leases and owners, and `cursor` and `limit` ask a paged pattern for its next page."
    SHAPE "SK0010" "key-not-filled" "An entity does not fill the key of its table: each key attribute must be an attribute of the entity that is always present, or a template."
}

impl Problem {
    /// The problem at a place.
    pub fn at(&self, span: Span, title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.name, Severity::Error, span, title)
    }
}

/// The nearest of some names, if it is near enough to be what was meant.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = wanted.chars().count() / 3 + 1;
    names
        .map(|name| (distance(wanted, name, limit), name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// Edit distance, ignoring case; anything beyond `limit` counts as `limit + 1`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    if a.len().abs_diff(b.len()) > limit || a.len() > 200 {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = if x == y { corner } else { corner + 1 };
            corner = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_if_it_is_near() {
        let names = ["userId", "accountId", "email"];
        assert_eq!(nearest("userID", names.into_iter()), Some("userId"));
        assert_eq!(nearest("emial", names.into_iter()), Some("email"));
        assert_eq!(nearest("colour", names.into_iter()), None);
    }
}
