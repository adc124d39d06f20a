//! `check --fix` on every design there is, whole and with a line left out: a repaired design parses, has no error that was
//! not there before, and keeps every number that somebody wrote.

use sortkey_design::{FileLoader, NoFiles};
use sortkey_diagnostics::{Diagnostic, FileId, Severity, apply};
use sortkey_lints::{Options, check, explain, lints, repair};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn designs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open: Vec<PathBuf> = vec![root.join("systems"), root.join("examples")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "sk")
                && !path.ends_with("tests.sk")
            {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

fn examples() -> Vec<(String, String)> {
    let bad = lints().filter_map(|lint| Some((lint.name.to_owned(), explain(lint.name)?.bad?)));
    bad.collect()
}

fn errors(diagnostics: &[Diagnostic]) -> BTreeMap<&'static str, usize> {
    let mut found = BTreeMap::new();
    for each in diagnostics.iter().filter(|each| each.severity == Severity::Error) {
        *found.entry(each.rule).or_insert(0) += 1;
    }
    found
}

/// The numbers of a text, with their units, comments left out.
fn numbers(text: &str) -> Vec<&str> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let mut found: Vec<&str> = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect();
    found.sort_unstable();
    found
}

/// The damage that a repair did, if any.
fn damage(name: &str, before: &[Diagnostic], text: &str, repaired: &str) -> Option<String> {
    let after = check(name, repaired, &FileLoader, &Options::default()).diagnostics;
    let old = errors(before);
    let mut new =
        errors(&after).into_iter().filter(|(rule, count)| *count > old.get(rule).copied().unwrap_or(0));
    let mut left = numbers(repaired);
    let lost = numbers(text).into_iter().find(|number| match left.iter().position(|each| each == number) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    });
    let error = new.next().map(|(rule, _)| format!("a new error: {rule}"));
    error.or(lost.map(|number| format!("`{number}` is lost")))
}

/// Applies every automatic repair of a design on its own, then all of them.
fn try_repairs(name: &str, text: &str, wrong: &mut Vec<String>) -> usize {
    let before = check(name, text, &FileLoader, &Options::default()).diagnostics;
    if before.iter().any(|each| each.rule == "syntax") {
        let (repaired, _) = repair(name, text, &FileLoader, &Options::default());
        assert_eq!(repaired, text, "{name} does not parse, and was changed");
        return 0;
    }
    let fixes =
        before.iter().filter_map(|each| Some((each.rule, each.fixes.first().filter(|fix| fix.automatic)?)));
    let mut count = 0;
    for (rule, fix) in fixes {
        let (repaired, applied) = apply(text, FileId(0), [fix]);
        count += applied;
        if let Some(damage) = damage(name, &before, text, &repaired).filter(|_| applied > 0) {
            wrong.push(format!("{name}: {rule}: {damage}"));
        }
    }
    if count == 0 {
        return 0;
    }
    let (repaired, _) = repair(name, text, &FileLoader, &Options::default());
    if let Some(damage) = damage(name, &before, text, &repaired) {
        wrong.push(format!("{name}: all together: {damage}"));
    }
    count
}

// F-75: `--fix` wrote `page page 50`, put `@normalize` before a reference, and took `400d` out of an expression.
#[test]
fn repairs_break_nothing() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, text) in designs().into_iter().chain(examples()) {
        count += try_repairs(&name, &text, &mut wrong);
        // The design with a line left out.
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).step_by(1 + lines.len() / 5) {
            let mut kept = lines.clone();
            kept.remove(at);
            count += try_repairs(&format!("{name} without line {}", at + 1), &kept.join("\n"), &mut wrong);
        }
    }
    assert!(count > 100, "only {count} repairs were tried");
    assert!(wrong.is_empty(), "{} repairs do damage:\n{}", wrong.len(), wrong.join("\n"));
}

/// A text, and what it is after its repairs.
fn repaired(text: &str) -> String {
    repair("repair.sk", text, &NoFiles, &Options::default()).0
}

// F-75: the three repairs of the report.
#[test]
fn the_repairs_that_broke_designs() {
    let unfinished = "table Users { key (userId) }\nentity User in Users { userId uuid = new }\n\
                      pattern everyone = scan User page\n";
    assert_eq!(repaired(unfinished), unfinished);
    let users = |email: &str| {
        format!(
            "table Users {{ key (userId)  index byEmail (email) project keys }}\n\
             table Logins {{ key (email) }}\n\
             entity User in Users {{\n  userId uuid = new\n  {email}\n}}\n\
             entity Login in Logins {{\n  email email @normalize(trim, lower) @personal\n}}\n"
        )
    };
    let expected = users("email email -> Login = \"a@x.com\" @personal");
    assert_eq!(repaired(&users("email email -> Login = \"a@x.com\"")), expected);
    let dated = "table Tokens { key (id)  ttl until }\nentity Token in Tokens {\n  id uuid = new\n  \
                 until time(iso) = now + 400d\n}\npattern token = get Token by id\n";
    assert_eq!(repaired(dated), dated.replace("time(iso)", "time(s)"));
}
