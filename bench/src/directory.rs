//! A directory for one measurement, removed with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A new directory below another one.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it; what an earlier run left there is removed.
    pub fn below(parent: &Path, name: &str) -> io::Result<Scratch> {
        let path = parent.join(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }

    /// A name in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A directory that cannot be removed now is removed by the next run.
        let _ = fs::remove_dir_all(&self.0);
    }
}
