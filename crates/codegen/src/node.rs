//! A document of maps, lists and scalars that keeps its order, printed as JSON or as YAML.
//!
//! The maps of `serde_json` sort their keys, which puts `DeletionPolicy` before `Type`; a template is easier to read in
//! the order in which people write it.

use std::fmt::Write as _;

/// A value of a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Text(String),
    Number(u64),
    Bool(bool),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl From<&str> for Node {
    fn from(text: &str) -> Node {
        Node::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Node {
        Node::Text(text)
    }
}

impl From<u64> for Node {
    fn from(number: u64) -> Node {
        Node::Number(number)
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Node {
        Node::Bool(value)
    }
}

impl From<Vec<Node>> for Node {
    fn from(list: Vec<Node>) -> Node {
        Node::List(list)
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Node {
        Node::Map(map.0)
    }
}

/// A map under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map(Vec<(String, Node)>);

impl Map {
    pub(crate) fn new() -> Map {
        Map::default()
    }

    pub(crate) fn with(mut self, key: impl Into<String>, value: impl Into<Node>) -> Map {
        self.0.push((key.into(), value.into()));
        self
    }

    /// Leaves the key out where there is no value.
    pub(crate) fn with_some(self, key: &str, value: Option<impl Into<Node>>) -> Map {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Leaves the key out where the list is empty, which AWS refuses.
    pub(crate) fn with_list(self, key: &str, list: Vec<Node>) -> Map {
        if list.is_empty() { self } else { self.with(key, list) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// `{ "Ref": id }`
pub(crate) fn reference(id: &str) -> Node {
    Map::new().with("Ref", id).into()
}

/// `{ "Fn::Sub": text }`
pub(crate) fn substitute(text: String) -> Node {
    Map::new().with("Fn::Sub", text).into()
}

/// `{ "Fn::GetAtt": [id, attribute] }`
pub(crate) fn attribute(id: &str, attribute: &str) -> Node {
    Map::new().with("Fn::GetAtt", vec![Node::from(id), Node::from(attribute)]).into()
}

impl Node {
    /// The document as JSON, indented by two, with short lists and maps on one line.
    pub(crate) fn to_json(&self) -> String {
        let mut text = String::new();
        self.json(&mut text, 0);
        text.push('\n');
        text
    }

    /// The document as YAML.
    pub(crate) fn to_yaml(&self) -> String {
        let mut text = String::new();
        self.yaml(&mut text, 0);
        text
    }

    fn json(&self, text: &mut String, depth: usize) {
        match self {
            Node::List(list) if !list.is_empty() && !self.is_short() => {
                text.push_str("[\n");
                for (at, each) in list.iter().enumerate() {
                    indent(text, depth + 1);
                    each.json(text, depth + 1);
                    text.push_str(if at + 1 < list.len() { ",\n" } else { "\n" });
                }
                indent(text, depth);
                text.push(']');
            }
            Node::Map(map) if !map.is_empty() && !self.is_short() => {
                text.push_str("{\n");
                for (at, (key, each)) in map.iter().enumerate() {
                    indent(text, depth + 1);
                    let _ = write!(text, "{}: ", quoted(key));
                    each.json(text, depth + 1);
                    text.push_str(if at + 1 < map.len() { ",\n" } else { "\n" });
                }
                indent(text, depth);
                text.push('}');
            }
            _ => text.push_str(&self.flow()),
        }
    }

    /// The value on one line, which JSON and YAML write alike.
    pub(crate) fn flow(&self) -> String {
        match self {
            Node::Text(value) => quoted(value),
            Node::Number(value) => value.to_string(),
            Node::Bool(value) => value.to_string(),
            Node::List(list) => {
                let all: Vec<String> = list.iter().map(Node::flow).collect();
                format!("[{}]", all.join(", "))
            }
            Node::Map(map) if map.is_empty() => "{}".to_owned(),
            Node::Map(map) => {
                let all: Vec<String> =
                    map.iter().map(|(key, each)| format!("{}: {}", quoted(key), each.flow())).collect();
                format!("{{ {} }}", all.join(", "))
            }
        }
    }

    /// Whether the value is a scalar, or a few of them that fit on one line.
    fn is_short(&self) -> bool {
        let is_scalar = |node: &Node| !matches!(node, Node::List(_) | Node::Map(_));
        let flat = match self {
            Node::List(list) => list.iter().all(is_scalar),
            Node::Map(map) => map
                .iter()
                .all(|(_, each)| is_scalar(each) || matches!(each, Node::List(_)) && each.is_short()),
            _ => return true,
        };
        flat && self.flow().len() <= 100
    }

    fn yaml(&self, text: &mut String, depth: usize) {
        match self {
            Node::Map(map) => {
                for (at, (key, value)) in map.iter().enumerate() {
                    if at > 0 || !text.ends_with("- ") {
                        indent(text, depth);
                    }
                    let _ = write!(text, "{}:", plain(key));
                    value.yaml_value(text, depth);
                }
            }
            Node::List(list) => {
                for each in list {
                    indent(text, depth);
                    match each {
                        Node::Map(map) if !map.is_empty() && !each.is_short() => {
                            text.push_str("- ");
                            each.yaml(text, depth + 1);
                        }
                        _ => {
                            let _ = writeln!(text, "- {}", each.scalar());
                        }
                    }
                }
            }
            scalar => {
                let _ = writeln!(text, "{}", scalar.scalar());
            }
        }
    }

    fn yaml_value(&self, text: &mut String, depth: usize) {
        match self {
            Node::Map(map) if !map.is_empty() && !self.is_short() => {
                text.push('\n');
                self.yaml(text, depth + 1);
            }
            Node::List(list) if !list.is_empty() && !self.is_short() => {
                text.push('\n');
                self.yaml(text, depth + 1);
            }
            _ => {
                let _ = writeln!(text, " {}", self.scalar());
            }
        }
    }

    fn scalar(&self) -> String {
        match self {
            Node::Text(value) => plain(value),
            other => other.flow(),
        }
    }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// A JSON string, which is a YAML string as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A word that YAML cannot take for anything but text is written plainly, any other in quotes.
fn plain(text: &str) -> String {
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_word = text.chars().all(|each| each.is_ascii_alphanumeric() || "_-./".contains(each));
    let is_type = text.split("::").count() > 1
        && text
            .split("::")
            .all(|part| !part.is_empty() && part.chars().all(|each| each.is_ascii_alphanumeric()));
    let means_something = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        .contains(&text.to_ascii_lowercase().as_str());
    if starts_well && (is_word || is_type) && !means_something { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Node {
        let table = Map::new()
            .with("Type", "AWS::DynamoDB::Table")
            .with("Names", vec![Node::from("a"), Node::from("no")])
            .with("Tags", vec![Node::from(Map::new().with("Key", "a b").with("Value", "x".repeat(90)))])
            .with("Empty", Map::new());
        Map::new().with("Version", "2010-09-09").with("Table", table).with("Count", 3).into()
    }

    #[test]
    fn json_and_yaml_are_the_same_document() {
        let json: serde_json::Value = serde_json::from_str(&document().to_json()).expect("JSON");
        let yaml = sortkey_import::read(&document().to_yaml()).expect("YAML");
        assert_eq!(json, yaml);
        insta::assert_snapshot!(document().to_yaml());
    }
}
