//! Reads every file again from time to time, so that damage is found before its data is needed.
//!
//! Tables, files of large values and manifests are never changed once they are written. The first pass over a file
//! notes its checksum in the file SUMS, every later one compares. A flipped bit is found wherever it is, also where no
//! read would have noticed it. Journals and the few files that are replaced as a whole have checksums of their own, which
//! `scrub/rewritten.rs` compares.
//!
//! ```text
//! SUMS    one line per file: "xxh3-64 in hex, length, path below fjall/"; the last line is "xxh3-64 of the lines above"
//! ```

mod rewritten;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::directory;
use crate::private;

const FILE: &str = "SUMS";
const NEW_FILE: &str = "SUMS.new";
const CHUNK_BYTES: usize = 256 * 1024;
/// New files are noted this soon, while what was written is certainly what is there.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A file that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file, below the directory of the store.
    pub path: PathBuf,
    /// Its problem.
    pub reason: String,
}

/// The recorded checksum and length of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    hash: u64,
    bytes: u64,
}

type Sums = BTreeMap<PathBuf, Sum>;

/// Reads all files of a directory and compares them with what they were; notes those that are new, if it can be written.
pub fn scrub(path: impl AsRef<Path>) -> io::Result<Vec<Damage>> {
    pass(path.as_ref(), &|| true, &mut |_| true)
}

/// Checks the files that are new, and known ones while `wants_known` returns true. `pace` is called with the number of
/// bytes read, and stops the pass by returning false.
fn pass(
    path: &Path,
    wants_known: &dyn Fn() -> bool,
    pace: &mut dyn FnMut(usize) -> bool,
) -> io::Result<Vec<Damage>> {
    let mut damages = Vec::new();
    let known = match read_sums(path)? {
        Ok(known) => known,
        Err(reason) => {
            damages.push(Damage { path: FILE.into(), reason });
            Sums::new()
        }
    };
    let root = directory::fjall(path);
    let mut sums = Sums::new();
    for file in immutable_files(&root)? {
        let before = known.get(&file).copied();
        if let Some(before) = before.filter(|before| !wants_known() && has_length(&root, &file, before.bytes))
        {
            sums.insert(file, before);
            continue;
        }
        let found = match sum(&root.join(&file), pace) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(damages),
            // It was replaced by a compaction meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                damages.push(Damage { path: Path::new("fjall").join(&file), reason: error.to_string() });
                sums.extend(before.map(|before| (file, before)));
                continue;
            }
        };
        // A file that grew was noted while it was being written: it has its name from the beginning.
        if let Some(before) = before.filter(|before| *before != found && found.bytes <= before.bytes) {
            let reason = format!(
                "it has {} bytes with checksum {:016x}, but was written with {} bytes and checksum {:016x}",
                found.bytes, found.hash, before.bytes, before.hash
            );
            damages.push(Damage { path: Path::new("fjall").join(&file), reason });
            sums.insert(file, before);
            continue;
        }
        sums.insert(file, found);
    }
    if sums != known
        && let Err(error) = write_sums(path, &sums)
    {
        // A directory that is only read, or a full disk. What was found counts all the same.
        tracing::warn!(%error, "the checksums of new files could not be noted");
    }
    if wants_known() {
        let found = rewritten::check(path, pace);
        let is_new = |damage: &Damage| damages.iter().all(|known| known.path != damage.path);
        let found: Vec<Damage> = found.into_iter().filter(is_new).collect();
        damages.extend(found);
    }
    Ok(damages)
}

/// Files that are never changed once they have a name, below fjall's directory.
fn immutable_files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for keyspace in entries(&root.join("keyspaces"))? {
        for inner in entries(&keyspace)? {
            let name = inner.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if matches!(name, "tables" | "blobs") {
                found.extend(entries(&inner)?);
            } else if name.strip_prefix('v').is_some_and(|number| number.parse::<u64>().is_ok()) {
                found.push(inner);
            }
        }
    }
    found.retain(|path| path.is_file());
    found.sort();
    Ok(found.into_iter().filter_map(|path| path.strip_prefix(root).ok().map(Path::to_owned)).collect())
}

fn entries(path: &Path) -> io::Result<Vec<PathBuf>> {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

fn has_length(root: &Path, file: &Path, bytes: u64) -> bool {
    std::fs::metadata(root.join(file)).is_ok_and(|about| about.len() == bytes)
}

/// Forgets files that are gone. A process that was killed may leave one behind that was half written; it is removed when the
/// store is opened, and another one may get its name.
fn forget_removed(path: &Path) -> io::Result<()> {
    let Ok(known) = read_sums(path)? else { return Ok(()) };
    let root = directory::fjall(path);
    let kept: Sums = known
        .iter()
        .filter(|(file, _)| root.join(file).exists())
        .map(|(file, sum)| (file.clone(), *sum))
        .collect();
    if kept == known { Ok(()) } else { write_sums(path, &kept) }
}

/// The checksum of a file; `None` if it was to be interrupted.
fn sum(path: &Path, pace: &mut dyn FnMut(usize) -> bool) -> io::Result<Option<Sum>> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes = 0;
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return Ok(Some(Sum { hash: hasher.digest(), bytes }));
        }
        hasher.update(&chunk[..length]);
        bytes += length as u64;
        if !pace(length) {
            return Ok(None);
        }
    }
}

fn read_sums(path: &Path) -> io::Result<Result<Sums, String>> {
    let text = match std::fs::read_to_string(path.join(FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Ok(Sums::new())),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Ok(Err("it is not text".into()));
        }
        Err(error) => return Err(error),
    };
    let parsed = || {
        let (lines, last) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        (last == format!("{:016x}", xxh3_64(lines.as_bytes()))).then_some(())?;
        let line = |line: &str| {
            let mut fields = line.splitn(3, ' ');
            let hash = u64::from_str_radix(fields.next()?, 16).ok()?;
            let bytes = fields.next()?.parse().ok()?;
            Some((PathBuf::from(fields.next()?), Sum { hash, bytes }))
        };
        lines.lines().map(line).collect::<Option<Sums>>()
    };
    Ok(parsed().ok_or_else(|| "its checksum is wrong".to_owned()))
}

fn write_sums(path: &Path, sums: &Sums) -> io::Result<()> {
    let line = |(path, sum): (&PathBuf, &Sum)| format!("{:016x} {} {}", sum.hash, sum.bytes, path.display());
    let lines = sums.iter().map(line).collect::<Vec<_>>().join("\n");
    let new = path.join(NEW_FILE);
    let mut file = private::file().write(true).create(true).truncate(true).open(&new)?;
    writeln!(file, "{lines}\n{:016x}", xxh3_64(lines.as_bytes()))?;
    file.sync_all()?;
    std::fs::rename(&new, path.join(FILE))
}

/// Scrubs in the background.
pub(crate) struct Scrubber {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    is_stopped: Mutex<bool>,
    changed: Condvar,
    damages: Mutex<Vec<Damage>>,
}

impl Scrubber {
    /// Starts to read everything once within each interval.
    pub(crate) fn start(path: &Path, interval: Duration) -> io::Result<Scrubber> {
        // A full disk keeps nobody from opening a store.
        if let Err(error) = forget_removed(path) {
            tracing::warn!(%error, "the checksums of the files could not be brought up to date");
        }
        let shared = Arc::new(Shared {
            is_stopped: Mutex::new(false),
            changed: Condvar::new(),
            damages: Mutex::new(Vec::new()),
        });
        let (path, theirs) = (path.to_owned(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("scrubber".into());
        let thread = thread.spawn(move || run(&path, &theirs, interval))?;
        Ok(Scrubber { shared, thread: Some(thread) })
    }

    /// The files that were found damaged.
    pub(crate) fn damages(&self) -> Vec<Damage> {
        self.shared.damages.lock().clone()
    }
}

impl Drop for Scrubber {
    fn drop(&mut self) {
        *self.shared.is_stopped.lock() = true;
        self.shared.changed.notify_one();
        // A panic there was reported when it happened.
        self.thread.take().map(JoinHandle::join).and_then(Result::ok);
    }
}

impl Shared {
    /// Waits; `false` on shutdown.
    fn rest(&self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        let mut is_stopped = self.is_stopped.lock();
        while !*is_stopped && !self.changed.wait_until(&mut is_stopped, until).timed_out() {}
        !*is_stopped
    }

    fn note(&self, result: io::Result<Vec<Damage>>) {
        let found = match result {
            Ok(found) => found,
            Err(error) => return tracing::warn!(%error, "the files of the database could not be read again"),
        };
        let mut damages = self.damages.lock();
        for damage in found {
            if !damages.contains(&damage) {
                let path = damage.path.display();
                tracing::error!(%path, reason = %damage.reason, "a file of the database is damaged");
                damages.push(damage);
            }
        }
    }
}

/// Notes new files soon, and reads all files within the interval, evenly.
fn run(path: &Path, shared: &Shared, interval: Duration) {
    let look_every = LOOK_EVERY.min(interval / 4).max(Duration::from_millis(10));
    let mut full_pass_at = Instant::now();
    while shared.rest(look_every) {
        shared.note(pass(path, &|| false, &mut |_| !*shared.is_stopped.lock()));
        if full_pass_at.elapsed() < interval / 2 {
            continue;
        }
        full_pass_at = Instant::now();
        let total = total_bytes(path).max(1);
        let mut read: u64 = 0;
        let mut pace = |bytes: usize| {
            read += bytes as u64;
            // Half of the interval is for the pass, so that every file is read within one.
            let due = (interval / 2).mul_f64((read as f64 / total as f64).min(1.0));
            shared.rest(due.saturating_sub(full_pass_at.elapsed()))
        };
        shared.note(pass(path, &|| true, &mut pace));
    }
}

fn total_bytes(path: &Path) -> u64 {
    let root = directory::fjall(path);
    let files = immutable_files(&root).unwrap_or_default().into_iter();
    let files: Vec<PathBuf> = files.chain(rewritten::journals(&root).unwrap_or_default()).collect();
    files.iter().filter_map(|file| std::fs::metadata(root.join(file)).ok()).map(|about| about.len()).sum()
}
