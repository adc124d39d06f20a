//! Only the owner may look at the files of a database.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a directory that only the owner may enter, and those above it. One that is there already stays as it is: it may be
/// somebody else's.
pub(crate) fn create_directory(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent)?;
    }
    match builder().create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Creates a directory that only the owner may enter, where nothing has its name yet.
pub(crate) fn create_new_directory(path: &Path) -> io::Result<()> {
    builder().create(path)
}

/// How files of ours are created.
pub(crate) fn file() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn builder() -> std::fs::DirBuilder {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Takes the rights of others away from a directory of an earlier version, and from everything in it. A directory that
/// cannot be changed stays as it is: somebody else owns it, and has decided.
#[cfg(unix)]
pub(crate) fn close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    if let Err(error) = close_all(path) {
        tracing::warn!(path = %path.display(), %error, "others may read the files of the database");
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn close(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn close_all(path: &Path) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    std::fs::set_permissions(path, Permissions::from_mode(0o700))?;
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            close_all(&entry.path())?;
        } else if kind.is_file() {
            std::fs::set_permissions(entry.path(), Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    // F-67: directories were 0755, files 0644.
    #[test]
    fn only_the_owner_may_look() {
        let directory = tempfile::tempdir().unwrap();
        let new = directory.path().join("a/b");
        create_directory(&new).unwrap();
        assert_eq!(mode(&new), 0o700);
        file().write(true).create(true).truncate(true).open(new.join("file")).unwrap();
        assert_eq!(mode(&new.join("file")), 0o600);

        let old = directory.path().join("old");
        std::fs::create_dir_all(old.join("inner")).unwrap();
        std::fs::write(old.join("inner/file"), b"").unwrap();
        for path in [old.clone(), old.join("inner")] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        // A directory that is there may be somebody else's, until it proves to be a database.
        create_directory(&old).unwrap();
        assert_eq!(mode(&old), 0o755);
        close(&old).unwrap();
        assert_eq!(
            [mode(&old), mode(&old.join("inner")), mode(&old.join("inner/file"))],
            [0o700, 0o700, 0o600]
        );
    }
}
