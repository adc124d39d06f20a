//! A gauge for the English of comments. The ceilings may only be lowered; CONTRIBUTING.md says how comments should read.
//!
//! `cargo test --test words -- --nocapture` prints the counts of every crate. `SORTKEY_WORDS=clause` (or `personified`, `same`)
//! lists the lines of one kind.
// The counts are printed for people who ask for them.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use sortkey_testkit::rust_files;

/// A habit that makes comments hard to read.
struct Habit {
    name: &'static str,
    pattern: &'static str,
    /// In how many comment lines out of 1,000 it may occur. The goal is in CONTRIBUTING.md.
    ceiling_per_mille: usize,
}

const HABITS: &[Habit] = &[
    // "What is derived follows" instead of "Derived values follow". A sentence begins where a line or another sentence does.
    Habit {
        name: "clause",
        pattern: r"(^|[.:;] )(What|Whatever|Who|Whoever|Where|Wherever|Which|Whichever)\b",
        ceiling_per_mille: 3,
    },
    // Things do not hear, tell, know, want or stand somewhere.
    Habit {
        name: "personified",
        pattern: r"\b(hears?|heard|tells?|told|speaks?|knows?|knew|stands?|stood|believes?|learns?|wants?|wish|wishes|says?|said)\b",
        ceiling_per_mille: 1,
    },
    // A doc comment makes sense on its own.
    Habit { name: "same", pattern: r"(^|[.] )The same[,;:. ]", ceiling_per_mille: 0 },
];

#[test]
fn comments_read_better_over_time() {
    let lines = comment_lines();
    assert!(lines.len() > 10_000, "{} comment lines", lines.len());
    let listed = std::env::var("SORTKEY_WORDS").unwrap_or_default();
    for habit in HABITS {
        let pattern = Regex::new(habit.pattern).expect("a pattern");
        let found: Vec<&Line> = lines.iter().filter(|line| pattern.is_match(&line.text)).collect();
        if listed == habit.name {
            found.iter().for_each(|line| println!("{}:{}: {}", line.file.display(), line.number, line.text));
        }
        let mut by_crate = BTreeMap::<&str, usize>::new();
        found.iter().for_each(|line| *by_crate.entry(&line.package).or_default() += 1);
        println!("{}: {} of {} comment lines {by_crate:?}", habit.name, found.len(), lines.len());
        let per_mille = found.len() * 1_000 / lines.len();
        assert!(
            per_mille <= habit.ceiling_per_mille,
            "{}: {per_mille} of 1,000 comment lines, at most {} allowed; SORTKEY_WORDS={} lists them",
            habit.name,
            habit.ceiling_per_mille,
            habit.name
        );
    }
}

struct Line {
    package: String,
    file: PathBuf,
    number: usize,
    text: String,
}

/// Every comment line of the sources, without its slashes.
fn comment_lines() -> Vec<Line> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut lines = Vec::new();
    for folder in std::fs::read_dir(crates).expect("the crates") {
        let folder = folder.expect("a folder").path();
        let package = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in rust_files(&folder.join("src")) {
            let text = std::fs::read_to_string(&file).expect("text");
            for (index, line) in text.lines().enumerate() {
                let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
                let text = comment.trim_start_matches(['/', '!']).trim().to_owned();
                if !text.is_empty() {
                    lines.push(Line {
                        package: package.clone(),
                        file: file.clone(),
                        number: index + 1,
                        text,
                    });
                }
            }
        }
    }
    lines
}
