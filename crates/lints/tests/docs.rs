//! `docs/lints/` is generated from the documentation of the rules. `SORTKEY_BLESS=1` rewrites it.

use sortkey_lints::{explain, lints};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn pages() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints");
    let mut index = String::from(
        "# Rules\n\nGenerated from the rules themselves; `sortkey explain RULE` prints the same text.\n\n\
         | code | level | rule |\n|---|---|---|\n",
    );
    let mut pages = Vec::new();
    for lint in lints() {
        let name = lint.name;
        let _ = writeln!(index, "| {} | {} | [{name}]({name}.md) |", lint.code, lint.level.as_str());
        let Some(explanation) = explain(name) else { continue };
        let text = explanation.text.trim_end();
        let heading = format!("`{}`, {} by default.", lint.code, lint.level.as_str());
        let page = text.replacen("## What it notices", &format!("{heading}\n\n## What it notices"), 1);
        pages.push((folder.join(format!("{name}.md")), page + "\n"));
    }
    pages.push((folder.join("README.md"), index));
    pages
}

#[test]
fn the_pages_of_the_rules_are_current() {
    let mut stale = Vec::new();
    for (path, text) in pages() {
        if std::env::var_os("SORTKEY_BLESS").is_some() {
            assert!(std::fs::write(&path, &text).is_ok(), "{}", path.display());
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != text {
            stale.push(path.display().to_string());
        }
    }
    assert!(stale.is_empty(), "stale (SORTKEY_BLESS=1 rewrites them):\n{}", stale.join("\n"));
}

/// The example of the tutorial is a design without a flaw, laid out as the formatter does it.
#[test]
fn the_tutorial_is_right() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let text = std::fs::read_to_string(guide).unwrap_or_default();
    let example = text.split("```sk\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let options = sortkey_lints::Options::default();
    let compilation = sortkey_lints::check("notes.sk", example, &sortkey_design::NoFiles, &options);
    assert_eq!(compilation.diagnostics, []);
    let parsed = sortkey_syntax::parse(example, sortkey_diagnostics::FileId(0));
    assert_eq!(sortkey_syntax::format(&parsed).as_deref(), Some(example));
}
