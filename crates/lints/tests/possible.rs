//! A design that `check` accepts starts: no `allow` makes a request exist that DynamoDB does not have.

use sortkey_design::NoFiles;
use sortkey_diagnostics::Severity;
use sortkey_lints::{Options, check};

/// The errors of a design, by rule.
fn errors(text: &str, options: &Options) -> Vec<&'static str> {
    let found = check("design.sk", text, &NoFiles, options).diagnostics;
    found.iter().filter(|each| each.severity == Severity::Error).map(|each| each.rule).collect()
}

const USERS: &str = "table Users \"users\" { key (userId)  index byAge (age | joined) project all }
    entity User in Users { userId uuid = new  phone string(..30)  age int(0..200)  joined time(s) = now }
    operation join = create User  pattern one = get User by userId";

#[test]
fn what_cannot_run_cannot_be_allowed() {
    for (clause, rule) in [
        ("get User by phone", "pattern-without-index"),
        ("list User by age order by phone page 5", "sort-order-lost"),
        ("list User by age strong page 5", "strong-read-on-global-index"),
        ("list User where age in 1..5 page 5", "range-condition-on-partition-key"),
    ] {
        let pattern = format!("{USERS} pattern p = {clause}");
        assert_eq!(errors(&pattern, &Options::default()), [rule], "{clause}");
        let allowed = format!("{pattern} allow {rule} because \"we know\"");
        assert_eq!(errors(&allowed, &Options::default()), ["cannot-run"], "{clause}");
        let off = Options { off: vec![rule.to_owned()], ..Options::default() };
        assert_eq!(errors(&pattern, &off), ["cannot-run"], "{clause}");
    }
}

#[test]
fn a_cascade_without_a_path_cannot_be_allowed() {
    let hooks = |allow: &str| {
        format!(
            "table Hooks \"hooks\" {{ key (hookId) }} table Subs \"subs\" {{ key (event | hookId) }}
             entity Hook in Hooks {{ hookId uuid = new }}
             entity Sub in Subs {{ event slug(1..60)  hookId -> Hook on delete cascade  {allow} }}"
        )
    };
    assert_eq!(errors(&hooks(""), &Options::default()), ["cascade-without-path"]);
    let allowed = hooks("allow cascade-without-path because \"we know\"");
    assert_eq!(errors(&allowed, &Options::default()), ["cannot-run"]);
}

#[test]
fn a_worker_without_a_path_cannot_be_allowed() {
    let jobs = |allow: &str| {
        format!(
            "table Jobs \"jobs\" {{ key (jobId) }}
             entity Job in Jobs {{ jobId uuid = new  nextAt? time(ms) = now }}
             worker send due Job as j by nextAt {allow} {{ update Job(...j) {{ nextAt: absent }} }}"
        )
    };
    assert_eq!(errors(&jobs(""), &Options::default()), ["due-without-path"]);
    let allowed = jobs("allow due-without-path because \"we know\"");
    assert_eq!(errors(&allowed, &Options::default()), ["cannot-run"]);
}
