//! The commands in docs/ are run and their outputs compared; the designs in docs/ compile.
#![cfg(unix)]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::panic)]

#[path = "markdown/mod.rs"]
mod markdown;
#[path = "markdown/session.rs"]
mod session;

use std::path::{Path, PathBuf};
use std::process::Command;

use markdown::{Block, blocks, fits, steps};
use session::{Session, redacted};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(docs().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn run(page: &str, session: &mut Session, block: &Block) {
    for step in steps(&block.text) {
        let (actual, expected) = (session.run(&step.command), redacted(&step.expected));
        assert!(
            fits(&expected, &actual),
            "{page}\n$ {}\nexpected\n{expected}\nactual\n{actual}",
            step.command
        );
    }
}

/// The file of a design: the one that the paragraph before it names, otherwise by the design's own name.
fn file_of(block: &Block) -> String {
    let quoted = block.before.split('`').skip(1).step_by(2).find(|name| name.ends_with(".sk"));
    let name = block.text.strip_prefix("design ").and_then(|rest| rest.split_whitespace().next());
    quoted.map_or_else(|| format!("{}.sk", name.unwrap_or("fragment")), str::to_owned)
}

/// Pages whose designs are complete and whose commands are about them.
#[test]
fn pages_of_the_guide_show_what_happens() {
    let guide = std::fs::read_dir(docs().join("guide")).expect("a folder");
    let mut names: Vec<String> =
        guide.map(|file| format!("guide/{}", file.expect("a file").file_name().to_string_lossy())).collect();
    let pages = ["testing", "language", "migrating", "from-dynamodb", "operations-api", "durability", "cost"];
    names.extend(pages.map(|page| format!("{page}.md")));
    let (mut designs, mut transcripts) = (0, 0);
    for name in names {
        let folder = tempfile::tempdir().expect("a folder");
        if name == "cost.md" {
            // Its design is that of the transcript, with load and volume for every call.
            let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/price.in/notes.sk");
            std::fs::copy(notes, folder.path().join("notes.sk")).expect("copied");
        }
        let mut session = Session::new(folder.path());
        for block in blocks(&page(&name)) {
            match block.language.as_str() {
                "sk" if block.text.starts_with("design ") => {
                    designs += 1;
                    let file = file_of(&block);
                    std::fs::write(folder.path().join(&file), &block.text).expect("written");
                    let check = session.run(&format!("sortkey check {file} --deny warnings"));
                    assert_eq!(check.trim(), "1 design: 0 errors, 0 warnings, 0 hints", "{name}");
                    assert_eq!(session.run(&format!("sortkey fmt --check {file}")).trim(), "", "{name}");
                }
                "sk" => parses(&name, folder.path(), &block.text),
                "console" => {
                    transcripts += 1;
                    run(&name, &mut session, &block);
                }
                _ => {}
            }
        }
    }
    assert!(designs >= 9 && transcripts >= 18, "{designs} designs, {transcripts} transcripts");
}

/// A piece of a design names things that it does not declare, so only its syntax can be checked.
fn parses(page: &str, folder: &Path, text: &str) {
    let file = folder.join("fragment.sk");
    std::fs::write(&file, text).expect("written");
    let done =
        Command::new(env!("CARGO_BIN_EXE_sortkey")).arg("fmt").arg(&file).output().expect("the binary runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{page}\n{text}\n{said}");
    std::fs::remove_file(file).expect("removed");
}

/// The tutorial changes one file step by step; each block of the language after the first is an edit of it.
#[test]
fn the_tutorial_works_as_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("links.sk");
    let mut session = Session::new(folder.path());
    let mut design = String::new();
    for block in blocks(&page("tutorial.md")) {
        match block.language.as_str() {
            "sk" => {
                design = edited(&design, &block.text);
                std::fs::write(&file, &design).expect("written");
            }
            "console" => {
                if block.text.contains("project keys") {
                    let changed = replaced(&design, "project all", "project keys");
                    std::fs::write(&file, changed).expect("written");
                }
                run("tutorial.md", &mut session, &block);
            }
            other => panic!("nothing checks blocks of {other:?} in the tutorial"),
        }
    }
}

/// The design after an edit, as the text around the block describes it.
fn edited(design: &str, block: &str) -> String {
    if design.is_empty() {
        return block.to_owned();
    }
    if block.starts_with("defaults") {
        // "... and write `slug slug(3..40) @normalize(trim, lower)`."
        let design = replaced(design, "slug(3..40)\n", "slug(3..40) @normalize(trim, lower)\n");
        return replaced(&design, "table Links", &format!("{block}\ntable Links"));
    }
    if block.starts_with("table Links") {
        let start = design.find("table Links").expect("a table");
        let end = start + design[start..].find("\n}\n").expect("its end") + "\n}\n".len();
        return format!("{}{block}{}", &design[..start], &design[end..]);
    }
    if block.starts_with("  tenant userId") {
        return replaced(design, "  tenant userId\n}\n", block);
    }
    format!("{design}\n{block}")
}

fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} in\n{text}");
    text.replace(old, new)
}
