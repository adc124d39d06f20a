//! Values of TypeScript, laid out.

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An expression as it is written.
    Code(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// A text.
pub(super) fn text(text: &str) -> Value {
    Value::Code(serde_json::Value::from(text).to_string())
}

/// An expression.
pub(super) fn code(expression: impl Into<String>) -> Value {
    Value::Code(expression.into())
}

/// An object under construction.
#[derive(Default)]
pub(super) struct Object(Vec<(String, Value)>);

impl Object {
    pub(super) fn new() -> Object {
        Object::default()
    }

    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Object {
        self.0.push((key.to_owned(), value.into()));
        self
    }

    pub(super) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Object {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(super) fn with_list(self, key: &str, list: Vec<Value>) -> Object {
        if list.is_empty() { self } else { self.with(key, Value::List(list)) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Value {
        Value::Object(object.0)
    }
}

impl Value {
    /// The value, whose first line begins at a depth of indentation.
    pub(super) fn print(&self, depth: usize) -> String {
        let flat = self.flat();
        if flat.len() + depth * 2 <= 100 {
            return flat;
        }
        let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        match self {
            Value::Code(code) => code.clone(),
            Value::List(list) => {
                let lines: String =
                    list.iter().map(|each| format!("{inner}{},\n", each.print(depth + 1))).collect();
                format!("[\n{lines}{outer}]")
            }
            Value::Object(object) => {
                let lines: String = object
                    .iter()
                    .map(|(key, each)| format!("{inner}{}: {},\n", name(key), each.print(depth + 1)))
                    .collect();
                format!("{{\n{lines}{outer}}}")
            }
        }
    }

    fn flat(&self) -> String {
        match self {
            Value::Code(code) => code.clone(),
            Value::List(list) => format!("[{}]", list.iter().map(Value::flat).collect::<Vec<_>>().join(", ")),
            Value::Object(object) => {
                let all: Vec<String> =
                    object.iter().map(|(key, each)| format!("{}: {}", name(key), each.flat())).collect();
                format!("{{ {} }}", all.join(", "))
            }
        }
    }
}

/// A key is quoted where it is not a name.
fn name(key: &str) -> String {
    let is_name = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.chars().all(|each| each.is_ascii_alphanumeric() || each == '_');
    if is_name { key.to_owned() } else { serde_json::Value::from(key).to_string() }
}
