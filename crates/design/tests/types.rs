//! Types inside operations, patterns, rules and tests: a small design, one line added to it, and the diagnostics of that
//! line.

use sortkey_design::{NoFiles, compile};

const SHOP: &str = r#"
caller { userId -> User, role reader | writer }
table T { key (PK | SK)  index Due (shard | dueAt) project keys sparse }
enum Plan { free (keep: 7d, seats: 1)  paid (keep: 90d, seats: 20) }
record Line { sku string(..40), quantity int(1..99), note? string }
entity User in T {
  PK = "USER#{userId}"  SK = "USER"
  userId  id("usr_", nanoid 16) = new
  email   email
  plan    Plan = free
  tags    set(slug, max 3)
  joined  time(iso) = now @immutable
}
entity Order in T {
  PK = "USER#{userId}"  SK = "ORDER#{orderId}"
  userId   -> User
  orderId  id("ord_", nanoid 16) = new
  status   open | paid | sent = open
  lines    list(Line, max 5)
  total    decimal(12, 2)
  count    int(0..9) = 0
  words    map(int, max 9) = {}
  day?     date
  dueAt?   time(s)
  paidAt?  time(iso)
  shard    int(0..3) := hash(orderId) % 4
  until    time(s) = now + userId->plan.keep
  tenant userId
  states status { open -> paid  paid -> sent  enter paid { paidAt: now } }
}
rule mine(userId) = caller.userId = userId
pattern getUser = get User by userId
pattern getOrder = get Order by userId, orderId
pattern orders(since?: time) = list Order by userId page 50
pattern howMany = count Order by userId
system operation addUser = create User
operation pay(orderId, day?: date) { update Order(userId: caller.userId, orderId) { status: paid } }
"#;

/// The diagnostics of an added line: `rule: title` of each, in order.
fn said(line: &str) -> Vec<String> {
    let text = format!("{SHOP}{line}\n");
    let found = compile("shop.sk", &text, &NoFiles).diagnostics;
    found.iter().map(|each| format!("{}: {}", each.rule, each.title)).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    for (line, expected) in cases {
        assert_eq!(&said(line), expected, "{line}");
    }
}

#[test]
fn the_design_itself_is_right() {
    assert_eq!(said(""), Vec::<String>::new());
}

#[test]
fn fields_against_attributes() {
    check(&[
        ("operation o(userId, email) { update User(userId) { email } }", &[]),
        ("operation o(userId) { update User(userId) { plan: paid } }", &[]),
        (
            "operation o(userId) { update User(userId) { plan: pad } }",
            &["type-mismatch: `pad` is not one of `Plan`"],
        ),
        (
            "operation o(userId) { update User(userId) { email: 5 } }",
            &["type-mismatch: an email is wanted, not a number"],
        ),
        (
            "operation o(userId) { update User(userId) { email } }",
            &["unknown-name: there is no parameter or `let` called `email`"],
        ),
        (
            "operation o(userId) { update User(userId) { tags: [\"a\", \"b\", \"c\", \"d\"] } }",
            &["type-mismatch: 4 elements where at most 3 are allowed"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { count: 12 } }",
            &["type-mismatch: 12 is outside 0..9"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { total: true } }",
            &["type-mismatch: a decimal is wanted, not a bool"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { status += 1 } }",
            &["type-mismatch: an open | paid | sent cannot be counted up or down"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { dueAt: date(now) } }",
            &["type-mismatch: a time(s) is wanted, not a date"],
        ),
        ("operation o(orderId) { update Order(userId: caller.userId, orderId) { words[\"a\"] += 1 } }", &[]),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { lines: [{ sku: \"a\", quantity: 100 }] } }",
            &["type-mismatch: 100 is outside 1..99"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { lines: [{ sku: \"a\" }] } }",
            &["missing-value: `quantity` is missing"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { lines: [{ sku: \"a\", quantity: 1, colour: 2 }] } }",
            &["unknown-name: there is no attribute called `colour`"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { total: absent } }",
            &["missing-value: this must always be there"],
        ),
        ("operation o(orderId) { update Order(userId: caller.userId, orderId) { day: absent } }", &[]),
    ]);
}

#[test]
fn what_nobody_can_give() {
    check(&[
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { shard: 1 } }",
            &["not-settable: `shard` is derived and never given"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) { SK: \"x\" } }",
            &["not-settable: `SK` is computed from a template and never given"],
        ),
        (
            "operation o(userId) { update User(userId) { joined: now } }",
            &["not-settable: `joined` is immutable"],
        ),
        (
            "operation o(userId, other: string) { update User(userId) { userId: other } }",
            &["not-settable: `userId` is part of the key and cannot change"],
        ),
        ("operation o = update User [joined]", &["not-settable: `joined` is immutable"]),
        (
            "operation o(userId) { delete User(userId) { plan: free } }",
            &["not-settable: `delete` writes no attributes"],
        ),
    ]);
}

#[test]
fn new_items_are_complete() {
    check(&[
        (
            "system operation o(email) { create User { email } }",
            &["missing-value: a new `User` needs `tags`"],
        ),
        ("system operation o(input: new(User)) { create User { ...input } }", &[]),
        (
            "system operation o(k: key(User)) { create User { ...k } }",
            &["missing-value: a new `User` needs `email`, `tags`"],
        ),
        (
            "system operation o(email: string) { create User { ...email } }",
            &["type-mismatch: `...` copies the attributes of an item; `email` is a string"],
        ),
    ]);
}

#[test]
fn references_are_followed_to_what_was_read() {
    check(&[
        (
            "operation o(input: new(Order)) { create Order { ...input } }",
            &["reference-not-read: the `User` that `userId` points to has not been read here"],
        ),
        (
            "operation o(input: new(Order)) { let u = getUser(input.userId) else NotFound  create Order { ...input } }",
            &[],
        ),
        // A reference that is left out leads nowhere, so there is nothing to read.
        (
            "entity Node in T { PK = \"NODE#{id}\"  SK = \"NODE\"  id ulid = new  up? -> Node.id  title string(..9)  \
             path string(..99) = coalesce(up->path, \"/\") + id }  system operation o(title) { create Node { title } }",
            &[],
        ),
        (
            "entity Node in T { PK = \"NODE#{id}\"  SK = \"NODE\"  id ulid = new  up? -> Node.id  title string(..9)  \
             path string(..99) = coalesce(up->path, \"/\") + id }  system operation o(title, up) { create Node { title, up } }",
            &["reference-not-read: the `Node` that `up` points to has not been read here"],
        ),
        (
            "operation o(orderId) { let x = getOrder(caller.userId, orderId)  require x.userId->plan = paid else NotPaid }",
            &["reference-not-read: the `User` that `userId` points to has not been read here"],
        ),
        (
            "operation o(orderId) { let x = getOrder(caller.userId, orderId)  require x.total->plan = paid else NotPaid }",
            &["type-mismatch: `total` refers to nothing that `->` could follow"],
        ),
    ]);
}

#[test]
fn conditions() {
    check(&[
        (
            "pattern p = list Order by userId filter count = \"three\" page 5",
            &["type-mismatch: an int is wanted, not text"],
        ),
        (
            "pattern p = list Order by userId filter status < paid page 5",
            &["type-mismatch: an open | paid | sent has no order"],
        ),
        (
            "pattern p = list Order by userId filter status = shipped page 5",
            &["type-mismatch: `shipped` is not one of `open | paid | sent`"],
        ),
        (
            "pattern p = list Order by userId filter total > dueAt page 5",
            &["type-mismatch: a decimal is never compared with a time(s)"],
        ),
        (
            "pattern p = list Order by userId filter total page 5",
            &["type-mismatch: a condition is true or false, not a decimal"],
        ),
        (
            "pattern p = list Order by userId filter colour = 1 page 5",
            &["unknown-name: there is no attribute, parameter or word called `colour`"],
        ),
        ("pattern p = list Order by userId filter day in \"2024-01-01\"..\"2024-12-31\" page 5", &[]),
        (
            "pattern p = list Order by userId filter day >= \"yesterday\" page 5",
            &["type-mismatch: \"yesterday\" is not a day"],
        ),
        (
            "pattern p = list User by userId filter tags contains 5 page 5",
            &["type-mismatch: a slug is never compared with a number"],
        ),
        (
            "operation o(orderId) { update Order(userId: caller.userId, orderId) if count + day > 3 { status: paid } }",
            &["type-mismatch: `+` does not join an int and a date"],
        ),
        (
            "operation o(userId) { let u = getUser(userId)  require u.plan.seat > 1 else TooFew }",
            &["unknown-name: there is no constant of `Plan` called `seat`"],
        ),
        (
            "rule late(orderId) = Order(orderId) with (dueAt < now)",
            &["wrong-argument: the key of `Order` needs `userId`"],
        ),
        (
            "rule late(orderId) = Order(userId: caller.userId, orderId) with (dueAt = status)",
            &["type-mismatch: a time(s) is never compared with an open | paid | sent"],
        ),
    ]);
}

#[test]
fn calls() {
    check(&[
        ("operation o(orderId) { let x = getOrder(caller.userId, orderId)  return x }", &[]),
        (
            "operation o(orderId) { let x = getOrder(orderId, userId: caller.userId)  return x }",
            &["wrong-argument: `orderId` stands in the place of `userId`"],
        ),
        (
            "operation o(orderId) { let x = getOrder(order: orderId) }",
            &[
                "wrong-argument: `getOrder` is not given `orderId`",
                "wrong-argument: `getOrder` has no parameter called `order`",
            ],
        ),
        ("operation o { let n = howMany(caller.userId)  require n < 5 else TooMany }", &[]),
        (
            "operation o { let n = howMany(caller.userId)  require n.total < 5 else TooMany }",
            &["type-mismatch: a number has no part called `total`"],
        ),
        (
            "operation o(userId) { let x = orders(userId)  require x.status = 5 else No }",
            &["type-mismatch: a list(open | paid | sent) is never compared with a number"],
        ),
        (
            "operation o(n: int) requires mine(n) { let u = getUser(caller.userId) }",
            &["type-mismatch: an id(\"usr_\", nanoid 16) is wanted, not an int"],
        ),
        ("pattern p = get User by userId = sha256(5)", &["type-mismatch: `sha256` takes text, not a number"]),
        (
            "pattern p = get User by userId = sha265(\"a\")",
            &["unknown-name: there is no function, rule, pattern, operation or entity called `sha265`"],
        ),
        (
            "system operation o { let u = getUser(caller.userId) }",
            &["unknown-name: a `system` declaration has no caller"],
        ),
        (
            "operation o(userId) { update User(userId, plan: free) { email: \"a@b.com\" } }",
            &["wrong-argument: `plan` is not part of the key of `User`"],
        ),
        (
            "operation o(k: key(Order)) { require k.total > 1 else No }",
            &["unknown-name: `key(Order)` does not hold `total`"],
        ),
        (
            "operation o(n: int) { each x in n { delete User(userId: x) } }",
            &["type-mismatch: `each` goes through a list or a set, not an int"],
        ),
    ]);
}

#[test]
fn statements_of_tests() {
    check(&[
        ("test \"t\" { let u = addUser(email: \"a@x.com\", tags: [])  expect getUser(u.userId) = u }", &[]),
        ("test \"t\" { addUser(tags: []) }", &["wrong-argument: `addUser` is not given `email`"]),
        (
            "test \"t\" { let u = addUser(email: \"a@x.com\", tags: [])  update User(userId: u.userId) { joined: now } }",
            &["not-settable: `joined` is immutable"],
        ),
        // These cases are wrong on purpose.
        (
            "test \"t\" { let u = addUser(email: \"a@x.com\", tags: [])  expect update User(userId: u.userId) { joined: now } fails Invalid }",
            &[],
        ),
        (
            "test \"t\" { addUser(email: \"nobody\", tags: []) }",
            &["type-mismatch: \"nobody\" is not a valid email"],
        ),
        (
            "test \"t\" { as (userId: \"usr_1\", role: owner) { pay(\"ord_1\") } }",
            &["type-mismatch: `owner` is not one of `reader | writer`"],
        ),
        (
            "test \"t\" { as (name: \"x\") { pay(\"ord_1\") } }",
            &["unknown-name: there is no part of the caller called `name`"],
        ),
        (
            "test \"t\" { expect pay(\"ord_1\") fails NotFoun }",
            &["unknown-name: there is no error called `NotFoun`"],
        ),
        (
            "test \"t\" { race { pay(\"ord_1\") } { pay(\"ord_1\") } succeeds 3 }",
            &["wrong-argument: 3 of 2 cannot succeed"],
        ),
    ]);
}

#[test]
fn declarations() {
    check(&[
        (
            "entity N in T { PK = \"N#{a}\"  SK = \"N\"  a uuid = new  b int = \"x\" }",
            &["type-mismatch: an int is wanted, not text"],
        ),
        (
            "entity N in T { PK = \"N#{a}\"  SK = \"N\"  a uuid = new  b Plan = gold }",
            &["type-mismatch: `gold` is not one of `Plan`"],
        ),
        (
            "entity N in T { PK = \"N#{a}\"  SK = \"N\"  a uuid = new  b on | off = on  states b { on -> of } }",
            &["type-mismatch: `of` is not one of `on | off`"],
        ),
        (
            "entity N in T { PK = \"N#{a}\"  SK = \"N\"  a uuid = new  b int = now - 5 }",
            &["type-mismatch: `-` does not join a time and a number"],
        ),
        (
            "operation o(userId) { get User(userId) } on Lost { get User(userId) }",
            &["unknown-name: there is no error of `o` called `Lost`"],
        ),
        (
            r#"table N { key (n) } entity Numbered in N { n int  name slug  unique name }"#,
            &["type-mismatch: nothing of Numbered can be unique beside its key"],
        ),
        (
            r#"table N { key (n) } entity Numbered in N { n int } operation o(n) idempotent by token { create Numbered { n } }"#,
            &["type-mismatch: `o` cannot be idempotent in the table of Numbered"],
        ),
        (r#"table M { key (PK) } entity Named in M { PK = "N#{n}"  n int  name slug  unique name }"#, &[]),
    ]);
}

/// Rules and operations that reached themselves passed, and overflowed the stack when they were called.
#[test]
fn calls_do_not_go_in_a_circle() {
    check(&[
        (
            "operation a(userId) { b(userId) } operation b(userId) { a(userId) }",
            &["calls-in-a-circle: `a` calls itself: a -> b -> a"],
        ),
        (
            "operation a(userId) { getUser(userId)  a(userId) }",
            &["calls-in-a-circle: `a` calls itself: a -> a"],
        ),
        (
            "rule r(x: string) = s(x) rule s(x: string) = r(x) operation a(userId) requires r(\"x\") { get User(userId) }",
            &["calls-in-a-circle: `r` calls itself: r -> s -> r"],
        ),
        ("operation a(userId) { b(userId) } operation b(userId) { get User(userId) }", &[]),
    ]);
    let chain = |from: usize| format!("operation o{from}(userId) {{ o{}(userId) }}\n", from + 1);
    let text: String = (0..32).map(chain).collect();
    let text = format!("{text}operation o32(userId) {{ get User(userId) }}\n");
    assert_eq!(said(&text), ["calls-in-a-circle: calls nest more than 32 deep in `o0`"]);
}

#[test]
fn a_wrong_word_is_offered_the_nearest() {
    let text = format!("{SHOP}operation o(userId) {{ update User(userId) {{ plan: fre }} }}\n");
    let found = compile("shop.sk", &text, &NoFiles).diagnostics;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].primary.text, "did you mean `free`?");
    assert_eq!(found[0].fixes.len(), 1);
}
