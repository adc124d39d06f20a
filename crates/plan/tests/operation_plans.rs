//! The requests of operations: a small design, an operation, and the lines of its plan.

use sortkey_design::{NoFiles, compile};
use sortkey_plan::plan_text;

const DESIGN: &str = r#"
caller { userId -> User }
table T { key (PK | SK)  index GSI (GPK | GSK) project keys sparse }
entity User in T {
  PK = "USER#{userId}"  SK = "USER"
  userId uuid = new
  email  email
  name   string(..40)
  unique email
}
entity Note in T {
  PK = "USER#{userId}"  SK = "NOTE#{noteId}"
  GPK = "{userId}#{tag}" when open = true
  GSK = "{changed}"
  userId  -> User on delete cascade
  noteId  uuid = new
  tag     slug(1..20)
  text    string(..200)
  open    bool = true
  likes   int = 0 @counter
  changed time(iso) := now
  tenant userId
}
entity Page in T {
  PK = "NOTE#{noteId}"  SK = "PAGE#{number:pad(3)}"
  noteId -> Note on delete cascade
  number int(1..999)
  text   string(..200)
}
rule friend(userId) = User(userId) with (email exists)
pattern getNote = get Note by userId, noteId
"#;

/// The lines of the plan of the added operation.
fn requests(operation: &str) -> Vec<String> {
    let compilation = compile("t.sk", &format!("{DESIGN}{operation}\n"), &NoFiles);
    assert_eq!(compilation.diagnostics, [], "{operation}");
    let text = plan_text(&compilation.program);
    text.lines().filter_map(|line| line.strip_prefix("  ")).map(str::to_owned).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    for (operation, expected) in cases {
        assert_eq!(&requests(operation), expected, "{operation}");
    }
}

#[test]
fn guards_move_with_the_value() {
    check(&[
        (
            "system operation o = create User",
            &["TransactWriteItems [create User if not exists; put guard User(email)], 4 WCU"],
        ),
        ("operation o = update User [name]", &["UpdateItem [update User if exists], 1 WCU"]),
        (
            "operation o = update User [email]",
            &[
                "GetItem [User as it is, for email] if needed, 1 RCU",
                "TransactWriteItems [update User if exists; delete guard User(email); put guard User(email)], 6 WCU",
            ],
        ),
    ]);
}

#[test]
fn index_keys_are_recomputed_or_read_back() {
    check(&[
        // The stamp alone moves the entry: out and in again.
        ("operation o = update Note [text]", &["UpdateItem [update Note if exists], 3 WCU"]),
        // Whether the note is in the index at all must be known before its key can be made.
        (
            "operation o = update Note [tag]",
            &[
                "GetItem [Note as it is, for open] if needed, 1 RCU",
                "UpdateItem [update Note if exists], 3 WCU",
            ],
        ),
        ("operation o = update Note [tag, open]", &["UpdateItem [update Note if exists], 3 WCU"]),
        ("operation o = create Note", &["PutItem [create Note if not exists], 2 WCU"]),
        (
            "operation o(noteId, text) { update Note(userId: caller.userId, noteId) { tag: \"a\", open: true, text, likes += 1 } }",
            &["UpdateItem [update Note if exists], 3 WCU"],
        ),
    ]);
}

#[test]
fn deletes_sweep_after_the_parent_and_note_what_is_left() {
    check(&[
        (
            "operation o = delete Note",
            &[
                "UpdateItem [note the cascade of Note], 1 WCU",
                "DeleteItem [delete Note if exists], 2 WCU",
                "Query [sweep Page by noteId through T where PK = \"NOTE#{noteId}\" and begins_with(SK, \"PAGE#\")], 1 RCU",
                "BatchWriteItem [delete Page] for each of the Page items, 1 WCU",
                "UpdateItem [forget the cascade of Note], 1 WCU",
            ],
        ),
        (
            "operation o(userId) { delete User(userId) }",
            &[
                "GetItem [User as it is, for email], 1 RCU",
                "UpdateItem [note the cascade of User], 1 WCU",
                "TransactWriteItems [delete User if exists; delete guard User(email)], 4 WCU",
                "Query [sweep Note by userId through T where PK = \"USER#{userId}\" and begins_with(SK, \"NOTE#\")], 1 RCU",
                "Query [sweep Page by noteId through T where PK = \"NOTE#{noteId}\" and begins_with(SK, \"PAGE#\")] for each of the Note items, 1 RCU",
                "BatchWriteItem [delete Page] for each of the Page items, 1 WCU",
                "DeleteItem [delete Note] for each of the Note items, 2 WCU",
                "Query [sweep Page by noteId through T where PK = \"NOTE#{noteId}\" and begins_with(SK, \"PAGE#\")] for each of the Note items, 1 RCU",
                "BatchWriteItem [delete Page] for each of the Page items, 1 WCU",
                "UpdateItem [forget the cascade of User], 1 WCU",
            ],
        ),
    ]);
}

#[test]
fn what_a_transaction_makes_first_is_read_as_it_is_stored() {
    let operation = "operation o(noteId, userId) {
      let n = getNote(caller.userId, noteId)
      transact {
        upsert Page(noteId: noteId, number: 1) { text: \"a\" } when n exists
        upsert Page(noteId: noteId, number: 2) { text: \"b\" }
        upsert Page(noteId: noteId, number: 3) { text: \"c\" }
      }
    }";
    let read = requests(operation).into_iter().filter(|line| line.contains("as it is stored"));
    assert_eq!(read.collect::<Vec<_>>(), ["GetItem [Page as it is stored] if needed, 1 RCU"; 2]);
}

#[test]
fn several_statements_in_their_order() {
    check(&[
        (
            "operation o(noteId, input: new(Page)) requires friend(caller.userId) idempotent by token {
               let n = getNote(caller.userId, noteId) else NotFound
               transact {
                 check User(userId: n.userId) if email exists else Gone
                 create Page { ...input }
               }
             }",
            &[
                "GetItem [User for the rule], 1 RCU",
                "GetItem [getNote through T], 0.5 RCU",
                "TransactWriteItems [check User if its own condition; create Page if not exists; put receipt o], 6 WCU",
                "GetItem [receipt o] after a failure, 1 RCU",
                "GetItem [the Page it names] after a failure if needed, 1 RCU",
            ],
        ),
        (
            "system operation o(pages: list(new(Page), max 9)) { each p in pages { put Page { ...p } } }",
            &["BatchWriteItem [put Page] for each of pages, 1 WCU"],
        ),
        (
            "operation o(userId) { let u = get User(userId) strong else Gone } on Gone { update User(userId) { name: \"x\" } }",
            &["GetItem [get User], 1 RCU", "UpdateItem [update User if exists] after Gone, 1 WCU"],
        ),
    ]);
}
