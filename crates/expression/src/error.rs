//! Problems of expressions, as data; the texts are DynamoDB's.
//!
//! A [`Problem`] describes the mistake, an [`ExpressionError`] adds the request parameter that contains it.
//! Every one of them reaches the client as a `ValidationException`.

use std::fmt;

use sortkey_value::AttributeType;
use thiserror::Error;

use crate::path::Path;

/// The request parameter that an expression was given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// `ConditionExpression`.
    Condition,
    /// `FilterExpression`.
    Filter,
    /// `KeyConditionExpression`.
    KeyCondition,
    /// `ProjectionExpression`.
    Projection,
    /// `UpdateExpression`.
    Update,
}

impl ExpressionKind {
    /// The parameter's name.
    pub fn parameter(self) -> &'static str {
        match self {
            ExpressionKind::Condition => "ConditionExpression",
            ExpressionKind::Filter => "FilterExpression",
            ExpressionKind::KeyCondition => "KeyConditionExpression",
            ExpressionKind::Projection => "ProjectionExpression",
            ExpressionKind::Update => "UpdateExpression",
        }
    }

    pub(crate) fn error(self, problem: Problem) -> ExpressionError {
        ExpressionError { kind: self, problem }
    }
}

impl fmt::Display for ExpressionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parameter())
    }
}

/// An expression that DynamoDB refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Invalid {kind}: {problem}")]
pub struct ExpressionError {
    /// The request parameter that contains the expression.
    pub kind: ExpressionKind,
    /// Its problem.
    pub problem: Problem,
}

/// A problem with an expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is empty.
    #[error("The expression can not be empty;")]
    Empty,
    /// The text is longer than [`crate::limits::EXPRESSION_BYTES`].
    #[error("Expression size has exceeded the maximum allowed size; expression size: {size_bytes}")]
    TooLong {
        /// The length of the text.
        size_bytes: usize,
    },
    /// The text does not follow the grammar.
    #[error("Syntax error; token: \"{token}\", near: \"{near}\"")]
    Syntax {
        /// The token that no rule allows here; `<EOF>` behind the last one.
        token: String,
        /// The text from the token before to the token behind.
        near: String,
    },
    /// Two pairs of parentheses enclose the same.
    #[error("The expression has redundant parentheses;")]
    RedundantParentheses,
    /// More than [`crate::limits::OPERATORS`].
    #[error("The expression contains too many operators; operator count: {count}")]
    TooManyOperators {
        /// How many were counted before giving up.
        count: usize,
    },
    /// There is no such function.
    #[error("Invalid function name; function: {function}")]
    UnknownFunction {
        /// The name as written.
        function: String,
    },
    /// A function is used in a position where its result is not allowed.
    #[error("The function is not allowed to be used this way in an expression; function: {function}")]
    MisplacedFunction {
        /// The function.
        function: &'static str,
    },
    /// A function of update expressions is used in a condition.
    #[error("The function is not allowed in a condition expression; function: {function}")]
    NotInConditions {
        /// The function.
        function: &'static str,
    },
    /// A function of conditions is used in an update expression.
    #[error("The function is not allowed in an update expression; function: {function}")]
    NotInUpdates {
        /// The function.
        function: &'static str,
    },
    /// An attribute name is a reserved word.
    #[error("Attribute name is a reserved keyword; reserved keyword: {name}")]
    ReservedWord {
        /// The name as written.
        name: String,
    },
    /// A list index is above [`crate::limits::LIST_INDEX`].
    #[error("List index is not within the allowable range; index: [{index}]")]
    IndexOutOfRange {
        /// The index as written.
        index: String,
    },
    /// A document path is deeper than a document can be.
    #[error("The document path has too many nesting levels; nesting levels: {levels}")]
    PathTooDeep {
        /// How many elements the path has.
        levels: usize,
    },
    /// A `#name` without a definition.
    #[error(
        "An expression attribute name used in the document path is not defined; attribute name: {placeholder}"
    )]
    UndefinedName {
        /// The placeholder.
        placeholder: String,
    },
    /// A `:value` without a definition.
    #[error(
        "An expression attribute value used in expression is not defined; attribute value: {placeholder}"
    )]
    UndefinedValue {
        /// The placeholder.
        placeholder: String,
    },
    /// A function was given too few or too many operands.
    #[error(
        "Incorrect number of operands for operator or function; operator or function: {function}, \
         number of operands: {count}"
    )]
    OperandCount {
        /// The function.
        function: &'static str,
        /// How many operands it was given.
        count: usize,
    },
    /// `IN` with more than [`crate::limits::IN_OPERANDS`] operands.
    #[error("The IN operator is provided with too many operands; number of operands: {count}")]
    TooManyInOperands {
        /// The number of operands in the parentheses.
        count: usize,
    },
    /// An operator or a function cannot work on an operand of this type.
    #[error(
        "Incorrect operand type for operator or function; operator or function: {operator}, \
         operand type: {operand_type}"
    )]
    OperandType {
        /// The operator or function.
        operator: &'static str,
        /// The type of the operand; all types, where it is a document path.
        operand_type: OperandTypes,
    },
    /// `ADD` or `DELETE` was given a value of a type that cannot be added or deleted.
    #[error(
        "Incorrect operand type for operator or function; operator: {action}, operand type: {}, \
         typeSet: ALLOWED_FOR_{action}_OPERAND",
        long_name(*operand_type)
    )]
    ActionOperandType {
        /// `ADD` or `DELETE`.
        action: &'static str,
        /// The type of the value.
        operand_type: AttributeType,
    },
    /// A function asks about an attribute, but was given a value.
    #[error("Operator or function requires a document path; operator or function: {function}")]
    PathRequired {
        /// The function.
        function: &'static str,
    },
    /// An attribute is compared with itself.
    #[error(
        "The first operand must be distinct from the remaining operands for this operator or function; \
         operator: {operator}, first operand: {operand}"
    )]
    SameOperand {
        /// The operator or function.
        operator: &'static str,
        /// The attribute.
        operand: Path,
    },
    /// `attribute_type` asks for a type that does not exist.
    #[error("Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}")]
    UnknownType {
        /// The name as given.
        name: String,
    },
    /// The bounds of `BETWEEN` have different types.
    #[error(
        "The BETWEEN operator requires same data type for lower and upper bounds; \
         lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
    )]
    BetweenTypes {
        /// The lower bound as DynamoDB prints it.
        lower: String,
        /// The upper bound as DynamoDB prints it.
        upper: String,
    },
    /// The lower bound of `BETWEEN` is above the upper.
    #[error(
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
         lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
    )]
    BetweenOrder {
        /// The lower bound as DynamoDB prints it.
        lower: String,
        /// The upper bound as DynamoDB prints it.
        upper: String,
    },
    /// A path lies inside another one, or is the same.
    #[error(
        "Two document paths overlap with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )]
    OverlappingPaths {
        /// The path written first.
        one: Path,
        /// The path written second.
        two: Path,
    },
    /// One path takes an attribute for a list, another for a map.
    #[error(
        "Two document paths conflict with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )]
    ConflictingPaths {
        /// The path written first.
        one: Path,
        /// The path written second.
        two: Path,
    },
    /// A section of an update expression appears twice.
    #[error("The \"{section}\" section can only be used once in an update expression;")]
    RepeatedSection {
        /// `SET`, `REMOVE`, `ADD` or `DELETE`.
        section: &'static str,
    },
}

/// The type of an operand as far as it is known before there is an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandTypes {
    /// The type of a value.
    One(AttributeType),
    /// A document path can hold any type.
    Any,
}

impl fmt::Display for OperandTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandTypes::One(kind) => kind.fmt(f),
            OperandTypes::Any => f.write_str("{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"),
        }
    }
}

/// The names that the texts about `ADD` and `DELETE` use.
fn long_name(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::S => "STRING",
        AttributeType::N => "NUMBER",
        AttributeType::B => "BINARY",
        AttributeType::Bool => "BOOLEAN",
        AttributeType::Null => "NULL",
        AttributeType::L => "LIST",
        AttributeType::M => "MAP",
        AttributeType::Ss => "STRING_SET",
        AttributeType::Ns => "NUMBER_SET",
        AttributeType::Bs => "BINARY_SET",
    }
}
