//! `ExpressionAttributeNames` and `ExpressionAttributeValues` of a request: the meaning of placeholders, and
//! which of them the request's expressions have used.

use std::collections::{BTreeMap, BTreeSet};

use sortkey_value::Item;
use thiserror::Error;

use crate::constant::Constant;
use crate::error::{ExpressionKind, Problem};
use crate::limits;
use crate::path::{Path, Step};
use crate::syntax::{PathElement, SyntaxPath};

/// The placeholders of one request. Bind all its expressions with them, then [`finish`](Placeholders::finish).
#[derive(Debug)]
pub struct Placeholders<'r> {
    names: Option<&'r BTreeMap<String, String>>,
    values: Option<&'r Item>,
    unused_names: BTreeSet<&'r str>,
    unused_values: BTreeSet<&'r str>,
}

impl<'r> Placeholders<'r> {
    /// The placeholders of a request, if they are well formed. The attribute names of `values` are the value
    /// placeholders.
    pub fn new(
        names: Option<&'r BTreeMap<String, String>>,
        values: Option<&'r Item>,
    ) -> Result<Placeholders<'r>, PlaceholderError> {
        let mut unused_names = BTreeSet::new();
        if let Some(names) = names {
            check_keys(PlaceholderKind::Names, names.keys().map(String::as_str))?;
            for (key, name) in names {
                if name.is_empty() {
                    return Err(PlaceholderError::EmptyName { key: key.clone() });
                }
                unused_names.insert(key.as_str());
            }
        }
        let mut unused_values = BTreeSet::new();
        if let Some(values) = values {
            check_keys(PlaceholderKind::Values, values.iter().map(|(key, _)| key))?;
            unused_values.extend(values.iter().map(|(key, _)| key));
        }
        Ok(Placeholders { names, values, unused_names, unused_values })
    }

    /// Refuses placeholders that no expression has used.
    pub fn finish(self) -> Result<(), PlaceholderError> {
        let unused = |kind, keys: BTreeSet<&str>| PlaceholderError::Unused {
            kind,
            keys: keys.into_iter().map(str::to_owned).collect(),
        };
        if !self.unused_names.is_empty() {
            return Err(unused(PlaceholderKind::Names, self.unused_names));
        }
        if !self.unused_values.is_empty() {
            return Err(unused(PlaceholderKind::Values, self.unused_values));
        }
        Ok(())
    }

    pub(crate) fn path(&mut self, path: &SyntaxPath) -> Result<Path, Problem> {
        let mut attribute = None;
        let mut steps = Vec::with_capacity(path.elements.len() - 1);
        for element in &path.elements {
            let name = match element {
                PathElement::Index(index) => {
                    steps.push(Step::Element(*index));
                    continue;
                }
                PathElement::Name(name) => name.clone(),
                PathElement::Placeholder(placeholder) => self.name(placeholder)?.to_owned(),
            };
            match attribute {
                None => attribute = Some(name),
                Some(_) => steps.push(Step::Member(name)),
            }
        }
        let levels = path.elements.len();
        if levels > limits::PATH_ELEMENTS {
            return Err(Problem::PathTooDeep { levels });
        }
        Ok(Path::new(attribute.unwrap_or_default(), steps))
    }

    pub(crate) fn name(&mut self, placeholder: &str) -> Result<&'r str, Problem> {
        let name = self.names.and_then(|names| names.get(placeholder));
        let Some(name) = name else {
            return Err(Problem::UndefinedName { placeholder: placeholder.to_owned() });
        };
        self.unused_names.remove(placeholder);
        Ok(name)
    }

    pub(crate) fn value(&mut self, placeholder: &str) -> Result<Constant, Problem> {
        let value = self.values.and_then(|values| Constant::from_item(values, placeholder));
        let Some(value) = value else {
            return Err(Problem::UndefinedValue { placeholder: placeholder.to_owned() });
        };
        self.unused_values.remove(placeholder);
        Ok(value)
    }
}

/// Refuses placeholders in a request without expressions that could use them. `expressions` are the kinds that
/// the operation takes, in the order of its texts, and whether each was given.
pub fn check_placeholders_have_expressions(
    expressions: &[(ExpressionKind, bool)],
    names_given: bool,
    values_given: bool,
) -> Result<(), PlaceholderError> {
    if names_given && expressions.iter().all(|(_, given)| !given) {
        return Err(PlaceholderError::NamesWithoutExpressions);
    }
    let mut takes_values =
        expressions.iter().filter(|(kind, _)| *kind != ExpressionKind::Projection).peekable();
    let may_take_values = takes_values.peek().is_some();
    if values_given && may_take_values && takes_values.clone().all(|(_, given)| !given) {
        return Err(PlaceholderError::ValuesWithoutExpressions {
            kinds: takes_values.map(|(kind, _)| *kind).collect(),
        });
    }
    Ok(())
}

/// One of the two parameters that define placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// `ExpressionAttributeNames`.
    Names,
    /// `ExpressionAttributeValues`.
    Values,
}

impl std::fmt::Display for PlaceholderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PlaceholderKind::Names => "ExpressionAttributeNames",
            PlaceholderKind::Values => "ExpressionAttributeValues",
        })
    }
}

/// Placeholders that DynamoDB refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlaceholderError {
    /// A parameter without entries.
    #[error("{0} must not be empty")]
    Empty(PlaceholderKind),
    /// A key that is not a placeholder.
    #[error("{kind} contains invalid key: Syntax error; key: \"{key}\"")]
    InvalidKey {
        /// The parameter.
        kind: PlaceholderKind,
        /// The key.
        key: String,
    },
    /// A key longer than [`limits::PLACEHOLDER_BYTES`].
    #[error(
        "{kind} contains invalid key: The expression attribute map contains a key that is too long; \
         size of key: {size_bytes}"
    )]
    KeyTooLong {
        /// The parameter.
        kind: PlaceholderKind,
        /// The length of the key.
        size_bytes: usize,
    },
    /// A placeholder whose attribute name is empty.
    #[error("ExpressionAttributeNames contains invalid value: Empty attribute name for key {key}")]
    EmptyName {
        /// The placeholder.
        key: String,
    },
    /// Placeholders that no expression uses.
    #[error("Value provided in {kind} unused in expressions: keys: {{{}}}", keys.join(", "))]
    Unused {
        /// The parameter.
        kind: PlaceholderKind,
        /// The placeholders.
        keys: Vec<String>,
    },
    /// Names in a request without expressions.
    #[error("ExpressionAttributeNames can only be specified when using expressions")]
    NamesWithoutExpressions,
    /// Values in a request without expressions that take values.
    #[error(
        "ExpressionAttributeValues can only be specified when using expressions: {} {} null",
        kinds.iter().map(|kind| kind.parameter()).collect::<Vec<_>>().join(" and "),
        if kinds.len() == 1 { "is" } else { "are" }
    )]
    ValuesWithoutExpressions {
        /// The expressions that the operation takes.
        kinds: Vec<ExpressionKind>,
    },
}

fn check_keys<'k>(
    kind: PlaceholderKind,
    keys: impl Iterator<Item = &'k str>,
) -> Result<(), PlaceholderError> {
    let sign = match kind {
        PlaceholderKind::Names => '#',
        PlaceholderKind::Values => ':',
    };
    let mut empty = true;
    for key in keys {
        empty = false;
        if key.len() > limits::PLACEHOLDER_BYTES {
            let size_bytes = key.len();
            return Err(PlaceholderError::KeyTooLong { kind, size_bytes });
        }
        let is_placeholder = key.strip_prefix(sign).is_some_and(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if !is_placeholder {
            let key = key.to_owned();
            return Err(PlaceholderError::InvalidKey { kind, key });
        }
    }
    if empty {
        return Err(PlaceholderError::Empty(kind));
    }
    Ok(())
}
