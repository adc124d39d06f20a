//! Expressions as written: names and values are still placeholders. [`Display`](std::fmt::Display) writes them
//! back, with the fewest parentheses.

use std::fmt::{self, Formatter};

use crate::function::Function;
use crate::operator::Comparator;

/// A document path as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxPath {
    /// At least one; the first is not an index.
    pub(crate) elements: Vec<PathElement>,
}

/// A part of a document path as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PathElement {
    /// An attribute name.
    Name(String),
    /// A `#name`.
    Placeholder(String),
    /// A list index.
    Index(usize),
}

impl fmt::Display for SyntaxPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, element) in self.elements.iter().enumerate() {
            match element {
                PathElement::Index(index) => write!(f, "[{index}]")?,
                PathElement::Name(name) | PathElement::Placeholder(name) if position == 0 => {
                    f.write_str(name)?;
                }
                PathElement::Name(name) | PathElement::Placeholder(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

/// An operand of an operator or a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    Path(SyntaxPath),
    /// A `:value`.
    Value(String),
    Call(Call),
}

/// A function and its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) function: Function,
    pub(crate) operands: Vec<Operand>,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Path(path) => path.fmt(f),
            Operand::Value(placeholder) => f.write_str(placeholder),
            Operand::Call(call) => call.fmt(f),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.name())?;
        write_list(f, &self.operands)
    }
}

/// A condition as written; a [`crate::Condition`] after [`SyntaxCondition::bind`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxCondition {
    pub(crate) root: ConditionNode,
}

/// A node of a condition as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ConditionNode {
    Compare { operator: Comparator, left: Operand, right: Operand },
    Between { operand: Operand, lower: Operand, upper: Operand },
    In { operand: Operand, members: Vec<Operand> },
    Call(Call),
    Not(Box<ConditionNode>),
    And(Vec<ConditionNode>),
    Or(Vec<ConditionNode>),
}

impl fmt::Display for SyntaxCondition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

impl fmt::Display for ConditionNode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ConditionNode::Compare { operator, left, right } => write!(f, "{left} {operator} {right}"),
            ConditionNode::Between { operand, lower, upper } => {
                write!(f, "{operand} BETWEEN {lower} AND {upper}")
            }
            ConditionNode::In { operand, members } => {
                write!(f, "{operand} IN ")?;
                write_list(f, members)
            }
            ConditionNode::Call(call) => call.fmt(f),
            ConditionNode::Not(inner) => {
                f.write_str("NOT ")?;
                let loose = matches!(**inner, ConditionNode::And(_) | ConditionNode::Or(_));
                write_enclosed(f, inner, loose)
            }
            ConditionNode::And(terms) => write_terms(f, terms, " AND ", |term| {
                matches!(term, ConditionNode::And(_) | ConditionNode::Or(_))
            }),
            ConditionNode::Or(terms) => {
                write_terms(f, terms, " OR ", |term| matches!(term, ConditionNode::Or(_)))
            }
        }
    }
}

fn write_terms(
    f: &mut Formatter<'_>,
    terms: &[ConditionNode],
    operator: &str,
    is_loose: impl Fn(&ConditionNode) -> bool,
) -> fmt::Result {
    for (position, term) in terms.iter().enumerate() {
        if position > 0 {
            f.write_str(operator)?;
        }
        write_enclosed(f, term, is_loose(term))?;
    }
    Ok(())
}

fn write_enclosed(f: &mut Formatter<'_>, node: &ConditionNode, enclose: bool) -> fmt::Result {
    if enclose { write!(f, "({node})") } else { write!(f, "{node}") }
}

fn write_list(f: &mut Formatter<'_>, operands: &[Operand]) -> fmt::Result {
    f.write_str("(")?;
    for (position, operand) in operands.iter().enumerate() {
        if position > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{operand}")?;
    }
    f.write_str(")")
}

/// A projection as written; a [`crate::Projection`] after [`SyntaxProjection::bind`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxProjection {
    /// At least one.
    pub(crate) paths: Vec<SyntaxPath>,
}

impl fmt::Display for SyntaxProjection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, path) in self.paths.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            path.fmt(f)?;
        }
        Ok(())
    }
}

/// An update as written; a [`crate::Update`] after [`SyntaxUpdate::bind`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxUpdate {
    /// At least one; those of one section follow each other.
    pub(crate) actions: Vec<ActionNode>,
}

/// An action of an update as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ActionNode {
    pub(crate) path: SyntaxPath,
    pub(crate) change: ChangeNode,
}

/// The change of an action, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ChangeNode {
    Set(SetNode),
    Remove,
    /// With a `:value`.
    Add(String),
    /// With a `:value`.
    Delete(String),
}

/// The value that `SET` assigns, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SetNode {
    Operand(Operand),
    Plus(Operand, Operand),
    Minus(Operand, Operand),
}

impl ChangeNode {
    /// The section that contains the action.
    pub(crate) fn section(&self) -> &'static str {
        match self {
            ChangeNode::Set(_) => "SET",
            ChangeNode::Remove => "REMOVE",
            ChangeNode::Add(_) => "ADD",
            ChangeNode::Delete(_) => "DELETE",
        }
    }
}

impl fmt::Display for SyntaxUpdate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut section = "";
        for ActionNode { path, change } in &self.actions {
            match (section, change.section()) {
                (last, this) if last == this => f.write_str(", ")?,
                ("", this) => write!(f, "{this} ")?,
                (_, this) => write!(f, " {this} ")?,
            }
            section = change.section();
            path.fmt(f)?;
            match change {
                ChangeNode::Set(SetNode::Operand(operand)) => write!(f, " = {operand}")?,
                ChangeNode::Set(SetNode::Plus(left, right)) => write!(f, " = {left} + {right}")?,
                ChangeNode::Set(SetNode::Minus(left, right)) => write!(f, " = {left} - {right}")?,
                ChangeNode::Remove => {}
                ChangeNode::Add(value) | ChangeNode::Delete(value) => write!(f, " {value}")?,
            }
        }
        Ok(())
    }
}
