//! Mistakes in a transform, and what can go wrong when it is applied.

use thiserror::Error;

use super::{
    MAX_EACH_DEPTH, MAX_HEADER_BYTES, MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH, MAX_STEPS, MAX_TRANSFORM_BYTES,
};
use crate::config::Place;
use crate::pointer::PointerError;

/// A mistake in a transform.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct TransformError {
    /// Its place.
    pub place: Place,
    /// Its kind.
    pub problem: TransformProblem,
}

/// An error in a part of a transform.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransformProblem {
    /// The text is not JSON.
    #[error("a transform is JSON; line {line}, column {column} is not")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// Not a list.
    #[error("expected a list of steps")]
    List,
    /// Not an object.
    #[error("a step is an object with `op`")]
    Shape,
    /// No operation, or one that does not exist.
    #[error("expected one of set, copy, move, remove, rename, template, map, wrap, header")]
    Operation,
    /// A member that the operation does not have.
    #[error("unknown field `{0}`")]
    UnknownField(String),
    /// A member that the operation needs.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member of another type.
    #[error("expected {0}")]
    Type(&'static str),
    /// A path that is none.
    #[error(transparent)]
    Path(#[from] PointerError),
    /// The whole document has no name.
    #[error("the whole document has no name to change")]
    Root,
    /// A value cannot be moved into itself.
    #[error("a value cannot be moved into itself")]
    IntoItself,
    /// Neither or both ways to map.
    #[error("`map` has either `each` or `values`")]
    Map,
    /// A template that cannot be read.
    #[error(
        "expected a text of at most 8 KB with at most 64 places, each `{{/path}}` or `{{header:NAME}}`; braces are doubled"
    )]
    Template,
    /// The name of a header that is none.
    #[error("expected the name of a header")]
    HeaderName,
    /// A header that the connection or the signature sets.
    #[error("this header is set by the connection or the signature")]
    HeaderReserved,
    /// Neither or both of a value and its removal.
    #[error("`header` has either `template` or `remove: true`")]
    HeaderValue,
    /// A header is about the whole request.
    #[error("`header` is not allowed inside `each`")]
    HeaderInEach,
    /// Too many steps.
    #[error("a transform has at most {MAX_STEPS} steps")]
    TooManySteps,
    /// Lists of lists of lists.
    #[error("`each` is nested at most {MAX_EACH_DEPTH} deep")]
    TooDeep,
    /// Too large as a whole.
    #[error("a transform has at most {MAX_TRANSFORM_BYTES} bytes")]
    TooLarge,
}

/// An error in applying a transform.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct ApplyError {
    /// The step, as a place in the transform.
    pub place: Place,
    /// The error.
    pub problem: ApplyProblem,
}

/// An error in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ApplyProblem {
    /// The body is not JSON, and a step needs it.
    #[error("the body is not JSON")]
    NotJson,
    /// The body is too large to be read.
    #[error("the body is too large to be transformed")]
    InputTooLarge,
    /// The place cannot be written.
    #[error("nothing can be written there: a part of the path is neither an object nor an element of a list")]
    NoPlace,
    /// The body became too large.
    #[error("the body would have more than {MAX_OUTPUT_BYTES} bytes")]
    TooLarge,
    /// The body became too deep.
    #[error("the body would be nested more than {MAX_OUTPUT_DEPTH} deep")]
    TooDeep,
    /// The steps do too much.
    #[error("the transform takes too much work on this body")]
    TooMuchWork,
    /// The value of a header became too long.
    #[error("the header would have more than {MAX_HEADER_BYTES} bytes")]
    HeaderTooLong,
}
