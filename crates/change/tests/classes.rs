//! One row per kind of change: the text that is replaced, what replaces it, and the differences that follow.

use sortkey_change::{Difference, diff};
use sortkey_design::{Compilation, NoFiles, compile};

const ORDERS: &str = r#"design shop
caller { accountId string(1..40) }
enum Status { open, paid, void }
table Orders "orders" {
  key (PK | SK)
  index byStatus (statusKey | createdAt)
  billing on_demand
}
entity Order in Orders {
  PK = "ACCOUNT#{accountId}"
  SK = "ORDER#{orderId}"
  statusKey = "S#{status}" when status != void
  accountId string(1..40)
  orderId   id("ord_", nanoid 12) = new
  status    Status = open
  total     int(0..1_000)
  note?     string(1..80)
  shard     int(0..3) := hash(orderId) % 4
  email     string(3..100)
  createdAt time(iso) = now
  tenant accountId
  volume 5_000 items, 2 KB each
}
operation createOrder = create Order
pattern listOrders = list Order by accountId page 20
pattern byEmail = scan Order filter email = "a@b"
"#;

fn compiled(text: &str) -> Compilation {
    let compilation = compile("shop.sk", text, &NoFiles);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(!compilation.has_errors(), "{errors:?} in\n{text}");
    compilation
}

/// The differences that replacing a text in `ORDERS` makes, as `class subject: change`.
fn changed(replaced: &str, by: &str) -> Vec<String> {
    assert!(ORDERS.contains(replaced), "{replaced}");
    let (old, new) = (compiled(ORDERS), compiled(&ORDERS.replacen(replaced, by, 1)));
    let line = |each: &Difference| format!("{} {}: {}", each.class.number(), each.subject, each.change);
    diff(&old.program, &new.program).iter().map(line).collect()
}

/// Checks that replacing a text makes these differences and no others.
#[track_caller]
fn check(replaced: &str, by: &str, expected: &[&str]) {
    assert_eq!(changed(replaced, by), expected, "{replaced} -> {by}");
}

#[test]
fn a_design_does_not_differ_from_itself() {
    check("design shop", "design shop", &[]);
    check("volume 5_000 items, 2 KB each", "volume 9_000 items, 1 KB each", &[]);
    check("pattern listOrders", "/// Lists them.\npattern listOrders", &[]);
}

#[test]
fn settings_of_tables() {
    check(
        "billing on_demand",
        "billing provisioned 5 rcu 6 wcu",
        &["2 table Orders: billing provisioned 5 rcu 6 wcu instead of on_demand"],
    );
    check(
        "billing on_demand",
        "billing on_demand stream new_image recovery 35d protect deletion",
        &[
            "2 table Orders: stream new_image instead of none",
            "2 table Orders: recovery 35 days instead of off",
            "2 table Orders: deletion protection on instead of off",
        ],
    );
    check(
        "billing on_demand",
        "billing on_demand class infrequent_access encryption aws_managed",
        &[
            "2 table Orders: encryption aws_managed instead of aws_owned",
            "2 table Orders: class infrequent_access instead of standard",
        ],
    );
    let given = ORDERS.replacen(
        "billing on_demand",
        "billing on_demand stream new_image recovery 35d protect deletion",
        1,
    );
    let (old, new) = (compiled(&given), compiled(ORDERS));
    let classes: Vec<u8> = diff(&old.program, &new.program).iter().map(|each| each.class.number()).collect();
    assert_eq!(classes, [6, 6, 6], "what a table has is not taken away");
    check(
        "table Orders \"orders\"",
        "table Orders \"orders-2\"",
        &["5 table Orders: is called \"orders-2\" instead of \"orders\""],
    );
    check(
        "billing on_demand",
        "billing on_demand replicas eu-west-1",
        &["0 table Orders: replicas eu-west-1 instead of none"],
    );
    let kept = ORDERS.replacen("billing on_demand", "billing on_demand encryption aws_managed kind type", 1);
    let found = diff(&compiled(&kept).program, &compiled(ORDERS).program);
    let classes: Vec<u8> = found.iter().map(|each| each.class.number()).collect();
    assert_eq!(classes, [0, 6], "a table keeps what a design no longer mentions");
    check("billing on_demand", "billing on_demand kind type", &["3 table Orders: kind type instead of none"]);
}

#[test]
fn indexes() {
    check(
        "billing on_demand",
        "index byEmail (email) billing on_demand",
        &["2 index Orders.byEmail: is new"],
    );
    check("  index byStatus (statusKey | createdAt)\n", "", &["6 index Orders.byStatus: is gone"]);
    check(
        "(statusKey | createdAt)",
        "(statusKey | total)",
        &["6 index Orders.byStatus: key (statusKey | total) instead of (statusKey | createdAt)"],
    );
    check(
        "(statusKey | createdAt)",
        "(statusKey | createdAt) project keys",
        &["6 index Orders.byStatus: projects keys instead of all"],
    );
}

#[test]
fn keys() {
    check(
        "\"ORDER#{orderId}\"",
        "\"O#{orderId}\"",
        &[
            "4 Order: key PK = \"ACCOUNT#{accountId}\", SK = \"O#{orderId}\" instead of PK = \"ACCOUNT#{accountId}\", \
         SK = \"ORDER#{orderId}\"",
        ],
    );
    check(
        "\"S#{status}\"",
        "\"STATUS#{status}\"",
        &["3 Order: statusKey = \"STATUS#{status}\" instead of \"S#{status}\""],
    );
    check(
        "when status != void",
        "when status = open",
        &["3 Order: statusKey when status = open instead of status != void"],
    );
    // Another spelling of the same condition.
    check("when status != void", "when status in [open, paid]", &[]);
}

#[test]
fn attributes_come_and_go() {
    check("total  ", "color string(1..10) = \"red\"\n  total  ", &["1 Order.color: is new"]);
    check("total  ", "color? string(1..10)\n  total  ", &["1 Order.color: is new"]);
    check("total  ", "code string(1..90) := lower(email)\n  total  ", &["3 Order.code: is new"]);
    check(
        "total  ",
        "color string(1..10)\n  total  ",
        &["0 operation createOrder: takes other arguments", "5 Order.color: is new"],
    );
    check(
        "  note?     string(1..80)\n",
        "",
        &["0 operation createOrder: takes other arguments", "6 Order.note: is gone"],
    );
    check(
        "  note?     string(1..80)\n",
        "  remark?   string(1..80) @was(note)\n",
        &["0 operation createOrder: takes other arguments", "3 Order.remark: was `note`"],
    );
}

#[test]
fn types() {
    let row = |by: &str, expected: &[&str]| check("int(0..1_000)", by, expected);
    row("int(0..2_000)", &["1 Order.total: int(0..2000) instead of int(0..1000)"]);
    row("int(0..)", &["1 Order.total: int(0..) instead of int(0..1000)"]);
    row("decimal(6, 2)", &["1 Order.total: decimal(6, 2) instead of int(0..1000)"]);
    row(
        "int(0..10)",
        &[
            "0 operation createOrder: takes other arguments",
            "3 Order.total: int(0..10) instead of int(0..1000)",
        ],
    );
    row(
        "decimal(4, 2)",
        &[
            "0 operation createOrder: takes other arguments",
            "3 Order.total: decimal(4, 2) instead of int(0..1000)",
        ],
    );
    row(
        "string(1..10)",
        &[
            "0 operation createOrder: takes other arguments",
            "5 Order.total: string(1..10) instead of int(0..1000)",
        ],
    );
    check("open, paid, void }", "open, paid, late, void }", &["1 Order.status: Status gains late"]);
    check(
        "open, paid, void }",
        "open, void }",
        &["0 operation createOrder: takes other arguments", "3 Order.status: Status loses paid"],
    );
    check(
        "time(iso) = now",
        "time(ms) = now",
        &[
            "0 operation createOrder: takes other arguments",
            "5 Order.createdAt: time(ms) instead of time(iso)",
        ],
    );
}

/// Changes between forms with one DynamoDB type: `time(s)` and `time(ms)` are both numbers, a date and other text are both strings.
#[test]
fn types_that_are_stored_alike() {
    let row = |before: &str, after: &str| {
        let with = |ty: &str| {
            compiled(&ORDERS.replacen("  tenant", &format!("  due?      {ty}\n  tenant"), 1)).program
        };
        let found = diff(&with(before), &with(after));
        found.iter().find(|each| each.subject == "Order.due").map(|each| each.class.number())
    };
    for (before, after) in [
        ("time(s)", "time(ms)"),
        ("int", "time(ms)"),
        ("time(ms)", "int"),
        ("string(..40)", "date"),
        ("string(..40)", "time(iso)"),
        ("date", "month"),
        ("list(time(s))", "list(time(ms))"),
        ("json(string)", "string(..40)"),
    ] {
        assert_eq!(row(before, after), Some(5), "{before} -> {after}");
    }
    for (before, after) in [("date", "string(..40)"), ("time(iso)", "string(..40)"), ("decimal(6, 2)", "int")]
    {
        assert_eq!(row(before, after), Some(3), "{before} -> {after}");
    }
    assert_eq!(row("int", "any"), Some(1));
}

#[test]
fn values_and_annotations() {
    check("% 4", "% 2", &["3 Order.shard: := hash(orderId) % 2 instead of := hash(orderId) % 4"]);
    check("Status = open", "Status = paid", &["3 Order.status: = paid instead of = open"]);
    check(
        "note?     string(1..80)",
        "note      string(1..80)",
        &["0 operation createOrder: takes other arguments", "3 Order.note: is required"],
    );
    check("email     string(3..100)", "email?    string(3..100)", &["1 Order.email: is optional"]);
    check(
        "email     string(3..100)",
        "email     string(3..100) @normalize(trim, lower)",
        &["3 Order.email: normalize trim, lower instead of none"],
    );
    check("email     string(3..100)", "email     string(3..100) @secret", &["0 Order.email: is secret"]);
    check(
        "note?     string(1..80)",
        "note?     string(1..80) @encrypted(\"k/{accountId}\")",
        &["3 Order.note: encrypted with \"k/{accountId}\" instead of plain"],
    );
}

#[test]
fn what_holds_for_items() {
    check("tenant accountId", "tenant accountId unique email", &["3 Order: `unique email` is new"]);
    check("tenant accountId", "tenant accountId check total < 900", &["3 Order: `check total < 900` is new"]);
    check(
        "tenant accountId",
        "tenant accountId deleted when status = void",
        &["1 Order: deleted when status = void instead of never"],
    );
    check(
        "  tenant accountId\n",
        "",
        &[
            "0 pattern listOrders: takes other arguments",
            "0 operation createOrder: takes other arguments",
            "1 Order: tenant none instead of accountId",
        ],
    );
}

#[test]
fn calls() {
    check("pattern byEmail = scan Order filter email = \"a@b\"\n", "", &["0 pattern byEmail: is gone"]);
    check("page 20", "page 50", &["0 pattern listOrders: does something else"]);
    check(
        "caller { accountId string(1..40) }",
        "caller { accountId string(1..40)  role string(1..9) }",
        &["0 caller.role: is new"],
    );
}

#[test]
fn a_rewrite_is_priced_by_the_declared_volume() {
    let (old, new) = (compiled(ORDERS), compiled(&ORDERS.replace("% 4", "% 2")));
    let work = diff(&old.program, &new.program)[0].work.expect("a rewrite");
    assert_eq!((work.items, work.rcu, work.wcu), (5_000, 1_250, 10_000));
}
