//! The resources of a template, with logical ids that cannot be confused.

use crate::node::{Map, Node};
use crate::problem::Problem;

/// The letters and digits of a name, each word capitalised: `email-index` becomes `EmailIndex`.
pub(crate) fn logical_id(name: &str) -> String {
    let words = name.split(|each: char| !each.is_ascii_alphanumeric());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
        })
        .collect()
}

#[derive(Default)]
pub(super) struct Resources {
    map: Map,
    /// The id and a description of each resource.
    made: Vec<(String, String)>,
    problems: Vec<Problem>,
}

impl Resources {
    /// Adds a resource. Two ids that differ only by case are refused: they are distinct to CloudFormation and alike to
    /// everybody else.
    pub(super) fn insert(&mut self, id: &str, what: String, resource: Map) {
        if id.is_empty() {
            let problem = Problem::new(format!("{what} has no letter or digit for a logical id"));
            self.problems.push(problem.hint("rename it in the design"));
            return;
        }
        if let Some((known, other)) = self.made.iter().find(|(known, _)| known.eq_ignore_ascii_case(id)) {
            let ids = if known == id {
                format!("the logical id {id}")
            } else {
                format!("logical ids {known} and {id}, which differ only by case")
            };
            let problem = Problem::new(format!("{other} and {what} would have {ids}"));
            self.problems.push(problem.hint("rename one of them in the design; its deployed name can stay"));
            return;
        }
        self.made.push((id.to_owned(), what));
        self.map = std::mem::take(&mut self.map).with(id, resource);
    }

    pub(super) fn finish(self) -> (Map, Vec<Problem>) {
        (self.map, self.problems)
    }
}

/// A resource of a type, with its properties.
pub(super) fn resource(kind: &str, properties: Map) -> Map {
    Map::new().with("Type", kind).with("Properties", properties)
}

/// A table, which outlives its stack.
pub(super) fn retained(kind: &str, properties: Map) -> Map {
    Map::new()
        .with("Type", kind)
        .with("DeletionPolicy", "Retain")
        .with("UpdateReplacePolicy", "Retain")
        .with("Properties", properties)
}

/// Names and values as AWS lists them.
pub(super) fn pairs<'a>(
    key: &str,
    value: &str,
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Node> {
    pairs.map(|(first, second)| Map::new().with(key, first).with(value, second).into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logical_ids_are_letters_and_digits() {
        for (name, id) in [
            ("Main", "Main"),
            ("email-index", "EmailIndex"),
            ("users_accounts", "UsersAccounts"),
            ("isRead#createdAt", "IsReadCreatedAt"),
            ("2fa", "2fa"),
            ("--", ""),
        ] {
            assert_eq!(logical_id(name), id);
        }
    }
}
