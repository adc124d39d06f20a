//! Statements as written.

use crate::error::Place;
use crate::statement::Returning;

/// A statement as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StatementNode {
    Select(SelectNode),
    Insert(InsertNode),
    Update(UpdateNode),
    Delete(DeleteNode),
    /// A bare expression; DynamoDB supports only `EXISTS(SELECT ...)`.
    Expression(Node),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelectNode {
    pub(crate) columns: Vec<Node>,
    pub(crate) source: Node,
    /// Whether a table or a column is given another name.
    pub(crate) aliased: bool,
    pub(crate) condition: Option<Node>,
    pub(crate) order: Vec<OrderNode>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OrderNode {
    pub(crate) term: Node,
    pub(crate) descending: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InsertNode {
    pub(crate) table: Vec<String>,
    /// Whether `VALUE` precedes the item.
    pub(crate) single: bool,
    pub(crate) item: Node,
    pub(crate) returning: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UpdateNode {
    pub(crate) table: Vec<String>,
    pub(crate) aliased: bool,
    pub(crate) changes: Vec<ChangeNode>,
    pub(crate) condition: Option<Node>,
    pub(crate) returning: Option<Returning>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ChangeNode {
    Set(Node, Node),
    Remove(Node),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeleteNode {
    pub(crate) table: Vec<String>,
    pub(crate) aliased: bool,
    pub(crate) condition: Option<Node>,
    pub(crate) returning: Option<Returning>,
}

/// An expression and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) expr: Expr,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Text(String),
    /// As written, with its sign.
    Number(String),
    Bool(bool),
    Null,
    Missing,
    Ion(String),
    /// Its position among the parameters.
    Parameter(usize),
    /// A name and the steps behind it.
    Path(String, Vec<StepNode>),
    List(Vec<Node>),
    Bag(Vec<Node>),
    Struct(Vec<(Node, Node)>),
    /// The name in lower case.
    Call(String, Vec<Node>),
    /// `*` as an operand or a column.
    Star,
    /// `SELECT` as an operand.
    Select(Box<SelectNode>),
    /// A sign before something that is not a number.
    Sign(&'static str, Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
    Between(Box<Node>, Box<Node>, Box<Node>),
    In(Box<Node>, Box<Node>),
    /// The name of the type in upper case.
    Is(Box<Node>, String),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
}

/// A step of a path as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepNode {
    Member(String),
    /// The expression in the brackets.
    Index(Node),
    /// `.*`
    Unpivot,
}

impl Expr {
    /// The name of the expression in DynamoDB's texts.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Expr::Text(_) | Expr::Number(_) | Expr::Bool(_) | Expr::Null | Expr::Ion(_) => "Lit",
            Expr::Missing => "Missing",
            Expr::Parameter(_) => "Parameter",
            Expr::Path(_, steps) if steps.is_empty() => "Id",
            Expr::Path(..) => "Path",
            Expr::List(_) => "List",
            Expr::Bag(_) => "Bag",
            Expr::Struct(_) => "Struct",
            Expr::Call(..) => "Call",
            Expr::Star => "Star",
            Expr::Select(_) => "Select",
            Expr::Sign("-", _) => "Neg",
            Expr::Sign(..) => "Pos",
            Expr::Binary(operator, ..) => match *operator {
                "=" => "Eq",
                "<>" => "Ne",
                "<" => "Lt",
                "<=" => "Lte",
                ">" => "Gt",
                ">=" => "Gte",
                "+" => "Plus",
                "-" => "Minus",
                "*" => "Times",
                "/" => "Divide",
                "%" => "Modulo",
                "LIKE" => "Like",
                _ => "Concat",
            },
            Expr::Between(..) => "Between",
            Expr::In(..) => "InCollection",
            Expr::Is(..) => "IsType",
            Expr::Not(_) => "Not",
            Expr::And(_) => "And",
            Expr::Or(_) => "Or",
        }
    }
}
