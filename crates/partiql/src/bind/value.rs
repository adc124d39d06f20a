//! Literals and parameters to values.
//!
//! A parameter is always a whole value; lists, sets and maps contain only literals. Errors give the path of
//! the offending part within the value: `root`, `root.x`, `root[1]`.

use sortkey_value::{AttributeValue, Map, Number, limits};

use super::Binder;
use crate::error::PartiqlError;
use crate::syntax::{Expr, Node};

impl Binder<'_> {
    /// The value of a literal or a parameter.
    pub(super) fn value(self, node: &Node) -> Result<AttributeValue, PartiqlError> {
        match &node.expr {
            Expr::Parameter(position) => {
                self.parameters.get(*position).cloned().ok_or(PartiqlError::ParameterCount)
            }
            _ => literal(node, "root", 0),
        }
    }
}

fn literal(node: &Node, under: &str, depth: usize) -> Result<AttributeValue, PartiqlError> {
    if depth == limits::NESTING_LEVELS {
        return Err(PartiqlError::Nesting(under.to_owned()));
    }
    match &node.expr {
        Expr::Text(text) => Ok(AttributeValue::S(text.clone())),
        Expr::Number(digits) => number(digits, under).map(AttributeValue::N),
        Expr::Bool(value) => Ok(AttributeValue::Bool(*value)),
        Expr::Null => Ok(AttributeValue::Null),
        Expr::Missing => Err(PartiqlError::MissingCompared),
        Expr::Ion(text) => Err(PartiqlError::IonLiteral { text: text.clone(), under: under.to_owned() }),
        Expr::List(members) => {
            let members = members.iter().enumerate();
            let members =
                members.map(|(index, member)| literal(member, &format!("{under}[{index}]"), depth + 1));
            members.collect::<Result<_, _>>().map(AttributeValue::L)
        }
        Expr::Struct(members) => {
            let mut map = Map::new();
            for (key, value) in members {
                let name = struct_key(key, under)?;
                let value = literal(value, &format!("{under}.{name}"), depth + 1)?;
                if map.insert(name.clone(), value).is_some() {
                    return Err(PartiqlError::DuplicateKey { key: name, under: under.to_owned() });
                }
            }
            Ok(AttributeValue::M(map))
        }
        Expr::Bag(members) => bag(members, under),
        other => Err(PartiqlError::UnsupportedDataType {
            kind: match other {
                Expr::Call(name, _) => name.clone(),
                other => other.name().to_owned(),
            },
            under: under.to_owned(),
            place: node.place,
        }),
    }
}

/// The name of a member of a map.
pub(super) fn struct_key(key: &Node, under: &str) -> Result<String, PartiqlError> {
    match &key.expr {
        Expr::Text(name) => Ok(name.clone()),
        other => Err(PartiqlError::KeyType { kind: other.name().to_owned(), under: under.to_owned() }),
    }
}

fn number(digits: &str, under: &str) -> Result<Number, PartiqlError> {
    Number::parse(digits).map_err(|error| PartiqlError::Number { error, under: under.to_owned() })
}

/// A set of strings or of numbers.
fn bag(members: &[Node], under: &str) -> Result<AttributeValue, PartiqlError> {
    if members.is_empty() {
        return Err(PartiqlError::EmptyBag);
    }
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    let mut written = Vec::new();
    for (index, member) in members.iter().enumerate() {
        match &member.expr {
            Expr::Text(text) => texts.push(text.clone()),
            Expr::Number(digits) => {
                numbers.push(number(digits, &format!("{under}[{index}]"))?);
                written.push(digits.clone());
            }
            _ => return Err(PartiqlError::BagType),
        }
    }
    match (texts.len(), numbers.len()) {
        (count, 0) => match AttributeValue::string_set(texts.clone()) {
            AttributeValue::Ss(set) if set.len() < count => Err(PartiqlError::DuplicateStrings(texts)),
            set => Ok(set),
        },
        (0, count) => match AttributeValue::number_set(numbers) {
            AttributeValue::Ns(set) if set.len() < count => {
                Err(PartiqlError::DuplicateNumbers { members: written, under: under.to_owned() })
            }
            set => Ok(set),
        },
        _ => Err(PartiqlError::BagType),
    }
}
