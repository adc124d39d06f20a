//! Text to trees whose names and values are still placeholders, so that a tree depends on its text alone and can
//! be kept for the next request.

mod condition;
mod parser;
mod projection;
mod token;
mod tree;
mod update;

pub(crate) use tree::{ActionNode, Call, ChangeNode, ConditionNode, Operand, PathElement, SetNode};
pub use tree::{SyntaxCondition, SyntaxPath, SyntaxProjection, SyntaxUpdate};
