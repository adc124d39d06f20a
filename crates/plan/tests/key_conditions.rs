//! The lines of a plan: small designs, a pattern each, and how it is read.

use sortkey_design::{NoFiles, compile};
use sortkey_plan::plan_text;

const DESIGN: &str = r#"
caller { userId -> User }
table T {
  key (PK | SK)
  index Tagged (GPK | GSK) project keys sparse
  index Owned (owner | at) project all
}
table Plain { key (shard | at) }
entity User in T { PK = "USER#{userId}"  SK = "USER"  userId uuid = new  email email  unique email }
entity Note in T {
  PK = "USER#{userId}"  SK = "NOTE#{noteId}"
  GPK = "{userId}#{state}"  GSK = "{at}#{noteId}"
  userId -> User
  noteId ulid = new
  owner  string(1..9)
  state  open | done = open
  at     time(iso) = now
  volume 1_000 items, 1 KB each, 20 per userId
}
entity Log in Plain {
  shard int(0..3)
  at    time(iso) = now
  text  string(..100)
  volume 10_000 items, 100 B each
}
"#;

/// The line of a pattern.
fn line(pattern: &str) -> String {
    let compilation = compile("t.sk", &format!("{DESIGN}pattern p{pattern}\n"), &NoFiles);
    assert_eq!(compilation.diagnostics, [], "{pattern}");
    let text = plan_text(&compilation.program);
    text.lines().find_map(|line| line.strip_prefix("p  ")).unwrap_or_default().to_owned()
}

fn check(cases: &[(&str, &str)]) {
    for (pattern, expected) in cases {
        assert_eq!(line(pattern), *expected, "{pattern}");
    }
}

#[test]
fn keys_are_made_of_what_a_call_gives() {
    check(&[
        (
            " = get Note by userId, noteId",
            "GetItem T PK = \"USER#{userId}\" and SK = \"NOTE#{noteId}\", eventual, 1 request, 0.5 RCU",
        ),
        (
            " = list Note by userId page 9",
            "Query T PK = \"USER#{userId}\" and begins_with(SK, \"NOTE#\"), eventual, 1 request, 1.5 RCU",
        ),
        (" = get User by email strong", "GetItem T guard(email) and its item, strong, 2 requests, 2 RCU"),
        (
            " = list Note by userId, state = open newest first page 9",
            "Query T.Tagged GPK = \"{userId}#open\" + fetch, eventual, 2 requests, 5 RCU",
        ),
        (
            " = list Note by userId = caller.userId page 9",
            "Query T PK = \"USER#{caller.userId}\" and begins_with(SK, \"NOTE#\"), eventual, 1 request, 1.5 RCU",
        ),
    ]);
}

#[test]
fn ranges_are_shown_with_their_bounds() {
    check(&[
        (
            "(from: time, to: time) = list Note by userId, state where at in from..to page 9",
            "Query T.Tagged GPK = \"{userId}#{state}\" and GSK between \"{from}\" and \"{to}…\" + fetch, eventual, \
             2 requests, 5 RCU",
        ),
        (
            "(from?: time) = list Note by userId, state where at >= from page 9",
            "Query T.Tagged GPK = \"{userId}#{state}\" and GSK between \"{from?}\" and \"…\" + fetch, eventual, \
             2 requests, 5 RCU",
        ),
        (
            " = list Note by owner where at <= now page 9",
            "Query T.Owned owner = {owner} and at <= {now}, eventual, 1 request, 1.5 RCU",
        ),
        (
            "(begin: string(1..9)) = list Note by userId where noteId starts with begin page 9",
            "Query T PK = \"USER#{userId}\" and begins_with(SK, \"NOTE#{begin}\"), eventual, 1 request, 1.5 RCU",
        ),
    ]);
}

#[test]
fn several_values_are_several_queries() {
    check(&[(
        " = list Log by shard in all where at <= now newest first page 8",
        "Query Plain shard = {shard} and at <= {now}, for every shard, eventual, 4 requests, 2 RCU",
    )]);
}

#[test]
fn a_scan_costs_everything_that_lies_in_its_way() {
    check(&[
        (" = scan Log", "Scan Plain, eventual, 1 request, 122.5 RCU, the whole table of 10000 items"),
        (
            " = scan Log page 100",
            "Scan Plain, eventual, 1 request, 1.5 RCU a page, 122.5 RCU for the whole table of 10000 items",
        ),
        // Ten users of unknown volume lie beside a thousand notes.
        (" = scan Note", "Scan T, eventual, 1 request, 125.5 RCU, the whole table of 1010 items"),
        (
            " = scan Note via Owned",
            "Scan T.Owned, eventual, 1 request, 125 RCU, the whole index of 1000 items",
        ),
    ]);
}
