//! The rules of the service model, read from `rules.txt`.

use std::collections::BTreeMap;

/// The operations and shapes of the model.
pub(crate) struct Model {
    /// The input of each operation and the errors that it declares.
    pub(crate) operations: BTreeMap<&'static str, (&'static str, Vec<&'static str>)>,
    shapes: BTreeMap<&'static str, Shape>,
}

/// The required shape of a value.
pub(crate) enum Shape {
    Structure(Vec<Member>),
    List { of: &'static str, min: Option<i64>, max: Option<i64> },
    Map { of: &'static str },
    Text { min: Option<i64>, max: Option<i64>, has_pattern: bool },
    Enum(Vec<&'static str>),
    Number { min: Option<i64>, max: Option<i64> },
    Boolean,
    Timestamp,
    Blob,
}

pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) shape: &'static str,
    pub(crate) is_required: bool,
}

impl Model {
    pub(crate) fn read() -> Model {
        let mut model = Model { operations: BTreeMap::new(), shapes: BTreeMap::new() };
        for line in include_str!("rules.txt").lines().filter(|line| !line.starts_with('#')) {
            let (kind, rest) = line.split_once(' ').unwrap();
            let mut words = rest.split(' ').filter(|word| !word.is_empty());
            let name = words.next().unwrap();
            if kind == "operation" {
                model.operations.insert(name, (words.next().unwrap(), words.collect()));
                continue;
            }
            let mut word = || words.next().unwrap();
            let shape = match kind {
                "structure" => Shape::Structure(words.map(member).collect()),
                "list" => Shape::List { of: word(), min: bound(word()), max: bound(word()) },
                "map" => Shape::Map { of: words.nth(1).unwrap() },
                "string" => Shape::Text {
                    min: bound(word()),
                    max: bound(word()),
                    has_pattern: words.next().is_some(),
                },
                "enum" => Shape::Enum(words.collect()),
                "number" => Shape::Number { min: bound(word()), max: bound(word()) },
                "boolean" => Shape::Boolean,
                "timestamp" => Shape::Timestamp,
                "blob" => Shape::Blob,
                _ => panic!("{line}"),
            };
            model.shapes.insert(name, shape);
        }
        model
    }

    pub(crate) fn shape(&self, name: &str) -> &Shape {
        &self.shapes[name]
    }
}

fn bound(word: &str) -> Option<i64> {
    (word != "-").then(|| word.parse().unwrap())
}

fn member(word: &'static str) -> Member {
    let (name, shape) = word.split_once(':').unwrap();
    Member { name, shape: shape.trim_end_matches('!'), is_required: shape.ends_with('!') }
}
