//! Declarations that were accepted although together they failed at every call, or meant nothing. Each design comes with all
//! of its diagnostics.

use sortkey_design::{NoFiles, compile};

fn said(text: &str) -> Vec<String> {
    let found = compile("t.sk", text, &NoFiles).diagnostics;
    found.iter().map(|each| format!("{}: {}", each.rule, each.title)).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(said(text), expected, "{text}");
}

/// Every write of one of the two was refused: "Type mismatch for Index Key".
#[test]
fn a_key_attribute_has_one_type_in_all_entities() {
    let two = |keys: &str, a: &str, b: &str| {
        said(&format!(
            "table T \"things\" {{ {keys} }}
             entity A in T {{ PK = \"A#{{a}}\"  SK = \"A\"  a slug(1..9)  {a} }}
             entity B in T {{ PK = \"B#{{b}}\"  SK = \"B\"  b slug(1..9)  {b} }}"
        ))
    };
    let global = "key (PK | SK)  index ByKind (gk | at) project all";
    let local = "key (PK | SK)  local index ByTime (PK | at) project all";
    let refused = ["type-mismatch: the key attribute `at` is a number in `B`, and text in `A`"];
    for keys in [global, local] {
        assert_eq!(two(keys, "at string(1..30)", "at time(ms)"), refused, "{keys}");
        assert_eq!(two(keys, "at time(iso) = now", "at time(ms) = now"), refused, "{keys}");
        assert_eq!(two(keys, "at = \"{a}\"", "at int(0..9)"), refused, "{keys}");
        assert_eq!(two(keys, "at time(s) = now", "at int(0..9)"), [""; 0], "{keys}");
        assert_eq!(two(keys, "at time(iso)", "at = \"{b}\""), [""; 0], "{keys}");
        assert_eq!(two(keys, "", "at int"), [""; 0], "{keys}");
    }
    check(
        "table T \"things\" { key (id) }
         entity A in T { id slug(1..9) }
         entity B in T { id int(0..9) }",
        &["type-mismatch: the key attribute `id` is a number in `B`, and text in `A`"],
    );
    // A reference to an id has the type of the id.
    check(
        "table T \"things\" { key (id)  index ByOwner (owner) project all }
         entity A in T { id int(0..9)  owner -> A.id }
         entity B in T { id int(0..9)  owner slug(1..9) }",
        &["type-mismatch: the key attribute `owner` is text in `B`, and a number in `A`"],
    );
}

#[test]
fn what_expires_is_an_attribute() {
    check(
        "table T \"things\" { key (id)  ttl expires }\nentity A in T { id slug(1..9)  expiresAt time(s) = now + 1d }",
        &["unknown-name: no entity of table `T` has the attribute `expires`, so nothing expires"],
    );
    check(
        "table T \"things\" { key (id)  ttl at }\nentity A in T { id slug(1..9)  at = \"{id}\" }",
        &["unknown-name: no entity of table `T` has the attribute `at`, so nothing expires"],
    );
    check(
        "table T \"things\" { key (id)  ttl at }\nentity A in T { id slug(1..9)  at? time(s) }\nentity B in T { id slug(1..9) }",
        &[],
    );
}

/// Every call was `Forbidden`.
#[test]
fn callers_have_what_tenants_are_compared_with() {
    let design = |caller: &str, calls: &str| {
        said(&format!(
            "{caller}\ntable T \"things\" {{ key (a | b) }}\nentity A in T {{ a slug  b slug  tenant a }}\n{calls}"
        ))
    };
    let read = "pattern one = get A by a, b";
    let refused = |name: &str| {
        vec![format!("unknown-name: callers have no `a`, so every call of `{name}` would be `Forbidden`")]
    };
    assert_eq!(design("caller { u slug }", read), refused("one"));
    assert_eq!(design("", "operation make = create A"), refused("make"));
    assert_eq!(design("caller { a slug }", read), [""; 0]);
    assert_eq!(design("", "system pattern one = get A by a, b"), [""; 0]);
}

#[test]
fn nothing_is_derived_from_itself() {
    let design = |attributes: &str| {
        said(&format!("table T \"things\" {{ key (id) }}\nentity A in T {{ id slug  {attributes} }}"))
    };
    assert_eq!(design("p int := p + 1"), ["calls-in-a-circle: `p` is derived from itself: p -> p"]);
    assert_eq!(
        design("p int := q + 1  q int := r  r int := p + 1  s int := p"),
        ["calls-in-a-circle: `p` is derived from itself: p -> q -> r -> p"]
    );
    assert_eq!(design("p int := q + 1  q int = 1  r int := p + q"), [""; 0]);
}

/// Callers had to give them.
#[test]
fn parameters_are_used_or_known() {
    let design = |calls: &str| {
        said(&format!(
            "table T \"things\" {{ key (PK) }}\nentity A in T {{ PK = \"A#{{id}}\"  id slug  n? int }}\n{calls}"
        ))
    };
    for line in [
        "operation make(zork) = create A",
        "operation make(id, zork) { create A { id } }",
        "pattern one(zork) = get A by id",
    ] {
        assert_eq!(
            design(line),
            ["wrong-argument: nothing uses the parameter `zork`, and no attribute is called so"],
            "{line}"
        );
    }
    assert_eq!(
        design("operation make(id, PK) { create A { id } }"),
        ["wrong-argument: nothing uses the parameter `PK`, and no attribute is called so"]
    );
    for line in [
        "operation make(id, zork: int) { create A { id, n: zork } }",
        "operation make(id) idempotent by word { create A { id } }",
        "operation make(id, word) idempotent by word { create A { id } }",
        "operation make(input: new(A)) { create A { ...input } }",
        "operation keep(id, wanted: bool) { create A { id } when wanted = true }",
        "pattern one(id: slug) = get A by id",
        "pattern all(least: int) = scan A filter n >= least page 5",
    ] {
        assert_eq!(design(line), [""; 0], "{line}");
    }
}

#[test]
fn a_list_has_one_length_and_a_test_can_fail() {
    let design = |more: &str| {
        said(&format!("table T \"things\" {{ key (a | b) }}\nentity A in T {{ a slug  b slug }}\n{more}"))
    };
    assert_eq!(
        design("pattern some = list A by a page 5 limit 3"),
        ["wrong-argument: `some` says `page 5` and `limit 3`"]
    );
    assert_eq!(
        design("pattern some = list A by a limit 3 all"),
        ["wrong-argument: `some` says `limit 3` and `all`"]
    );
    assert_eq!(design("test \"a\" { }"), ["wrong-argument: the test \"a\" has no statement"]);
    assert_eq!(
        design("test \"a\" { advance 1s }\ntest \"a\" { advance 2s }"),
        ["duplicate-name: two tests are called \"a\""]
    );
}

/// Its receipts were nowhere, and a repeat did everything again.
#[test]
fn an_idempotent_operation_writes_something_itself() {
    check(
        "table T \"things\" { key (id) }\nentity A in T { id slug }\noperation make = create A
         operation twice(id) idempotent by word { let a = make(id)  return a }",
        &["wrong-argument: `twice` writes nothing itself, so it cannot be idempotent"],
    );
}

/// Every caller had to pass it unless the design had `= 0`.
#[test]
fn a_version_counts_by_itself() {
    for version in ["int", "int(0..)", "int = 4"] {
        let design = format!(
            "table T \"things\" {{ key (id) }}\nentity A in T {{ id slug  version {version} @version }}
             operation make(id) {{ create A {{ id }} }}"
        );
        check(&design, &[]);
    }
}

#[test]
fn types_of_other_languages_are_met_with_ours() {
    for (name, ours) in
        [("number", "`int`"), ("timestamp", "`time(iso)`"), ("varchar", "`string`"), ("boolean", "`bool`")]
    {
        let text = format!("table T \"things\" {{ key (id) }}\nentity A in T {{ id slug  x {name} }}");
        let found = compile("t.sk", &text, &NoFiles).diagnostics;
        assert!(found[0].primary.text.contains(ours), "{name}: {}", found[0].primary.text);
    }
}

/// `coalesce` was suggested, which compiled, and gave every ticket the number 1.
#[test]
fn a_number_that_the_transaction_counts_is_read_before_it() {
    let text = "table T \"things\" { key (id) }\nentity A in T { id slug  n int = 0 @counter }\nentity B in T { id slug  m int }
         operation make(id, other: slug) { transact { let a = update A(other) { n += 1 }  create B { id, m: a.n } } }";
    let found = compile("t.sk", text, &NoFiles).diagnostics;
    let notes = found.iter().flat_map(|each| &each.notes).cloned().collect::<String>();
    assert!(notes.contains("before the `transact`") && !notes.contains("coalesce"), "{notes}");
}
