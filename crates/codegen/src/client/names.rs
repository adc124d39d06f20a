//! Names of the design in the spellings of other languages, and names that must differ.

use std::collections::BTreeSet;

use super::Surface;

/// The words of a name: `auth-service`, `userId` and `HTTPCode` have two each.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            begins = true;
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let rises = letter.is_uppercase() && before.is_some_and(|it| it.is_lowercase() || it.is_numeric());
        let ends_capitals = letter.is_uppercase()
            && before.is_some_and(char::is_uppercase)
            && letters.get(at + 1).is_some_and(|it| it.is_lowercase());
        if begins || rises || ends_capitals {
            words.push(String::new());
        }
        begins = false;
        if let Some(word) = words.last_mut() {
            word.push(*letter);
        }
    }
    words
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `UserId`
pub fn pascal(name: &str) -> String {
    let text: String = words(name).iter().map(|word| capitalised(word)).collect();
    with_letter_first(text, "X")
}

/// `userId`
pub fn camel(name: &str) -> String {
    let text = pascal(name);
    let upper = text.chars().take_while(|letter| letter.is_uppercase()).count();
    // `APIKey` begins with a word of three letters, `UserId` with one of which one is large.
    let low = if upper > 1 && upper < text.chars().count() { upper - 1 } else { upper };
    text.chars().enumerate().map(|(at, it)| if at < low { it.to_ascii_lowercase() } else { it }).collect()
}

/// `user_id`
pub fn snake(name: &str) -> String {
    let text = words(name).join("_").to_lowercase();
    with_letter_first(text, "x")
}

fn with_letter_first(text: String, letter: &str) -> String {
    match text.starts_with(|first: char| first.is_numeric()) || text.is_empty() {
        true => format!("{letter}{text}"),
        false => text,
    }
}

/// Names that were given, so that no two things get the same.
#[derive(Debug, Default)]
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// The first of some names that nothing has yet, or the last one with a number.
    pub(super) fn first_free<const COUNT: usize>(&mut self, names: [String; COUNT]) -> String {
        let free = names.iter().find(|name| !self.0.contains(*name)).cloned();
        let name = free.unwrap_or_else(|| {
            let last = names.last().cloned().unwrap_or_default();
            let numbered = (2..).map(|number| format!("{last}{number}"));
            numbered.into_iter().find(|name| !self.0.contains(name)).unwrap_or(last)
        });
        self.0.insert(name.clone());
        name
    }

    /// Reserves a name that is already used.
    pub(super) fn reserve(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }
}

/// The name of the client: that of the design, unless something in the design has that name.
pub(super) fn client_name(surface: &Surface) -> String {
    let name = pascal(&surface.name);
    let is_taken = surface.modules.iter().any(|module| pascal(&module.name) == name)
        || surface.records.iter().any(|record| record.name == name)
        || surface.enums.iter().any(|each| each.name == name)
        || surface.ids.iter().any(|id| id.name == name);
    if is_taken { format!("{name}Client") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_spellings() {
        for (name, in_pascal, in_camel, in_snake) in [
            ("userId", "UserId", "userId", "user_id"),
            ("auth-service", "AuthService", "authService", "auth_service"),
            ("APIKey", "APIKey", "apiKey", "api_key"),
            ("2fa", "X2fa", "x2fa", "x2fa"),
            ("URL", "URL", "url", "url"),
        ] {
            assert_eq!(
                (pascal(name), camel(name), snake(name)),
                (in_pascal.into(), in_camel.into(), in_snake.into())
            );
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut taken = Taken::default();
        let names = || ["A".to_owned(), "B".to_owned()];
        let given: Vec<String> = (0..4).map(|_| taken.first_free(names())).collect();
        assert_eq!(given, ["A", "B", "B2", "B3"]);
    }
}
