//! The dependencies between crates that ARCHITECTURE.md lists, and the crates that must stay apart.
//!
//! `SORTKEY_UPDATE=1` writes the table of ARCHITECTURE.md anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// Crates that one must not reach, directly or through others: those of the workspace by their names, and others.
const APART: [(&str, &[&str]); 6] = [
    (
        "sortkey-core",
        &["sortkey-engine", "sortkey-storage", "sortkey-remote", "sortkey-server", "tokio", "getrandom"],
    ),
    ("sortkey-remote", &["sortkey-engine", "sortkey-core", "sortkey-design"]),
    ("sortkey-engine", &["sortkey-design", "sortkey-core", "tokio", "hyper"]),
    ("sortkey-design", &["sortkey-engine", "sortkey-core", "sortkey-api"]),
    ("sortkey-deploy", &["sortkey-engine", "sortkey-remote", "tokio"]),
    ("sortkey-policy", &["serde_json", "sortkey-api"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    String::from_utf8(cargo.stdout).expect("text")
}

/// The crates of the workspace that each one needs to be built, without what only its tests need.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let printed = cargo(&["metadata", "--format-version", "1", "--offline", "--no-deps"]);
    let metadata: Json = serde_json::from_str(&printed).expect("JSON");
    let list = |json: &Json| json.as_array().cloned().unwrap_or_default();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let needed = |package: &Json| -> BTreeSet<String> {
        let needed = list(&package["dependencies"]);
        let needed = needed.iter().filter(|each| each["kind"].is_null()).map(|each| text(&each["name"]));
        needed.filter(|name| name.starts_with("sortkey-")).collect()
    };
    list(&metadata["packages"]).iter().map(|each| (text(&each["name"]), needed(each))).collect()
}

/// Everything that a package is built with when it is built alone, through however many others.
fn reached(from: &str) -> BTreeSet<String> {
    let tree = ["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none", "--package", from];
    let printed = cargo(&tree);
    printed.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn what_must_stay_apart_does() {
    for (from, forbidden) in APART {
        let reached = reached(from);
        assert!(reached.contains(from));
        let wrong: Vec<&&str> = forbidden.iter().filter(|name| reached.contains(**name)).collect();
        assert!(wrong.is_empty(), "{from} reaches {wrong:?}: see cargo tree -p {from} -e normal");
    }
}

/// A profile inherits the settings of packages, so a crate that is fast in a release would be large in the core for hosts.
#[test]
fn crates_that_a_release_makes_fast_are_small_for_hosts() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest is there");
    let levels = |profile: &str| -> BTreeMap<String, String> {
        let begin = format!("[profile.{profile}.package.");
        let lines = manifest.lines().zip(manifest.lines().skip(1));
        let level = |(head, next): (&str, &str)| {
            let package = head.strip_prefix(&begin)?.strip_suffix(']')?;
            Some((package.to_owned(), next.strip_prefix("opt-level = ")?.to_owned()))
        };
        lines.filter_map(level).collect()
    };
    let (release, hosts) = (levels("release"), levels("wasm"));
    let linked: BTreeSet<String> =
        ["sortkey-wasm", "sortkey-wasm-functions"].into_iter().flat_map(reached).collect();
    let is_large = |(name, level): &(&String, &String)| *level != "\"z\"" && linked.contains(*name);
    let large = release.iter().filter(is_large).map(|(name, _)| name);
    let expected: BTreeSet<&String> = large.chain(release.keys().filter(|name| *name == "\"*\"")).collect();
    assert_eq!(hosts.keys().collect::<BTreeSet<_>>(), expected, "the packages of [profile.wasm]");
    assert!(hosts.values().all(|level| level == "\"z\""), "{hosts:?}");
}

/// The section answers where to begin a change. A file that moves takes its name there with it.
#[test]
fn the_files_of_every_change_are_there() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page is there");
    let (_, section) = page.split_once("\n## Where to change what\n").expect("the section begins");
    let (section, _) = section.split_once("\n## ").expect("another section follows");
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 10, "{} changes", rows.len());
    for row in rows {
        let paths: Vec<&str> = row.split('`').skip(1).step_by(2).filter(|text| text.contains('/')).collect();
        assert!(!paths.is_empty(), "no file: {row}");
        for path in paths {
            assert!(root().join(path).exists(), "{path} is not there: {row}");
        }
    }
}

#[test]
fn the_table_of_dependencies_is_current() {
    const BEGIN: &str = "<!-- dependencies: written by crates/cli/tests/tidy.rs -->\n";
    const END: &str = "<!-- end of dependencies -->\n";
    let all = dependencies();
    let own = |name: &str| name.strip_prefix("sortkey-").map(str::to_owned);
    let mut table = String::from("| crate | depends on |\n|---|---|\n");
    let members = std::fs::read_dir(root().join("crates")).expect("the crates are there");
    let mut members: Vec<String> =
        members.flatten().map(|each| each.file_name().to_string_lossy().into_owned()).collect();
    members.sort();
    for name in members {
        let package = if name == "sortkey" { name.clone() } else { format!("sortkey-{name}") };
        let Some(needed) = all.get(&package) else { continue };
        let needed: Vec<String> =
            needed.iter().filter_map(|each| own(each)).map(|each| format!("`{each}`")).collect();
        let needed = if needed.is_empty() { "none of the others".to_owned() } else { needed.join(", ") };
        table.push_str(&format!("| `{name}` | {needed} |\n"));
    }
    let path = root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table begins");
    let (_, after) = rest.split_once(END).expect("the table ends");
    let updated = format!("{before}{BEGIN}\n{table}\n{END}{after}");
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        std::fs::write(&path, &updated).expect("written");
        return;
    }
    assert!(text == updated, "SORTKEY_UPDATE=1 cargo test -p sortkey-cli --test tidy writes it anew");
}

/// Crates with many test files link them into one program. A file that it does not name would never run.
#[test]
fn every_test_file_is_compiled() {
    let mut programs = 0;
    for package in std::fs::read_dir(root().join("crates")).expect("crates") {
        let tests = package.expect("a folder").path().join("tests");
        let Ok(all) = std::fs::read_to_string(tests.join("all.rs")) else { continue };
        programs += 1;
        for file in std::fs::read_dir(&tests).expect("tests") {
            let file = file.expect("a file").path();
            let is_rust = file.extension().is_some_and(|end| end == "rs");
            let name = file.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
            let is_named = all.lines().any(|line| line == format!("mod {name};"));
            assert!(!is_rust || name == "all" || is_named, "{} is not in all.rs", file.display());
        }
    }
    assert!(programs > 3, "{programs} programs");
}
