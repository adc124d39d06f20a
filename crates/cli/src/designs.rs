//! Reading designs and writing to the terminal, as the compiler's commands share it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use sortkey_diagnostics::Style;

use crate::failure::Failure;

/// The design files that the arguments mean: files as they are, folders with every `.sk` below them.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let here = [PathBuf::from(".")];
    let mut found = Vec::new();
    for path in if paths.is_empty() { &here } else { paths } {
        if path.is_dir() {
            below(path, &mut found);
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    if found.is_empty() {
        let searched: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let searched = if searched.is_empty() { "this folder".to_owned() } else { searched.join(" and ") };
        return Err(
            Failure::new(format_args!("no design in {searched}")).hint("designs are files that end with .sk")
        );
    }
    Ok(found)
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if path.is_dir() && !hidden && entry.file_name() != "target" {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "sk") {
                found.push(path);
            }
        }
    }
}

/// The file itself; in a folder the one that is called like it, or the only one.
pub(crate) fn one(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let folder = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let namesake = folder.file_name().map(|name| path.join(name).with_extension("sk"));
    if let Some(file) = namesake.filter(|file| file.is_file()) {
        return Ok(file);
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut designs: Vec<PathBuf> =
        entries.filter(|file| file.extension().is_some_and(|extension| extension == "sk")).collect();
    designs.sort();
    match designs.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::new(format_args!("no design in {}", path.display()))
            .hint("designs are files that end with .sk")),
        several => {
            let names: Vec<String> = several.iter().map(|file| file.display().to_string()).collect();
            Err(Failure::new("several designs here; name one of them").hint(names.join(", ")))
        }
    }
}

/// The text of a design.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::new(format_args!("cannot read {}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|_| Failure::new(format_args!("{} is not UTF-8 text", path.display())))
}

/// Writes a file in one go.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::new(format_args!("cannot write {}: {error}", path.display())))
}

/// Writes to the standard output; a reader who went away is no failure.
pub(crate) fn say(text: &str) {
    let mut terminal = std::io::stdout().lock();
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}

/// Colours for a terminal, none for a file or where NO_COLOR asks for none.
pub(crate) fn style() -> Style {
    if is_coloured(&std::io::stdout()) { Style::Coloured } else { Style::Plain }
}

/// Whether a stream takes colours: it is a terminal, and NO_COLOR is not set.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !plain
}
