//! Clients in Python: of every system, complete and in Python's spelling. `crates/python/run.sh` checks their types and runs them.
//!
//! `SORTKEY_CLIENTS=DIR` also writes them below a folder.

use std::path::Path;

use sortkey_codegen::File;
use sortkey_codegen::client::{python, surface};
use sortkey_design::{FileLoader, NoFiles, compile};

fn files(name: &str, text: &str) -> Result<Vec<File>, Vec<sortkey_codegen::Problem>> {
    let compiled = compile(name, text, &NoFiles);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    python(&surface(&compiled.program, "design"))
}

fn check(system: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../systems/{system}/{system}.sk"));
    let text = std::fs::read_to_string(&path).expect("the design is there");
    let compiled = compile(&path.to_string_lossy(), &text, &FileLoader);
    let surface = surface(&compiled.program, system);
    let files = python(&surface).expect("a client");
    assert_eq!(files.len(), 3 + surface.modules.len());
    let all: String = files.iter().map(|file| file.text.as_str()).collect();
    for call in surface.every_call() {
        assert!(all.contains(&format!("\"{}\"", call.path)), "{system}: `{}` is missing", call.path);
    }
    if let Some(folder) = std::env::var_os("SORTKEY_CLIENTS") {
        let folder = Path::new(&folder).join(system.replace('-', "_"));
        std::fs::create_dir_all(&folder).expect("a folder");
        for file in &files {
            std::fs::write(folder.join(&file.name), &file.text).expect("written");
        }
    }
}

sortkey_testkit::each_system!(check);

#[test]
fn two_calls_of_one_name_in_python_are_refused() {
    let text = "design d
        table T \"things\" { key (id) }
        entity E in T { id slug  n int }
        system pattern getE = get E by id
        system pattern get_e = get E by id";
    let problems = files("d.sk", text).expect_err("refused");
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|each| each.contains("`get_e`")), "{said:?}");
}
