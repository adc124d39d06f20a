//! The systems under `systems/`: the corrected designs raise nothing, and in the faithful transcriptions every mistake
//! that a line is marked with (`//~ number rule`) is found by that rule on that line.
//!
//! `SORTKEY_BLESS=1` rewrites the two files beside each transcription: the table of mistakes, and all diagnostics.

use sortkey_design::{Compilation, FileLoader};
use sortkey_lints::{Options, check};
use std::path::{Path, PathBuf};

fn designs() -> Vec<PathBuf> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let folders = std::fs::read_dir(systems).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut found: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "sk"));
    found.sort();
    found
}

fn is_transcription(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("as-written"))
}

fn checked(path: &Path) -> (String, Compilation) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let compilation = check(&path.to_string_lossy(), &text, &FileLoader, &Options::default());
    (text, compilation)
}

/// One line per diagnostic of the file itself: `line:column severity rule title`.
fn lines(compilation: &Compilation) -> Vec<(u32, &'static str, String)> {
    let own = compilation.diagnostics.iter().filter(|diagnostic| diagnostic.primary.span.file.0 == 0);
    own.map(|diagnostic| {
        let at = compilation.sources.position(diagnostic.primary.span);
        let severity = diagnostic.severity.as_str();
        let line = format!("{}:{} {severity} {} {}", at.line, at.column, diagnostic.rule, diagnostic.title);
        (at.line, diagnostic.rule, line)
    })
    .collect()
}

/// The marks of a transcription: mistake, rule, line.
fn marks(text: &str) -> Vec<(String, String, u32)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, marks)) = line.split_once("//~ D-") else {
            continue;
        };
        for mark in marks.split(',') {
            let (defect, rule) = mark.trim().split_once(' ').unwrap_or((mark, ""));
            found.push((format!("D-{}", defect.trim_start_matches("D-")), rule.to_owned(), number));
        }
    }
    found.sort();
    found
}

#[test]
fn corrected_systems_raise_nothing() {
    for path in designs().into_iter().filter(|path| !is_transcription(path)) {
        let (_, compilation) = checked(&path);
        let found: Vec<String> = lines(&compilation).into_iter().map(|(_, _, line)| line).collect();
        assert!(found.is_empty(), "{}\n{}", path.display(), found.join("\n"));
        // Silence is an exception that gives its reason: few in a small design, and rare in a large one.
        let length = std::fs::read_to_string(&path).expect("a design").lines().count();
        let (allows, most) = (compilation.design.allows.len(), (length / 60).max(6));
        assert!(allows <= most, "{} silences {allows} rules, at most {most} allowed", path.display());
    }
}

/// Designs of well-known examples, which nobody wrote for this compiler.
#[test]
fn example_designs_raise_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/designs");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (_, compilation) = checked(&entry.path());
        let found: Vec<String> = lines(&compilation).into_iter().map(|(_, _, line)| line).collect();
        assert!(found.is_empty(), "{}\n{}", entry.path().display(), found.join("\n"));
    }
}

#[test]
fn every_marked_mistake_is_found_on_its_line() {
    let mut wrong = Vec::new();
    for path in designs().into_iter().filter(|path| is_transcription(path)) {
        let (text, compilation) = checked(&path);
        let found = lines(&compilation);
        for (defect, rule, line) in marks(&text) {
            if !found.iter().any(|(at, name, _)| *at == line && *name == rule) {
                wrong.push(format!("{}:{line} {defect} {rule}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not found:\n{}", wrong.join("\n"));
}

/// Three documents whose mistakes another reader has numbered: how many there are, and which of them are about the prose
/// around the design. All others can be seen in a design or in a migration, and are in the transcriptions.
#[test]
fn every_mistake_that_a_design_shows_is_found() {
    let documents: [(&str, &str, usize, &[usize]); 3] = [
        ("000", "listbackup", 66, &[22, 23, 24, 26, 59]),
        ("002", "seller-profiles", 56, &[1, 2, 3, 18, 21, 50, 53]),
        ("003", "ferryhook", 50, &[13, 26]),
    ];
    for (document, folder, count, in_prose) in documents {
        let marked: Vec<String> = designs()
            .into_iter()
            .filter(|path| is_transcription(path) && path.to_string_lossy().contains(folder))
            .flat_map(|path| marks(&std::fs::read_to_string(path).unwrap_or_default()))
            .map(|(defect, _, _)| defect)
            .collect();
        let shown = (1..=count).filter(|number| !in_prose.contains(number));
        let missing: Vec<String> = shown
            .map(|number| format!("D-{document}-{number:02}"))
            .filter(|defect| !marked.contains(defect))
            .collect();
        assert!(missing.is_empty(), "{folder}: {}", missing.join(", "));
    }
}

#[test]
fn transcriptions_keep_their_diagnostics() {
    for path in designs().into_iter().filter(|path| is_transcription(path)) {
        let (text, compilation) = checked(&path);
        let diagnostics: String = lines(&compilation).into_iter().map(|(_, _, line)| line + "\n").collect();
        let table: String = marks(&text)
            .into_iter()
            .map(|(defect, rule, line)| format!("{defect}\t{rule}\t{line}\n"))
            .collect();
        for (extension, expected) in [("diagnostics", diagnostics), ("defects.tsv", table)] {
            let file = path.with_extension(extension);
            if std::env::var_os("SORTKEY_BLESS").is_some() {
                assert!(std::fs::write(&file, &expected).is_ok(), "{}", file.display());
            }
            let kept = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(kept == expected, "{} is stale:\n{expected}", file.display());
        }
    }
}
