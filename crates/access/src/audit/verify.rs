//! Finds out whether a log is what was written.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{Anchor, AuditError, Line, line, read_head, suffixed};

/// A log that is what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// How many lines were read.
    pub lines: u64,
    /// The last of them. Note it elsewhere: with it, a later check finds out whether the lines before were replaced.
    pub last: Anchor,
}

/// The number of the line after which the head is written for the first time. A crash right before leaves that line alone.
const FIRST_SYNCED: u64 = 1;

/// Checks that the lines of one file form a chain, from its first line on.
pub(super) fn check_chain(path: &Path) -> Result<(), AuditError> {
    let changed = |what: String| AuditError::Changed { path: path.to_owned(), what };
    let mut last: Option<Anchor> = None;
    read_lines(path, &mut |text| {
        let (line, anchor) = line::read(text).map_err(|what| changed(what.to_owned()))?;
        let follows = last.as_ref().is_none_or(|last| line.seq == last.seq + 1 && line.prev == last.hash);
        if !follows {
            return Err(changed(format!("line {} does not continue the line before", line.seq)));
        }
        last = Some(anchor);
        Ok(())
    })
}

/// The files of a log in order: those that were put aside, and the one that is written.
pub fn files_of(log: &Path) -> Result<Vec<PathBuf>, AuditError> {
    let mut files = rotated(log)?;
    files.push(log.to_owned());
    Ok(files)
}

/// Reads a log from behind an anchor to its end, and hands each line to `each`. Nothing may be missing: not at the beginning,
/// not in between, and not at the end that the head names.
pub fn verify(log: &Path, after: &Anchor, each: &mut dyn FnMut(&Line)) -> Result<Checked, AuditError> {
    let mut last = Anchor::beginning();
    let mut lines = 0;
    // Lines before the anchor need not be there. If they are, they must lead to it.
    let mut has_begun = false;
    for path in files_of(log)? {
        let changed = |what: String| AuditError::Changed { path: path.clone(), what };
        read_lines(&path, &mut |text| {
            let (line, anchor) = line::read(text)
                .map_err(|what| changed(format!("the line after line {}: {what}", last.seq)))?;
            if !has_begun {
                last = if line.seq == after.seq + 1 { after.clone() } else { Anchor::beginning() };
                has_begun = true;
            }
            if line.seq != last.seq + 1 {
                return Err(changed(format!("line {} follows line {}", line.seq, last.seq)));
            }
            if line.prev != last.hash {
                return Err(changed(format!("line {} does not continue the line before", line.seq)));
            }
            if anchor.seq == after.seq && anchor != *after {
                return Err(changed(format!("line {} is not the one that was there before", line.seq)));
            }
            each(&line);
            last = anchor;
            lines += 1;
            Ok(())
        })?;
    }
    let head = read_head(log)?;
    if head.is_none() && (after.seq == 0 || after.seq > last.seq) && last.seq != FIRST_SYNCED {
        let what = "its head is missing, without which a cut end goes unnoticed; `--after NUMBER:HASH` checks it against a line \
                    that was noted elsewhere"
            .to_owned();
        return Err(AuditError::Changed { path: log.to_owned(), what });
    }
    let missing = head.filter(|head| head.seq > last.seq);
    let missing = missing.or_else(|| Some(after.clone()).filter(|after| after.seq > last.seq));
    match missing {
        Some(head) => Err(AuditError::Changed {
            path: log.to_owned(),
            what: format!("it ends with line {}, but line {} was written", last.seq, head.seq),
        }),
        None => Ok(Checked { lines, last }),
    }
}

/// The number of the first line of a file.
pub(super) fn first_line(path: &Path) -> Result<Option<u64>, AuditError> {
    let file = File::open(path).map_err(|error| AuditError::File(path.to_owned(), error))?;
    let mut text = Vec::new();
    let read = BufReader::new(file).read_until(b'\n', &mut text);
    read.map_err(|error| AuditError::File(path.to_owned(), error))?;
    match text.strip_suffix(b"\n").map(line::read) {
        None => Ok(None),
        Some(Ok((line, _))) => Ok(Some(line.seq)),
        Some(Err(what)) => {
            let what = format!("its first line: {what}");
            Err(AuditError::Changed { path: path.to_owned(), what })
        }
    }
}

/// The last line of the newest file that was put aside.
pub(super) fn last_of_rotated(log: &Path) -> Result<Option<Anchor>, AuditError> {
    let Some(path) = rotated(log)?.pop() else { return Ok(None) };
    let mut last = None;
    read_lines(&path, &mut |text| {
        let changed = |what: &str| AuditError::Changed { path: path.clone(), what: what.to_owned() };
        last = Some(line::read(text).map_err(changed)?.1);
        Ok(())
    })?;
    Ok(last)
}

/// The files that were put aside, in order.
fn rotated(log: &Path) -> Result<Vec<PathBuf>, AuditError> {
    let failed = |error| AuditError::File(log.to_owned(), error);
    let prefix = suffixed(Path::new(log.file_name().unwrap_or_default()), ".");
    let prefix = prefix.to_string_lossy().into_owned();
    let folder = log.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix(&prefix).filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) {
            files.push((number, entry.path()));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

fn read_lines(path: &Path, each: &mut dyn FnMut(&[u8]) -> Result<(), AuditError>) -> Result<(), AuditError> {
    let failed = |error| AuditError::File(path.to_owned(), error);
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut text = Vec::new();
    while reader.read_until(b'\n', &mut text).map_err(failed)? > 0 {
        match text.strip_suffix(b"\n") {
            Some(line) => each(line)?,
            None => {
                let what = "its last line is not complete".to_owned();
                return Err(AuditError::Changed { path: path.to_owned(), what });
            }
        }
        text.clear();
    }
    Ok(())
}
