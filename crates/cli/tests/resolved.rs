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

/// The faults of a source: lines that compare names of the design as text. Tests may.
fn faults(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
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
