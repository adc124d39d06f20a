//! Names of a design are resolved once, by the compiler. Planner and core go by ids: text is compared only where
//! it is data.

use std::path::{Path, PathBuf};

use sortkey_testkit::rust_files;

/// The crates that plan and execute a program.
const EXECUTE: [&str; 2] = ["plan", "core"];

/// Names deployed tables, and reads the values of deployment parameters, which arrive by name.
const NAMES_TABLES: &str = "core/src/names.rs";

/// Looks a name up in a design, or classifies something by its words.
const BY_TEXT: [&str; 13] = [
    ".has(\"",
    ".annotation(",
    ".is_name(",
    ".as_name(",
    ".type_of(",
    "design.entity(",
    "design.enumeration(",
    "design.operation(",
    "design.pattern(",
    "design.record(",
    "design.rule(",
    "design.table(",
    "message.contains(",
];

/// Code that takes meaning from the text of a message or a code, although there is a type for it.
const BY_MESSAGE: [&str; 9] = [
    "message.contains(",
    "message.starts_with(",
    "message.ends_with(",
    "message.strip_prefix(",
    "error.message == ",
    ".code == \"",
    ".rule == \"",
    "problem.title.contains(",
    "problem.title.starts_with(",
];

/// The places that turn texts of others into types, and types into the texts of AWS's two frameworks.
const TEXTS: [&str; 2] = ["api/src/error/meaning.rs", "api/src/wording.rs"];

/// Words without names that the model of a design and its program have in common.
const SHARED: [&str; 13] = [
    "Billing",
    "Change",
    "FieldOp",
    "IdBody",
    "InputKind",
    "Load",
    "Op",
    "ReadVerb",
    "SlotFormat",
    "Stored",
    "StringFormat",
    "TimeUnit",
    "WriteVerb",
];

/// The files of a module, without those of its tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let is_test = |path: &PathBuf| ["oracle.rs", "tests.rs"].iter().any(|name| path.ends_with(name));
    found.extend(rust_files(folder).into_iter().filter(|path| !is_test(path)));
}

/// The names that a line imports from the model.
fn imported(line: &str) -> Vec<&str> {
    let Some((_, names)) = line.split_once("sortkey_design::model::") else { return Vec::new() };
    names.trim_matches(['{', '}', ';']).split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// The lines of a source that are neither comments nor tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Lines that act on the text of a message.
fn by_message(text: &str) -> Vec<&str> {
    code(text).filter(|line| BY_MESSAGE.iter().any(|each| line.contains(each))).collect()
}

/// The faults of a source: lines that compare names of the design as text. Tests may.
fn faults(text: &str) -> Vec<&str> {
    let lines = code(text);
    let by_text = |line: &&str| BY_TEXT.iter().any(|each| line.contains(each));
    let by_model = |line: &&str| imported(line).iter().any(|name| !SHARED.contains(name));
    lines.filter(|line| by_text(line) || by_model(line)).collect()
}

#[test]
fn what_plans_and_executes_a_design_compares_no_names() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    EXECUTE.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    files.retain(|file| !file.ends_with(NAMES_TABLES));
    assert!(files.len() > 150, "{}", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        assert_eq!(faults(&text), Vec::<&str>::new(), "{}", file.display());
    }
}

/// A message is for people: its wording may change, and what a program does must not change with it.
#[test]
fn nothing_acts_on_the_text_of_a_message() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = std::fs::read_dir(&crates).expect("the crates").flatten();
    let mut files = Vec::new();
    folders.for_each(|folder| sources(&folder.path().join("src"), &mut files));
    files.retain(|file| !TEXTS.iter().any(|exempt| file.ends_with(exempt)));
    assert!(files.len() > 1_000, "{}", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        assert_eq!(by_message(&text), Vec::<&str>::new(), "{}", file.display());
    }
}

#[test]
fn a_message_that_is_read_is_found() {
    for (line, is_fault) in [
        ("    error.message.contains(\"cut off\")", true),
        ("    Err(error) if error.message.starts_with(\"cannot reach\") => Err(error)", true),
        ("    if reason.code == \"ConditionalCheckFailed\" {", true),
        ("    if error.message == other.to_string() {", true),
        ("    if error.is_unanswered() {", false),
        ("    // error.message.contains(\"cut off\")", false),
    ] {
        assert_eq!(!by_message(line).is_empty(), is_fault, "{line}");
    }
}

#[test]
fn a_name_that_is_compared_is_found() {
    for (line, is_fault) in [
        ("    if attribute.has(\"secret\") {", true),
        ("    let entity = design.entity(&action.entity.text)?;", true),
        ("    if error.message.contains(\"size\") {", true),
        ("use sortkey_design::model::*;", true),
        ("use sortkey_design::model::{Action, Op};", true),
        ("use sortkey_design::model::{Op, WriteVerb};", false),
        ("    let attribute = &entity.attributes[id];", false),
        ("    // attribute.has(\"secret\")", false),
    ] {
        assert_eq!(!faults(line).is_empty(), is_fault, "{line}");
    }
}
