//! Dead letters: a run that its worker gave up is listed with its reason, and is tried again on request.

use serde_json::{Value as Json, json};

use crate::elsewhere::{Process, port_of, until};
use crate::receiver::{self, Log};
use crate::relay::call;
use std::process::Stdio;
use std::sync::Arc;

const PARCELS: &str = r#"
design parcels
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table T "parcels" {
  key   (PK | SK)
  index Due (lane | nextAt) project keys sparse
}
entity Parcel in T {
  PK = "PARCEL#{parcelId}"  SK = "PARCEL"
  parcelId uuid = new
  url      url(..200)
  state    waiting | done = waiting
  nextAt   time(ms) = now when state = waiting
  lane     int(0..3) := hash(parcelId) % 4 when state = waiting
}
effect post(url: url, headers: map(string(..200)), body: bytes) -> { status int(0..599) } = http POST url timeout 1500ms
system operation place(url) { create Parcel { url } }
system operation move(parcelId, url) { update Parcel(parcelId) { url } }
system pattern parcel = get Parcel by parcelId strong
worker send due Parcel as p by nextAt when state = waiting lease 2s attempts 1 {
  let r = do post(url: p.url, headers: { webhook-id: p.parcelId }, body: "x")
  require r.status = 200 else NotTaken
  update Parcel(...p) { state: done, nextAt: absent }
}
"#;

#[test]
fn what_was_given_up_is_listed_and_tried_again_when_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("parcels.sk"), PARCELS).expect("written");
    let log: Arc<Log> = Arc::default();
    let receiver = receiver::start(&log);
    let says = "sortkey is listening on ";
    let serve = ["serve", "--port", "0", "--data", "database"];
    let (_database, line) = Process::start(folder, &serve, says, Stdio::null());
    let endpoint = format!("http://127.0.0.1:{}", port_of(&line));
    let up = ["up", "parcels.sk", "--port", "0", "--endpoint", &endpoint, "--no-workers"];
    let (_api, line) = Process::start(folder, &up, says, Stdio::null());
    let port = port_of(&line);
    // Nobody is there.
    let parcel = call(port, "", "POST", "/api/place", &json!({ "url": "http://127.0.0.1:9/" }));
    let id = parcel["parcelId"].as_str().expect("an id").to_owned();

    let work = ["work", "parcels.sk", "--endpoint", &endpoint, "--allow-private", "127.0.0.0/8"];
    let (_worker, _) = Process::start(folder, &work, "worker at", Stdio::null());
    let ask = |words: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_sortkey"))
            .args([&work[..], words].concat())
            .current_dir(folder)
            .envs([("AWS_ACCESS_KEY_ID", "any"), ("AWS_SECRET_ACCESS_KEY", "any")])
            .env("XDG_CONFIG_HOME", folder)
            .output()
            .expect("the binary starts");
        let (said, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.success(), format!("{said}{errors}"))
    };
    until("a letter", || ask(&["status"]).1.contains("1 put aside"));
    let (_, letters) = ask(&["dead"]);
    let words: Vec<&str> = letters.split_whitespace().collect();
    assert!(
        letters.lines().count() == 1 && words[0] == "send" && letters.contains("does not hold"),
        "{letters}"
    );
    assert_eq!(ask(&["dead", "send"]).1, letters);
    let run = words[1].to_owned();
    let (_, unknown) = ask(&["replay", "send", "send-none-0"]);
    assert!(unknown.contains("send-none-0"), "{unknown}");

    let url = format!("http://127.0.0.1:{receiver}/late/parcels");
    call(port, "", "POST", "/api/move", &json!({ "parcelId": id, "url": url }));
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(log.of(&id).is_empty(), "what was put aside is not tried by itself");
    let (is_taken, said) = ask(&["replay", "send", &run]);
    assert!(is_taken && said.contains("will try"), "{said}");
    let state = || {
        let found = call(port, "", "GET", &format!("/api/parcel?parcelId={id}"), &Json::Null);
        found["state"].clone()
    };
    until("the parcel", || state() == json!("done"));
    assert_eq!(log.of(&id).len(), 1);
    assert_eq!(ask(&["dead"]).1, "", "a letter that was tried again is none");
}
