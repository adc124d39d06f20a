//! DynamoDB's expressions: conditions, filters, key conditions, projections and updates, from text to tree, from
//! tree to answer, and from tree to text.
//!
//! A text is first read into a tree of the module [`syntax`], which depends on nothing but the text. Binding
//! replaces its placeholders and checks its operands; what comes out ([`Condition`], [`Projection`], [`Update`]) is
//! evaluated on compact items without building trees of values. The parameters from before expressions existed
//! are translated to the same trees.
//!
//! The crate is independent of tables, requests and JSON. Its errors are data whose texts are DynamoDB's.

mod cache;
pub mod condition;
mod constant;
mod error;
mod function;
pub mod key_condition;
pub mod legacy;
pub mod limits;
mod operator;
mod overlap;
mod path;
mod placeholders;
mod projection;
mod reserved;
pub mod syntax;
mod unbind;
pub mod update;

pub use cache::ExpressionCache;
pub use condition::{Condition, Operand};
pub use constant::Constant;
pub use error::{ExpressionError, ExpressionKind, OperandTypes, Problem};
pub use key_condition::{KeyCondition, KeyConditionError, KeyRange, SortRange};
pub use operator::Comparator;
pub use path::{Path, Step};
pub use placeholders::{
    PlaceholderError, PlaceholderKind, Placeholders, check_placeholders_have_expressions,
};
pub use projection::Projection;
pub use reserved::{is_plain_name, is_reserved};
pub use unbind::Unbinder;
pub use update::{Update, UpdateError};

use syntax::{SyntaxCondition, SyntaxProjection, SyntaxUpdate};

/// Reads a condition, a filter or a key condition. `kind` is where it was given; errors name it.
pub fn parse_condition(text: &str, kind: ExpressionKind) -> Result<SyntaxCondition, ExpressionError> {
    SyntaxCondition::read(text).map_err(|problem| kind.error(problem))
}

/// Reads a projection.
pub fn parse_projection(text: &str) -> Result<SyntaxProjection, ExpressionError> {
    SyntaxProjection::read(text).map_err(|problem| ExpressionKind::Projection.error(problem))
}

/// Reads an update.
pub fn parse_update(text: &str) -> Result<SyntaxUpdate, ExpressionError> {
    SyntaxUpdate::read(text).map_err(|problem| ExpressionKind::Update.error(problem))
}
