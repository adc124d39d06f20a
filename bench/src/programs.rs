//! How each server is started: Sortkey's own binary, and this program in the part of the two others.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::Server;

/// The paths of the programs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The binary `sortkey`, built for release.
    pub sortkey: PathBuf,
    /// This program.
    pub this: PathBuf,
}

impl Programs {
    /// Sortkey, empty and in memory.
    pub fn sortkey(&self) -> io::Result<Server> {
        Server::start(&self.sortkey, &["serve", "--port", "0", "--in-memory"])
    }

    /// Sortkey on a directory, with further arguments.
    pub fn sortkey_in(&self, directory: &Path, arguments: &[&str]) -> io::Result<Server> {
        let directory = directory.to_string_lossy();
        let all = [&["serve", "--port", "0", "--data", &*directory], arguments].concat();
        Server::start(&self.sortkey, &all)
    }

    /// Sortkey with a design on it, in memory or in a directory.
    pub fn up(&self, design: &Path, directory: Option<&Path>) -> io::Result<Server> {
        let (design, directory) = (design.to_string_lossy(), directory.map(Path::to_string_lossy));
        let kept = directory.as_deref().map_or(vec!["--in-memory"], |directory| vec!["--data", directory]);
        Server::start(&self.sortkey, &[&["up", &*design, "--port", "0"], kept.as_slice()].concat())
    }

    /// Dynoxide on a file.
    pub fn dynoxide_in(&self, file: &Path) -> io::Result<Server> {
        Server::start(&self.this, &["serve-dynoxide", &file.to_string_lossy()])
    }

    /// Dynoxide, empty and in memory.
    pub fn dynoxide(&self) -> io::Result<Server> {
        Server::start(&self.this, &["serve-dynoxide"])
    }

    /// The bare server with its one answer, the bytes of an HTTP response.
    pub fn bare(&self, answer: &[u8]) -> io::Result<Server> {
        let file = std::env::temp_dir().join(format!("sortkey-bench-{}.answer", std::process::id()));
        fs::write(&file, answer)?;
        let server = Server::start(&self.this, &["serve-bare", &file.to_string_lossy()]);
        // It has been read by the time the server listens.
        fs::remove_file(&file)?;
        server
    }
}
