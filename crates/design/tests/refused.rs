//! F-29: designs passed the checker that DynamoDB refuses when they start, or that are refused whenever, or as soon as, something is
//! left out. Each line is added to a small design; its diagnostics follow.

use sortkey_design::{NoFiles, compile};

const THINGS: &str = r#"
caller { userId slug, role agent | customer }
table Things "things" { key (id) }
table Others "others" { key (id) }
entity X in Things {
  id slug  n int = 0  m? int  w slug = "w"  st a | b | c = a
  note string(1..40) when st = b
  why  string(1..40) when st in [b, c]
  rec { a int, b int } = { a: 1, b: 2 }
}
entity Y in Others { id slug  c int }
rule isAgent() = caller.role = agent
rule mine(owner: slug) = isAgent() or caller.userId = owner
rule high(v: int) = v > 3
pattern x = get X by id
"#;

/// The diagnostics of an added line: `rule: title` of each, in order.
fn said(line: &str) -> Vec<String> {
    let text = format!("{THINGS}{line}\n");
    let found = compile("things.sk", &text, &NoFiles).diagnostics;
    found.iter().map(|each| format!("{}: {}", each.rule, each.title)).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    for (line, expected) in cases {
        assert_eq!(&said(line), expected, "{line}");
    }
}

fn accepted(lines: &[&str]) {
    lines.iter().for_each(|line| check(&[(line, &[])]));
}

#[test]
fn the_design_itself_is_right() {
    accepted(&[""]);
}

/// F-02: a rule about the caller was silently false where nobody calls, and its negation true.
#[test]
fn rules_about_the_caller_where_nobody_calls() {
    let nobody = "unknown-name: a `system` declaration has no caller";
    for line in [
        "system pattern q = get X by id filter not isAgent()",
        "system pattern q = get X by id filter mine(w)",
        "system pattern q = get X by id requires isAgent()",
        "system operation q(id) { update X(id) if isAgent() else No { n: 1 } }",
        "system operation q(id) { update X(id) { n: 1 } when not mine(id) }",
        "system operation q(id) { require not isAgent() else No  update X(id) { n: 1 } }",
        "system operation q(id) { let v = mineOnly(id) else No  return v } pattern mineOnly = get X by id filter mine(w)",
    ] {
        assert_eq!(said(line), [nobody], "{line}");
    }
    accepted(&[
        "pattern q = get X by id filter not isAgent()",
        "system pattern q = get X by id filter high(n)",
        "operation q(id) { require mine(id) else No  update X(id) { n: 1 } }",
    ]);
}

#[test]
fn what_may_be_left_out_where_it_must_be_there() {
    let absent = "missing-value: this must always be there, but may be absent";
    for line in [
        "operation q(id?) { update X(id) { n: 3 } }",
        "operation q(id?) = update X [n]",
        "operation q(id, v?: int) { update X(id) { rec.a: v } }",
        "operation q(id, v?: int) { update X(id) { rec: { a: v, b: 1 } } }",
        "operation q(id, v?: int) { update X(id) { n: v + 1 } }",
        "operation q(id, v?: int) { update X(id) { n: 2 * -v } }",
        "operation q(id) { let o = get X(id) else NF  update X(id) { n: o.m } }",
        "operation q(id) { let o = get X(id)  update X(id) { n: o.n } }",
        "operation q(id) { let o = x(id)  update X(id) { n: o.n } }",
        "operation q(id, p: patch(X)) { update X(id) { st: b, note: p.note } }",
        "operation q(id, v: int) { update X(id) { st: b, note: choose { v > 1: \"many\" } } }",
        "operation q(k?: slug) { let o = x(k) else NF  return o }",
    ] {
        assert_eq!(said(line), [absent], "{line}");
    }
    accepted(&[
        "operation q(id, v?: int) { update X(id) { n: coalesce(v, 0) + 1 } }",
        "operation q(id, v?: int) { update X(id) { n: v + 1 } when v exists }",
        "operation q(id, v?: int) { update X(id) { m: v } }",
        "operation q(id, v?: int) { update X(id) { n: choose { v exists: v, otherwise: 0 } } }",
        "operation q(id) { let o = get X(id)  require o exists else NF  update X(id) { n: o.n } }",
        "operation q(id) { let o = get X(id) else NF  require o.m > 1 else No  update X(id) { n: o.m } }",
        "operation q(id, v?: int) requires high(v) { update X(id) { n: 1 } }",
    ]);
}

/// F-06: a new item could enter a state without what the state needs.
#[test]
fn new_items_have_what_their_state_needs() {
    check(&[
        ("operation q(id, why) { create X { id, st: b, why } }", &["missing-value: a new `X` needs `note`"]),
        ("operation q(id) { create X { id, st: c } }", &["missing-value: a new `X` needs `why`"]),
        ("operation q(id) { create X { id, st: a } }", &[]),
        ("operation q(id, note, why) { create X { id, st: b, note, why } }", &[]),
        ("operation q(id, st) { create X { id, st } }", &[]),
        (
            "entity Z in Others { id slug  c int  d int } operation q = upsert Z [c]",
            &["missing-value: a new `Z` needs `d`"],
        ),
        ("operation q = create Y [c]", &["missing-value: a new `Y` needs `id`"]),
        ("operation q = upsert Y [c]", &[]),
    ]);
}

#[test]
fn one_request_writes_each_thing_once() {
    let twice = "not-settable: this is written twice by one action";
    let item = "wrong-argument: this item is in the transaction twice";
    check(&[
        ("operation q(id) { update X(id) { n: 1, n += 2 } }", &[twice]),
        ("operation q(id) { update X(id) { rec: { a: 1, b: 1 }, rec.a: 2 } }", &[twice]),
        ("operation q(id) { update X(id) { rec.a: 1, rec.b: 2 } }", &[]),
        ("operation q(id) { transact { update X(id) { n: 1 }  update X(id) { w: \"a\" } } }", &[item]),
        ("operation q(id) { transact { check X(id) if n > 1 else No  delete X(id) } }", &[item]),
        ("operation q(id) { transact { create X { id }  update X(id) { n: 1 } } }", &[item]),
        ("operation q(id) { transact { update X(id) { n: 1 }  create Y { id, c: 1 } } }", &[]),
        (
            "operation q(a: slug, b: slug) { transact { update X(id: a) { n: 1 }  update X(id: b) { n: 2 } } }",
            &[],
        ),
        (
            "operation q(id) { transact { let v = upsert X(id) { n += 1 }  upsert Y(id) { c: v.n } } }",
            &["missing-value: this must always be there, but may be absent"],
        ),
        ("operation q(id) { transact { let v = upsert X(id) { n: 1 }  upsert Y(id) { c: v.n } } }", &[]),
    ]);
}

#[test]
fn values_that_are_never_accepted() {
    check(&[
        (
            "entity Z in Others { id slug  d date = \"2026-02-30\" }",
            &["type-mismatch: \"2026-02-30\" is not a day"],
        ),
        ("entity Z in Others { id slug  d date = \"2028-02-29\" }", &[]),
        (
            "entity Z in Others { id slug  d month = \"2026-13\" }",
            &["type-mismatch: \"2026-13\" is not a month"],
        ),
        (
            "entity Z in Others { id slug  d decimal(5, 2) = 12345.678 }",
            &["type-mismatch: 12345.678 has more digits than decimal(5, 2)"],
        ),
        ("entity Z in Others { id slug  d decimal(5, 2) = 123.40 }", &[]),
        (
            "entity Z in Others { id slug  d int(0..99999999999999999999) }",
            &["bad-number: 99999999999999999999 does not fit into 64 bits"],
        ),
        ("operation q(id) { update X(id) { n: 1 / 0 } }", &["bad-number: nothing can be divided by zero"]),
        ("operation q(id) { update X(id) { n: 1 % 0 } }", &["bad-number: nothing can be divided by zero"]),
        ("pattern q = list X by id page 0", &["bad-number: at least one item is asked for"]),
        ("pattern q = list X by id limit 0", &["bad-number: at least one item is asked for"]),
    ]);
}

#[test]
fn names_that_mean_something_else() {
    check(&[
        (
            "entity Z in Others { id slug  `$entity` slug }",
            &["reserved-name: `$entity` is a name of Sortkey's own"],
        ),
        (
            "entity Z in Others { id slug  `sortkey#lease` slug }",
            &["reserved-name: `sortkey#lease` is a name of Sortkey's own"],
        ),
        (
            "pattern q(cursor: slug) = list X by id filter w = cursor page 5",
            &["reserved-name: `cursor` is what asks a page of `q`"],
        ),
        (
            "pattern q(limit: int) = list X by id filter n < limit page 5",
            &["reserved-name: `limit` is what asks a page of `q`"],
        ),
        ("pattern q(limit: int) = list X by id filter n < limit limit 5", &[]),
        // F-01: a parameter that is called like an attribute with a value of its own was dropped.
        ("pattern q(id: slug) = list X by id = \"red\" filter w = id page 5", &[]),
    ]);
    let text = format!("{THINGS}pattern q(id: slug) = list X by id = \"red\" filter w = id page 5\n");
    let program = compile("things.sk", &text, &NoFiles).program;
    let names = |name: &str| {
        let pattern = program.patterns.iter().find(|each| &*each.name == name).expect("the pattern");
        pattern.signature.parameters.iter().map(|each| each.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names("q"), ["id"]);
}

#[test]
fn tables_that_dynamodb_refuses() {
    let indexes = |count: usize, local: &str| {
        let index = |at: usize| {
            format!(
                "{local} index i{at:03} ({}n{at}) project all ",
                if local.is_empty() { "" } else { "id | " }
            )
        };
        let attribute = |at: usize| format!("n{at} slug ");
        let all: String = (0..count).map(index).collect();
        let attributes: String = (0..count).map(attribute).collect();
        format!(
            "table Many \"many\" {{ key (id | s) {all} }} entity Z in Many {{ id slug  s slug  {attributes} }}"
        )
    };
    assert_eq!(said(&indexes(21, "")), ["beyond-dynamodb: table `Many` has 21 global indexes"]);
    assert_eq!(said(&indexes(6, "local")), ["beyond-dynamodb: table `Many` has 6 local indexes"]);
    accepted(&[&indexes(20, ""), &indexes(5, "local")]);
    check(&[
        (
            "table Same \"things\" { key (id) }",
            &["duplicate-name: `Things` and `Same` would be one table, \"things\""],
        ),
        (
            "table None \"none\" { key (id) billing provisioned 0 rcu 5 wcu }",
            &["beyond-dynamodb: provisioned capacity is at least 1 rcu and 1 wcu"],
        ),
        (
            "table Long \"long\" { key (id) recovery 90d }",
            &["beyond-dynamodb: a table cannot be brought back to 90 days ago"],
        ),
        ("table Long \"long\" { key (id) recovery 35d }", &[]),
        (
            "parameter stage: string(1..9) = \"a b\" table Staged \"{stage}-x\" { key (id) }",
            &["bad-parameter: table `Staged` would be called \"a b-x\", which DynamoDB refuses"],
        ),
        ("parameter stage: string(1..9) = \"ab\" table Staged \"{stage}-x\" { key (id) }", &[]),
    ]);
}

/// F-22: six fields were taken for seconds, and a day that no month has never came.
#[test]
fn schedules_come_true() {
    let worker = |cron: &str| format!("worker w every \"{cron}\" {{ upsert Y(id: \"a\") {{ c: 1 }} }}");
    for cron in ["* * * * * *", "0 0 31 2 *", "0 12 * * ? 2026"] {
        let title = format!(
            "bad-number: \"{cron}\" has other than five fields, or a day that none of its months has"
        );
        assert_eq!(said(&worker(cron)), [title]);
    }
    accepted(&[&worker("0 0 29 2 *"), &worker("*/5 * * * *"), &worker("@daily")]);
}

/// An encrypted attribute in a key or a condition failed with an internal error, or was never equal to anything.
#[test]
fn what_is_encrypted_is_neither_found_nor_compared() {
    let entity = |clauses: &str| {
        format!(
            "table S \"sealed\" {{ key (id) index byE (e) project all }} entity Z in S {{ id slug  {clauses} }}"
        )
    };
    let plain = "table S \"sealed\" { key (id) } entity Z in S { id slug  k slug @immutable  v slug = \"v\"  e? slug @encrypted(\"k-{k}\") ";
    assert_eq!(
        said(&entity("e slug @encrypted(\"k\")")),
        ["encrypted-in-condition: `e` is encrypted and cannot be part of a key"]
    );
    for (clause, why) in [
        ("unique e }", "cannot be unique"),
        ("check e != \"a\" }", "cannot be compared"),
        ("} pattern q = list Z by id filter e = \"a\" page 5", "cannot be compared"),
        ("} operation q(id) { update Z(id) if e = \"a\" else No { v: \"a\" } }", "cannot be compared"),
    ] {
        let expected = format!("encrypted-in-condition: `e` is encrypted and {why}");
        assert_eq!(said(&format!("{plain}{clause}")), [expected], "{clause}");
    }
    accepted(&[
        &format!("{plain} }}"),
        &format!("{plain} }} operation q(id) {{ update Z(id) if e absent else No {{ e: \"a\" }} }}"),
    ]);
    check(&[
        (
            "entity Z in Others { id slug  e slug @encrypted(\"k-{nope}\") }",
            &["unknown-name: there is no attribute of `Z` called `nope`"],
        ),
        ("entity Z in Others { id slug  v slug  e slug @encrypted(\"k-{v}\") }", &[]),
        (
            "entity Z in Others { id slug  v slug  e slug @encrypted(\"k-{v}\") } operation q = update Z [v]",
            &["not-settable: `v` cannot change: the key of `e` is named after it"],
        ),
        (
            "entity Z in Others { id slug  v slug  e slug @encrypted(\"k-{v}\") } operation q(id, v, e) { update Z(id) { v, e } }",
            &[],
        ),
        (
            "entity Z in Others { id slug  v slug  e slug @encrypted(\"k-{v}\") } operation q(id, p: patch(Z)) { update Z(id) { ...p } }",
            &["not-settable: `v` cannot change: the key of `e` is named after it"],
        ),
        (
            "entity Z in Others { id slug  v? slug @immutable  e slug @encrypted(\"k-{v}\") }",
            &["not-settable: `v` may be absent"],
        ),
        ("entity Z in Others { id slug  e slug @encrypted(\"k-{id}\") }", &[]),
    ]);
}

/// F-29: types that no value has passed the checker, and so did numbers beyond 64 bits and a choice among absent values.
#[test]
fn values_that_no_call_can_give() {
    for (ty, why) in [
        ("int(5..1)", "nothing is in 5..1"),
        ("string(9..2)", "nothing is in 9..2"),
        ("list(int(3..2), max 5)", "nothing is in 3..2"),
        ("string(-3..2)", "`string` does not take `-3..2`: `string(1..120)` is its form"),
        ("decimal(2, 5)", "5 digits of a decimal cannot all be among 2"),
        ("token(\"t_\", 0)", "a token without characters is not a secret"),
        ("id(\"t_\", nanoid 0)", "an id without characters is the same for all"),
    ] {
        let expected = format!("entity-mentioned-not-defined: {why}");
        assert_eq!(
            said(&format!("operation q(id, v: {ty}) {{ update X(id) {{ n: 1 }} }}")),
            [expected],
            "{ty}"
        );
    }
    accepted(&[
        "operation q(id, v: int(-5..-5), w: string(0..0), d: decimal(5, 5)) { update X(id) { n: 1 } }",
    ]);
    check(&[
        (
            "operation q(id) { update X(id) { n: 9223372036854775808 } }",
            &["type-mismatch: 9223372036854775808 does not fit into 64 bits"],
        ),
        (
            "operation q(id, v?: int, w?: int) { update X(id) { n: coalesce(v, w) } }",
            &["missing-value: this must always be there, but may be absent"],
        ),
        ("operation q(id, v?: int, w?: int) { update X(id) { n: coalesce(v, w, 1) } }", &[]),
        ("operation q(id, v?: int, w: int) { update X(id) { n: coalesce(v, w) } }", &[]),
    ]);
}

/// F-39: text that is compared with a normalised attribute was checked as it is written, and never equal to what is stored.
#[test]
fn compared_text_is_normalised_before_it_is_checked() {
    let entity =
        "entity Z in Others { id slug  e email @normalize(trim, lower)  c? string(1..3) @normalize(trim) }";
    for condition in
        ["e = \" A@X.com \"", "\" A@X.com \" = e", "e in [\" A@X.com \", \"b@x.com\"]", "c != \"  abc  \""]
    {
        accepted(&[
            &format!(
                "{entity} operation q(id) {{ update Z(id) if {condition} else No {{ e: \"a@x.com\" }} }}"
            ),
            &format!(
                "{entity} operation q(id) {{ let it2 = get Z(id) else No  require it2.{condition} else No }}"
            )
            .replace("it2.\" A@X.com \" = e", "\" A@X.com \" = it2.e"),
        ]);
    }
    check(&[(
        &*format!(
            "{entity} operation q(id) {{ update Z(id) if c = \"  abcd \" else No {{ e: \"a@x.com\" }} }}"
        ),
        &["type-mismatch: 4 characters where 1 to 3 are allowed"],
    )]);
}

/// `random(0)` was 0, and `first(x, 2.5)` one character.
#[test]
fn a_number_that_means_nothing_to_a_function_is_refused() {
    let wrong = |word: &str, least: i64, number: &str| {
        vec![format!("wrong-argument: `{word}` takes a whole number from {least} on, not {number}")]
    };
    for (value, expected) in [
        ("random(0)", wrong("random", 1, "0")),
        ("random(-3)", wrong("random", 1, "-3")),
        ("size(first(it.w, 2.5))", wrong("first", 0, "2.5")),
        ("size(last(it.w, -1))", wrong("last", 0, "-1")),
        ("random(1)", Vec::new()),
        ("size(first(it.w, 0))", Vec::new()),
    ] {
        assert_eq!(
            said(&format!("operation q(id) {{ update X(id) {{ n: {value} }} }}")),
            expected,
            "{value}"
        );
    }
}
