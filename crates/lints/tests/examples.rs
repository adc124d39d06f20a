//! The examples in the documentation of every rule: the bad one raises the rule, the better one does not, and both
//! are designs that compile.

use sortkey_design::Loader;
use sortkey_lints::{Options, check, explain, lints};

/// The design that the examples of migrations come from.
const BEFORE: &str = r#"
table Profiles "profiles" { key (profileId) }
entity Profile in Profiles { profileId uuid = new  owner uuid }
pattern profile = get Profile by profileId
table Clubs "clubs" { key (clubId) }
entity Club in Clubs { clubId uuid = new  founder uuid @immutable  title string(..40) }
table Members "members" { key (memberId) }
entity Member in Members { memberId uuid = new  clubId -> Club }
"#;

struct Before;

impl Loader for Before {
    fn load(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        Ok((path.to_owned(), BEFORE.to_owned()))
    }
}

/// The rules that an example raises, by name.
fn raised(example: &str) -> Vec<&'static str> {
    let compilation = check("example.sk", example, &Before, &Options::default());
    compilation.diagnostics.iter().map(|diagnostic| diagnostic.rule).collect()
}

#[test]
fn examples_raise_what_they_say() {
    let known: Vec<&str> = lints().map(|lint| lint.name).collect();
    let mut wrong = Vec::new();
    for lint in lints() {
        let explanation = explain(lint.name).unwrap();
        let (Some(bad), Some(good)) = (explanation.bad, explanation.good) else {
            wrong.push(format!("{}: an example is missing", lint.name));
            continue;
        };
        let (in_bad, in_good) = (raised(&bad), raised(&good));
        let count = in_bad.iter().filter(|rule| **rule == lint.name).count();
        if count != 1 {
            wrong.push(format!("{}: the bad example raises it {count} times, and {in_bad:?}", lint.name));
        }
        if in_good.contains(&lint.name) {
            wrong.push(format!("{}: the better example raises it too", lint.name));
        }
        let broken: Vec<_> = in_bad.iter().chain(&in_good).filter(|rule| !known.contains(rule)).collect();
        if !broken.is_empty() {
            wrong.push(format!("{}: an example does not compile: {broken:?}", lint.name));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn codes_and_names_are_unique() {
    let mut codes: Vec<&str> = lints().map(|lint| lint.code).collect();
    let mut names: Vec<&str> = lints().map(|lint| lint.name).collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    names.sort_unstable();
    names.dedup();
    assert_eq!((codes.len(), names.len()), (count, count));
}

#[test]
fn every_rule_is_documented_in_the_same_sections() {
    for lint in lints() {
        let text = explain(lint.code).unwrap().text;
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        let title = format!("# {}", lint.name);
        let expected = [
            title.as_str(),
            "## What it notices",
            "## Why it matters",
            "## Example",
            "## Better",
            "## When to allow",
        ];
        assert_eq!(headings, expected, "{}", lint.name);
    }
}
