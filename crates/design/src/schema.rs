//! The wire format as a JSON Schema: for programs in other languages that read compiled designs.

use crate::wire::{Program, VERSION};

/// The schema of a compiled program's JSON. It is derived from the types that are written, so it cannot disagree with them.
pub fn schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(Program);
    let id = format!("https://sortkey.dev/schema/program-{VERSION}.schema.json");
    schema.insert("$id".to_owned(), id.into());
    schema.insert("title".to_owned(), "A compiled Sortkey program".into());
    schema
}
