//! Nothing that is accepted is ignored: each line is added to a small design; its diagnostics follow.

use sortkey_design::{NoFiles, compile};

const THINGS: &str = r#"
caller { userId slug, role agent | customer }
table Things "things" { key (id)  index byW (w | n) project all }
table Others "others" { key (id) }
entity X in Things {
  id slug  n int = 0  w slug = "w"  st a | b | c = a  gone bool = false  at? time(s)
  rec { a int, b int } = { a: 1, b: 2 }
  m map(int, max 5) = {}
}
entity P in Others { id slug }
pattern x = get X by id
operation mk(id) { create X { id } }
"#;

/// The diagnostics of an added line as `rule: title`, in order.
fn said(line: &str) -> Vec<String> {
    let text = format!("{THINGS}{line}\n");
    let found = compile("things.sk", &text, &NoFiles).diagnostics;
    found.iter().map(|each| format!("{}: {}", each.rule, each.title)).collect()
}

/// Each line is refused, with these words.
fn refused(cases: &[(&str, &str)]) {
    assert_eq!(said(""), Vec::<String>::new());
    for (line, words) in cases {
        let said = said(line);
        assert!(said.iter().any(|each| each.contains(words)), "{line}: {said:?}");
    }
}

fn accepted(lines: &[&str]) {
    lines.iter().for_each(|line| assert_eq!(said(line), Vec::<String>::new(), "{line}"));
}

/// Every type with arguments of every shape: it takes them, or says what its form is. `list(int, 20)` had no largest
/// size, `string(max 20)` no longest text, and the least of `bytes(5..9)` was forgotten.
#[test]
fn types_take_their_arguments_or_refuse_them() {
    const SHAPES: [&str; 16] = [
        "",
        "(5)",
        "(-5)",
        "(1..9)",
        "(..9)",
        "(1..)",
        "(\"ab\")",
        "(max 20)",
        "(min 3)",
        "(uuid)",
        "(int)",
        "(int, max 20)",
        "(int, 20)",
        "(int, ..20)",
        "(12, 2)",
        "(1..9, 1..9)",
    ];
    let any = ["", "(max 20)"];
    let text = ["", "(5)", "(1..9)", "(..9)", "(1..)"];
    let elements = ["", "(max 20)", "(int)", "(int, max 20)", "(uuid)"];
    let types: [(&str, &[&str]); 22] = [
        ("string", &text),
        ("slug", &text),
        ("email", &text),
        ("url", &text),
        ("cron", &text),
        ("matching", &["(\"ab\")"]),
        ("id", &["", "(\"ab\")", "(uuid)"]),
        ("uuid", &[""]),
        ("ulid", &[""]),
        ("nanoid", &["", "(5)"]),
        ("token", &["", "(5)", "(\"ab\")"]),
        ("int", &["", "(1..9)", "(..9)", "(1..)"]),
        ("decimal", &["", "(5)", "(12, 2)"]),
        ("bool", &[""]),
        ("bytes", &["", "(..9)"]),
        ("time", &[""]),
        ("date", &[""]),
        ("month", &[""]),
        ("json", &["", "(int)", "(uuid)"]),
        ("list", &elements),
        ("map", &elements),
        ("any", &any),
    ];
    for (ty, takes) in types {
        for shape in SHAPES {
            let said = said(&format!("operation q(id, v: {ty}{shape}) {{ update X(id) {{ n: 1 }} }}"));
            match takes.contains(&shape) {
                true => assert_eq!(said, Vec::<String>::new(), "{ty}{shape}"),
                false => assert!(!said.is_empty(), "{ty}{shape} is accepted"),
            }
        }
    }
}

#[test]
fn arguments_of_types_say_what_is_wrong() {
    let said = |ty: &str| said(&format!("operation q(id, v: {ty}) {{ update X(id) {{ n: 1 }} }}"));
    for (ty, why) in [
        ("int(5)", "`int` does not take `5`: `int(0..9)` is its form"),
        ("list(int, 20)", "`list` does not take `20`: `list(T, max 20)` is its form"),
        ("list(int, min 3)", "`list` does not take `min 3`: `list(T, max 20)` is its form"),
        ("map(string(..9), 50)", "`map` does not take `50`: `map(T, max 50)` is its form"),
        ("string(max 20)", "`string` does not take `max 20`: `string(1..120)` is its form"),
        ("any(..8 KB)", "`any` does not take `..8 KB`: `any(max 8 KB)` is its form"),
        ("bytes(5..9)", "`bytes` does not take `5..9`: `bytes(..256 KB)` is its form"),
        ("uuid(9)", "`uuid` does not take `9`: `uuid` is its form"),
        ("decimal(50, 2)", "a decimal has 1 to 38 digits, not 50"),
        ("decimal(12, -2)", "`decimal` does not take `-2`: `decimal(12, 2)` is its form"),
        ("time(max 3)", "`time` does not take `max 3`: `time(iso)` is its form"),
        ("time(hour)", "`hour` is not a form of time"),
        ("key(Nope)", "there is no entity called `Nope`"),
        ("matching(..9)", "`matching` does not say what"),
        ("int(0..5 KB)", "a number is expected, not a size in KB"),
    ] {
        assert_eq!(said(ty).first(), Some(&format!("entity-mentioned-not-defined: {why}")), "{ty}");
    }
    for (ty, why) in [
        ("int(1.5..3)", "bad-number: 1.5 is not a whole number"),
        ("list(int, max 2.5)", "bad-number: 2.5 is not a whole number"),
        ("int(-..5)", "syntax: expected a number, found `..`"),
    ] {
        assert_eq!(said(ty).first().map(String::as_str), Some(why), "{ty}");
    }
    for ty in [
        "bytes(..1.5 KB)",
        "int(-9223372036854775808..9223372036854775807)",
        "matching(\"a+\", max 9)",
        "key(X)",
    ] {
        assert_eq!(said(ty), Vec::<String>::new(), "{ty}");
    }
    refused(&[(
        "enum E { a b } operation q(id, v: E(3)) { update X(id) { n: 1 } }",
        "`E` takes nothing in parentheses",
    )]);
}

#[test]
fn annotations_take_their_arguments_or_refuse_them() {
    let entity = |attribute: &str| {
        format!("table Z \"zzz\" {{ key (id) }} entity Z in Z {{ id slug  v slug  {attribute} }}")
    };
    for (attribute, words) in [
        ("e slug @normalize(trimm, lower)", "there is no way to normalise text called `trimm`"),
        ("e slug @normalize(trim, trim)", "this is written twice"),
        ("e slug @normalize", "`@normalize` is written `@normalize(trim, lower)`"),
        ("e slug @normalize(by: trim)", "`@normalize` is written `@normalize(trim, lower)`"),
        ("e int = 0 @counts(Nope)", "there is no entity called `Nope`"),
        ("e int = 0 @counts", "`@counts` is written `@counts(Season)`"),
        ("e slug @encrypted(alias)", "`@encrypted` is written `@encrypted(\"alias/k-{accountId}\")`"),
        ("e slug @encrypted(\"k-{v\")", "\"k-{v\" is not the name of a key"),
        ("e slug @encrypted(\"\")", "\"\" is not the name of a key"),
        ("e slug @encrypted(\"a\", \"b\")", "`@encrypted` is written"),
        ("e slug @immutable(1)", "`@immutable` takes nothing in parentheses"),
        ("e slug @immutable @immutable", "`@immutable` is written twice"),
        ("e slug @was", "`@was` is written `@was(oldName)`"),
        ("e slug @was(a, b)", "`@was` is written `@was(oldName)`"),
        ("e slug @unique(v)", "`@unique` is written `@unique(else: Taken)`"),
        ("e slug @secret(...v)", "`@secret` takes nothing in parentheses"),
        ("e { a slug @encrypted(\"k\") }", "`@encrypted` belongs to an attribute of an entity"),
        ("e { a slug @immutable }", "`@immutable` belongs to an attribute of an entity"),
        ("e slug @imutable", "`@imutable` is not an annotation"),
    ] {
        refused(&[(&entity(attribute), words)]);
    }
    for attribute in
        ["e slug @unique(else: Taken)", "e slug @encrypted", "e { a slug @normalize(trim) @personal }"]
    {
        accepted(&[&entity(attribute)]);
    }
}

/// `create X { n -= 5 }` stored 5, and `create X { rec.a: 1 }` failed with an internal error.
#[test]
fn a_new_item_is_given_whole_values() {
    for verb in ["create", "put"] {
        for (field, words) in [
            ("n -= 5", format!("`-=` changes what is stored, and `{verb}` stores a new item")),
            ("n += 5", format!("`+=` changes what is stored, and `{verb}` stores a new item")),
            ("rec.a: 1", format!("`{verb}` gives `rec` as a whole")),
            ("m[w]: 1", format!("`{verb}` gives `m` as a whole")),
            ("m[w] += 1", format!("`+=` changes what is stored, and `{verb}` stores a new item")),
        ] {
            refused(&[(&format!("operation q(id, w: slug) {{ {verb} X {{ id, {field} }} }}"), &words)]);
        }
    }
    accepted(&["operation q(id) { upsert X(id) { n += 5, rec.a: 1 } }"]);
}

/// `delete` failed with an internal error where `deleted when` is not `attribute = value`.
#[test]
fn delete_can_write_what_deleted_when_asks_for() {
    let soft = |condition: &str, more: &str| {
        format!(
            "table S \"sss\" {{ key (id) }} entity S in S {{ id slug  s a | b = a  gone bool = false  n int = 0  at? time(s)  other slug = \"o\"
             deleted when {condition} }} {more}"
        )
    };
    let delete = "operation d(id) { delete S(id) }";
    for condition in
        ["at exists", "s = a and n = 3", "s in [b]", "s != a", "n > 3", "not gone", "at = now", "other = id"]
    {
        refused(&[(
            &soft(condition, delete),
            "`delete` has nothing to write: `deleted when` is not `attribute = value`",
        )]);
        let purged = "operation d(id) { purge S(id) } operation m(id) { update S(id) { at: now, s: b } }";
        accepted(&[&soft(condition, purged)]);
        let child = format!(
            "table C \"ccc\" {{ key (pid | id) }} entity C in C {{ pid -> P.id on delete cascade  id slug  n int = 0  deleted when n > 3 }} {}",
            "operation d(id) { delete P(id) }"
        );
        refused(&[(&child, "`on delete cascade` has nothing to write")]);
    }
    for condition in ["gone", "gone = true", "s = b", "n = 3", "n = 1 + 2"] {
        accepted(&[&soft(condition, delete)]);
    }
    refused(&[(&soft("id = \"x\"", delete), "`id` is part of the key and cannot change")]);
}

#[test]
fn a_clause_is_written_once() {
    refused(&[
        ("table T \"ttt\" { key (a) key (b) } entity T in T { a slug  b slug }", "`key` is written twice"),
        ("pattern q = list X by w page 5 page 6", "`page` is written twice"),
        (
            "pattern q = list X by w newest first oldest first page 6",
            "`oldest` and `newest` exclude each other",
        ),
        (
            "operation q(id) idempotent by r idempotent by s { create X { id } }",
            "`idempotent` is written twice",
        ),
        ("operation q(id) { update X(id) if n = 1 if n = 2 else No { n: 3 } }", "`if` is written twice"),
        ("operation q(id) { update X(id) else No else Yes { n: 3 } }", "`else` is written twice"),
        (
            "worker w every 5m attempts 2 attempts 3 { upsert X(id: \"a\") { n += 1 } }",
            "`attempts` is written twice",
        ),
        ("route POST \"/x\" = mk(\"a\") answers 200 answers 201", "`answers` is written twice"),
        (
            "defaults { billing on_demand } defaults { billing provisioned 1 rcu 1 wcu }",
            "`billing` is written twice",
        ),
        (
            "mixin M { tenant userId } table T \"ttt\" { key (userId) } entity T in T { userId slug  include M  tenant userId }",
            "an entity has one `tenant`",
        ),
        (
            "table T \"ttt\" { key (a) } entity T in T { a slug  volume 5 items, 1 KB each, 2 KB each }",
            "an item has one size",
        ),
    ]);
}

#[test]
fn a_name_is_listed_once() {
    refused(&[
        ("record R { a int, a slug }", "`a` is written twice"),
        ("enum E { a b a }", "`a` is written twice"),
        ("enum E { a (k: 1, k: 2) }", "`k` is written twice"),
        ("rule r(a: int, a: slug) = a > 3", "`a` is written twice"),
        ("pattern q = list X by w, w page 5", "`w` is written twice"),
        ("pattern q = list X by w page 5 select [n, n]", "`n` is written twice"),
        ("operation q = update X [n, n]", "`n` is written twice"),
        ("operation q(id, v: a | b | a) { update X(id) { n: 1 } }", "`a` is written twice"),
        (
            "operation q(id) { create X { id, n: choose { otherwise: 1, otherwise: 2 } } }",
            "`otherwise` is written twice",
        ),
        ("operation q(id) { create X { id, rec: { a: 1, a: 2, b: 3 } } }", "`a` is given twice"),
        ("operation q(id) { update X(id, id) { n: 1 } }", "`id` is given twice"),
        ("module users { make: mk, make: x }", "`make` is given twice"),
        ("test \"t\" { as (userId: \"a\", userId: \"b\") { mk(\"a\") } }", "`userId` is given twice"),
        ("parameter p: slug parameter p: slug", "two parameters are called `p`"),
    ]);
}

#[test]
fn values_are_given_by_whole_names() {
    let by_name = "gives a value by a name: `name: value`";
    refused(&[
        ("operation q(id) { create X { id, rec: { a += 1, b: 2 } } }", by_name),
        ("operation q(id) { create X { id, rec: { a.c: 1, b: 2 } } }", by_name),
        ("operation q(id) { create X { id, rec: { a[1]: 1, b: 2 } } }", by_name),
        ("module users { make += mk }", by_name),
        ("module users { make.it: mk }", by_name),
        ("module users { ...mk }", "a module names each of its parts"),
        ("session \"a\" = x(token) as k { userId += k.id, role: agent }", by_name),
        ("session \"a\" = x(token) as k { ...k }", "a session names each of its parts"),
    ]);
}

#[test]
fn words_that_a_clause_does_not_know() {
    refused(&[
        (
            "table T \"ttt\" { key (a) billing foo } entity T in T { a slug }",
            "expected `on_demand` or `provisioned`",
        ),
        ("table T \"ttt\" { key (a) protect foo } entity T in T { a slug }", "expected `deletion`"),
        (
            "table T \"ttt\" { key (a) stream foo } entity T in T { a slug }",
            "`stream foo` is not a setting of a table",
        ),
        (
            "table T \"ttt\" { key (a) encryption foo } entity T in T { a slug }",
            "`encryption foo` is not a setting",
        ),
        (
            "table T \"ttt\" { key (a) encryption aws_owned \"k\" } entity T in T { a slug }",
            "`encryption aws_owned` names no key",
        ),
        (
            "table T \"ttt\" { key (a) encryption customer } entity T in T { a slug }",
            "which key of the customer?",
        ),
        (
            "table T \"ttt\" { key (a) index i (b) project foo } entity T in T { a slug  b slug }",
            "expected `all`, `keys` or a list",
        ),
        ("defaults { key (id) }", "`key` belongs to a table, not to `defaults`"),
        ("defaults { index i (id) project all }", "`index` belongs to a table, not to `defaults`"),
        ("defaults { ttl at }", "`ttl` belongs to a table, not to `defaults`"),
        ("test \"t\" { expect mk(\"a\") using 3 bananas }", "expected `request` or `requests`"),
        ("operation q(id) { create X { id, n: 5x } }", "`x` is not a unit"),
    ]);
}

#[test]
fn numbers_mean_what_they_say() {
    refused(&[
        ("pattern q = list X by w page 2.5", "2.5 is not a whole number"),
        ("pattern q = list X by w page 5 KB", "a plain number is expected, without `KB`"),
        (
            "table T \"ttt\" { key (a) billing provisioned 1.5 rcu 5 wcu } entity T in T { a slug }",
            "1.5 is not a whole number",
        ),
        (
            "table T \"ttt\" { key (a) recovery 36h } entity T in T { a slug }",
            "this is counted in whole days",
        ),
        ("table T \"ttt\" { key (a) recovery 0d } entity T in T { a slug }", "this keeps nothing"),
        ("table T \"ttt\" { key (a) recovery 35 } entity T in T { a slug }", "a length of time needs a unit"),
        (
            "table T \"ttt\" { key (a) } entity T in T { a slug  volume 1.5 items }",
            "1.5 is not a whole number",
        ),
        (
            "table T \"ttt\" { key (a) } entity T in T { a slug  volume 9 items, 3 per a max 2 }",
            "the most is not below the usual number",
        ),
        ("pattern q = list X by w page 5 load 5/s peak 1/s", "a peak is not below the usual rate"),
        ("test \"t\" { advance 99999999999999d mk(\"a\") }", "99999999999999 is too large"),
    ]);
    let text = format!("{THINGS}pattern q = list X by w page 5 load 0.5/s\n");
    let design = compile("things.sk", &text, &NoFiles).design;
    let load = design.pattern("q").and_then(|pattern| pattern.load).expect("a load");
    assert!((load.per_second - 0.5).abs() < f64::EPSILON, "{}", load.per_second);
}

#[test]
fn clauses_that_would_change_nothing() {
    refused(&[
        ("pattern q = get X by id page 5", "`get` takes no `page`"),
        ("pattern q = get X by id limit 5", "`get` takes no `limit`"),
        ("pattern q = get X by id then get P", "`get` takes no `then get`"),
        ("pattern q = count X by w limit 5", "`count` takes no `limit`"),
        ("pattern q = count X by w select [n]", "`count` takes no `select`"),
        ("pattern q = exists X by w all", "`exists` takes no `all`"),
        ("pattern q = sum(n) X by w page 5", "`sum` takes no `page`"),
        ("pattern q = sum(n) X by w order by n desc", "`sum` has no order"),
        (
            "operation q(id) if caller.role = agent else No { create X { id } }",
            "`if` belongs to a statement of the block",
        ),
        ("operation q(id) else No { create X { id } }", "`else` belongs to a statement of the block"),
        ("operation q = delete X [n]", "`delete` takes the key and no attributes"),
        ("operation q(id) { update X(id) strong { n: 1 } }", "`update` takes no `strong`"),
        ("operation q(id) { let v = get X(id) if n = 3 else No  return v }", "`get` takes no `if`"),
        ("operation q(id, k: patch(X)) { delete X(id) { ...k } }", "`delete` writes no attributes"),
        ("operation q(id) { return 5  update X(id) { n: 1 } }", "nothing runs behind a `return`"),
        (
            "operation q(id) { transact { update X(id) { n: 1 }  return 5 } }",
            "`return` stands at the end of an operation",
        ),
        (
            "operation q(id) { each i in [id] { update X(id: i) { n: 1 }  return i } }",
            "`return` stands at the end",
        ),
        (
            "operation q(id) { x(id) else No  update X(id) { n: 1 } }",
            "`else` names the error of a `let`, or of a write",
        ),
        (
            "worker w every 5m concurrency 2 per id 1 { upsert X(id: \"a\") { n += 1 } }",
            "`concurrency` per `id` needs an item",
        ),
        ("test \"t\" { let k = mk(\"a\")  as (...k) { mk(\"b\") } }", "`as` names each part of the caller"),
    ]);
}

/// Of two conditions on the caller, the second was forgotten.
#[test]
fn an_operation_requires_all_that_it_says() {
    let text = format!(
        "{THINGS}operation q(id) requires caller.role = agent requires caller.userId = id {{ create X {{ id }} }}\n"
    );
    let compilation = compile("things.sk", &text, &NoFiles);
    assert!(!compilation.has_errors());
    let requires = compilation.design.operation("q").and_then(|operation| operation.requires.clone());
    assert_eq!(requires.map(|each| each.conjuncts().len()), Some(2));
}

#[test]
fn entering_a_state_writes_what_can_be_written() {
    let entity = |enter: &str| {
        format!(
            "table Z \"zzz\" {{ key (id) }} entity Z in Z {{ id slug  s a | b = a  at? time(s) @immutable  d int := size(id)  states s {{ a -> b  enter b {{ {enter} }} }} }}"
        )
    };
    refused(&[
        (&entity("id: \"x\""), "`id` is part of the key and cannot change"),
        (&entity("d: 3"), "`d` is derived and never given"),
        (&entity("...k"), "nothing called `k` is there when a state is entered"),
    ]);
}
