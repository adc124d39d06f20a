//! The relay of docs/guide/workers.md, with the commands of the page as they are written: a webhook by curl, its arrival, a
//! receiver that is stopped, and the attempts.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::relay::{Relay, free_port};

/// Commands of the page, with the ports of this test instead of its own.
struct Page {
    folder: tempfile::TempDir,
    text: String,
    receiver: u16,
}

/// A receiver that is killed when dropped.
struct Receiver(Child);

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Page {
    fn blocks(&self, language: &str) -> Vec<&str> {
        let fence = format!("```{language}\n");
        self.text.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
    }

    /// Runs commands one after the other in one shell, so that they share exported variables. Returns their output.
    fn run(&self, commands: &str) -> String {
        let script = format!("set -euo pipefail\n[ ! -e env ] || . ./env\n{commands}\nexport -p >env\n");
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(self.folder.path())
            .output()
            .expect("bash, curl and jq are installed");
        assert!(output.status.success(), "{commands}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn start_receiver(&self) -> Receiver {
        let log = std::fs::File::options().create(true).append(true).open(self.log()).expect("a file");
        let process = Command::new("python3")
            .arg("receiver.py")
            .current_dir(self.folder.path())
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 is installed");
        let receiver = Receiver(process);
        until("the receiver listens", || std::net::TcpStream::connect(("127.0.0.1", self.receiver)).is_ok());
        receiver
    }

    fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("receiver.log")
    }
}

#[test]
fn the_relay_of_the_guide_works_as_it_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = crate::place(&folder);
    let receiver = free_port();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/workers.md");
    let text = std::fs::read_to_string(file).expect("the page is there");
    let text = text.replace(":8000", &format!(":{}", place.port)).replace("9000", &receiver.to_string());
    let page = Page { folder, text, receiver };
    let program = page.blocks("python").into_iter().next().expect("the receiver");
    std::fs::write(page.folder.path().join("receiver.py"), program).expect("written");
    let relay = page.text.split("## A webhook relay").nth(1).expect("the section").to_owned();
    let relay = Page { text: relay, receiver, ..page };
    let [setup, webhook, attempts] = relay.blocks("sh")[..] else { panic!("three blocks of commands") };
    let (up, setup) = setup.split_once('\n').expect("two lines");
    assert_eq!(up, "sortkey up systems/ferryhook --allow-private 127.0.0.0/8", "as `Relay` starts it");

    let _server = Relay::start(&place);
    relay.run(setup);
    let listening = relay.start_receiver();
    relay.run(webhook);
    let arrived = || std::fs::read_to_string(relay.log()).unwrap_or_default();
    until("the webhook arrives", || arrived().contains("hello"));
    for header in ["webhook-id: evt_", "webhook-timestamp: ", "webhook-signature: v1,"] {
        assert!(arrived().to_lowercase().contains(header), "{header} is not in\n{}", arrived());
    }
    drop(listening);
    relay.run(webhook);
    let mut shown = String::new();
    until("an attempt is shown", || {
        shown = relay.run(attempts);
        let page: Json = serde_json::from_str(&shown).expect("JSON");
        page["items"].as_array().is_some_and(|items| !items.is_empty())
    });
    let page: Json = serde_json::from_str(&shown).expect("JSON");
    let first = &page["items"][0];
    assert_eq!((&first["attemptNumber"], &first["statusCode"]), (&Json::from(1), &Json::from(0)), "{shown}");
    assert!(first["error"].as_str().is_some_and(|error| !error.is_empty()), "{shown}");
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < end, "{what} does not hold after 30 seconds");
        std::thread::sleep(Duration::from_millis(50));
    }
}
