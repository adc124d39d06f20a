//! Values in a `migrate` block: names are those of the old design, types those of the new one.

use sortkey_design::{Loader, compile};

const BEFORE: &str = r#"
table Users { key (userId) }
table Notes { key (noteId) }
enum Plan { free paid }
entity User in Users {
  userId uuid = new
  email  string
  plan   Plan = free
}
entity Note in Notes {
  noteId  uuid = new
  userId  -> User
  words   string
  at      time(iso)
  size    int
}
"#;

const AFTER: &str = r#"
table Notes "notes-v2" { key (userId | noteId) }
enum Kind { short long }
record Stamp { at time(s), by string }
entity Note in Notes {
  userId uuid
  noteId uuid = new
  kind   Kind = short
  email  email
  size   int
  day    date
  stamp? Stamp
  length int := size(email)
}
"#;

struct Before;

impl Loader for Before {
    fn load(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        Ok((path.to_owned(), BEFORE.to_owned()))
    }
}

/// The diagnostics of a mapping of `Note`.
fn said(mapping: &str) -> Vec<String> {
    let text = format!("{AFTER}migrate \"before.sk\" steps create, copy {{ {mapping} }}\n");
    let found = compile("after.sk", &text, &Before).diagnostics;
    found.iter().map(|each| format!("{}: {}", each.rule, each.title)).collect()
}

#[test]
fn values_of_a_mapping() {
    let cases: [(&str, &[&str]); 12] = [
        ("Note from Note { email: userId->email, day: date(at), kind: long } drop words, at", &[]),
        ("Note from Note where size > 3 { stamp: { at: at, by: words } }", &[]),
        ("Note from Note { kind: middle }", &["type-mismatch: `middle` is not one of `Kind`"]),
        ("Note from Note { day: size }", &["type-mismatch: a date is wanted, not an int"]),
        ("Note from Note { size: words }", &["type-mismatch: an int is wanted, not a string"]),
        (
            "Note from Note { email: mail }",
            &["unknown-name: there is no attribute, parameter or word called `mail`"],
        ),
        (
            "Note from Note { email: userId->mail }",
            &["unknown-name: there is no attribute of `User` called `mail`"],
        ),
        (
            "Note from Note { colour: words }",
            &["unknown-name: there is no attribute of `Note` called `colour`"],
        ),
        ("Note from Note { length: 3 }", &["not-settable: `length` cannot be given: it is computed"]),
        ("Note from Note where words { }", &["type-mismatch: a condition is true or false, not a string"]),
        ("Note from Note { stamp: { at: at } }", &["missing-value: `by` is missing"]),
        (
            "Note from Note { } merge colour",
            &["unknown-name: there is no attribute of `Note` called `colour`"],
        ),
    ];
    for (mapping, expected) in cases {
        assert_eq!(said(mapping), expected, "{mapping}");
    }
}

#[test]
fn steps_are_words_of_a_list() {
    let text = format!("{AFTER}migrate \"before.sk\" steps create, verfy {{ Note from Note {{ }} }}\n");
    let found = compile("after.sk", &text, &Before).diagnostics;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].title, "there is no step of a migration called `verfy`");
    assert_eq!(found[0].primary.text, "did you mean `verify`?");
}

/// A design that follows itself, several times over, was compiled once for every way through its past.
#[test]
fn only_the_last_past_counts() {
    let text = "table T { key (a) }\n".to_owned() + &"migrate \"before.sk\" { }\n".repeat(12);
    struct Itself(String);
    impl Loader for Itself {
        fn load(&self, _from: &str, path: &str) -> Result<(String, String), String> {
            Ok((path.to_owned(), self.0.clone()))
        }
    }
    let compilation = compile("before.sk", &text, &Itself(text.clone()));
    let past = compilation.design.migrations.iter().filter_map(|each| each.old.as_deref());
    assert_eq!(past.clone().count(), 8);
    assert!(past.into_iter().flat_map(|old| &old.migrations).all(|each| each.old.is_none()));
    assert_eq!(compilation.diagnostics.len(), 1);
    assert_eq!(compilation.diagnostics[0].title, "a design follows at most 8 others");
}
