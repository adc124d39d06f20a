//! A gauge for the English of comments, in every language of the repository. Ceilings may only be lowered; CONTRIBUTING.md describes
//! how comments should read.
//!
//! `cargo test --test words -- --nocapture` prints the counts of every folder. `SORTKEY_WORDS=clause` (or `personified`, `same`)
//! lists the lines of one kind.
// The counts are printed for people who ask for them.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::process::Command;

use regex_lite::Regex;
use sortkey_testkit::root;

/// A habit that makes comments hard to read.
struct Habit {
    name: &'static str,
    pattern: &'static str,
    /// In how many comment lines out of 1,000 it may occur in the whole repository.
    ceiling_per_mille: usize,
    /// In how many it may occur in each folder: the goal of CONTRIBUTING.md.
    goal_per_mille: usize,
}

const HABITS: &[Habit] = &[
    // "What is derived follows" instead of "Derived values follow". A sentence begins where a line or another sentence does.
    Habit {
        name: "clause",
        pattern: r"(^|[.:;] )(What|Whatever|Who|Whoever|Where|Wherever|Which|Whichever)\b",
        ceiling_per_mille: 4,
        goal_per_mille: 20,
    },
    // Things do not hear, tell, know, want or stand somewhere.
    Habit {
        name: "personified",
        pattern: r"\b(hears?|heard|tells?|told|speaks?|knows?|knew|stands?|stood|believes?|learns?|wants?|wish|wishes|says?|said)\b",
        ceiling_per_mille: 2,
        goal_per_mille: 15,
    },
    // A doc comment makes sense on its own.
    Habit { name: "same", pattern: r"(^|[.] )The same[,;:. ]", ceiling_per_mille: 0, goal_per_mille: 0 },
];

/// Folders with fewer comment lines than this are too small for a share of them to mean anything.
const SMALL: usize = 300;

#[test]
fn comments_read_better_over_time() {
    let lines = comment_lines();
    assert!(lines.len() > 20_000, "{} comment lines", lines.len());
    let mut of_folder = BTreeMap::<&str, usize>::new();
    lines.iter().for_each(|line| *of_folder.entry(&line.folder).or_default() += 1);
    let listed = std::env::var("SORTKEY_WORDS").unwrap_or_default();
    for habit in HABITS {
        let pattern = Regex::new(habit.pattern).expect("a pattern");
        let found: Vec<&Line> = lines.iter().filter(|line| pattern.is_match(&line.text)).collect();
        if listed == habit.name {
            found.iter().for_each(|line| println!("{}:{}: {}", line.file, line.number, line.text));
        }
        let mut by_folder = BTreeMap::<&str, usize>::new();
        found.iter().for_each(|line| *by_folder.entry(&line.folder).or_default() += 1);
        println!("{}: {} of {} comment lines {by_folder:?}", habit.name, found.len(), lines.len());
        habit.check("the repository", found.len(), lines.len(), habit.ceiling_per_mille);
        for (folder, count) in by_folder {
            let all = of_folder[folder];
            if all >= SMALL || habit.goal_per_mille == 0 {
                habit.check(folder, count, all, habit.goal_per_mille);
            }
        }
    }
}

impl Habit {
    fn check(&self, folder: &str, count: usize, all: usize, per_mille: usize) {
        assert!(
            count * 1_000 <= per_mille * all,
            "{}: {count} of {all} comment lines in {folder}, at most {per_mille} of 1,000 allowed; SORTKEY_WORDS={} lists them",
            self.name,
            self.name
        );
    }
}

struct Line {
    /// `crates/engine/src`, `bench`.
    folder: String,
    file: String,
    number: usize,
    text: String,
}

/// Every comment line of the repository, without the marks that make it a comment.
fn comment_lines() -> Vec<Line> {
    let listed = Command::new("git").args(["ls-files"]).current_dir(root()).output().expect("git runs");
    let listed = String::from_utf8(listed.stdout).expect("paths are text");
    let mut lines = Vec::new();
    for file in listed.lines() {
        // The designs of systems/ quote the documents that they were written from.
        if file.starts_with("systems/") {
            continue;
        }
        let comments = match file.rsplit('.').next() {
            Some("rs" | "sk" | "js" | "mjs" | "ts") => slashed,
            Some("py") => hashed_or_documented,
            Some("sh") => hashed,
            _ => continue,
        };
        // A file that is deleted but not committed is still listed.
        let Ok(text) = std::fs::read_to_string(root().join(file)) else { continue };
        for (number, text) in comments(&text) {
            lines.push(Line { folder: folder_of(file), file: file.to_owned(), number, text });
        }
    }
    lines
}

/// The first folder of a path; of a crate's file the folder within the crate.
fn folder_of(file: &str) -> String {
    let depth = if file.starts_with("crates/") { 3 } else { 1 };
    let parts: Vec<&str> = file.split('/').collect();
    parts[..depth.min(parts.len() - 1)].join("/")
}

/// Numbers and texts of the lines of which `comment` takes one for a comment.
fn numbered<'t>(text: &'t str, mut comment: impl FnMut(&'t str) -> Option<&'t str>) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate();
    let comments = lines.filter_map(|(at, line)| Some((at + 1, comment(line.trim())?.trim().to_owned())));
    comments.filter(|(_, text)| !text.is_empty()).collect()
}

fn slashed(text: &str) -> Vec<(usize, String)> {
    numbered(text, |line| {
        // `//~` marks an expected diagnostic in a design.
        let is_comment =
            ["//", "/*", "* "].iter().any(|mark| line.starts_with(mark)) && !line.starts_with("//~");
        is_comment.then(|| line.trim_start_matches(['/', '!', '*']).trim_end_matches("*/"))
    })
}

fn hashed(text: &str) -> Vec<(usize, String)> {
    numbered(text, |line| line.strip_prefix('#').filter(|rest| !rest.starts_with('!')))
}

/// Comments and docstrings of Python. A docstring begins a line, other strings of several lines do not.
fn hashed_or_documented(text: &str) -> Vec<(usize, String)> {
    const QUOTES: &str = "\"\"\"";
    let mut string = None;
    numbered(text, |line| {
        let was_doc = string;
        let is_doc = was_doc.unwrap_or_else(|| line.starts_with(QUOTES));
        if line.matches(QUOTES).count() % 2 == 1 {
            string = if was_doc.is_some() { None } else { Some(is_doc) };
        }
        if is_doc { Some(line.trim_matches('"')) } else { line.strip_prefix('#') }
    })
}

#[test]
fn comments_of_every_language_are_found() {
    let found =
        |comments: Vec<(usize, String)>| comments.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(found(slashed("//! One.\nlet a = 1;\n /** Two. */\n//~ SK1001\n")), ["One.", "Two."]);
    assert_eq!(found(hashed("#!/bin/sh\n# One.\necho\n")), ["One."]);
    let python = "\"\"\"One.\n\nTwo.\n\"\"\"\nTEXT = \"\"\"\nno\n\"\"\"\ndef f():\n    \"\"\"Three.\"\"\"\n    # Four.\n";
    assert_eq!(found(hashed_or_documented(python)), ["One.", "Two.", "Three.", "Four."]);
}
