//! Requests that are refused although they keep the rules of the model, with the messages, beside a file that lists them.

use std::path::Path;

use serde_json::Value;
use sortkey_api::ApiError;

/// A message is cut off here: some repeat a value of a thousand characters.
const MESSAGE_CHARACTERS: usize = 150;

#[derive(Default)]
pub(crate) struct Refused(Vec<String>);

impl Refused {
    /// Notes what became of a request, unless it was accepted.
    pub(crate) fn note(&mut self, request: &str, answer: &Result<Value, ApiError>) {
        let Err(error) = answer else { return };
        let message: String = error.message.chars().take(MESSAGE_CHARACTERS).collect();
        self.0.push(format!("{request}\n    {}: {message}", error.kind.name()).trim_end().to_owned());
    }

    /// Compares what was noted with `refused/<name>.txt`.
    pub(crate) fn compare(self, name: &str) {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sweep/refused").join(format!("{name}.txt"));
        let found = self.0.join("\n") + "\n";
        if std::env::var_os("SORTKEY_BLESS").is_some() {
            std::fs::write(path, found).unwrap();
            return;
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        let new: Vec<&str> =
            found.lines().filter(|line| !known.lines().any(|other| other == *line)).collect();
        let gone: Vec<&str> =
            known.lines().filter(|line| !found.lines().any(|other| other == *line)).collect();
        assert!(found == known, "refused/{name}.txt is not what is refused; new: {new:#?}, gone: {gone:#?}");
    }
}
