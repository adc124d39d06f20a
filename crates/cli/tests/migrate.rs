//! `sortkey migrate` as a user meets it: every action on a directory, and on a server that somebody else runs.
#![cfg(unix)]

mod support;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use support::serve;

const BEFORE: &str = r#"design notes version 1
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Writers "writers" { key (writer) }
table Notes "notes" { key (noteId) }
entity Writer in Writers {
  writer slug
  name   string(1..40)
}
entity Note in Notes {
  noteId slug
  writer slug @immutable
  words  string(1..400)
}
system operation join = create Writer
system operation write = create Note
system operation edit  = update Note [words]
system pattern writer = get Writer by writer strong
system pattern note = get Note by noteId strong
"#;

const AFTER: &str = r#"design notes version 2
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Writers "writers-v2" { key (writer) }
table Notes "notes-v2" { key (writer | noteId) }
entity Writer in Writers {
  writer slug
  name   string(1..40)
}
entity Note in Notes {
  writer slug
  noteId slug
  words  string(1..10)
}
system operation join = create Writer
system operation write = create Note
system operation edit  = update Note [words]
system pattern writer = get Writer by writer strong
system pattern note = get Note by writer, noteId strong
migrate "before.sk" {
  Writer from Writer {}
  Note from Note {}
}
"#;

/// A folder with both designs.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a directory"));
        std::fs::write(place.path().join("before.sk"), BEFORE).expect("written");
        std::fs::write(place.path().join("after.sk"), AFTER).expect("written");
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Whether a command succeeds, and what it prints.
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.command(arguments).output().expect("it runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    /// Serves the old design somewhere while calls are made.
    fn with_old(&self, at: &[&str], calls: &[(&str, &[&str])]) {
        let mut command = self.command(&["up", "before.sk", "--port", "0"]);
        let mut process = Process(command.args(at).stdout(Stdio::piped()).spawn().expect("it starts"));
        let mut lines = BufReader::new(process.0.stdout.take().expect("piped")).lines();
        let address =
            lines.find_map(|line| Some(line.ok()?.strip_prefix("sortkey is listening on ")?.to_owned()));
        let address = address.expect("the address");
        for (name, arguments) in calls {
            let call = ["call", "--endpoint", &address, name];
            let (succeeds, said) = self.run(&[&call[..], arguments].concat());
            assert!(succeeds, "{name}: {said}");
        }
        kill_process(Pid::from_child(&process.0), Signal::TERM).expect("signalled");
        process.0.wait().expect("an end");
    }
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Runs actions one after the other: each succeeds or not, and prints all of this.
fn check(place: &Place, at: &[&str], steps: &[(&str, bool, &[&str])]) {
    for (action, succeeds, wanted) in steps {
        let action: Vec<&str> =
            ["migrate"].into_iter().chain(action.split(' ')).chain(at.iter().copied()).collect();
        let (succeeded, said) = place.run(&action);
        assert_eq!(succeeded, *succeeds, "{action:?}: {said}");
        wanted
            .iter()
            .for_each(|text| assert!(said.contains(text), "{action:?}: {text:?} is not in:\n{said}"));
    }
}

const JOIN: (&str, &[&str]) = ("join", &["writer=ada", "name=Ada"]);

#[test]
fn every_action_on_a_directory() {
    let place = Place::new();
    let data: PathBuf = place.path().join("data");
    let at = ["--data", data.to_str().expect("a path")];
    place.with_old(&at, &[JOIN, ("write", &["noteId=n1", "writer=ada", "words=much too long"])]);
    check(
        &place,
        &at,
        &[
            ("status after.sk", true, &["no migration has begun", "next: sortkey migrate plan after.sk"]),
            ("pause after.sk", false, &["no migration has begun", "sortkey migrate start"]),
            ("switch after.sk --dry-run", false, &["no migration has begun"]),
            ("plan after.sk", false, &["1 item does not fit", "noteId = \"n1\""]),
            ("start after.sk", false, &["1 item does not fit", "nothing was started", "noteId = \"n1\""]),
            ("status after.sk", true, &["prepared"]),
        ],
    );
    place.with_old(&at, &[("edit", &["noteId=n1", "words=short"])]);
    let fresh = Place::new();
    let other = fresh.path().join("data");
    let elsewhere = ["--data", other.to_str().expect("a path")];
    fresh.with_old(&elsewhere, &[JOIN]);
    check(
        &fresh,
        &elsewhere,
        &[(
            "rehearse after.sk --torture 2 --seed 7",
            true,
            &["2 items compared, 0 differences", "under 2 seeds", "0 lost, 0 differences"],
        )],
    );
    check(
        &place,
        &at,
        &[
            ("start after.sk --until nothing", false, &["\"nothing\" is not a table", "writers, notes"]),
            (
                "start after.sk --rate 100 --until writers",
                true,
                &["rests at its gate", "copied up to writers"],
            ),
            ("status after.sk", true, &["copied up to writers", "at most 100 items in a second"]),
            ("start after.sk", false, &["the copy rests at writers", "sortkey migrate verify"]),
            ("switch after.sk --dry-run", false, &["has not reached its end"]),
            ("verify after.sk", true, &["`writer`: 0 of 1 answers differ", "0 differences"]),
            ("pause after.sk", true, &["both"]),
            ("rate 2000wcu after.sk", true, &["at most 2000 write units in a second"]),
            ("start after.sk", true, &["the copy rests: `sortkey migrate resume`"]),
            ("rate fast after.sk", false, &["2000wcu"]),
            ("resume after.sk", true, &["both, copied\n", "notes: 1 item seen, 1 copied"]),
            ("switch after.sk --dry-run", false, &["sortkey migrate verify"]),
            (
                "verify after.sk --full",
                true,
                &["`note`: 0 of 1 answers differ", "4 items compared, 0 differences"],
            ),
            ("switch after.sk --dry-run", true, &["`switch` would happen"]),
            ("shadow 0% after.sk", false, &["between 1% and 100%"]),
            ("shadow 10% after.sk", true, &["shadow\n", "10 % of the answers are compared"]),
            ("back after.sk", true, &["both, copied"]),
            ("switch after.sk", true, &["switched\n", "--name notes, or sortkey migrate back"]),
            ("rehearse after.sk", false, &["it is rehearsed before `start`"]),
            ("back after.sk", true, &["both, copied"]),
            ("back after.sk", true, &["prepared"]),
            ("start after.sk --captured", true, &["both, copied"]),
            ("verify after.sk", true, &["0 differences"]),
            ("status after.sk", true, &["other programs: "]),
            ("switch after.sk", true, &["switched\n"]),
            ("finish after.sk --name wrong", false, &["the design is called notes"]),
            ("finish after.sk --name notes", true, &["finished", "protected from deletion: writers, notes"]),
        ],
    );
}

/// A switch waits for every process that serves; whoever asked for it may change their mind meanwhile.
#[test]
fn a_switch_that_waits_is_cancelled_with_ctrl_c() {
    let place = Place::new();
    let server = serve(&["--in-memory"]);
    let url = format!("http://{}", server.address);
    let at = ["--endpoint", url.as_str()];
    place.with_old(&at, &[JOIN]);
    check(
        &place,
        &at,
        &[("start after.sk", true, &["both, copied"]), ("verify after.sk", true, &["0 differences"])],
    );
    let mut command = place.command(&["migrate", "switch", "after.sk", "--endpoint", &url]);
    let mut switch = Process(command.stdout(Stdio::piped()).spawn().expect("it starts"));
    let mut lines = BufReader::new(switch.0.stdout.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.next().is_some_and(|line| line.starts_with("waiting ")), "it says what it waits for");
    let begun = Instant::now();
    while !place.run(&["migrate", "status", "after.sk", "--endpoint", &url]).1.contains("switched") {
        assert!(begun.elapsed() < Duration::from_secs(10), "the switch does not begin");
        std::thread::sleep(Duration::from_millis(100));
    }
    kill_process(Pid::from_child(&switch.0), Signal::INT).expect("signalled");
    let said: Vec<String> = lines.collect();
    assert!(switch.0.wait().expect("an end").success(), "{said:?}");
    assert!(said.iter().any(|line| line.contains("cancelled: the old design goes on answering")), "{said:?}");
    check(&place, &at, &[("status after.sk", true, &["both, copied"])]);
}
