//! NOTICE lists the licence of every crate in the binary. `SORTKEY_UPDATE=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The beginning of the list.
const HEAD: &str = "\
Sortkey
Licensed under the Apache License, Version 2.0; see LICENSE.

The binary `sortkey` contains the following libraries, each under a licence of its own. Their source code, with authors and licence
texts, is at https://crates.io/crates/NAME. The list is generated: SORTKEY_UPDATE=1 cargo test -p sortkey-cli --test notice
";

#[test]
fn every_licence_in_the_binary_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut crates = BTreeMap::<String, BTreeSet<String>>::new();
    let allowed = allowed(&root);
    for (name, licence) in shipped(&root) {
        assert!(is_allowed(&licence, &allowed), "{name} is licensed {licence:?}: see deny.toml");
        crates.entry(licence).or_default().insert(name);
    }
    let mut text = HEAD.to_owned();
    for (licence, names) in &crates {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        text.push_str(&format!("\n{licence}\n"));
        text.push_str(&wrapped(&names));
    }
    let path = root.join("NOTICE");
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let found = std::fs::read_to_string(&path).expect("NOTICE");
    assert_eq!(found, text, "NOTICE is stale: SORTKEY_UPDATE=1 cargo test -p sortkey-cli --test notice");
}

/// Name and licence of every crate that is linked on Linux, without our own.
fn shipped(root: &Path) -> Vec<(String, String)> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--package", "sortkey-cli", "--edges", "normal", "--prefix", "none"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--format", "{p}|{l}"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("text");
    let crates = lines.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|'));
    let crates = crates.map(|(package, licence)| {
        let name = package.split(' ').next().unwrap_or_default();
        (name.to_owned(), canonical(licence))
    });
    crates.filter(|(name, _)| !name.starts_with("sortkey")).collect()
}

/// `A/B` is the old way to write `A OR B`, and `MPL-2.0+` of `MPL-2.0 or later`; alternatives are sorted.
fn canonical(licence: &str) -> String {
    let licence = licence.replace(" / ", " OR ").replace('/', " OR ").replace("MPL-2.0+", "MPL-2.0");
    if licence.contains(" AND ") {
        return licence;
    }
    let mut alternatives: Vec<&str> = licence.split(" OR ").collect();
    alternatives.sort_unstable();
    alternatives.join(" OR ")
}

/// The licences that `deny.toml` allows.
fn allowed(root: &Path) -> Vec<String> {
    let rules = std::fs::read_to_string(root.join("deny.toml")).expect("deny.toml");
    let list = rules.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
    let names: Vec<String> = list
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.split('"').next())
        .map(str::to_owned)
        .collect();
    assert!(names.len() > 5, "{names:?}");
    names
}

fn is_allowed(licence: &str, allowed: &[String]) -> bool {
    let one = |name: &str| allowed.iter().any(|each| each == name);
    licence.split(" AND ").all(|part| part.trim_matches(['(', ')']).split(" OR ").any(one))
}

/// Names in lines of at most a hundred characters.
fn wrapped(names: &[&str]) -> String {
    let mut text = String::new();
    let mut line = String::from(" ");
    for name in names {
        if line.len() + name.len() > 100 {
            text.push_str(&format!("{line}\n"));
            line = String::from(" ");
        }
        line.push_str(&format!(" {name}"));
    }
    text + &line + "\n"
}
