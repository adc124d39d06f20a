//! Paths as written to document paths.

use sortkey_expression::{Path, Problem, Step, limits};

use crate::error::PartiqlError;
use crate::syntax::{Expr, Node, StepNode};

/// The path that is written here.
pub(super) fn path(node: &Node) -> Result<Path, PartiqlError> {
    let Expr::Path(attribute, steps) = &node.expr else {
        return Err(PartiqlError::UnexpectedPathComponent(node.place));
    };
    if attribute.is_empty() {
        return Err(PartiqlError::EmptyPathComponent);
    }
    let levels = steps.len() + 1;
    if levels > limits::PATH_ELEMENTS {
        return Err(Problem::PathTooDeep { levels }.into());
    }
    let steps = steps.iter().map(step).collect::<Result<_, _>>()?;
    Ok(Path::new(attribute.clone(), steps))
}

fn step(step: &StepNode) -> Result<Step, PartiqlError> {
    match step {
        StepNode::Member(name) if name.is_empty() => Err(PartiqlError::EmptyPathComponent),
        StepNode::Member(name) => Ok(Step::Member(name.clone())),
        StepNode::Unpivot => Err(PartiqlError::UnpivotPath),
        StepNode::Index(node) => match &node.expr {
            Expr::Star => Err(PartiqlError::WildcardPath),
            Expr::Number(digits) if !digits.contains(['.', 'E']) => index(digits, node).map(Step::Element),
            _ => Err(PartiqlError::UnexpectedPathComponent(node.place)),
        },
    }
}

fn index(digits: &str, node: &Node) -> Result<usize, PartiqlError> {
    let position: Option<i64> = digits.parse().ok();
    position
        .and_then(|position| usize::try_from(position).ok())
        .filter(|position| *position <= limits::LIST_INDEX)
        .ok_or_else(|| PartiqlError::IndexOutOfRange { index: digits.to_owned(), place: node.place })
}

/// The last name in a path and the indexes behind it.
pub(super) fn column_name(path: &Path) -> String {
    let last_name = path.steps().iter().rposition(|step| matches!(step, Step::Member(_)));
    let (mut name, indexes) = match last_name.map(|at| path.steps().split_at(at + 1)) {
        Some(([.., Step::Member(name)], indexes)) => (name.clone(), indexes),
        _ => (path.attribute_name().to_owned(), path.steps()),
    };
    for step in indexes {
        if let Step::Element(index) = step {
            name.push_str(&format!("[{index}]"));
        }
    }
    name
}

/// The names of a table and an index.
pub(super) fn source_names(node: &Node) -> Result<Vec<String>, PartiqlError> {
    let Expr::Path(table, steps) = &node.expr else {
        return Err(PartiqlError::UnexpectedSource);
    };
    let mut names = vec![table.clone()];
    for step in steps {
        match step {
            StepNode::Member(name) => names.push(name.clone()),
            StepNode::Index(_) | StepNode::Unpivot => return Err(PartiqlError::UnexpectedSource),
        }
    }
    Ok(names)
}
