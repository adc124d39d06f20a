//! The file LOCK: whoever has the directory holds a lock on it and has written down who he is.
//!
//! The lock belongs to the open file, so it is gone with its process, however that ends. The text is for people only.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::error::OpenError;

pub(crate) const FILE: &str = "LOCK";

/// The right to use a directory; given back when dropped.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Locks the directory, or fails with the name of its holder. Waits for it no longer than `patience`.
    pub(crate) fn acquire(directory: &Path, patience: Duration) -> Result<DirectoryLock, OpenError> {
        let path = directory.join(FILE);
        let open = crate::private::file().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(OpenError::io(&path))?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(OpenError::io(path)(error)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(OpenError::InUse { path: directory.to_owned(), holder: holder(&mut file) });
                }
            }
        }
        sign(&mut file).map_err(OpenError::io(path))?;
        Ok(DirectoryLock { _file: file })
    }
}

/// The right to read a directory that cannot be written: nobody else has it meanwhile.
#[derive(Debug)]
pub(crate) struct ReadLock {
    _file: Option<File>,
}

impl ReadLock {
    /// Locks the directory, or fails with the name of its holder. A directory without a lock file, which
    /// could not be created either, is free.
    pub(crate) fn acquire(directory: &Path) -> Result<ReadLock, OpenError> {
        let path = directory.join(FILE);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(ReadLock { _file: None });
            }
            Err(error) => return Err(OpenError::io(path)(error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(ReadLock { _file: Some(file) }),
            Err(TryLockError::Error(error)) => Err(OpenError::io(path)(error)),
            Err(TryLockError::WouldBlock) => {
                Err(OpenError::InUse { path: directory.to_owned(), holder: holder(&mut file) })
            }
        }
    }
}

/// The holder's entry in the lock file; it may be incomplete while the holder writes it.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(200).read_to_string(&mut text);
    match text.trim() {
        who if read.is_ok() && !who.is_empty() => who.to_owned(),
        _ => "another process".to_owned(),
    }
}

fn sign(file: &mut File) -> std::io::Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "process {} since {}", std::process::id(), utc(since))
}

/// A second since 1970 as `2026-01-31 23:59:59 UTC`.
fn utc(second: u64) -> String {
    let (mut days, second) = (second / 86_400, second % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02} UTC", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_was_first() {
        let directory = tempfile::tempdir().unwrap();
        let first = DirectoryLock::acquire(directory.path(), Duration::ZERO).unwrap();
        let refused = DirectoryLock::acquire(directory.path(), Duration::from_millis(20)).unwrap_err();
        let who = format!("is in use by process {} since 20", std::process::id());
        assert!(refused.to_string().contains(&who), "{refused}");
        drop(first);
        DirectoryLock::acquire(directory.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn seconds_are_dates() {
        for (second, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_767_225_599, "2025-12-31 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(second), expected);
        }
    }
}
