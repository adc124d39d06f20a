//! `CORRECTIONS.md` beside each system answers every mistake of its document once, by number, and names no other.
//!
//! Three documents were counted by another reader, whose numbers have no gaps; for the other two the numbers are those of
//! the marks in the transcription.

use sortkey_lints::lints;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The document, its folder, and how many mistakes another reader counted in it.
const DOCUMENTS: [(&str, &str, Option<usize>); 5] = [
    ("000", "listbackup", Some(66)),
    ("001", "core-service", None),
    ("002", "seller-profiles", Some(56)),
    ("003", "ferryhook", Some(50)),
    ("004", "t3nets", None),
];

/// Rules about the prose around a design, which a compiler does not see.
const ABOUT_PROSE: [&str; 5] = [
    "encoding-mojibake",
    "false-service-claim",
    "index-name-mismatch",
    "schema-version-missing",
    "sort-key-does-not-spread",
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(name)
}

/// Rule and correction of each numbered row.
fn rows(name: &str) -> BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(folder(name).join("CORRECTIONS.md")).unwrap_or_default();
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| D-")) {
        let line = line.replace("\\|", "/");
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, rule, correction] = cells.as_slice() else {
            assert_eq!(cells.len(), 3, "{line}");
            continue;
        };
        let row = (rule.trim_matches('`').to_owned(), (*correction).to_owned());
        assert_eq!(found.insert((*number).to_owned(), row), None, "{number} stands twice");
    }
    found
}

/// Mistake and rule of each mark in the transcriptions of a system.
fn marked(name: &str) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder(name)).into_iter().flatten().flatten().map(|entry| entry.path());
    let tables = files.filter(|path| path.to_string_lossy().ends_with(".defects.tsv"));
    let text: String = tables.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect();
    let row = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some((cells.next()?, cells.next()?))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn every_mistake_has_a_correction_and_every_correction_a_mistake() {
    for (document, name, counted) in DOCUMENTS {
        let numbers: Vec<String> = rows(name).into_keys().collect();
        let expected: Vec<String> = match counted {
            Some(count) => (1..=count).map(|number| format!("D-{document}-{number:02}")).collect(),
            None => marked(name).into_keys().collect(),
        };
        assert_eq!(numbers, expected, "{name}");
    }
}

#[test]
fn corrections_name_the_rule_that_the_transcription_raises() {
    let known: Vec<&str> = lints().map(|lint| lint.name).collect();
    let compiler: Vec<&str> = sortkey_design::PROBLEMS.iter().map(|problem| problem.name).collect();
    for (_, name, _) in DOCUMENTS {
        let marked = marked(name);
        for (number, (rule, correction)) in rows(name) {
            let rule = rule.as_str();
            assert!(correction.len() > 10, "{number} says nothing");
            let exists = known.contains(&rule) || compiler.contains(&rule) || ABOUT_PROSE.contains(&rule);
            assert!(exists, "{number}: there is no rule `{rule}`");
            if let Some(raised) = marked.get(&number) {
                assert_eq!(raised, rule, "{number}");
            }
        }
    }
}

/// The numbers in brackets beside a line of a corrected design are those of mistakes.
#[test]
fn designs_name_mistakes_that_exist() {
    for (document, name, _) in DOCUMENTS {
        let rows = rows(name);
        let text = std::fs::read_to_string(folder(name).join(format!("{name}.sk"))).unwrap_or_default();
        for rest in text.split(&format!("[D-{document}-")).skip(1) {
            let list = rest.split(']').next().unwrap_or_default();
            for number in list.split([',', ' ']).map(|part| part.trim().trim_start_matches('-')) {
                let named = format!("D-{document}-{number}");
                let digits = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
                assert!(!digits || rows.contains_key(&named), "{name} names {named}");
            }
        }
    }
}
