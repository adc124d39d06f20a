//! `sortkey init`: a design to start from.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// The example. Its first line names the design `links`, which is replaced by the name of the folder.
const EXAMPLE: &str = include_str!("init/example.sk");

/// `sortkey up` stores data and the keys of encrypted attributes there, next to the design.
const IGNORED: &str = "/.sortkey\n";

/// Write a small example design with tests, to change into your own
///
/// The design is called like its folder, or `links` where the folder has no name that a design can have. It has no warnings, its tests pass and `sortkey up` runs it. Existing files are
/// never changed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey init          # in this folder
  sortkey init links    # in a new folder")]
pub(super) struct Init {
    /// The folder; it is created if it does not exist
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

impl Run for Init {
    const NAME: &'static str = "init";

    fn run(self) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder).map_err(|error| {
            Failure::new(format_args!("cannot create the folder {}: {error}", self.folder.display()))
        })?;
        let name = design_name(&self.folder);
        let design = self.folder.join(&name).with_extension("sk");
        write_new(&design, &EXAMPLE.replacen("design links", &format!("design {name}"), 1))?;
        let ignore = self.folder.join(".gitignore");
        if !ignore.exists() {
            write_new(&ignore, IGNORED)?;
        }
        designs::say(&next_steps(&design, &self.folder));
        Ok(())
    }
}

/// The folder's own name as far as the language allows it in a name, else `links`.
fn design_name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let words: Vec<&str> = name
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.join("-");
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { "links".to_owned() }
}

/// Writes a file that does not exist yet.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
        let failure = Failure::new(format_args!("cannot write {}: {error}", path.display()));
        match error.kind() {
            ErrorKind::AlreadyExists => failure.hint("choose another folder: sortkey init DIR"),
            _ => failure,
        }
    })?;
    file.write_all(text.as_bytes())
        .map_err(|error| Failure::new(format_args!("cannot write {}: {error}", path.display())))
}

fn next_steps(design: &Path, folder: &Path) -> String {
    let enter = match folder == Path::new(".") {
        true => String::new(),
        false => format!("  cd {}\n", quoted(&folder.display().to_string())),
    };
    format!(
        "{} is a design for short links. Next:\n{enter}  \
         sortkey check    # find mistakes\n  \
         sortkey test     # run the tests in the design\n  \
         sortkey up       # create the tables and serve every call\n",
        design.display()
    )
}

/// A word as it is typed into a shell.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_design() {
        for (folder, expected) in [
            ("/srv/links", "links"),
            ("/srv/my app (2)", "my-app-2"),
            ("/srv/web_hooks", "web_hooks"),
            ("/srv/2024", "links"),
            ("/srv/été", "t"),
            ("/", "links"),
        ] {
            assert_eq!(design_name(Path::new(folder)), expected, "{folder}");
        }
    }

    #[test]
    fn folders_are_shown_as_a_shell_reads_them() {
        for (folder, expected) in [("a/b-1", "a/b-1"), ("my shop", "'my shop'"), ("ada's", r"'ada'\''s'")] {
            assert_eq!(quoted(folder), expected);
        }
    }
}
