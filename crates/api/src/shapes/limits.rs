//! Constraints that many members share.

use crate::shape::Constraint::{
    self, AtLeast, EachElement, EachKey, EachValue, MaxLength, MinLength, NameCharacters, WhenMissing,
};
use crate::text::constraint as text;

/// The name of an index.
pub(crate) const INDEX_NAME: &[Constraint] = &[NameCharacters, MinLength(3), MaxLength(255)];
/// The name of a table where no ARN is accepted.
pub(crate) const PLAIN_TABLE_NAME: &[Constraint] = INDEX_NAME;
/// The table of a control operation, whose absence has a text of its own.
pub(crate) const CONTROL_TABLE: &[Constraint] = &[WhenMissing(text::TABLE_NAME_REQUIRED)];
/// The resource of a tagging operation, whose absence has a text of its own.
pub(crate) const RESOURCE_ARN: &[Constraint] = &[WhenMissing(text::RESOURCE_ARN_REQUIRED), MaxLength(1283)];
/// The name of a key attribute.
pub(crate) const KEY_ATTRIBUTE_NAME: &[Constraint] = &[MaxLength(255), MinLength(1)];
/// The attributes of a legacy projection.
pub(crate) const ATTRIBUTES_TO_GET: &[Constraint] = &[MinLength(1), EachElement(&[MaxLength(65535)])];
/// The attribute names behind placeholders.
pub(crate) const ATTRIBUTE_NAMES: &[Constraint] = &[EachValue(&[MaxLength(65535)])];
/// A legacy map, whose keys are names of attributes.
pub(crate) const BY_ATTRIBUTE: &[Constraint] = &[EachKey(&[MaxLength(65535)])];
/// A page size, and everything else that is counted from one.
pub(crate) const POSITIVE: &[Constraint] = &[AtLeast(1)];
/// The ARN of a stream.
pub(crate) const STREAM_ARN: &[Constraint] = &[MinLength(37), MaxLength(1024)];
/// The id of a shard.
pub(crate) const SHARD_ID: &[Constraint] = &[MinLength(28), MaxLength(65)];
/// The token that makes a transaction idempotent.
pub(crate) const CLIENT_REQUEST_TOKEN: &[Constraint] = &[MinLength(1), MaxLength(36)];
/// The revision of a policy.
pub(crate) const REVISION_ID: &[Constraint] = &[MinLength(1), MaxLength(255)];
/// The resource of a policy operation.
pub(crate) const POLICY_RESOURCE: &[Constraint] = &[MinLength(1), MaxLength(1283)];
/// The ARN of a backup, an export or an import.
pub(crate) const BACKUP_ARN: &[Constraint] = &[MinLength(37), MaxLength(1024)];
/// The name of a backup.
pub(crate) const BACKUP_NAME: &[Constraint] = INDEX_NAME;
/// The name of a bucket.
pub(crate) const S3_BUCKET: &[Constraint] = &[MaxLength(255)];
