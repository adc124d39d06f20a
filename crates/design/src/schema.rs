//! The JSON form of a compiled design, as a JSON Schema: for other front ends and for tools that read designs.

use crate::Design;

/// The schema of a design's JSON. It is derived from the types that are serialised, so it cannot disagree with them.
pub fn schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(Design);
    schema.insert("$id".to_owned(), "https://sortkey.dev/schema/design.schema.json".into());
    schema.insert("title".to_owned(), "A compiled Sortkey design".into());
    schema
}
