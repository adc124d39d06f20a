//! # gsi-mergeable
//!
//! ## What it notices
//!
//! Several indexes of one table serve one entity each, with templates that begin differently; or the key of an index
//! repeats the sort key of the table under another name.
//!
//! ## Why it matters
//!
//! One index with overloaded keys does the work of all: the prefixes keep the entities apart. Each index
//! costs writes, and a table has at most twenty. A repeated sort key is stored twice, where an index with the sort key as its
//! partition key would do.
//!
//! ## Example
//!
//! ```sk
//! table Main {
//!   key   (PK | SK)
//!   index GSI1 (GSI1PK) project all
//!   index GSI2 (GSI2PK) project all
//! }
//! entity User in Main {
//!   PK = "USER#{userId}"  SK = "PROFILE"
//!   GSI1PK = "EMAIL#{mail}"
//!   userId uuid = new
//!   mail   string(..200)
//! }
//! entity Source in Main {
//!   PK = "USER#{userId}"  SK = "SRC#{sourceId}"
//!   GSI2PK = "SRCID#{sourceId}"
//!   userId   uuid
//!   sourceId uuid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Main {
//!   key   (PK | SK)
//!   index GSI1 (GSI1PK) project all
//! }
//! entity User in Main {
//!   PK = "USER#{userId}"  SK = "PROFILE"
//!   GSI1PK = "EMAIL#{mail}"
//!   userId uuid = new
//!   mail   string(..200)
//! }
//! entity Source in Main {
//!   PK = "USER#{userId}"  SK = "SRC#{sourceId}"
//!   GSI1PK = "SRCID#{sourceId}"
//!   userId   uuid
//!   sourceId uuid = new
//! }
//! ```
//!
//! ## When to allow
//!
//! When the indexes need different projections.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2009",
    name: "gsi-mergeable",
    theme: Theme::Indexes,
    level: Severity::Hint,
    source: include_str!("gsi_mergeable.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    table.indexes.iter().filter(|index| !index.local).for_each(|index| repeated(table, index, cx));
    // An index counts if exactly one entity is in it, by a template with a literal beginning.
    let alone = |index: &&Index| {
        let [partition] = index.key.partition.as_slice() else {
            return None;
        };
        let mut templates = cx
            .design
            .entities_in(table)
            .filter_map(|entity| Some((entity, entity.template(&partition.text)?)));
        let (entity, template) = templates.next()?;
        (templates.next().is_none() && !template.prefix().is_empty())
            .then(|| (entity.name.text.clone(), template.prefix().to_owned()))
    };
    let found: Vec<(&Index, (String, String))> = table
        .indexes
        .iter()
        .filter(|index| !index.local)
        .filter_map(|index| Some((index, alone(&index)?)))
        .collect();
    let Some((first, (entity, prefix))) = found.first() else {
        return;
    };
    for (index, (other, other_prefix)) in &found[1..] {
        if other != entity && other_prefix != prefix {
            let title = format!("`{}` and `{}` can be one index", first.name, index.name);
            cx.push(
                cx.at(index.name.span, title)
                    .label("one overloaded index would serve both")
                    .also(first.name.span, "holds another entity under another prefix"),
            );
            return;
        }
    }
}

/// An index whose partition key is the table's sort key once more.
fn repeated(table: &Table, index: &Index, cx: &mut Context<'_>) {
    let ([partition], [sort]) = (index.key.partition.as_slice(), table.key.sort.as_slice()) else {
        return;
    };
    let inside: Vec<&Entity> =
        cx.design.entities_in(table).filter(|entity| entity.stores(&partition.text)).collect();
    // An index that several entities share has keys of its own for a reason.
    if let [entity] = inside.as_slice() {
        let (Some(copy), Some(key)) = (entity.template(&partition.text), entity.template(&sort.text)) else {
            return;
        };
        if copy.name != key.name && copy.pieces == key.pieces && !copy.is_constant() {
            let title = format!("`{}` repeats the sort key of its table", index.name);
            cx.push(
                cx.at(index.name.span, title)
                    .label(format!("`{}` is `{}` again", copy.name, key.name))
                    .also(copy.text_span, "stored here")
                    .also(key.text_span, "and here")
                    .note(format!(
                        "An inverted index, `({} | {})`, needs no attribute of its own.",
                        sort,
                        table.key.partition.first().map_or("", |name| &name.text)
                    )),
            );
        }
    }
}
