//! The corrected systems survive their JSON form.

use sortkey_design::{FileLoader, compile};
use std::path::{Path, PathBuf};

/// Every design under `systems/` but the faithful transcriptions, which are wrong on purpose, and the files of tests,
/// which declare nothing of their own.
fn corrected() -> Vec<PathBuf> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let folders = std::fs::read_dir(systems).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let designs = files.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".sk") && !name.contains("as-written") && !name.starts_with("tests")
    });
    let mut designs: Vec<PathBuf> = designs.collect();
    designs.sort();
    designs
}

#[test]
fn a_design_survives_its_json_form() {
    for path in corrected() {
        let text = std::fs::read_to_string(&path).unwrap();
        let design = compile(&path.to_string_lossy(), &text, &FileLoader).design;
        let json = serde_json::to_value(&design).unwrap();
        let back: sortkey_design::Design = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&back).unwrap(), json, "{}", path.display());
    }
}
