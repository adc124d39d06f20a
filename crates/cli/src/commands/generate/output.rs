//! Generated files in their folder: written, or compared with what is there.

use std::path::{Path, PathBuf};

use clap::Args;
use sortkey_codegen::{File, difference, is_generated};

use crate::designs;
use crate::failure::Failure;

#[derive(Args, Debug)]
pub(super) struct Output {
    /// The folder of the generated files
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Change nothing; fail and show the difference if a file is stale
    #[arg(long)]
    check: bool,
}

impl Output {
    /// Writes the files, or compares them.
    pub(super) fn put(&self, files: &[File]) -> Result<(), Failure> {
        let stale = self.stale(files);
        if self.check {
            return self.compare(files, &stale);
        }
        std::fs::create_dir_all(&self.out)
            .map_err(|error| Failure::new(format_args!("cannot create {}: {error}", self.out.display())))?;
        for file in files {
            let path = self.out.join(&file.name);
            if let Some(text) = self.there(&file.name)?
                && !is_generated(&text)
            {
                return Err(Failure::new(format_args!("{} is there, and was not generated", path.display()))
                    .hint("move it away, or choose another folder with --out"));
            }
            designs::write(&path, &file.text)?;
            if file.is_executable {
                make_executable(&path)?;
            }
            designs::say(&format!("{}\n", path.display()));
        }
        for path in stale {
            std::fs::remove_file(&path)
                .map_err(|error| Failure::new(format_args!("cannot remove {}: {error}", path.display())))?;
            designs::say(&format!("{} is gone: it is not needed any more\n", path.display()));
        }
        Ok(())
    }

    /// The text of a file that is there.
    pub(super) fn there(&self, name: &str) -> Result<Option<String>, Failure> {
        let path = self.out.join(name);
        if path.exists() { designs::read(&path).map(Some) } else { Ok(None) }
    }

    fn compare(&self, files: &[File], stale: &[PathBuf]) -> Result<(), Failure> {
        let mut differences = String::new();
        for file in files {
            let path = self.out.join(&file.name).display().to_string();
            match self.there(&file.name)? {
                Some(text) => differences += &difference(&path, &text, &file.text),
                None => differences += &format!("{path} is missing\n"),
            }
        }
        for path in stale {
            differences += &format!("{} is not needed any more\n", path.display());
        }
        if differences.is_empty() {
            return Ok(());
        }
        designs::say(&differences);
        Err(Failure::new("generated files are stale").hint("run the same command without --check"))
    }

    /// Files of earlier runs that this one has no use for: waves, their script, the template or the imports. Only what was
    /// generated counts.
    fn stale(&self, files: &[File]) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.out).into_iter().flatten().flatten();
        let is_ours = |name: &str| {
            ["template.json", "template.yaml", "apply.sh", "imports.tf"].contains(&name)
                || name.ends_with("-wave.json")
                || name.ends_with("-wave.yaml")
        };
        let kinds = |name: &str| if name.ends_with(".tf") { "terraform" } else { "cloudformation" };
        let kind = files.first().map(|file| kinds(&file.name));
        let mut stale: Vec<PathBuf> = entries
            .filter(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_wanted = files.iter().any(|file| file.name == name || file.name.ends_with(".ts"));
                !is_wanted && is_ours(&name) && Some(kinds(&name)) == kind
            })
            .map(|entry| entry.path())
            .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| is_generated(&text)))
            .collect();
        stale.sort();
        stale
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| Failure::new(format_args!("cannot make {} executable: {error}", path.display())))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), Failure> {
    Ok(())
}
