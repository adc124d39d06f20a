//! `sortkey init`, and the shell completions: what a new user meets first.
#![cfg(unix)]

#[path = "markdown/session.rs"]
mod session;

use std::path::Path;
use std::process::{Command, Output};

use session::Session;

fn sortkey(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(arguments).current_dir(folder).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_example_has_no_findings_passes_its_tests_and_runs() {
    // F-77: there was no `init`.
    let folder = tempfile::tempdir().expect("a folder");
    let made = sortkey(&["init", "my shop"], folder.path());
    assert!(made.status.success(), "{}", text(&made.stderr));
    let shop = folder.path().join("my shop");
    assert!(text(&made.stdout).starts_with("my shop/my-shop.sk is a design"), "{}", text(&made.stdout));
    for (arguments, expected) in [
        (&["check", "--deny", "warnings"][..], "1 design: 0 errors, 0 warnings, 0 hints\n"),
        (&["fmt", "--check"], ""),
        (&["test", "--mutate"], "3 tests: 3 passed, 0 failed\n"),
    ] {
        let output = sortkey(arguments, &shop);
        let said = text(&output.stdout);
        assert!(output.status.success() && said.ends_with(expected), "{arguments:?}\n{said}");
    }
    let mut session = Session::new(&shop);
    let said = session.run("sortkey up --in-memory");
    assert!(said.contains("my-shop: 3 patterns and 4 operations"), "{said}");
    let made = session.run(
        r#"sortkey call createLink slug=docs target=https://example.com/docs --caller '{"userId":"ada"}'"#,
    );
    assert!(made.contains(r#""slug": "docs""#), "{made}");
}

#[test]
fn existing_files_are_never_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (design, ignored) = (folder.path().join("links/links.sk"), folder.path().join("links/.gitignore"));
    std::fs::create_dir(folder.path().join("links")).expect("a folder");
    std::fs::write(&ignored, "mine\n").expect("written");
    assert!(sortkey(&["init", "links"], folder.path()).status.success());
    assert_eq!(std::fs::read_to_string(&ignored).expect("text"), "mine\n");

    std::fs::write(&design, "design mine\n").expect("written");
    let again = sortkey(&["init", "links"], folder.path());
    assert!(!again.status.success());
    assert!(text(&again.stderr).contains("cannot write links/links.sk"), "{}", text(&again.stderr));
    assert_eq!(std::fs::read_to_string(&design).expect("text"), "design mine\n");

    let nowhere = sortkey(&["init", "links/links.sk"], folder.path());
    assert!(
        text(&nowhere.stderr).contains("cannot create the folder links/links.sk"),
        "{}",
        text(&nowhere.stderr)
    );
}

#[test]
fn shells_complete_commands_and_options() {
    // F-77: there were no completions.
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&sortkey(&["completions", shell], folder.path()).stdout);
        for word in ["check", "init", "completions", "in-memory"] {
            assert!(script.contains(word), "{shell}: {word} is missing");
        }
    }
    let complete = "source <(\"$0\" completions bash); COMP_WORDS=(sortkey che); COMP_CWORD=1; \
                    _sortkey sortkey che sortkey; echo \"${COMPREPLY[@]}\"";
    let completed = Command::new("bash").args(["-c", complete, env!("CARGO_BIN_EXE_sortkey")]).output();
    assert_eq!(text(&completed.expect("bash runs").stdout), "check\n");
    let unknown = sortkey(&["completions", "csh"], folder.path());
    assert!(text(&unknown.stderr).contains("possible values: bash"), "{}", text(&unknown.stderr));
}
