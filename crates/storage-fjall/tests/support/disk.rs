//! A disk as a power failure may leave it, built from what the shim wrote down.
//!
//! Synced data is there. Of everything else each piece may be there or not: whole writes, single sectors of a write,
//! changes of a file's length. Names are as durable as their directory: created, renamed and removed ones are there in
//! the order in which that happened, up to some point. One exception, which ext4, XFS and btrfs make as well: a new file
//! that is synced has its name from then on. Fjall relies on it for its files of large values.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Random;

const SECTOR_BYTES: usize = 512;

/// Compiles the shim; `None` where there is no C compiler.
pub(crate) fn build_shim(directory: &Path) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/shim.c");
    let shim = directory.join("shim.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&shim)
        .arg(source)
        .args(["-ldl", "-lpthread"])
        .status();
    (cfg!(target_os = "linux") && built.is_ok_and(|status| status.success())).then_some(shim)
}

/// Puts the shim below a process: it watches `root` and writes to `log`; `fault` selects what goes wrong.
pub(crate) fn use_shim(command: &mut Command, shim: &Path, root: &Path, log: &Path, fault: &Path) {
    command
        .env("LD_PRELOAD", shim)
        .env("SORTKEY_SHIM_ROOT", root)
        .env("SORTKEY_SHIM_LOG", log)
        .env("SORTKEY_SHIM_FAULT", fault);
}

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    Created { inode: u64, path: &'a str },
    MadeDirectory { inode: u64, path: &'a str },
    Written { inode: u64, offset: u64, data: &'a [u8] },
    Truncated { inode: u64, length: u64 },
    Synced { inode: u64 },
    NotSynced { inode: u64 },
    Renamed { from: &'a str, to: &'a str },
    Removed { path: &'a str },
    Said(&'a str),
}

/// The events in the shim's log, in order. A last record that was cut short is left out.
pub(crate) fn events(mut log: &[u8]) -> Vec<Event<'_>> {
    let mut events = Vec::new();
    while let Some(end) = log.iter().position(|byte| *byte == b'\n') {
        let line = std::str::from_utf8(&log[..end]).unwrap();
        log = &log[end + 1..];
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<u64>().unwrap();
        let mut data = |length: u64| {
            let (data, rest) = log.split_at_checked(length as usize)?;
            log = rest;
            Some(data)
        };
        events.push(match fields[0] {
            "C" => Event::Created { inode: number(1), path: fields[2] },
            "M" => Event::MadeDirectory { inode: number(1), path: fields[2] },
            "W" => match data(number(3)) {
                Some(data) => Event::Written { inode: number(1), offset: number(2), data },
                None => break,
            },
            "L" => Event::Truncated { inode: number(1), length: number(2) },
            "S" => Event::Synced { inode: number(1) },
            "E" => Event::NotSynced { inode: number(1) },
            "R" => Event::Renamed { from: fields[1], to: fields[2] },
            "U" => Event::Removed { path: fields[1] },
            "A" => match data(number(1)) {
                Some(data) => Event::Said(std::str::from_utf8(data).unwrap()),
                None => break,
            },
            other => panic!("the shim does not write {other:?}"),
        });
    }
    events
}

pub(crate) struct Disk<'a> {
    root: PathBuf,
    nodes: Vec<Node<'a>>,
    /// The current node of each inode number; numbers are used again.
    by_inode: BTreeMap<u64, usize>,
    /// Names that are durable.
    names: BTreeMap<PathBuf, usize>,
    /// Changes of names that are not, in order.
    pending_names: Vec<Name>,
    /// Names as the process sees them.
    seen_names: BTreeMap<PathBuf, usize>,
}

#[derive(Default)]
struct Node<'a> {
    is_directory: bool,
    durable: Content,
    pending: Vec<Piece<'a>>,
    /// Written, but no later sync will bring it to the device, because one failed.
    doomed: Vec<Piece<'a>>,
}

#[derive(Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    /// May be more than there are bytes; the rest is zero.
    length: u64,
}

#[derive(Clone, Copy)]
enum Piece<'a> {
    Write { offset: u64, data: &'a [u8] },
    Truncate { length: u64 },
}

#[derive(Clone)]
enum Name {
    Set(PathBuf, usize),
    Gone(PathBuf),
    Moved(PathBuf, PathBuf, usize),
}

/// How much of what was not synced is there.
#[derive(Clone, Copy)]
enum Mood {
    Nothing,
    Everything,
    SomeWrites,
    SomeSectors,
}

impl<'a> Disk<'a> {
    /// An empty disk below a directory that exists.
    pub(crate) fn new(root: &Path) -> Disk<'a> {
        let root = root.canonicalize().unwrap();
        let inode = root.metadata().unwrap().ino();
        let mut disk = Disk {
            nodes: Vec::new(),
            by_inode: BTreeMap::new(),
            names: BTreeMap::new(),
            pending_names: Vec::new(),
            seen_names: BTreeMap::new(),
            root: root.clone(),
        };
        let node = disk.add(inode, true);
        disk.names.insert(root.clone(), node);
        disk.seen_names.insert(root, node);
        disk
    }

    pub(crate) fn apply(&mut self, event: &Event<'a>) {
        match event {
            Event::Created { inode, path } => self.name(path, *inode, false),
            Event::MadeDirectory { inode, path } => self.name(path, *inode, true),
            Event::Written { inode, offset, data } => {
                self.node(*inode).pending.push(Piece::Write { offset: *offset, data });
            }
            Event::Truncated { inode, length } => {
                self.node(*inode).pending.push(Piece::Truncate { length: *length });
            }
            Event::Synced { inode } => self.sync(*inode),
            Event::NotSynced { inode } => {
                let node = self.node(*inode);
                node.doomed.append(&mut node.pending);
            }
            Event::Renamed { from, to } => {
                let node = self.seen_names.remove(Path::new(from)).unwrap();
                self.seen_names.insert(to.into(), node);
                self.pending_names.push(Name::Moved(from.into(), to.into(), node));
            }
            Event::Removed { path } => {
                self.seen_names.remove(Path::new(path));
                self.pending_names.push(Name::Gone(path.into()));
            }
            Event::Said(_) => {}
        }
    }

    /// The power fails. Writes what is left to a directory.
    pub(crate) fn fail(&self, random: &mut Random, target: &Path) {
        let mut names = self.names.clone();
        let survived = random.below(self.pending_names.len() as u64 + 1) as usize;
        for name in &self.pending_names[..survived] {
            name.apply(&mut names);
        }
        let mood = [Mood::Nothing, Mood::Everything, Mood::SomeWrites, Mood::SomeSectors];
        let mood = mood[random.below(4) as usize];
        for (path, node) in &names {
            let is_reachable = path
                .ancestors()
                .skip(1)
                .all(|directory| !directory.starts_with(&self.root) || names.contains_key(directory));
            if !is_reachable {
                continue;
            }
            let path = target.join(path.strip_prefix(&self.root).unwrap());
            let node = &self.nodes[*node];
            if node.is_directory {
                std::fs::create_dir_all(path).unwrap();
            } else {
                let content = node.after_failure(mood, random);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &content.bytes).unwrap();
                std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(content.length).unwrap();
            }
        }
    }

    fn add(&mut self, inode: u64, is_directory: bool) -> usize {
        self.nodes.push(Node { is_directory, ..Node::default() });
        self.by_inode.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn name(&mut self, path: &str, inode: u64, is_directory: bool) {
        let node = self.add(inode, is_directory);
        self.seen_names.insert(path.into(), node);
        self.pending_names.push(Name::Set(path.into(), node));
    }

    fn node(&mut self, inode: u64) -> &mut Node<'a> {
        &mut self.nodes[self.by_inode[&inode]]
    }

    fn sync(&mut self, inode: u64) {
        let node = self.by_inode[&inode];
        for piece in std::mem::take(&mut self.nodes[node].pending) {
            self.nodes[node].durable.apply(piece);
        }
        let synced = self.seen_names.iter().find(|(_, named)| **named == node).map(|(path, _)| path.clone());
        let is_directory = self.nodes[node].is_directory;
        let is_synced = |name: &Name| match name {
            Name::Set(_, named) if !is_directory => *named == node,
            _ => is_directory && name.path().parent() == synced.as_deref(),
        };
        let (durable, pending) = std::mem::take(&mut self.pending_names).into_iter().partition(is_synced);
        self.pending_names = pending;
        durable.iter().for_each(|name: &Name| name.apply(&mut self.names));
    }
}

impl Node<'_> {
    fn after_failure(&self, mood: Mood, random: &mut Random) -> Content {
        let mut content = self.durable.clone();
        for piece in self.doomed.iter().chain(&self.pending) {
            match (mood, piece) {
                (Mood::Nothing, _) => {}
                (Mood::Everything, piece) => content.apply(*piece),
                (Mood::SomeSectors, Piece::Write { offset, data }) => {
                    for (offset, data) in sectors(*offset, data) {
                        if random.below(2) == 0 {
                            content.apply(Piece::Write { offset, data });
                        }
                    }
                }
                (_, piece) if random.below(2) == 0 => content.apply(*piece),
                _ => {}
            }
        }
        content
    }
}

impl Content {
    fn apply(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Write { offset, data } => {
                let (start, end) = (offset as usize, offset as usize + data.len());
                if self.bytes.len() < end {
                    self.bytes.resize(end, 0);
                }
                self.bytes[start..end].copy_from_slice(data);
                self.length = self.length.max(end as u64);
            }
            Piece::Truncate { length } => {
                self.bytes.truncate(length as usize);
                self.length = length;
            }
        }
    }
}

impl Name {
    fn path(&self) -> &Path {
        match self {
            Name::Set(path, _) | Name::Gone(path) | Name::Moved(_, path, _) => path,
        }
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Name::Set(path, node) => drop(names.insert(path.clone(), *node)),
            Name::Gone(path) => drop(names.remove(path)),
            Name::Moved(from, to, node) => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}

/// A write cut at the borders of sectors.
fn sectors(mut offset: u64, mut data: &[u8]) -> Vec<(u64, &[u8])> {
    let mut sectors = Vec::new();
    while !data.is_empty() {
        let room = SECTOR_BYTES - offset as usize % SECTOR_BYTES;
        let (sector, rest) = data.split_at(room.min(data.len()));
        sectors.push((offset, sector));
        offset += sector.len() as u64;
        data = rest;
    }
    sectors
}
