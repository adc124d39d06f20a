//! Every design in the repository parses without errors, survives the tree byte for byte, and is a fixed point of
//! the formatter after one pass.

use sortkey_diagnostics::FileId;
use sortkey_syntax::{Kind, SyntaxElement, format, parse};
use std::path::{Path, PathBuf};

fn designs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join("systems"), root.join("examples/designs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "sk") {
                found.push(path);
            }
        }
    }
    assert!(found.len() >= 4, "the designs are not where this test looks for them");
    found
}

#[test]
fn designs_parse_without_errors_and_losslessly() {
    for path in designs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let parse = parse(&text, FileId(0));
        assert_eq!(parse.diagnostics(), [], "{}", path.display());
        assert_eq!(parse.syntax().text().to_string(), text, "{}", path.display());
    }
}

#[test]
fn formatting_is_idempotent_and_keeps_every_token() {
    for path in designs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let once = format(&parse(&text, FileId(0))).unwrap();
        let twice = format(&parse(&once, FileId(0))).unwrap();
        assert_eq!(once, twice, "{}", path.display());
        assert_eq!(tokens(&text), tokens(&once), "{}", path.display());
    }
}

/// Everything but blanks and commas, which the formatter may add.
fn tokens(text: &str) -> Vec<String> {
    let tree = parse(text, FileId(0)).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(SyntaxElement::into_token);
    tokens
        .filter(|token| !matches!(token.kind(), Kind::Whitespace | Kind::Comma))
        .map(|token| token.text().trim_end().to_owned())
        .collect()
}
