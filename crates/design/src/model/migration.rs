//! Mappings from an earlier design.

use super::{Expr, Fields, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// `migrate "old.sk" { ... }`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Migration {
    /// The old design's file.
    pub from: String,
    /// The old design, if it could be read.
    pub old: Option<Box<super::Design>>,
    /// The mappings.
    pub mappings: Vec<Mapping>,
    /// Where the file's name stands.
    #[serde(skip)]
    pub from_span: Span,
    /// Where it stands.
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
    /// Which old items.
    pub condition: Option<Expr>,
    /// The attributes that are not copied by name.
    pub fields: Fields,
    /// What is combined when two old items meet on one new key.
    pub merge: Vec<Name>,
    /// What is left behind.
    pub dropped: Vec<Name>,
    /// Where it stands.
    #[serde(skip)]
    pub span: Span,
}
