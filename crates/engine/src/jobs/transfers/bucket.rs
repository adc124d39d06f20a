//! AWS's buckets: directories below the one for exports and imports.
//!
//! Nothing outside of that directory is ever read or written: names of buckets and prefixes cannot lead out of it, and
//! symbolic links are not followed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sortkey_api::ApiError;

use crate::engine::Shared;

/// The prefix of an export's files, as on AWS.
pub(crate) const EXPORTS: &str = "AWSDynamoDB";

/// A bucket.
pub(crate) struct Bucket {
    root: PathBuf,
    name: String,
}

impl Bucket {
    /// The bucket of a name, whether it is there or not.
    pub(crate) fn named(shared: &Shared, name: &str) -> Result<Bucket, ApiError> {
        let Some(root) = &shared.settings.export_dir else {
            return Err(ApiError::validation(
                "Exports and imports need a directory whose subdirectories are the buckets: start the server with \
                 --export-dir DIR, or set export_dir of the builder",
            ));
        };
        if !is_bucket_name(name) {
            return Err(ApiError::validation(format!(
                "{name} is not the name of a bucket: letters, digits, dots, hyphens and underscores, a letter or digit \
                 first and last"
            )));
        }
        Ok(Bucket { root: root.clone(), name: name.to_owned() })
    }

    /// A directory in the bucket, which is made if it is not there.
    pub(super) fn directory(&self, parts: &[&str]) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.root)?;
        let mut path = self.root.clone();
        for part in [self.name.as_str()].iter().chain(parts) {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(not_a_directory(&path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir(&path)?,
                Err(error) => return Err(error),
            }
        }
        Ok(path)
    }

    /// Writes a file into a directory of the bucket, in the place of an earlier one.
    pub(super) fn create(directory: &Path, name: &str) -> io::Result<File> {
        let path = directory.join(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => Err(not_a_file(&path)),
            _ => File::create(path),
        }
    }

    /// Whether the bucket is there.
    pub(super) fn is_there(&self) -> bool {
        fs::symlink_metadata(self.root.join(&self.name)).is_ok_and(|found| found.is_dir())
    }

    /// The files whose keys start with a prefix, by key. Of an export only the data counts.
    pub(super) fn files(&self, prefix: &str) -> io::Result<Vec<(String, PathBuf)>> {
        let mut files = Vec::new();
        let mut directories = vec![(String::new(), self.root.join(&self.name))];
        while let Some((key, directory)) = directories.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                let (kind, name) = (entry.file_type()?, entry.file_name());
                let Some(name) = name.to_str() else { continue };
                let key = if key.is_empty() { name.to_owned() } else { format!("{key}/{name}") };
                if kind.is_dir() && (key.starts_with(prefix) || prefix.starts_with(&key)) {
                    directories.push((key, entry.path()));
                } else if kind.is_file() && key.starts_with(prefix) && !is_about_export(&key) {
                    files.push((key, entry.path()));
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The parts of a prefix under which files are to be written.
pub(crate) fn prefix_parts(prefix: &str) -> Result<Vec<&str>, ApiError> {
    let parts: Vec<&str> = match prefix.strip_suffix('/').unwrap_or(prefix) {
        "" => Vec::new(),
        prefix => prefix.split('/').collect(),
    };
    let is_plain = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['\\', '\0', ':']);
    if parts.iter().all(is_plain) {
        return Ok(parts);
    }
    Err(ApiError::validation(format!("{prefix} cannot be a prefix: its parts are the names of directories")))
}

fn is_bucket_name(name: &str) -> bool {
    let ends_well = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    ends_well(name.bytes().next()) && ends_well(name.bytes().last()) && name.bytes().all(inside)
}

/// Manifests and marks of an export lie beside its `data`.
fn is_about_export(key: &str) -> bool {
    let mut parts = key.rsplit('/');
    let (_, _, parent) = (parts.next(), parts.next(), parts.next());
    parent == Some(EXPORTS)
}

fn not_a_directory(path: &Path) -> io::Error {
    io::Error::other(format!("{} is not a directory", path.display()))
}

fn not_a_file(path: &Path) -> io::Error {
    io::Error::other(format!("{} is not a file", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_directory() {
        for (name, is_one) in [
            ("backups", true),
            ("my.bucket-1_x", true),
            ("..", false),
            (".hidden", false),
            ("a/b", false),
            ("", false),
            ("/etc", false),
            ("a\\b", false),
        ] {
            assert_eq!(is_bucket_name(name), is_one, "{name}");
        }
        assert_eq!(prefix_parts("").unwrap(), [""; 0]);
        assert_eq!(prefix_parts("a/b.c/").unwrap(), ["a", "b.c"]);
        for prefix in ["/a", "../a", "a/../b", "a//b", ".", "a\\..\\b", "/"] {
            assert!(prefix == "/" || prefix_parts(prefix).is_err(), "{prefix}");
        }
    }

    #[test]
    fn of_an_export_only_the_data_counts() {
        assert!(is_about_export("AWSDynamoDB/1-a/manifest-files.json"));
        assert!(is_about_export("p/AWSDynamoDB/1-a/_started"));
        assert!(!is_about_export("AWSDynamoDB/1-a/data/x.json.gz"));
        assert!(!is_about_export("items.json"));
    }

    #[test]
    #[cfg(unix)]
    fn symbolic_links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "x").unwrap();
        let bucket = Bucket { root: directory.path().to_owned(), name: "bucket".into() };
        let inside = bucket.directory(&[]).unwrap();
        std::os::unix::fs::symlink(outside.path(), inside.join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), inside.join("file")).unwrap();
        assert_eq!(bucket.files("").unwrap(), []);
        assert!(bucket.directory(&["out", "deeper"]).is_err());
        assert!(Bucket::create(&inside, "file").is_err());
        assert_eq!(fs::read_to_string(outside.path().join("secret")).unwrap(), "x");
    }
}
