//! Mappings from an earlier design.

use super::{Expr, Fields, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// The words that `steps` takes, each with what happens in it.
pub const STEPS: [(&str, &str); 9] = [
    ("create", "new tables are created beside the old"),
    ("change", "the old tables are changed in place, or replaced"),
    ("freeze", "writes stop"),
    ("write_both", "writes go to both designs"),
    ("copy", "the old items are read, mapped and written"),
    ("replay", "what was written meanwhile is taken from the stream"),
    ("verify", "both sides are counted and compared"),
    ("switch", "reads and writes go to the new design"),
    ("remove", "the old tables go"),
];

/// `migrate "old.sk" steps create, copy { ... }`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Migration {
    /// The old design's file.
    pub from: String,
    /// The old design, if it could be read.
    pub old: Option<Box<super::Design>>,
    /// The steps in which it is carried out, in order; empty if the design leaves them open.
    pub steps: Vec<Name>,
    /// The mappings.
    pub mappings: Vec<Mapping>,
    /// The span of the file's name.
    #[serde(skip)]
    pub from_span: Span,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `Share from Share { ... } merge permissions drop shareId`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mapping {
    /// The new entity.
    pub new: Name,
    /// The old entity.
    pub old: Name,
    /// The condition on old items.
    pub condition: Option<Expr>,
    /// The attributes that are not copied by name.
    pub fields: Fields,
    /// The attributes that are combined when two old items meet on one new key.
    pub merge: Vec<Name>,
    /// The old attributes that are not copied.
    pub dropped: Vec<Name>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}
