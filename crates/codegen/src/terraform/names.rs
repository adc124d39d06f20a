//! Names of Terraform's resources: lower case, words joined by underscores, no two alike.

use crate::model::Table;
use crate::problem::Problem;

#[derive(Default)]
pub(super) struct Names {
    taken: Vec<(String, String)>,
    pub(super) problems: Vec<Problem>,
}

impl Names {
    /// The name of a table's resource.
    pub(super) fn table(&mut self, table: &Table) -> String {
        let id = identifier(&table.design_name);
        self.take("aws_dynamodb_table", &id, format!("table `{}`", table.design_name));
        id
    }

    /// Takes a name of a type, and reports it if it is taken.
    pub(super) fn take(&mut self, kind: &str, id: &str, what: String) {
        let address = format!("{kind}.{id}");
        if let Some((_, other)) = self.taken.iter().find(|(taken, _)| *taken == address) {
            let problem = Problem::new(format!("{other} and {what} would both be {address}"));
            self.problems.push(problem.hint("rename one of them in the design; its deployed name can stay"));
            return;
        }
        self.taken.push((address, what));
    }

    /// Index blocks within a table support one partition and one sort attribute only.
    pub(super) fn one_attribute_per_part(&mut self, table: &Table) {
        for index in
            table.global.iter().filter(|index| index.key.partition.len() > 1 || index.key.sort.len() > 1)
        {
            let what = format!(
                "index `{}` of table `{}` has a key of several attributes, which --inline cannot express",
                index.name, table.design_name
            );
            self.problems
                .push(Problem::new(what).hint("generate without --inline, for provider 6.44 or newer"));
        }
    }
}

/// `UsersAccounts` and `users-accounts` become `users_accounts`.
pub(super) fn identifier(name: &str) -> String {
    let mut id = String::new();
    let mut before = '_';
    for letter in name.chars() {
        let starts_word = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        match letter.is_ascii_alphanumeric() {
            true if starts_word => id.extend(['_', letter.to_ascii_lowercase()]),
            true => id.push(letter.to_ascii_lowercase()),
            false if id.ends_with('_') || id.is_empty() => {}
            false => id.push('_'),
        }
        before = letter;
    }
    let id = id.trim_end_matches('_');
    match id.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => id.to_owned(),
        // A name of Terraform begins with a letter.
        false => format!("t_{id}"),
    }
}

/// The name of an index's resource.
pub(super) fn index(table: &str, index: &str) -> String {
    format!("{table}_{}", identifier(index))
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn identifiers_are_lower_case_words() {
        for (name, expected) in [
            ("Main", "main"),
            ("UsersAccounts", "users_accounts"),
            ("email-index", "email_index"),
            ("OAuthStates", "oauth_states"),
            ("GSI1", "gsi1"),
            ("2fa", "t_2fa"),
        ] {
            assert_eq!(identifier(name), expected);
        }
    }
}
