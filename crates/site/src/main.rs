//! Builds the documentation site: `cargo run -p sortkey-site [DIRECTORY]`, by default into `target/site`.
// A tool for people at a terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sortkey_site::{Site, SiteError};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = std::env::args_os().nth(1).map_or_else(|| root.join("target/site"), PathBuf::from);
    match build(&root, &out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the site unless something is wrong with it.
fn build(root: &Path, out: &Path) -> Result<bool, SiteError> {
    let site = Site::read(root)?;
    let problems = site.problems();
    for problem in &problems {
        eprintln!("error: {problem}");
    }
    if problems.is_empty() {
        let pages = site.write(out)?;
        println!("{pages} pages: {}", out.join("index.html").display());
    }
    Ok(problems.is_empty())
}
