//! A terminal that runs the commands of a page one after the other: one shell for all of them, and one server at a time.
//!
//! Pages use port 8000. Here every server has a port of its own, and the address is replaced both ways.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use regex_lite::Regex;

/// Printed after each command, with its exit status dropped: pages show output, not statuses.
const END: &str = "<<the command has ended>>";

pub(crate) struct Session {
    shell: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    server: Option<Child>,
    /// As in `127.0.0.1:40123`.
    address: Option<String>,
    folder: PathBuf,
    /// The folder with the keyring of its servers.
    keys: tempfile::TempDir,
}

impl Session {
    /// A shell in a folder, with `sortkey` on its path.
    pub(crate) fn new(folder: &Path) -> Session {
        let binary = Path::new(env!("CARGO_BIN_EXE_sortkey"));
        let programs = binary.parent().expect("a folder").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path)));
        // The first start of a server makes a keyring and reports it; the developer's own keyring stays as it is.
        let keys = tempfile::tempdir().expect("a folder");
        let keyring = keys.path().join("keyring.json");
        let made = Command::new(binary).args(["keyring", "create", "--keyring"]).arg(&keyring).output();
        assert!(made.expect("the binary runs").status.success());
        let mut shell = Command::new("bash")
            .args(["--noprofile", "--norc"])
            .current_dir(folder)
            .env("PATH", path.expect("a path"))
            .env("SORTKEY_KEYRING", &keyring)
            .env_remove("SORTKEY_CALLER")
            .env_remove("SORTKEY_ENDPOINT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash runs");
        let input = shell.stdin.take().expect("piped");
        let output = BufReader::new(shell.stdout.take().expect("piped"));
        let folder = folder.to_owned();
        let mut session = Session { shell, input, output, server: None, address: None, folder, keys };
        session.typed("exec 2>&1");
        session
    }

    /// Runs a command; what it printed, or for a server what it printed when it was ready.
    pub(crate) fn run(&mut self, command: &str) -> String {
        let printed = match command.starts_with("sortkey up") || command.starts_with("sortkey serve") {
            true => self.start(command),
            false => self.typed(&self.here(command)),
        };
        redacted(&printed)
    }

    fn typed(&mut self, command: &str) -> String {
        writeln!(self.input, "{command}\necho '{END}'").expect("the shell reads");
        let mut printed = String::new();
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).expect("text");
            assert!(length > 0, "the shell ended in {command:?} after\n{printed}");
            // Output without a line break at its end is followed by the mark on the same line.
            if let Some(rest) = line.trim_end().strip_suffix(END) {
                return printed + rest;
            }
            printed.push_str(&line);
        }
    }

    fn start(&mut self, command: &str) -> String {
        self.stop();
        let said = self.folder.join("said-by-the-server");
        let folder = self.typed("pwd");
        let mut words = command.split_whitespace().skip(1);
        let file = File::create(&said).expect("a file");
        let process = Command::new(env!("CARGO_BIN_EXE_sortkey"))
            .args(words.by_ref())
            .args(["--port", "0"])
            .current_dir(folder.trim())
            .env("SORTKEY_KEYRING", self.keys.path().join("keyring.json"))
            .stdout(file.try_clone().expect("a file"))
            .stderr(file)
            .spawn();
        self.server = Some(process.expect("the binary starts"));
        let server = self.server.as_mut().expect("just started");
        loop {
            let printed = std::fs::read_to_string(&said).expect("text");
            if let Some(address) = address(&printed) {
                self.address = Some(address.clone());
                self.typed(&format!("export SORTKEY_ENDPOINT=http://{address}"));
                return printed;
            }
            // A page may show a server that refuses to start.
            if server.try_wait().expect("a process").is_some() {
                return std::fs::read_to_string(&said).expect("text");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A command of the page with the address of our server.
    fn here(&self, command: &str) -> String {
        match &self.address {
            Some(address) => command.replace("127.0.0.1:8000", address).replace("localhost:8000", address),
            None => command.to_owned(),
        }
    }

    fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn address(printed: &str) -> Option<String> {
    let line = printed.lines().find_map(|line| line.strip_prefix("sortkey is listening on http://"));
    line.map(str::to_owned)
}

/// A text without what differs from run to run: ports, times, seconds since 1970.
pub(crate) fn redacted(text: &str) -> String {
    let rules = [
        (r"127\.0\.0\.1:\d+", "127.0.0.1:8000"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "[TIME]"),
        (r"\b1[789]\d{8}\b", "[SECONDS]"),
    ];
    let mut text = text.to_owned();
    for (pattern, shown) in rules {
        text = Regex::new(pattern).expect("a pattern").replace_all(&text, shown).into_owned();
    }
    text
}
