//! F-79: there was no `--watch`: a design had to be stopped and started by hand after every change.
#![cfg(unix)]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const DESIGN: &str = r#"design notes
import "kinds.sk"
table Notes "notes" { key (id) }
entity Note in Notes { id slug  text string(1..100)  kind Kind = plain }
pattern note = get Note by id
operation write = create Note
"#;

const KINDS: &str = "enum Kind { plain, bold }\n";

struct Served<'a> {
    process: Child,
    folder: &'a Path,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Served<'_> {
    fn up(folder: &Path) -> Served<'_> {
        let out = |name| File::create(folder.join(name)).expect("a file");
        let process = Command::new(env!("CARGO_BIN_EXE_sortkey"))
            .args(["up", "notes.sk", "--port", "0", "--in-memory", "--watch"])
            .current_dir(folder)
            .stdout(out("out"))
            .stderr(out("err"))
            .spawn()
            .expect("the binary starts");
        Served { process, folder }
    }

    fn said(&self) -> String {
        ["out", "err"].map(|name| fs::read_to_string(self.folder.join(name)).unwrap_or_default()).concat()
    }

    /// Waits until a text was printed so many times.
    fn wait(&self, text: &str, times: usize) {
        let begun = Instant::now();
        while self.said().matches(text).count() < times {
            assert!(begun.elapsed() < Duration::from_secs(60), "{text} {times} times: {}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn endpoints(&self) -> Vec<String> {
        let said = self.said();
        said.lines()
            .filter_map(|line| line.strip_prefix("sortkey is listening on "))
            .map(str::to_owned)
            .collect()
    }

    fn call(&self, arguments: &[&str]) -> String {
        let endpoint = self.endpoints().pop().expect("an address");
        let output = Command::new(env!("CARGO_BIN_EXE_sortkey"))
            .args([&["call", "--endpoint", &endpoint], arguments].concat())
            .env_remove("SORTKEY_CALLER")
            .output()
            .expect("the binary runs");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
    }
}

#[test]
fn a_changed_design_is_served_and_one_with_errors_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("notes.sk", DESIGN);
    write("kinds.sk", KINDS);
    let mut served = Served::up(folder.path());
    served.wait("Ctrl-C stops it.", 1);
    assert!(served.call(&["write", "id=a", "text=milk"]).contains("milk"));

    // A version with an error: the one before goes on.
    write("notes.sk", &DESIGN.replace("create Note", "create Nota"));
    served.wait("The version before goes on.", 1);
    assert!(served.said().contains("`Nota`"), "{}", served.said());
    assert!(served.call(&["note", "id=a"]).contains("milk"));

    // A version without: served on the same port, with the same items.
    let more = format!("{DESIGN}operation rewrite = update Note [text]\n");
    write("notes.sk", &more);
    served.wait("Ctrl-C stops it.", 2);
    assert!(served.call(&["rewrite", "id=a", "text=bread"]).contains("bread"));

    // A file that is imported.
    write("kinds.sk", "enum Kind { plain, bold, small }\n");
    served.wait("Ctrl-C stops it.", 3);
    assert!(served.call(&["write", "id=b", "text=x", "kind=small"]).contains("small"));

    // A version that the tables refuse: the one before is served again.
    write("notes.sk", &more.replace("text string(1..100)", "text int(0..9)"));
    served.wait("The version before is served again.", 1);
    served.wait("Ctrl-C stops it.", 4);
    assert!(served.call(&["note", "id=a"]).contains("bread"));

    let endpoints = served.endpoints();
    assert!(endpoints.iter().all(|each| *each == endpoints[0]), "{endpoints:?}");
    let stopped = Command::new("kill").arg(served.process.id().to_string()).status().expect("kill runs");
    assert!(stopped.success());
    assert!(served.process.wait().expect("it ends").success(), "{}", served.said());
}
