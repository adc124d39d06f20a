//! The five systems survive the wire: what was written is read as the same program.

use std::path::{Path, PathBuf};

use sortkey_design::{FileLoader, compile, wire};

/// Every design under `systems/` but the files of tests, which declare nothing of their own.
fn designs() -> Vec<PathBuf> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let folders = std::fs::read_dir(systems).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let designs = files.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".sk") && !name.contains("as-written") && !name.starts_with("tests")
    });
    designs.collect()
}

#[test]
fn a_program_survives_the_wire() {
    let designs = designs();
    assert!(designs.len() >= 5, "{designs:?}");
    for path in designs {
        let text = std::fs::read_to_string(&path).unwrap();
        let tests = path.with_file_name("tests.sk");
        // With its tests, if there are some: they have statements that operations do not have.
        let (name, text) = match std::fs::read_to_string(&tests) {
            Ok(text) => (tests, text),
            Err(_) => (path.clone(), text),
        };
        let program = compile(&name.to_string_lossy(), &text, &FileLoader).program;
        let json = serde_json::to_string(&wire::write(&program)).unwrap();
        let back = wire::read(&serde_json::from_str(&json).unwrap()).unwrap();
        assert_eq!(back.tables, program.tables);
        assert_eq!(back.names, program.names);
        assert_eq!(back.settings, program.settings);
        assert_eq!(
            back.rules.iter().map(|each| &each.condition).collect::<Vec<_>>(),
            program.rules.iter().map(|each| &each.condition).collect::<Vec<_>>()
        );
        let again = serde_json::to_string(&wire::write(&back)).unwrap();
        assert!(again == json, "{}: another program was read", path.display());
    }
}

/// A chain of conditions nests as deep as it is long, and readers of JSON give up at 128 levels.
#[test]
fn long_conditions_are_written_flat() {
    let chain: Vec<String> = (0..90).map(|at| format!("a = \"{at}\"")).collect();
    let text =
        format!("table T {{ key (a) }}\nentity E in T {{ a string(1..9)  check {} }}\n", chain.join(" or "));
    let compilation = compile("t.sk", &text, &FileLoader);
    assert_eq!(compilation.diagnostics, []);
    let json = serde_json::to_string(&wire::write(&compilation.program)).unwrap();
    let back = wire::read(&serde_json::from_str(&json).unwrap()).unwrap();
    let checks = |program: &sortkey_design::Program| {
        program.entities.iter().flat_map(|each| each.checks.clone()).collect::<Vec<_>>()
    };
    assert_eq!(checks(&back), checks(&compilation.program));
}

#[test]
fn other_formats_are_refused() {
    let program = compile("t.sk", "table T { key (a) }", &FileLoader).program;
    let form = wire::write(&program);
    let read = |form: &wire::Program| wire::read(&serde_json::to_value(form).unwrap());
    assert!(read(&form).is_ok());
    let other = wire::Program { format: "something".to_owned(), ..form.clone() };
    assert_eq!(read(&other).unwrap_err().to_string(), "this is \"something\", not \"sortkey-program\"");
    let newer = wire::Program { version: 3, ..form };
    assert_eq!(read(&newer).unwrap_err().to_string(), "this is version 3; only 2 can be read");
}
