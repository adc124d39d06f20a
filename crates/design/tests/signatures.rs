//! The parameters of patterns and operations in order, each with its type.

use sortkey_design::{NoFiles, compile};

const DESIGN: &str = r#"
caller { ownerId uuid }
table T { key (ownerId | noteId)  index byTag (ownerId | tag) project all }
entity Note in T {
  ownerId uuid
  noteId  uuid = new
  title   string(1..80)
  tag?    slug(1..20)
  length  int := size(title)
  tenant ownerId
}
pattern notes(tag?) = list Note by ownerId, tag page 10
pattern since(from?: time) = list Note by ownerId page 10
operation write = create Note
system operation import = create Note
operation retitle = update Note [title]
system operation drop = delete Note
system operation tagIt(ownerId, noteId, tag) idempotent by token { update Note(ownerId, noteId) { tag } }
"#;

/// `name: type`, with a question mark for what may be left out.
fn words(name: &str) -> String {
    let program = compile("t.sk", DESIGN, &NoFiles).program;
    let signature = program.signature(program.callee(name).expect("declared"));
    let word = |parameter: &sortkey_design::program::Parameter| {
        let mark = if parameter.optional { "?" } else { "" };
        format!("{}{mark}: {}", parameter.name, parameter.ty.describe(&program))
    };
    signature.parameters.iter().map(word).collect::<Vec<_>>().join(", ")
}

#[test]
fn parameters_in_order_with_types() {
    assert_eq!(words("notes"), "ownerId?: uuid, tag?: slug");
    assert_eq!(words("since"), "ownerId?: uuid, from?: time");
    assert_eq!(words("write"), "ownerId?: uuid, title: string, tag?: slug");
    assert_eq!(words("import"), "ownerId: uuid, title: string, noteId?: uuid, tag?: slug");
    assert_eq!(words("retitle"), "ownerId?: uuid, noteId: uuid, title?: string");
    assert_eq!(words("drop"), "ownerId: uuid, noteId: uuid");
    assert_eq!(words("tagIt"), "ownerId: uuid, noteId: uuid, tag: slug, token?: string");
}
