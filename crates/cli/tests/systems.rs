//! Systems as their users meet them: each one with its companion programs and generated data, by the one command that the examples
//! have for it. The programs are processes of their own; nothing is a stub.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// Runs an example, which fails by itself if a result is wrong; returns its output.
fn shown(example: &str, given: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example).join("run.sh");
    let mut command = Command::new("bash");
    command.arg(script).args(given).env("SORTKEY_BIN", env!("CARGO_BIN_EXE_sortkey"));
    let output = command.output().expect("bash and node are installed");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

// F-49, F-55: roles restricted nothing, conversations of Slack and Teams were refused, tenants and people could not be removed.
#[test]
fn t3nets_answers_on_three_channels() {
    let said = shown("t3nets", &[]);
    for line in [
        "a token for another audience: 401",
        "the answer arrives in 7 parts",
        "Slack asks whether the address is ours, and is answered",
        "a wrong signature: 401",
        "the answer is in its thread of Slack, once",
        "and in Teams: \"You said: hello from Teams [Be brief.]\"",
        "the day's limit is reached",
        "the tenant is removed",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
}

// F-47: no report, no permissions in lists, invites that could not be revoked, no administrators.
#[test]
fn seller_profiles_are_shared_and_report() {
    let said = shown("seller-profiles", &["--records", "60", "--calls", "5"]);
    for line in [
        "an invite is revoked from the list",
        "his list says: not the owner, may write",
        "an administrator by the group of the identity provider, sees it too",
        "the report has a head and 60 lines",
        // The document requires three lists below 100 ms; these are measured.
        "profiles/listMine       46 items, median",
        "seasons/list            46 items, median",
        "orders/listBySeason     60 items, median",
        "with the profile go its shares, invites, seasons and orders",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
}
