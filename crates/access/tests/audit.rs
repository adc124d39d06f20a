//! The audit log: what is written is found again, and whatever was done to it afterwards is noticed.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use sortkey_access::{Anchor, AuditError, AuditLog, Decided, Event, Line, audit_files, verify_audit};
use sortkey_testkit::Random;

fn record(log: &AuditLog, at: u64) {
    let resource = format!("arn:aws:dynamodb:us-east-1:000000000000:table/t{}", at % 3);
    let event = Event {
        request: &format!("request-{at}"),
        from: Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        who: (!at.is_multiple_of(4)).then_some("arn:aws:iam::000000000000:user/ann"),
        key: Some("AKIAEXAMPLE"),
        operation: ["GetItem", "PutItem", "Query"][at as usize % 3],
        resources: &[&resource],
        decision: if at.is_multiple_of(5) { Decided::Denied } else { Decided::Allowed },
        why: "statement 1 of \"own\" orders",
    };
    log.record(&event).expect("recorded");
}

/// A log of several files.
fn write(path: &Path, events: u64, rotate_bytes: u64) {
    let log = AuditLog::open(path, rotate_bytes).expect("opened");
    (0..events).for_each(|at| record(&log, at));
}

fn check(path: &Path) -> Result<(u64, Anchor), AuditError> {
    verify_audit(path, &Anchor::beginning(), &mut |_| {}).map(|checked| (checked.lines, checked.last))
}

#[test]
fn the_chain_goes_on_across_files_and_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    write(&path, 100, 8000);
    let (lines, first_end) = check(&path).expect("unchanged");
    assert_eq!(lines, 102, "the events, a start and a stop");
    write(&path, 100, 8000);
    let mut seen: Vec<Line> = Vec::new();
    let checked = verify_audit(&path, &first_end, &mut |line| seen.push(line.clone())).expect("unchanged");
    assert_eq!((checked.lines, seen.len()), (204, 204));
    assert!(seen.iter().zip(1..).all(|(line, seq)| line.seq == seq));
    assert_eq!(seen[1].operation, "GetItem");
    assert_eq!((seen[1].who.as_deref(), &*seen[1].decision), (None, "denied"));
    let files = audit_files(&path).expect("files");
    assert!(files.len() > 5, "{files:?}");

    // Old files may be taken away by those who noted where they ended.
    let last_of_first = files[0].clone();
    let mut end = None;
    let text = std::fs::read_to_string(&last_of_first).expect("read");
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        end = Anchor::parse(&format!("{}:{}", line["seq"], line["hash"].as_str().expect("a hash")));
    }
    std::fs::remove_file(&last_of_first).expect("removed");
    assert!(check(&path).is_err(), "the beginning is missing");
    assert!(verify_audit(&path, &end.expect("an anchor"), &mut |_| {}).is_ok());
    let wrong = Anchor { hash: "0".repeat(64), ..first_end };
    assert!(verify_audit(&path, &wrong, &mut |_| {}).is_err(), "not what was noted");
}

/// Changes a log in a random way; returns a description of the change.
fn tamper(path: &Path, dice: &mut Random) -> String {
    let files = audit_files(path).expect("files");
    let file = &files[dice.below(files.len())];
    let mut bytes = std::fs::read(file).expect("read");
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (dice.below(lines.len()), dice.below(lines.len()));
    let what = match dice.below(9) {
        0 => {
            let bit = dice.below(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(file, &bytes).expect("written");
            return format!("bit {bit} of {file:?}");
        }
        1 => {
            lines.remove(one);
            format!("line {one} removed")
        }
        2 if one != other && lines[one] != lines[other] => {
            lines.swap(one, other);
            format!("lines {one} and {other} swapped")
        }
        3 => {
            let copy = lines[one].clone();
            lines.insert(other, copy);
            format!("line {one} repeated at {other}")
        }
        4 => {
            let keep = dice.below(lines.len());
            lines.truncate(keep);
            format!("cut to {keep} lines")
        }
        5 => {
            let keep = dice.below(bytes.len());
            std::fs::write(file, &bytes[..keep]).expect("written");
            return format!("cut to {keep} bytes");
        }
        6 => {
            std::fs::remove_file(file).expect("removed");
            return format!("{file:?} removed");
        }
        7 => {
            let text = String::from_utf8(lines[one].clone()).expect("text");
            let changed = match text.contains("denied") {
                true => text.replacen("denied", "allowed", 1),
                false => text.replacen("\"seq\"", "\"key\":\"AKIAOTHER\",\"seq\"", 1),
            };
            lines[one] = changed.into_bytes();
            format!("line {one} says something else")
        }
        _ => {
            // Another history with hashes of its own, from a line of the first file on.
            let folder = tempfile::tempdir().expect("a folder");
            let forged = folder.path().join("forged");
            write(&forged, 5, u64::MAX);
            lines = std::fs::read(&forged)
                .expect("read")
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            format!("{file:?} replaced by a history with a chain of its own")
        }
    };
    std::fs::write(file, lines.concat()).expect("written");
    what
}

#[test]
fn five_hundred_ways_to_tamper_are_noticed() {
    let original = tempfile::tempdir().expect("a folder");
    write(&original.path().join("audit.log"), 60, 6000);
    assert!(check(&original.path().join("audit.log")).is_ok());
    let mut dice = Random::new(20_261_117);
    for attempt in 0..500 {
        let folder = tempfile::tempdir().expect("a folder");
        for entry in std::fs::read_dir(original.path()).expect("files") {
            let from = entry.expect("a file").path();
            let name = from.file_name().expect("a name").to_owned();
            std::fs::copy(&from, folder.path().join(name)).expect("copied");
        }
        let path = folder.path().join("audit.log");
        let what = tamper(&path, &mut dice);
        assert!(check(&path).is_err(), "attempt {attempt}: {what}");
    }
}

#[test]
fn a_log_that_was_cut_or_changed_is_not_continued() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    write(&path, 10, u64::MAX);
    let bytes = std::fs::read(&path).expect("read");
    let open = || AuditLog::open(&path, u64::MAX).map(drop);

    let end = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines") + 1;
    std::fs::write(&path, &bytes[..end]).expect("written");
    assert!(matches!(open(), Err(AuditError::Changed { .. })), "its last line is missing");
    assert_eq!(std::fs::read(&path).expect("read"), &bytes[..end], "and nothing was written");

    let mut changed = bytes.clone();
    changed[end + 20] ^= 1;
    std::fs::write(&path, &changed).expect("written");
    assert!(matches!(open(), Err(AuditError::Changed { .. })), "its last line was changed");

    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let without_third = [&lines[..2], &lines[3..]].concat().concat();
    std::fs::write(&path, &without_third).expect("written");
    assert!(matches!(open(), Err(AuditError::Changed { .. })), "a line in its middle is missing");

    std::fs::remove_file(&path).expect("removed");
    assert!(matches!(open(), Err(AuditError::Changed { .. })), "all of it is missing");
    std::fs::write(&path, &bytes).expect("written");
    assert!(open().is_ok());
}

#[test]
fn a_cut_end_is_noticed_although_the_head_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    write(&path, 10, u64::MAX);
    let (_, last) = check(&path).expect("unchanged");
    std::fs::remove_file(folder.path().join("audit.log.head")).expect("removed");
    assert!(matches!(check(&path), Err(AuditError::Changed { .. })), "without its head");
    verify_audit(&path, &last, &mut |_| {}).expect("the noted line is there");
    std::fs::write(&path, "").expect("emptied");
    assert!(matches!(check(&path), Err(AuditError::Changed { .. })), "empty");
}

#[test]
fn half_a_line_of_a_crash_is_removed_and_noted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    write(&path, 3, u64::MAX);
    let mut bytes = std::fs::read(&path).expect("read");
    bytes.extend_from_slice(b"{\"seq\":6,\"time\":\"2026");
    std::fs::write(&path, &bytes).expect("written");
    assert!(check(&path).is_err());
    write(&path, 1, u64::MAX);
    let mut operations = Vec::new();
    verify_audit(&path, &Anchor::beginning(), &mut |line| operations.push(line.operation.clone()))
        .expect("unchanged");
    assert_eq!(operations[5], "AuditLogRecovered");
    assert_eq!(operations.len(), 9);
}

#[test]
fn one_process_writes_a_log_and_others_cannot_read_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    let log = AuditLog::open(&path, u64::MAX).expect("opened");
    assert!(matches!(AuditLog::open(&path, u64::MAX), Err(AuditError::InUse(_))));
    record(&log, 1);
    drop(log);
    assert!(AuditLog::open(&path, u64::MAX).is_ok());
    #[cfg(unix)]
    for name in ["audit.log", "audit.log.head"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join(name)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_a_log_is_refused_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    std::os::unix::fs::symlink("/dev/full", &path).expect("linked");
    assert!(matches!(AuditLog::open(&path, u64::MAX), Err(AuditError::File(..))));
    assert!(AuditLog::open(&folder.path().join("missing/audit.log"), u64::MAX).is_err());
}
