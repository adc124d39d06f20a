//! Lists the systems of `systems/`, so that a new folder is tested by every test that runs all of them.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).expect("the systems are in the repository");
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| folder.join(name).join(format!("{name}.sk")).is_file())
        .collect();
    names.sort();

    let mut code =
        format!("/// The names of the shipped systems.\npub const SYSTEMS: &[&str] = &{names:?};\n\n");
    code.push_str("/// Declares one test for each shipped system, which calls the function with its name.\n");
    code.push_str("#[macro_export]\nmacro_rules! each_system {\n    ($check:path) => {\n");
    for name in &names {
        let test = name.replace('-', "_");
        // Writing to a string cannot fail.
        let _ = write!(
            code,
            "        #[test]\n        fn {test}() {{\n            $check({name:?});\n        }}\n"
        );
    }
    code.push_str("    };\n}\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("systems.rs"), code).expect("written");
}
