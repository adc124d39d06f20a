//! The compiler's commands as a person types them: what they print, and how they exit.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "\
defaults { billing on_demand  recovery 35d  encryption aws_owned }
table Notes { key (userId | noteId) }
entity Note in Notes {
  userId uuid
  noteId ulid = new
}
pattern notes = list Note by userId page 50
";

/// A folder of its own for each test, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("sortkey-{name}-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&folder);
        Folder(folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        assert!(std::fs::write(&path, text).is_ok());
        path
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let Output { status, stdout, stderr } =
            sortkey(arguments).current_dir(&self.0).output().expect("the binary runs");
        let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
        (status.success(), text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn sortkey(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(arguments);
    command
}

#[test]
fn check_says_what_is_wrong_and_exits_accordingly() {
    let folder = Folder::new("check");
    folder.write("a.sk", GOOD);
    assert_eq!(
        folder.run(&["check", "a.sk"]),
        (true, "1 design: 0 errors, 0 warnings, 0 hints\n".to_owned())
    );

    folder.write("a.sk", &GOOD.replace(" page 50", ""));
    let (fine, text) = folder.run(&["check", "--format", "short", "a.sk"]);
    assert!(fine, "{text}");
    assert!(
        text.contains("a.sk:7:17: warning: `notes` stops silently after 1 MB [unpaginated-list]"),
        "{text}"
    );
    assert!(!folder.run(&["check", "--deny", "warnings", "a.sk"]).0);
    assert!(folder.run(&["check", "--deny", "warnings", "--off", "unpaginated-list", "a.sk"]).0);
    let (_, json) = folder.run(&["check", "--format", "json", "a.sk"]);
    assert!(json.contains("\"rule\":\"unpaginated-list\""), "{json}");

    assert!(folder.run(&["check", "--fix", "a.sk"]).0);
    assert_eq!(std::fs::read_to_string(folder.0.join("a.sk")).unwrap_or_default(), GOOD);
}

#[test]
fn check_survives_what_is_no_design() {
    let folder = Folder::new("bad");
    for (name, bytes) in [("a.sk", &b"\xff\xfe\x00"[..]), ("b.sk", b"{{{{((((\"\"\"\"")] {
        assert!(std::fs::write(folder.0.join(name), bytes).is_ok());
        let (fine, text) = folder.run(&["check", name]);
        assert!(!fine && text.contains("error"), "{text}");
    }
    assert!(!folder.run(&["check", "missing.sk"]).0);
}

#[test]
fn imports_are_followed_and_their_failures_explained() {
    let folder = Folder::new("import");
    folder.write("types.sk", "import \"a.sk\"\nenum Colour { red green }\n");
    folder.write(
        "a.sk",
        &format!("import \"types.sk\"\n{}", GOOD.replace("userId uuid", "userId uuid\n  colour Colour")),
    );
    let (fine, text) = folder.run(&["check", "a.sk"]);
    assert!(fine, "{text}");
    folder.write("b.sk", "import \"nowhere.sk\"\n");
    let (fine, text) = folder.run(&["check", "b.sk"]);
    assert!(!fine && text.contains("`nowhere.sk` cannot be read"), "{text}");
}

#[test]
fn fmt_lays_out_and_checks() {
    let folder = Folder::new("fmt");
    folder.write("a.sk", &GOOD.replace("  userId uuid", "userId     uuid"));
    assert!(!folder.run(&["fmt", "--check", "a.sk"]).0);
    assert!(folder.run(&["fmt", "a.sk"]).0);
    assert_eq!(std::fs::read_to_string(folder.0.join("a.sk")).unwrap_or_default(), GOOD);
    assert!(folder.run(&["fmt", "--check"]).0);
}

#[test]
fn plan_shows_locks_and_compares() {
    let folder = Folder::new("plan");
    folder.write("a.sk", GOOD);
    let (_, text) = folder.run(&["plan", "a.sk"]);
    assert!(text.contains("notes  Query Notes userId = {userId}, eventual, 1 request"), "{text}");
    assert!(folder.run(&["plan", "--lock", "a.sk"]).0);
    assert!(folder.run(&["plan", "--check", "a.sk"]).0);
    folder.write("a.sk", &GOOD.replace("by userId", "by userId strong"));
    let (fine, text) = folder.run(&["plan", "--check", "a.sk"]);
    assert!(!fine && text.contains("+ notes = Query Notes userId = {userId}, strong"), "{text}");
    let (_, json) = folder.run(&["plan", "--json", "a.sk"]);
    assert!(json.contains("\"entities\""), "{json}");
}

#[test]
fn explain_tells_what_a_rule_is_about() {
    let folder = Folder::new("explain");
    for rule in ["key-collision", "SK1003", "sk1003"] {
        let (fine, text) = folder.run(&["explain", rule]);
        assert!(fine && text.contains("## Why it matters"), "{text}");
    }
    assert!(folder.run(&["explain"]).1.lines().count() > 100);
    assert!(!folder.run(&["explain", "no-such-rule"]).0);
}

/// Runs the real process with an editor's framing: a header, a blank line, JSON.
#[test]
fn the_language_server_speaks_on_standard_input_and_output() {
    let spawned = sortkey(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut process = spawned.expect("the binary runs");
    let mut input = process.stdin.take().expect("it is piped");
    let mut output = BufReader::new(process.stdout.take().expect("it is piped"));
    let text = GOOD.replace(" page 50", "").replace('\n', "\\n");
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned(),
        format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file:///a.sk","languageId":"sk","version":1,"text":"{text}"}}}}}}"#
        ),
        r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"exit"}"#.to_owned(),
    ] {
        let framed = format!("Content-Length: {}\r\n\r\n{message}", message.len());
        assert!(input.write_all(framed.as_bytes()).and_then(|()| input.flush()).is_ok());
    }
    assert!(receive(&mut output).contains("hoverProvider"));
    assert!(receive(&mut output).contains("unpaginated-list"));
    assert!(receive(&mut output).contains("\"id\":2"));
    assert!(process.wait().is_ok_and(|status| status.success()));
}

fn receive(output: &mut impl BufRead) -> String {
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).is_ok());
        if let Some(number) = line.trim().strip_prefix("Content-Length: ") {
            length = number.parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    assert!(output.read_exact(&mut body).is_ok());
    String::from_utf8_lossy(&body).into_owned()
}

#[test]
fn a_folder_stands_for_its_design_and_a_filter_for_some_test() {
    let folder = Folder::new("folder");
    folder.write("a.sk", &format!("{GOOD}test \"nothing is there\" {{ expect count(notes(\"7f9c24e5-1b7d-4a56-9d3e-2c1f0b8a6d42\")) = 0 }}\n"));
    let (fine, plan) = folder.run(&["plan", "."]);
    assert!(fine && plan.starts_with("notes  Query Notes userId = {userId}"), "{plan}");
    let (fine, missed) = folder.run(&["test", "--filter", "something else"]);
    assert!(!fine && missed.contains("no test has \"something else\" in its title"), "{missed}");
}

/// A design whose one test fails in a race.
const RACE: &str = "\
table Seats { key (seatId) }
entity Seat in Seats { seatId slug  owner? slug }
pattern seat = get Seat by seatId
operation add = create Seat
operation take(seatId, owner) { update Seat(seatId) if it.owner absent else Taken { owner } }
test \"two take one seat\" {
  add(seatId: \"a1\")
  race { take(seatId: \"a1\", owner: \"ann\") } { take(seatId: \"a1\", owner: \"bob\") } succeeds 2
}
";

// F-32: failures pointed to a rule that did not exist, and a failed race gave no reason.
#[test]
fn a_failed_test_says_why_and_its_rule_is_explained() {
    let folder = Folder::new("race");
    folder.write("seats.sk", RACE);
    let (passed, text) = folder.run(&["test", "seats.sk"]);
    assert!(!passed);
    for expected in ["test-failed", "1 of these succeeded, not 2", "fails with Taken", "--order"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let (known, text) = folder.run(&["explain", "test-failed"]);
    assert!(known && text.contains("succeeds"), "{text}");
    assert!(folder.run(&["explain", "unknown-rule"]).0);
}

// F-32: `sortkey test` reported that a file has errors without showing them.
#[test]
fn test_shows_the_errors_of_a_design() {
    let folder = Folder::new("test-errors");
    folder.write("seats.sk", &RACE.replace("owner? slug", "owner? slgu"));
    let (passed, text) = folder.run(&["test", "seats.sk"]);
    assert!(!passed);
    assert!(text.contains("slgu") && text.contains("seats.sk has 1 error, so no test ran"), "{text}");
    // All tests may be lost to an error.
    folder.write("seats.sk", &RACE.replace("test \"two", "tset \"two"));
    let (passed, text) = folder.run(&["test", "seats.sk"]);
    assert!(!passed && text.contains("tset"), "{text}");
}

// F-32: help shows the path as optional.
#[test]
fn plan_without_a_path_is_about_this_folder() {
    let folder = Folder::new("plan-here");
    folder.write("notes.sk", GOOD);
    let named = folder.run(&["plan", "notes.sk"]);
    assert!(named.0);
    assert_eq!(folder.run(&["plan"]), named);
    assert!(folder.run(&["plan", "--prices-form"]).0);
}

// F-31: the guide named commands that do not exist.
#[test]
fn the_guide_names_commands_that_exist() {
    let guide = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let text = std::fs::read_to_string(guide).expect("the guide is there");
    let mut commands: Vec<&str> = text
        .split("sortkey ")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default())
        .filter(|word| !word.is_empty())
        .collect();
    commands.sort_unstable();
    commands.dedup();
    assert!(commands.len() > 4, "{commands:?}");
    for command in commands {
        let done = sortkey(&[command, "--help"]).output().expect("the binary runs");
        assert!(done.status.success(), "there is no `sortkey {command}`");
    }
}
