//! YAML as JSON. CloudFormation's tags (`!Ref`, `!Sub`) leave their text behind, which is what a name needs.

use serde_json::{Map, Value};
use yaml_rust2::{Yaml, YamlLoader};

/// YAML may nest; templates do not nest deeply.
const MAX_DEPTH: usize = 64;

pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let documents = YamlLoader::load_from_str(text).map_err(|error| error.to_string())?;
    Ok(documents.first().map_or(Value::Null, |document| convert(document, 0)))
}

fn convert(yaml: &Yaml, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    match yaml {
        Yaml::String(text) => Value::String(text.clone()),
        Yaml::Integer(number) => Value::from(*number),
        Yaml::Real(text) => text.parse::<f64>().ok().map_or(Value::Null, Value::from),
        Yaml::Boolean(value) => Value::Bool(*value),
        Yaml::Array(elements) => Value::Array(elements.iter().map(|each| convert(each, depth + 1)).collect()),
        Yaml::Hash(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                if let Some(key) = key.as_str() {
                    map.insert(key.to_owned(), convert(value, depth + 1));
                }
            }
            Value::Object(map)
        }
        Yaml::Alias(_) | Yaml::Null | Yaml::BadValue => Value::Null,
    }
}
