//! docs/regressions.md lists every defect that was found from outside, and the tests that keep it from coming back.
//!
//! A test names its defect in a comment, as in `// F-07: ...`. `SORTKEY_UPDATE=1` writes the list of tests anew; what each
//! defect was is written by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every defect that was found, by the first and last number of each part of the list.
const DEFECTS: [(u32, u32); 4] = [(1, 39), (40, 56), (60, 67), (70, 90)];

/// Those that no test keeps from coming back, since they are about advice and not about results: rules that match words,
/// lint noise, importers and beginners' messages. A test that names one takes it off this list.
const WITHOUT_TESTS: [&str; 5] = ["F-70", "F-71", "F-73", "F-74", "F-76"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder that tests can be in.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let skipped = ["target", "node_modules", ".venv", "__pycache__", "dist"].contains(&name.as_str());
        if path.is_dir() && !skipped {
            sources(&path, found);
        } else if ["rs", "py", "js", "mjs", "ts", "sh", "sk"]
            .iter()
            .any(|ending| name.ends_with(&format!(".{ending}")))
        {
            found.push(path);
        }
    }
}

/// The defects that a line of a comment names.
fn named(line: &str) -> BTreeSet<String> {
    let comment = line.trim_start();
    let is_comment = ["//", "/*", "* ", "#", "\"\"\""].iter().any(|start| comment.starts_with(start));
    let mut found = BTreeSet::new();
    if !is_comment {
        return found;
    }
    for (at, _) in comment.match_indices("F-") {
        let digits: String = comment[at + 2..].chars().take_while(char::is_ascii_digit).collect();
        let before = comment[..at].chars().next_back();
        if digits.len() == 2 && before.is_none_or(|c| !c.is_alphanumeric()) {
            found.insert(format!("F-{digits}"));
        }
    }
    found
}

fn tests_by_defect() -> BTreeMap<String, BTreeSet<String>> {
    let root = root();
    let mut files = Vec::new();
    for folder in ["bindings", "clients", "crates", "examples", "packaging", "systems"] {
        sources(&root.join(folder), &mut files);
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("cli/tests/regressions.rs")) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let shown = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().into_owned();
        for defect in text.lines().flat_map(named) {
            found.entry(defect).or_default().insert(shown.clone());
        }
    }
    found
}

/// A test that is deleted, with the row of its defect, is missed here.
#[test]
fn no_defect_is_forgotten() {
    let tests = tests_by_defect();
    let all = DEFECTS.iter().flat_map(|(first, last)| *first..=*last).map(|number| format!("F-{number:02}"));
    let without: Vec<String> = all.filter(|defect| !tests.contains_key(defect)).collect();
    assert_eq!(without, WITHOUT_TESTS, "defects that no test names");
}

#[test]
fn a_comment_names_its_defects() {
    for (line, expected) in [
        ("// F-07: a defect", vec!["F-07"]),
        ("/// F-01, F-24.", vec!["F-01", "F-24"]),
        ("  # F-60", vec!["F-60"]),
        ("let name = \"F-07\";", vec![]),
        ("// XF-07 and F-123", vec![]),
    ] {
        assert_eq!(named(line).into_iter().collect::<Vec<_>>(), expected, "{line}");
    }
}

#[test]
fn every_defect_has_its_tests() {
    let path = root().join("docs/regressions.md");
    let text = std::fs::read_to_string(&path).expect("the list is there");
    let tests = tests_by_defect();
    let mut updated = String::new();
    let mut listed = BTreeSet::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let defect = cells.get(1).filter(|cell| cell.starts_with("F-"));
        match (defect, cells.get(2)) {
            (Some(defect), Some(what)) => {
                listed.insert((*defect).to_owned());
                let files = tests.get(*defect).into_iter().flatten();
                let files: Vec<String> = files.map(|file| format!("`{file}`")).collect();
                updated += &format!("| {defect} | {what} | {} |\n", files.join(", "));
            }
            _ => updated += &format!("{line}\n"),
        }
    }
    let unlisted: Vec<&String> = tests.keys().filter(|defect| !listed.contains(*defect)).collect();
    assert!(unlisted.is_empty(), "named by tests, but not in docs/regressions.md: {unlisted:?}");
    let untested: Vec<&String> = listed.iter().filter(|defect| !tests.contains_key(*defect)).collect();
    assert!(untested.is_empty(), "in docs/regressions.md, but named by no test: {untested:?}");
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        std::fs::write(&path, &updated).expect("the list can be written");
    }
    assert_eq!(text, updated, "SORTKEY_UPDATE=1 cargo test -p sortkey-cli --test regressions writes it anew");
}
