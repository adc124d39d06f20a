//! Every command of the README is run and every output compared; what cannot be run is checked for being true.
#![cfg(unix)]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::panic)]

#[path = "markdown/mod.rs"]
mod markdown;
#[path = "markdown/session.rs"]
mod session;

use std::path::{Path, PathBuf};

use markdown::{blocks, fits, steps};
use session::{Session, redacted};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_readme_shows_what_happens() {
    // F-77: the README showed no design, and its outputs were checked by nobody.
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = Session::new(folder.path());
    let (mut designs, mut commands) = (0, 0);
    for block in blocks(&read("README.md")) {
        match block.language.as_str() {
            "sk" => {
                designs += 1;
                std::fs::write(folder.path().join(named_file(&block.before)), &block.text).expect("written");
            }
            "console" => {
                for step in steps(&block.text) {
                    commands += 1;
                    let actual = session.run(&step.command);
                    let expected = redacted(&step.expected);
                    assert!(
                        fits(&expected, &actual),
                        "$ {}\nexpected\n{expected}\nactual\n{actual}",
                        step.command
                    );
                }
            }
            "sh" => block.text.lines().for_each(command_of_the_repository),
            // Run by clients/python/test_readme.py.
            "python" => {}
            other => panic!("nothing checks blocks of {other:?} in the README"),
        }
    }
    assert!(designs >= 1 && commands >= 10, "{designs} designs, {commands} commands");
}

/// The file that a paragraph names: "This is a design, `links.sk`."
fn named_file(paragraph: &str) -> &str {
    let mut quoted = paragraph.split('`').skip(1).step_by(2);
    quoted.find(|name| name.ends_with(".sk")).unwrap_or_else(|| panic!("{paragraph:?} names no .sk file"))
}

/// Commands that build or test everything take too long here; what they refer to must exist.
fn command_of_the_repository(line: &str) {
    let command = line.split('#').next().unwrap_or_default().trim();
    match command {
        // `try_script.rs` runs it.
        "./try.sh" => {}
        "./test.sh" => assert!(read("test.sh").contains("\nfast)"), "test.sh has no fast form"),
        "cargo install --locked --path crates/cli" => {
            assert!(read("crates/cli/Cargo.toml").contains("[[bin]]\nname = \"sortkey\""));
        }
        // `relay/guide.rs` runs the same commands.
        _ if read("docs/guide/workers.md").lines().any(|of| of == line) => {}
        other => panic!("nothing checks {other:?} of the README"),
    }
}

#[test]
fn the_readme_says_where_sortkey_comes_from_and_has_no_test_markers() {
    // F-77: the README did not mention the source of `sortkey` and showed `//~` markers; there was no LICENSE, no `init` and
    // no completions.
    let readme = read("README.md");
    for expected in
        ["cargo install --locked --path crates/cli", "```sk\n", "sortkey init", "sortkey completions"]
    {
        assert!(readme.contains(expected), "{expected:?} is missing");
    }
    assert!(!readme.contains("//~"), "a test marker");
    let licence = read("LICENSE");
    assert!(licence.contains("Apache License") && licence.contains("END OF TERMS AND CONDITIONS"));
    assert!(read("Cargo.toml").contains("license = \"Apache-2.0\""));
}

#[test]
fn links_of_the_readme_lead_somewhere() {
    let readme = read("README.md");
    let links: Vec<&str> = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() > 15, "{links:?}");
    for link in links.iter().filter(|link| !link.starts_with("https://")) {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        assert!(root().join(path).exists(), "{link} does not exist");
        if !anchor.is_empty() {
            let heading = anchor.replace('-', " ");
            let page = read(path).to_lowercase();
            assert!(
                page.lines().any(|line| line.trim_start_matches('#').trim() == heading),
                "{link}: no such heading"
            );
        }
    }
}

#[test]
fn figures_of_the_readme_are_those_that_were_measured() {
    let readme = read("README.md");
    let section =
        readme.split("## How fast").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let measured = read("bench/README.md");
    let on_disk = measured.split("## On disk").nth(1).expect("a section");
    let row = on_disk.lines().find(|line| line.starts_with("| PutItem, one GSI")).expect("a row");
    let per_second = row.split('|').map(str::trim).nth(3).expect("a figure");
    assert!(section.replace(',', "").contains(per_second), "{row}\n{section}");
    let below = on_disk.lines().skip_while(|line| *line != row).nth(1).expect("the row of Dynoxide");
    let ratio = below.split("Sortkey: ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a ratio");
    assert!(section.contains(&format!("{ratio} times")), "{below}\n{section}");
}

#[test]
fn operations_are_counted_as_the_compatibility_page_counts_them() {
    let page = read("docs/COMPATIBILITY.md");
    let sentence = page.lines().find(|line| line.ends_with(" operations.")).expect("a count");
    let count = sentence.trim_end_matches(" operations.");
    let (have, all) = count.split_once(" of ").expect("two numbers");
    assert!(read("README.md").contains(&format!("{have} of DynamoDB's {all} operations")), "{sentence}");
}
