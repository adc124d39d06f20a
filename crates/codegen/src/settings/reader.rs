//! Reads typed values out of TOML and collects everything that is wrong, each with its line.

use std::collections::BTreeMap;

use sortkey_design::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::Problem;

/// A table of the document, and how a message names it: `stages.prod`.
pub(super) struct Section<'a> {
    path: String,
    table: &'a DeTable<'a>,
    start: usize,
}

impl<'a> Section<'a> {
    pub(super) fn root(document: &'a Spanned<DeTable<'a>>) -> Section<'a> {
        Section { path: String::new(), table: document.get_ref(), start: 0 }
    }

    fn below(&self, key: &str, table: &'a DeTable<'a>, start: usize) -> Section<'a> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Section { path, table, start }
    }
}

pub(super) struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// The document of a text.
    pub(super) fn parse(file: &str, text: &'a str) -> Result<Spanned<DeTable<'a>>, Vec<Problem>> {
        DeTable::parse(text).map_err(|error| {
            let line = line(text, error.span().map_or(0, |span| span.start));
            vec![Problem::new(format!("{file}:{line}: {}", error.message()))]
        })
    }

    pub(super) fn new(file: &'a str, text: &'a str) -> Reader<'a> {
        Reader { file, text, problems: Vec::new() }
    }

    /// Reports keys that are not in the list.
    pub(super) fn only(&mut self, section: &Section<'_>, known: &[&str]) {
        for key in section.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let what = match section.path.as_str() {
                "" => format!("there is no key `{name}`"),
                path => format!("[{path}] has no key `{name}`"),
            };
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has: {}", known.join(", ")),
            };
            let problem = self.at(key.span().start, &what);
            self.problems.push(problem.hint(hint));
        }
    }

    /// A nested table.
    pub(super) fn section<'s>(&mut self, section: &Section<'s>, key: &str) -> Option<Section<'s>> {
        let value = section.table.get(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(section.below(key, table, value.span().start)),
            _ => self.expected(section, key, value, "a table"),
        }
    }

    /// All nested tables, by name.
    pub(super) fn sections<'s>(&mut self, section: &Section<'s>) -> Vec<(String, Section<'s>)> {
        let names: Vec<String> = section.table.keys().map(|key| key.get_ref().to_string()).collect();
        names.into_iter().filter_map(|name| Some((name.clone(), self.section(section, &name)?))).collect()
    }

    pub(super) fn text(&mut self, section: &Section<'_>, key: &str) -> Option<String> {
        let value = section.table.get(key)?;
        match value.get_ref() {
            DeValue::String(text) if !text.is_empty() => Some(text.to_string()),
            _ => self.expected(section, key, value, "a text that is not empty"),
        }
    }

    pub(super) fn flag(&mut self, section: &Section<'_>, key: &str) -> Option<bool> {
        let value = section.table.get(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => self.expected(section, key, value, "true or false"),
        }
    }

    /// A whole number of at least one.
    pub(super) fn units(&mut self, section: &Section<'_>, key: &str) -> Option<u64> {
        let value = section.table.get(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', "").parse().ok(),
            _ => None,
        };
        match number.filter(|number| *number > 0) {
            Some(number) => Some(number),
            None => self.expected(section, key, value, "a whole number of at least 1"),
        }
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        section: &Section<'_>,
        key: &str,
        all: &[(&str, T)],
    ) -> Option<T> {
        let value = section.table.get(key)?;
        let text = match value.get_ref() {
            DeValue::String(text) => text.as_ref(),
            _ => "",
        };
        match all.iter().find(|(name, _)| *name == text) {
            Some((_, choice)) => Some(*choice),
            None => {
                let names: Vec<String> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                self.expected(section, key, value, &names.join(" or "))
            }
        }
    }

    pub(super) fn list(&mut self, section: &Section<'_>, key: &str) -> Option<Vec<String>> {
        let value = section.table.get(key)?;
        let texts = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|each| text_of(each.get_ref())).collect(),
            _ => None,
        };
        match texts {
            Some(texts) => Some(texts),
            None => self.expected(section, key, value, "a list of texts"),
        }
    }

    /// A table of texts. Numbers are taken as they are written: `stack = 7`.
    pub(super) fn texts(&mut self, section: &Section<'_>, key: &str) -> BTreeMap<String, String> {
        let Some(section) = self.section(section, key) else { return BTreeMap::new() };
        let mut texts = BTreeMap::new();
        for (key, value) in section.table.iter() {
            let text = match value.get_ref() {
                DeValue::Integer(number) => Some(number.as_str().to_owned()),
                DeValue::Boolean(flag) => Some(flag.to_string()),
                other => text_of(other),
            };
            let name = key.get_ref().as_ref();
            let text = text.or_else(|| self.expected(&section, name, value, "a text"));
            texts.extend(text.map(|text| (name.to_owned(), text)));
        }
        texts
    }

    /// Reports what is wrong with a whole section.
    pub(super) fn wrong(&mut self, section: &Section<'_>, what: &str) {
        let problem = self.at(section.start, &format!("[{}] {what}", section.path));
        self.problems.push(problem);
    }

    fn expected<T>(
        &mut self,
        section: &Section<'_>,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        what: &str,
    ) -> Option<T> {
        let found = self.text.get(value.span()).unwrap_or_default().lines().next().unwrap_or_default();
        let sentence = format!("`{key}` of [{}] is {what}, not {found}", section.path);
        let problem = self.at(value.span().start, &sentence);
        self.problems.push(problem);
        None
    }

    fn at(&self, offset: usize, what: &str) -> Problem {
        Problem::new(format!("{}:{}: {what}", self.file, line(self.text, offset)))
    }
}

fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}

fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
