//! The meaning of statements where the five systems do not show it: small designs with their tests.

use std::collections::BTreeMap;

use sortkey_design::{NoFiles, compile};
use sortkey_diagnostics::{Style, render};
use sortkey_testing::Suite;

fn check(text: &str) {
    let compilation = compile("small.sk", text, &NoFiles);
    let errors: Vec<String> =
        compilation.diagnostics.iter().map(|each| render(each, &compilation.sources, Style::Plain)).collect();
    assert!(!compilation.has_errors(), "{}", errors.join("\n"));
    let suite = pollster::block_on(Suite::new(compilation.design, BTreeMap::new())).expect("it runs");
    assert!(!suite.tests().is_empty());
    for at in 0..suite.tests().len() {
        let outcome = pollster::block_on(suite.run(at));
        let failure = outcome.failure.map(|failure| render(&failure, &compilation.sources, Style::Plain));
        assert_eq!(failure, None, "{}", outcome.title);
    }
}

const BASKETS: &str = r#"
    table Baskets "baskets" { key (pk | sk) }
    entity Basket in Baskets {
      pk = "B#{basketId}"  sk = "META"
      basketId slug
      total    int(0..10) = 0 @counter
    }
    entity Line in Baskets {
      pk = "B#{basketId}"  sk = "L#{n:pad(3)}"
      basketId -> Basket on delete cascade
      n        int(0..999)
    }
    pattern basket = get Basket by basketId
    pattern lines  = list Line by basketId page 50
    operation fill(basketId, ns: list(int(0..999), max 20)) {
      transact {
        each n in ns { create Line { basketId, n } }
        update Basket(basketId) { total += size(ns) }
      }
    }
"#;

#[test]
fn an_each_inside_a_transaction_is_all_or_nothing() {
    check(&format!(
        r#"{BASKETS}
        test "all or nothing" {{
          create Basket {{ basketId: "b" }}
          fill("b", [1, 2, 3])
          expect lines("b").n = [1, 2, 3]
          expect fill("b", [4, 3]) fails AlreadyExists
          expect fill("b", [10, 11, 12, 13, 14, 15, 16, 17]) fails CheckFailed
          expect lines("b").n = [1, 2, 3]
          expect basket("b").total = 3
        }}"#
    ));
}

#[test]
fn children_go_with_their_parent() {
    check(&format!(
        r#"{BASKETS}
        test "a basket takes its lines along, and no other's" {{
          create Basket {{ basketId: "b" }}
          create Basket {{ basketId: "c" }}
          fill("b", [1, 2, 3])
          fill("c", [1])
          delete Basket(basketId: "b")
          expect lines("b") = []
          expect basket("b") absent
          expect lines("c").n = [1]
        }}"#
    ));
}

#[test]
fn an_expired_item_is_in_nobodys_way() {
    check(
        r#"
        table Sessions "sessions" { key (id)  ttl expiresAt }
        entity Session in Sessions {
          id        slug
          name      string(..20) = "none"
          used      int(0..) = 0 @counter
          expiresAt time(s) = now + 1h
          unique name when name != "none" else NameTaken
        }
        pattern session = get Session by id
        operation touch(id) { upsert Session(id) { used += 1 } }
        operation begin = create Session
        test "an upsert after the end begins anew" {
          touch("a")
          touch("a")
          expect session("a").used = 2
          advance 2h
          expect session("a") absent
          touch("a")
          expect session("a").used = 1
        }
        test "what an expired item held is free" {
          begin(id: "a", name: "x")
          expect begin(id: "b", name: "x") fails NameTaken
          expect begin(id: "a") fails AlreadyExists
          advance 2h
          begin(id: "b", name: "x")
          begin(id: "a")
          expect session("b").name = "x"
        }"#,
    );
}

#[test]
fn a_sparse_key_comes_and_goes_with_its_condition() {
    check(
        r#"
        table Tasks "tasks" { key (id)  index Due (dueShard | at) project all sparse }
        entity Task in Tasks {
          id     slug
          dueShard = "{shard:pad(2)}" when open = true
          open   bool = true
          shard  int(0..3) := hash(id) % 4
          at     time(ms) = now
          worth  int = 1
          double int := worth * 2
        }
        pattern due = list Task by shard in all where open = true and at <= now oldest first page 10
        operation close(id) { update Task(id) { open: false } }
        operation reopen(id) { update Task(id) { open: true } }
        operation grow(id) { update Task(id) { worth += 3 } }
        test "due while it is open" {
          let t = create Task { id: "a" }
          advance 1s
          create Task { id: "b" }
          expect due().id = ["a", "b"]
          close("a")
          expect due().id = ["b"]
          expect stored(t).dueShard absent
          reopen("a")
          expect due().id = ["a", "b"]
        }
        test "what is derived follows what is counted" {
          create Task { id: "a" }
          expect grow("a").double = 8
        }"#,
    );
}

/// A key called as guards and receipts call what they keep once made both impossible to store.
#[test]
fn keys_may_be_called_as_guards_and_receipts_call_theirs() {
    check(
        r#"
        table Things "things" { key (owner | key)  index byResult (result | key) project all }
        entity Thing in Things {
          owner  slug
          key    slug
          result slug
          name   slug
          unique name else NameTaken
        }
        pattern byName = get Thing by name strong
        operation make(owner, key, result, name) idempotent by token { create Thing { owner, key, result, name } }
        operation rename = update Thing [name]
        operation drop = delete Thing
        test "guards and receipts stand aside" {
          let t = make("a", "k", "r", "n", token: "1")
          expect make("a", "k", "r", "n", token: "1") = t
          expect byName("n").key = "k"
          expect make("b", "k", "r", "n", token: "2") fails NameTaken
          rename(owner: "a", key: "k", name: "m")
          expect byName("n") absent
          expect byName("m").owner = "a"
          drop(owner: "a", key: "k")
          expect byName("m") absent
        }"#,
    );
}

/// A guard once kept the expiry it was born with, so that a session that was prolonged lost its name.
#[test]
fn a_guard_lives_as_long_as_its_owner() {
    check(
        r#"
        table Sessions "sessions" { key (id)  ttl expiresAt }
        entity Session in Sessions {
          id        slug
          name      slug
          expiresAt time(s) = now + 1h
          unique name else NameTaken
        }
        pattern session = get Session by id
        operation begin = create Session
        operation prolong(id) { update Session(id) { expiresAt: now + 3h } }
        operation replace = put Session
        test "a prolonged session keeps its name" {
          begin(id: "a", name: "x")
          prolong("a")
          advance 2h
          expect begin(id: "b", name: "x") fails NameTaken
          advance 2h
          begin(id: "b", name: "x")
        }
        test "what somebody else has by now is left alone" {
          begin(id: "a", name: "x")
          advance 2h
          begin(id: "b", name: "x")
          replace(id: "a", name: "y")
          expect session("a").name = "y"
          expect begin(id: "c", name: "x") fails NameTaken
        }"#,
    );
}

/// To purge an item whose name somebody else had meanwhile once was a conflict for ever.
#[test]
fn what_counts_as_deleted_holds_nothing() {
    check(
        r#"
        table Users "users" { key (id) }
        entity User in Users {
          id     slug
          name   slug
          status active | blocked | gone = active
          deleted when status = gone
          unique name else NameTaken
        }
        pattern user = get User by id
        operation join = create User
        operation leave = delete User
        operation forget(id) { purge User(id) }
        operation turn(id, status) { update User(id) { status } }
        test "a name is free when its owner has left, however that is said" {
          join(id: "a", name: "x")
          turn("a", "blocked")
          expect join(id: "b", name: "x") fails NameTaken
          turn("a", "gone")
          join(id: "b", name: "x")
          leave(id: "b")
          join(id: "c", name: "x")
          forget("a")
          expect join(id: "d", name: "x") fails NameTaken
          expect user("c").name = "x"
        }"#,
    );
}

/// DynamoDB refuses to write into an object that is not there.
#[test]
fn an_object_is_made_when_something_is_put_into_it() {
    check(
        r#"
        table Users "users" { key (id) }
        entity User in Users {
          id      slug
          name    slug = "n"
          look?   { theme? slug, size int(1..9) = 3, font? { face slug, bold bool = false } }
          place?  { city slug, zip slug }
          counts? map(int, max 9)
          notes?  json({ a? slug, b? slug })
          shout   string := upper(name)
        }
        pattern user = get User by id
        operation paint(id, theme) { update User(id) { look.theme: theme } }
        operation plain(id) { update User(id) { look.theme: null } }
        operation grow(id) { update User(id) { look.size += 1 } }
        operation write(id, face) { update User(id) { look.font.face: face } }
        operation move(id, city) { update User(id) { place.city: city } }
        operation count(id, what: slug) { upsert User(id) { counts[what] += 1 } }
        operation note(id, a) { update User(id) { notes.a: a } }
        operation rename(id, name, theme) { update User(id) { name, look.theme: theme } }
        operation both(id, other: slug, theme) {
          transact {
            update User(id) { look.theme: theme }
            update User(id: other) { look.theme: theme }
          }
        }
        test "with its defaults" {
          create User { id: "a" }
          expect paint("a", "dark").look = { theme: "dark", size: 3 }
          expect paint("a", "light").look = { theme: "light", size: 3 }
          expect grow("a").look.size = 4
          expect write("a", "serif").look = { theme: "light", size: 4, font: { face: "serif", bold: false } }
          expect plain("a").look = { size: 4, font: { face: "serif", bold: false } }
        }
        test "but not to take something away" {
          create User { id: "a" }
          expect plain("a").look absent
        }
        test "nor without what it requires" {
          create User { id: "a" }
          expect move("a", "rome") fails Invalid
          update User(id: "a") { place: { city: "oslo", zip: "0150" } }
          expect move("a", "rome").place = { city: "rome", zip: "0150" }
          expect paint("nobody", "dark") fails NotFound
        }
        test "in an item that is not there either" {
          expect count("a", "x").counts = { x: 1 }
          expect count("a", "x").counts = { x: 2 }
          expect count("a", "y").counts = { x: 2, y: 1 }
        }
        test "beside other changes, and in a transaction" {
          create User { id: "a" }
          create User { id: "b", look: { size: 7 } }
          expect rename("a", "m", "dark").look = { theme: "dark", size: 3 }
          expect user("a").shout = "M"
          both("a", "b", "grey")
          expect user("b").look = { theme: "grey", size: 7 }
          create User { id: "c" }
          both("b", "c", "blue")
          expect user("c").look = { theme: "blue", size: 3 }
          expect note("c", "x").notes = { a: "x" }
        }"#,
    );
}

/// An attribute that was given and removed left a value behind that no expression used, which DynamoDB refuses.
#[test]
fn what_is_given_goes_where_its_condition_does_not_hold() {
    check(
        r#"
        table Jobs "jobs" { key (id) }
        entity Job in Jobs {
          id      slug
          state   waiting | done = waiting
          retryAt? time(s) when state = waiting
        }
        pattern job = get Job by id
        operation settle(id, state, retryAt?) { update Job(id) { state, retryAt } }
        test "a job that is done is not tried again" {
          create Job { id: "a" }
          settle("a", "waiting", retryAt: now + 1h)
          expect job("a").retryAt = now + 1h
          settle("a", "done", retryAt: now + 2h)
          expect job("a").retryAt absent
        }"#,
    );
}

#[test]
fn what_is_counted_is_what_is_listed() {
    check(
        r#"
        caller { userId slug }
        table Notes "notes" { key (userId | n)  index Kinds (kind | n) project keys }
        entity Note in Notes {
          userId slug
          n      int(0..)
          kind   letter | memo
          tenant userId
          unique kind, n else Taken
        }
        pattern mine = count Note by userId
        pattern early = count Note by userId where n < 2
        system pattern ofKind = count Note by kind
        operation write = create Note
        test "by keys or one by one" {
          as (userId: "ada") {
            write(n: 0, kind: "letter")
            write(n: 1, kind: "letter")
            write(n: 2, kind: "letter")
            write(n: 3, kind: "letter")
            expect mine("ada") = 4
            expect early("ada") = 2
            expect mine("bob") fails NotFound
          }
          as (userId: "bob") {
            write(n: 0, kind: "memo")
            expect mine("bob") = 1
          }
          expect ofKind("letter") = 4
          expect ofKind("memo") = 1
        }"#,
    );
}

/// Two clauses on one attribute once shared their guards, so that one kept out what the other allowed.
#[test]
fn clauses_on_the_same_attribute_do_not_mix() {
    check(
        r#"
        table Rooms "rooms" { key (id) }
        entity Room in Rooms {
          id    slug
          house slug
          main  bool = false
          spare bool = false
          unique house when main = true else HasMain
          unique house when spare = true else HasSpare
        }
        operation build = create Room
        test "one of each" {
          build(id: "a", house: "h", main: true)
          build(id: "b", house: "h", spare: true)
          build(id: "c", house: "h")
          expect build(id: "d", house: "h", main: true) fails HasMain
          expect build(id: "d", house: "h", spare: true) fails HasSpare
        }"#,
    );
}

/// A long word to repeat by once made a key that DynamoDB refuses: letters may have four bytes.
#[test]
fn a_receipt_may_be_asked_for_by_a_long_word() {
    let word = "\u{1f6a2}".repeat(250);
    check(&format!(
        r#"
        table Orders "orders" {{ key (PK | SK) }}
        entity Order in Orders {{ PK = "O#{{id}}"  SK = "O"  id slug }}
        operation order(id) idempotent by token {{ create Order {{ id }} }}
        test "however long" {{
          let o = order("a", token: "{word}")
          expect order("a", token: "{word}") = o
          order("b", token: "{word}x")
        }}"#
    ));
}

/// What DynamoDB cannot decide is decided by what is read, for every verb: `check` and `put` failed with an internal error.
#[test]
fn conditions_that_compute_work_in_every_statement() {
    check(
        r#"
        table Ns "nss" { key (id) }
        entity N in Ns { id slug  n int = 0  name slug = "w"  unique name when n = 9 }
        pattern one = get N by id strong
        operation mk = create N
        operation checked(id) { check N(id) if n + 1 > 3 else No }
        operation together(id, to: slug) { transact { check N(id) if n * 2 > 5 else No  create N { id: to, n: 9, name: to } } }
        operation placed(id) { put N { id, n: 7 } if n * 2 > 5 else No }
        operation made(id) { create N { id } if size(id) > 3 else Short }
        operation removed(id) { delete N(id) if n + 1 > 3 else No }
        operation changed(id) { transact { update N(id) if n + 1 > 3 else No { n: 8 } } }
        test "each verb" {
          mk(id: "low", n: 1)
          mk(id: "high", n: 4, name: "h")
          expect checked("low") fails No
          checked("high")
          expect checked("none") fails No
          expect together("low", "x") fails No
          expect one("x") absent
          together("high", "y")
          expect one("y").n = 9
          expect placed("low") fails No
          expect one("low").n = 1
          placed("high")
          expect one("high").n = 7
          expect placed("none") fails No
          expect one("none") absent
          expect made("abc") fails Short
          made("abcd")
          expect changed("low") fails No
          changed("high")
          expect removed("low") fails No
          removed("high")
          expect one("high") absent
        }
        test "a check holds until the transaction is done" {
          mk(id: "high", n: 4)
          race { together("high", "x") } { together("high", "y") } succeeds 2
          expect one("x").n = 9
          expect one("y").n = 9
        }"#,
    );
}

/// `deleted when gone` marks the item, as `deleted when gone = true` does.
#[test]
fn an_item_is_deleted_by_what_is_true_of_it() {
    check(
        r#"
        table Ns "nss" { key (id) }
        entity N in Ns { id slug  gone bool = false  deleted when gone }
        pattern one = get N by id strong
        pattern any = get N by id strong including deleted
        operation mk = create N
        operation drop(id) { delete N(id) }
        test "it is hidden, and still stored" {
          mk(id: "a")
          drop("a")
          expect one("a") absent
          expect any("a").gone
          expect drop("a") fails NotFound
        }"#,
    );
}
