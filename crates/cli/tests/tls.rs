//! HTTPS as a user of the command line meets it.
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

struct Https {
    process: Child,
    endpoint: String,
    lines: Vec<String>,
}

impl Drop for Https {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn serve(folder: &Path, arguments: &[&str]) -> Https {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(["serve", "--port", "0"]).args(arguments).current_dir(folder).stdout(Stdio::piped());
    let mut process = command.spawn().expect("the binary starts");
    let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let endpoint = line().strip_prefix("sortkey is listening on ").expect("the address").to_owned();
    let lines = (0..4).map(|_| line()).collect();
    Https { process, endpoint, lines }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(arguments).current_dir(folder).env_remove("AWS_CA_BUNDLE").output().expect("it runs")
}

#[test]
fn commands_reach_a_server_with_a_certificate_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let server = serve(path, &["--tls-self-signed", "--data", "data"]);
    assert!(server.endpoint.starts_with("https://"), "{}", server.endpoint);
    assert!(server.lines.iter().any(|line| line.starts_with("Self-signed certificate, SHA-256 ")));
    let mode = |name: &str| {
        let metadata = std::fs::metadata(path.join("data").join(name)).expect("made");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!([mode("tls-self-signed.pem"), mode("tls-self-signed.key")], [0o600; 2]);

    let trust = ["--endpoint", &server.endpoint, "--ca", "data/tls-self-signed.pem"];
    let verified = run(path, &[&["verify"], &trust[..]].concat());
    assert!(verified.status.success(), "{verified:?}");
    let backup = run(path, &[&["backup", "all.backup"], &trust[..]].concat());
    assert!(backup.status.success(), "{backup:?}");
    assert!(path.join("all.backup").exists());
    // Without the file of the certificate nobody vouches for the server.
    for command in [&["verify"][..], &["backup", "another.backup"], &["call", "x"]] {
        let refused = run(path, &[command, &trust[..2]].concat());
        assert!(!refused.status.success(), "{command:?}");
        let why = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(why.contains("certificate") && why.contains("--ca FILE"), "{command:?}: {why}");
    }
}

#[test]
fn a_design_runs_on_a_dynamodb_behind_a_private_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let server = serve(path, &["--tls-self-signed", "--data", "data"]);
    std::fs::write(
        path.join("notes.sk"),
        "design notes\ntable Notes \"notes\" { key (noteId) }\n\
         entity Note in Notes {\n  noteId string(1..20)\n  text string(1..100)\n}\n\
         pattern getNote = get Note by noteId\noperation createNote = create Note\n\
         test \"a note is kept\" {\n  createNote(noteId: \"a\", text: \"milk\")\n  \
         expect getNote(noteId: \"a\").text = \"milk\"\n}\n",
    )
    .expect("written");
    let trust = ["--endpoint", &server.endpoint, "--ca", "data/tls-self-signed.pem"];
    let tested = run(path, &[&["test", "notes.sk"], &trust[..]].concat());
    let said = String::from_utf8_lossy(&tested.stdout).into_owned();
    assert!(tested.status.success(), "{said} {}", String::from_utf8_lossy(&tested.stderr));
    let refused = run(path, &[&["test", "notes.sk"], &trust[..2]].concat());
    assert!(!refused.status.success());

    // Its tables are gone, and `import` is answered all the same.
    let imported = run(path, &[&["import"], &trust[..]].concat());
    let said = String::from_utf8_lossy(&imported.stderr).into_owned();
    assert!(said.contains("there is no DynamoDB table in it"), "{said}");
    let refused = run(path, &[&["import"], &trust[..2]].concat());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("ListTables"), "{said}");
}

#[test]
fn certificates_that_cannot_be_used_stop_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("empty.pem"), "").expect("written");
    for (arguments, why) in [
        (&["--tls-cert", "none.pem", "--tls-key", "none.pem"][..], "none.pem"),
        (&["--tls-cert", "empty.pem", "--tls-key", "empty.pem"], "no certificate in PEM form"),
        (&["--tls-cert", "empty.pem"], "--tls-key"),
        (&["--tls-self-signed", "--tls-cert", "a", "--tls-key", "b"], "cannot be used with"),
    ] {
        let refused = run(path, &[&["serve", "--port", "0", "--in-memory"], arguments].concat());
        assert!(!refused.status.success());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
}
