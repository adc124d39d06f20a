//! A migration on a disk that is really full: it stops, and goes on when there is space again.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use sortkey_embedded::block_on;
use sortkey_engine::Engine;
use sortkey_migrate::{Copied, Side};
use sortkey_storage_fjall::{FjallStore, Options};

use crate::oracle;
use crate::support::{World, call, seed, try_call};

/// Room for the journals of the store, and not much more.
const DISK: &str = "size=160m";
/// What is left to the migration.
const LEFT_BYTES: u64 = 1_500_000;
const TEAMS: usize = 400;
const PATIENCE: Duration = Duration::from_secs(180);

/// A file system of its own, in memory.
struct Disk(PathBuf);

impl Disk {
    /// None where this process may not mount anything.
    fn mount() -> Option<Disk> {
        let path = std::env::temp_dir().join(format!("sortkey-full-{}", std::process::id()));
        std::fs::create_dir_all(&path).ok()?;
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", DISK, "tmpfs"]).arg(&path).output().ok()?;
        match mounted.status.success() {
            true => Some(Disk(path)),
            false => {
                drop(std::fs::remove_dir(&path));
                None
            }
        }
    }

    fn free_bytes(&self) -> u64 {
        let shown = Command::new("df").args(["--output=avail", "-B1"]).arg(&self.0).output().expect("df");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        text.lines().last().and_then(|line| line.trim().parse().ok()).expect("a number of bytes")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(&self.0).status());
        drop(std::fs::remove_dir(&self.0));
    }
}

#[test]
fn a_full_disk_stops_the_copy_and_space_lets_it_go_on() {
    let Some(disk) = Disk::mount() else {
        eprintln!("skipped: this process may not mount a file system");
        return;
    };
    let store = FjallStore::open(disk.0.join("data"), Options::default()).expect("a directory");
    let world = World { engine: Engine::open(store, sortkey_engine::Settings::default()), ..World::new() };
    let old = world.old_alone();
    seed(&old);
    for at in 0..TEAMS {
        let team = json!({ "teamId": format!("t{at}"), "owner": "ada", "name": format!("Team {at} {}", "x".repeat(20)), "secret": "hush" });
        call(&old, "found", team);
    }
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).unwrap_or_else(|refusal| panic!("{refusal}"));
    let ballast = disk.0.join("ballast");
    let fill = disk.free_bytes().saturating_sub(LEFT_BYTES);
    std::fs::write(&ballast, vec![7; usize::try_from(fill).expect("a size")]).expect("as much as there is");

    // The rest is taken by writers; then neither they nor the copy are taken.
    let old = world.side(Side::Old);
    let begun = Instant::now();
    let refused = (0..).find_map(|_| {
        assert!(begun.elapsed() < PATIENCE, "{} bytes are left", disk.free_bytes());
        block_on(try_call(&old, "hit", json!({ "teamId": "red" }))).err()
    });
    assert!(refused.is_some());
    let refusal = block_on(world.runner().copy(&mut |_| ())).expect_err("the disk is full").to_string();
    let says_why = ["the disk is full", "No space left on device"].iter().any(|why| refusal.contains(why));
    assert!(says_why, "{refusal}");

    std::fs::remove_file(&ballast).expect("removed");
    let begun = Instant::now();
    loop {
        // The store looks for space from time to time; a lease that could not be given back ends by itself.
        match block_on(world.runner().copy(&mut |_| ())) {
            Ok(copied) => {
                assert_eq!(copied, Copied::Done);
                break;
            }
            Err(refusal) => assert!(begun.elapsed() < PATIENCE, "{refusal}"),
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let report = block_on(runner.verify(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    block_on(runner.switch()).unwrap_or_else(|refusal| panic!("{refusal}"));
    oracle::check(&world, &world.side(Side::New));
}
