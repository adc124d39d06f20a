//! The shape of the code: how long files and functions are, which public types share a name, and that nothing lists the shipped
//! systems by hand. Ceilings may only be lowered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use sortkey_testkit::{SYSTEMS, root, rust_files};

/// Lines that a file of a crate, without its tests, may have. Long files are lists of uniform pieces.
const LONGEST_FILE: usize = 600;
/// Lines of the files that one call of a design passes through (the table in ARCHITECTURE.md).
const LONGEST_ON_THE_PATH: usize = 300;
/// How many functions may have more lines than fit on a screen, and what a screen is.
const LONG_FUNCTIONS: usize = 40;
const SCREEN: usize = 60;

/// Names that public types of several crates have: words of the field that mean one thing in each crate's own subject.
/// ARCHITECTURE.md has the glossary of results.
const SHARED_NAMES: &[&str] = &[
    "Answer",
    "Ask",
    "Backend",
    "Call",
    "Caller",
    "Change",
    "Class",
    "Client",
    "Clock",
    "Context",
    "Credentials",
    "DataKey",
    "Database",
    "Design",
    "Difference",
    "Effects",
    "Entry",
    "Error",
    "Extent",
    "Failure",
    "Fault",
    "Item",
    "Keyring",
    "Kind",
    "Options",
    "Order",
    "Path",
    "Phase",
    "Place",
    "Policy",
    "PolicyError",
    "Problem",
    "Rejected",
    "Reply",
    "Report",
    "Request",
    "Response",
    "Role",
    "Runtime",
    "Settings",
    "Source",
    "Stage",
    "Step",
    "Survey",
    "SystemClock",
    "Task",
    "Verified",
    "Walk",
    "Which",
    "Work",
];

/// Files that tie each system to its document, by the numbers of the document.
const TIED_TO_DOCUMENTS: [&str; 4] = [
    "crates/design/tests/traceability.rs",
    "crates/gateway/tests/counted.rs",
    "crates/lints/tests/corrections.rs",
    "crates/testing/tests/raced.rs",
];

/// The source of the crates as paths below the repository, with their text.
fn sources(is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let shown = |path: &Path| path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned();
    let files = rust_files(&root().join("crates"));
    let files = files.into_iter().map(|path: PathBuf| (shown(&path), path));
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("a source file");
    files.filter(|(name, _)| is_wanted(name)).map(|(name, path)| (name, read(path))).collect()
}

/// Whether a file is part of what ships, and not a test.
fn ships(name: &str) -> bool {
    name.contains("/src/") && !name.ends_with("tests.rs") && !name.contains("/tests/")
}

#[test]
fn files_are_short() {
    let lines: BTreeMap<String, usize> =
        sources(ships).into_iter().map(|(name, text)| (name, text.lines().count())).collect();
    let long: Vec<_> = lines.iter().filter(|(_, count)| **count > LONGEST_FILE).collect();
    assert!(long.is_empty(), "files above {LONGEST_FILE} lines: {long:?}");

    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page is there");
    let hop = Regex::new(r"(?m)^\| [0-9]+ \| `([^`]+)`").expect("a pattern");
    let hops: Vec<String> = hop.captures_iter(&page).map(|found| format!("crates/{}", &found[1])).collect();
    assert!((10..=30).contains(&hops.len()), "one call takes {} hops", hops.len());
    for hop in hops {
        let count =
            lines.get(&hop).unwrap_or_else(|| panic!("ARCHITECTURE.md names {hop}, which is not there"));
        assert!(
            *count <= LONGEST_ON_THE_PATH,
            "{hop} has {count} lines, at most {LONGEST_ON_THE_PATH} allowed"
        );
    }
}

#[test]
fn functions_fit_on_a_screen() {
    let begins = Regex::new(r"^( *)(pub(\([^)]*\))? )?(const |async |unsafe )*fn (\w+)").expect("a pattern");
    let mut long = Vec::new();
    for (name, text) in sources(ships) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(found) = begins.captures(line) else { continue };
            // A method without a body, in a trait.
            let head_ends = |line: &&&str| line.ends_with(['{', ';', '}']);
            if lines[at..].iter().find(head_ends).is_none_or(|line| !line.ends_with('{')) {
                continue;
            }
            // The formatter puts the closing brace under the beginning.
            let end = format!("{}}}", &found[1]);
            let count = lines[at..].iter().position(|line| *line == end).map_or(1, |count| count + 1);
            if count > SCREEN {
                long.push(format!("{name}: {} has {count} lines", &found[5]));
            }
        }
    }
    let count = long.len();
    assert!(count <= LONG_FUNCTIONS, "{count} functions above {SCREEN} lines:\n{}", long.join("\n"));
}

#[test]
fn public_types_that_share_a_name_are_known() {
    let own = Regex::new(r"(?m)^pub (?:struct|enum|trait) ([A-Z]\w*)").expect("a pattern");
    let reexported = Regex::new(r"(?m)^pub use ((?:crate|self|[a-z_]+)::[^;]*);").expect("a pattern");
    let word = Regex::new(r"\b[A-Z][a-z]\w*").expect("a pattern");
    let mut crates = BTreeMap::<String, BTreeSet<String>>::new();
    for (name, text) in sources(|name| name.ends_with("/src/lib.rs")) {
        let mut add = |word: &str| crates.entry(word.to_owned()).or_default().extend([name.clone()]);
        own.captures_iter(&text).for_each(|found| add(&found[1]));
        // A re-export from another crate of the workspace is the same type.
        let uses = reexported.captures_iter(&text).filter(|found| !found[1].starts_with("sortkey_"));
        uses.for_each(|found| word.find_iter(&found[1]).for_each(|found| add(found.as_str())));
    }
    let shared: Vec<&str> =
        crates.iter().filter(|(_, crates)| crates.len() > 1).map(|(name, _)| name.as_str()).collect();
    let new: Vec<_> = shared.iter().filter(|name| !SHARED_NAMES.contains(name)).collect();
    assert!(new.is_empty(), "public types of several crates are called {new:?}: find another word");
    let gone: Vec<_> = SHARED_NAMES.iter().filter(|name| !shared.contains(name)).collect();
    assert!(gone.is_empty(), "no longer shared, take them off the list: {gone:?}");
}

#[test]
fn systems_are_found_and_not_listed() {
    for (file, text) in sources(|name| !name.starts_with("crates/testkit/")) {
        let named = SYSTEMS.iter().filter(|system| text.contains(&format!("\"{system}\""))).count();
        assert!(
            named < 4 || TIED_TO_DOCUMENTS.contains(&file.as_str()),
            "{file} lists {named} systems: use sortkey_testkit::SYSTEMS or each_system!"
        );
    }
}

/// Files with a row for each operation, or for each of one kind: a request, an answer, a permission. Something fails when a row is
/// missing: the test itself, or every call of the operation.
const ROWS_OF_OPERATIONS: [&str; 5] = [
    "crates/api/tests/operations.rs",
    "crates/engine/tests/bad_input/requests.rs",
    "crates/engine/tests/sweep/samples.rs",
    "crates/server/src/iam/accesses/managed.rs",
    "crates/server/src/iam/tests.rs",
];

#[test]
fn operations_are_listed_once() {
    let list = "crates/api/src/operations.rs";
    let text = std::fs::read_to_string(root().join(list)).expect("the list is there");
    let line = Regex::new(r"(?m)^ {8}(\w+): \w+, \w+Input, \w+Output").expect("a pattern");
    let operations: Vec<&str> =
        line.captures_iter(&text).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    assert!(operations.len() > 40, "{}", operations.len());
    let word = Regex::new(r"\b[A-Z]\w+\b").expect("a pattern");
    let mut files = sources(|name| name != list && !ROWS_OF_OPERATIONS.contains(&name));
    for folder in ["clients", "bindings", "examples"] {
        files.extend(scripts(folder));
    }
    assert!(files.keys().any(|name| name.ends_with("test_coverage.py")));
    for (file, text) in files {
        let words: BTreeSet<&str> = word.find_iter(&text).map(|found| found.as_str()).collect();
        let named = operations.iter().filter(|operation| words.contains(**operation)).count();
        assert!(
            named * 2 < operations.len(),
            "{file} lists {named} operations: use with_operations!, OperationId::SUPPORTED or docs/COMPATIBILITY.md"
        );
    }
}

/// The programs in Python and JavaScript below a folder, as far as they are in the repository.
fn scripts(folder: &str) -> Vec<(String, String)> {
    let listed = std::process::Command::new("git").args(["ls-files", folder]).current_dir(root()).output();
    let listed = String::from_utf8(listed.expect("git runs").stdout).expect("paths are text");
    let is_script = |name: &&str| [".py", ".js", ".mjs", ".ts"].iter().any(|end| name.ends_with(end));
    let read = |name: &str| Some((name.to_owned(), std::fs::read_to_string(root().join(name)).ok()?));
    listed.lines().filter(is_script).filter_map(read).collect()
}

#[test]
fn only_tests_name_a_system() {
    for (file, text) in sources(ships) {
        // The file's own tests begin there.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_lowercase();
        let is_named =
            |system: &&&str| Regex::new(&format!(r"\b{system}\b")).expect("a pattern").is_match(&text);
        let named = SYSTEMS.iter().find(is_named);
        assert!(
            named.is_none(),
            "{file} names {}: its behaviour belongs in its design",
            named.unwrap_or(&"")
        );
    }
}
