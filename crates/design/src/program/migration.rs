//! Mappings from an earlier design: expressions that read an old item and give the attributes of a new one.

use super::{AttributeId, EntityId, Expr};

/// `migrate "old.sk" { ... }`, at the same place as in the design's list of migrations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Migration {
    /// The mappings whose entities exist on both sides.
    pub mappings: Vec<Mapping>,
}

/// `Share from Share where ... { ... } merge permissions drop shareId`
///
/// Ids of the old side are those of the old design's own program.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The entity of this design.
    pub new: EntityId,
    /// The entity of the old design.
    pub old: EntityId,
    /// The condition on old items that have a new one; an expression over the old item.
    pub condition: Option<Expr>,
    /// The attributes of the new item that are not copied by name; expressions over the old item.
    pub fields: Vec<(AttributeId, Expr)>,
    /// Attributes of the new item that combine when several old items have one new key.
    pub merge: Vec<AttributeId>,
    /// Attributes of the old item that are left behind.
    pub dropped: Vec<AttributeId>,
}
