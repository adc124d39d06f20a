//! Files at the root of the repository that refer to others: paths of recipes, targets of workflows.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect(path)
}

/// The folder of a path up to the part that the reader chooses: `crates/lints/src/<theme>/<rule>.rs`.
fn fixed_part(path: &str) -> &str {
    let fixed = path.split('<').next().unwrap_or_default();
    if fixed == path { path } else { fixed.rsplit_once('/').map_or("", |(folder, _)| folder) }
}

#[test]
fn recipes_name_files_that_exist() {
    let recipes = read("CONTRIBUTING.md");
    let quoted = recipes.split('`').skip(1).step_by(2);
    let is_path = |text: &&str| {
        let first = text.split('/').next().unwrap_or_default();
        text.contains('/')
            && !text.contains(' ')
            && ["crates", "clients", "docs", "examples", "fuzz", "packaging", "systems", ".github"]
                .contains(&first)
    };
    let paths: Vec<&str> = quoted.filter(is_path).collect();
    assert!(paths.len() > 15, "{paths:?}");
    for path in paths {
        assert!(root().join(fixed_part(path)).exists(), "CONTRIBUTING.md names {path}");
    }
}

#[test]
fn every_fuzz_target_runs_every_night() {
    let workflow = read(".github/workflows/nightly.yml");
    let list = workflow.split("target: [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
    let mut nightly: Vec<&str> = list.split(", ").collect();
    nightly.sort_unstable();
    let files = std::fs::read_dir(root().join("fuzz/fuzz_targets")).expect("a folder");
    let mut targets: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .filter_map(|path| path.file_stem().map(|name| name.to_string_lossy().into_owned()))
        .collect();
    targets.sort_unstable();
    assert_eq!(nightly, targets);
}

/// The behaviour of a system is in its design: no crate names a system, except in its tests.
#[test]
fn no_crate_knows_a_system() {
    let mut found = Vec::new();
    for file in sortkey_testkit::rust_files(&root().join("crates")) {
        let path = file.to_string_lossy().replace('\\', "/");
        let is_test = path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/testkit/");
        if is_test {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_lowercase();
        // ListBackups is an operation of DynamoDB.
        let code = code.replace("listbackups", "").replace("list_backups", "");
        for system in sortkey_testkit::SYSTEMS {
            let names = [(*system).to_owned(), system.replace('-', "_"), system.replace('-', " ")];
            found.extend(
                names
                    .iter()
                    .filter(|name| code.contains(name.as_str()))
                    .map(|name| format!("{path}: {name}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
