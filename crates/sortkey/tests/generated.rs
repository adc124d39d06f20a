//! Generated clients in Rust: those of all systems compile without a warning and run; wrong programs do not compile.
//!
//! The compiler is called by itself, with the libraries that cargo has built for this test.
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sortkey_codegen::client::{rust, surface};
use sortkey_design::{FileLoader, NoFiles, compile};

/// A folder with the clients of all systems and a program.
fn folder(program: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in sortkey_testkit::SYSTEMS.iter().copied() {
        let file = sortkey_testkit::design_file(name);
        let text = std::fs::read_to_string(&file).expect("the design is there");
        let compiled = compile(&file.to_string_lossy(), &text, &FileLoader);
        let own = folder.path().join(name.replace('-', "_"));
        std::fs::create_dir(&own).expect("a folder");
        for file in rust(&surface(&compiled.program, name)).expect("a client") {
            std::fs::write(own.join(&file.name), &file.text).expect("written");
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated").join(program);
    std::fs::copy(source, folder.path().join("main.rs")).expect("copied");
    folder
}

/// Libraries of a crate among those of this test, the newest first: cargo keeps earlier ones.
fn libraries(name: &str) -> Vec<PathBuf> {
    let test = std::env::current_exe().expect("a path");
    let deps = test.parent().expect("target/debug/deps");
    let entries = std::fs::read_dir(deps).expect("a folder").flatten().map(|entry| entry.path());
    let begins = format!("lib{name}-");
    let is_it = |path: &PathBuf| {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        file.starts_with(&begins) && file.ends_with(".rlib")
    };
    let mut found: Vec<PathBuf> = entries.filter(is_it).collect();
    found.sort_by_key(|path| std::fs::metadata(path).and_then(|data| data.modified()).ok());
    found.reverse();
    found
}

/// Compiles the program of a folder.
fn compiled(folder: &Path, library: &Path, arguments: &[&str]) -> Output {
    let deps = library.parent().expect("target/debug/deps");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Command::new(compiler)
        .args(["--edition", "2024", "--error-format", "json", "--out-dir", "."])
        .args(arguments)
        .arg("--extern")
        .arg(format!("sortkey={}", library.display()))
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("main.rs")
        .current_dir(folder)
        .output()
        .expect("rustc runs")
}

/// The messages of the compiler: level, code, line in the program, text.
fn messages(output: &Output) -> Vec<(String, String, Option<u64>, String)> {
    let text = String::from_utf8_lossy(&output.stderr);
    let parsed = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let message = |each: serde_json::Value| {
        let spans = each["spans"].as_array().cloned().unwrap_or_default();
        let of_program =
            spans.iter().find(|span| span["is_primary"] == true && span["file_name"] == "main.rs");
        let text = |name: &str| each[name].as_str().unwrap_or_default().to_owned();
        let code = each["code"]["code"].as_str().unwrap_or_default().to_owned();
        (text("level"), code, of_program.and_then(|span| span["line_start"].as_u64()), text("rendered"))
    };
    parsed.map(message).collect()
}

/// The library whose dependencies are there as it was built with them.
fn library(folder: &Path) -> PathBuf {
    let is_stale = |output: &Output| {
        messages(output).iter().any(|(_, code, ..)| ["E0460", "E0463", "E0514"].contains(&code.as_str()))
    };
    std::fs::write(folder.join("probe.rs"), "pub use sortkey::client;").expect("written");
    let all = libraries("sortkey");
    let found = all.iter().find(|library| {
        let probe = folder.join("probe");
        std::fs::create_dir_all(&probe).expect("a folder");
        std::fs::copy(folder.join("probe.rs"), probe.join("main.rs")).expect("copied");
        let output = compiled(&probe, library, &["--crate-type", "lib", "--emit", "metadata"]);
        output.status.success() && !is_stale(&output)
    });
    found.unwrap_or_else(|| panic!("no library of sortkey among {all:?} can be used")).clone()
}

#[test]
fn clients_of_all_systems_compile_and_run() {
    let folder = folder("right.rs");
    let library = library(folder.path());
    let output = compiled(folder.path(), &library, &["-C", "debuginfo=0", "-C", "link-arg=-Wl,-S"]);
    let said: Vec<String> = messages(&output)
        .into_iter()
        .filter(|(level, ..)| level != "failure-note")
        .map(|each| each.3)
        .collect();
    assert!(output.status.success() && said.is_empty(), "{}", said.join("\n"));
    let ran = Command::new(folder.path().join("main")).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn wrong_programs_do_not_compile() {
    let folder = folder("wrong.rs");
    let library = library(folder.path());
    let output = compiled(folder.path(), &library, &["--crate-type", "lib", "--emit", "metadata"]);
    let text = std::fs::read_to_string(folder.path().join("main.rs")).expect("the program");
    let lines = text.lines().zip(1_u64..);
    let wrong: BTreeSet<u64> =
        lines.filter(|(line, _)| line.ends_with("// wrong")).map(|(_, number)| number).collect();
    assert!(wrong.len() >= 40, "{} wrong programs", wrong.len());
    let refused: BTreeSet<u64> = messages(&output)
        .into_iter()
        .filter(|(level, ..)| level == "error")
        .filter_map(|(_, _, line, _)| line)
        .collect();
    let line = |number: &u64| text.lines().nth(*number as usize - 1).unwrap_or_default();
    let accepted: Vec<&str> = wrong.difference(&refused).map(line).collect();
    let unexpected: Vec<&str> = refused.difference(&wrong).map(line).collect();
    assert!(
        accepted.is_empty() && unexpected.is_empty(),
        "accepted: {accepted:#?}\nunexpected: {unexpected:#?}"
    );
}

/// The blocks of code of the guide: the file that the line before names, and the text.
fn guide() -> Vec<(Option<String>, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rust.md");
    let text = std::fs::read_to_string(path).expect("the guide is there");
    let (mut blocks, mut before, mut inside) = (Vec::new(), String::new(), None::<String>);
    for line in text.lines() {
        match (&mut inside, line.starts_with("```")) {
            (None, true) => inside = Some(String::new()),
            (Some(code), true) => {
                let named = before.split('`').find(|word| word.ends_with(".rs") || word.ends_with(".sk"));
                blocks.push((named.map(str::to_owned), std::mem::take(code)));
                inside = None;
                before.clear();
            }
            (Some(code), false) => *code += &format!("{line}\n"),
            (None, false) if line.is_empty() => {}
            (None, false) => line.clone_into(&mut before),
        }
    }
    blocks
}

/// The workspace is built with the feature `remote`, which the guide uses.
#[test]
fn the_programs_of_the_guide_compile() {
    let blocks = guide();
    let file = |name: &str| {
        let found = blocks.iter().find(|(of, _)| of.as_deref() == Some(name));
        found.map(|(_, code)| code.clone()).unwrap_or_else(|| panic!("the guide has no {name}"))
    };
    let test = blocks.iter().map(|(_, code)| code).find(|code| code.contains("#[test]")).expect("a test");
    let folder = tempfile::tempdir().expect("a folder");
    let design = compile("links.sk", &file("links.sk"), &NoFiles);
    std::fs::create_dir(folder.path().join("links")).expect("a folder");
    for file in rust(&surface(&design.program, "links")).expect("a client") {
        std::fs::write(folder.path().join("links").join(&file.name), &file.text).expect("written");
    }
    let main = file("src/main.rs");
    let program = format!(
        "{main}\n#[allow(dead_code)]\nmod tests {{\nuse super::*;\n{}}}\n",
        test.replace("#[test]\n", "")
    );
    std::fs::write(folder.path().join("main.rs"), program).expect("written");
    let library = library(folder.path());
    let said: Vec<String> = libraries("tokio")
        .iter()
        .map(|tokio| {
            let tokio = format!("tokio={}", tokio.display());
            let output = compiled(folder.path(), &library, &["--emit", "metadata", "--extern", &tokio]);
            messages(&output).into_iter().map(|each| each.3).collect::<String>()
        })
        .collect();
    assert!(said.iter().any(String::is_empty), "{}", said.join("\n"));
}

#[test]
fn two_calls_of_one_name_in_rust_are_refused() {
    let text = "design d
        table T \"things\" { key (id) }
        entity E in T { id slug  n int }
        system pattern getE = get E by id
        system pattern get_e = get E by id";
    let compiled = compile("d.sk", text, &NoFiles);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let problems = rust(&surface(&compiled.program, "d")).expect_err("refused");
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|each| each.contains("`get_e`")), "{said:?}");
}
