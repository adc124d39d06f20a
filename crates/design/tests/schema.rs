//! The published JSON Schema of a compiled program: it is derived from the types, and every program obeys it.
//!
//! `SORTKEY_BLESS=1` rewrites the file.

use serde_json::{Value, json};
use sortkey_design::{FileLoader, compile, schema, wire};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_published_schema_is_current() {
    let file = repository().join("docs/program.schema.json");
    let now = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("SORTKEY_BLESS").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    assert!(std::fs::read_to_string(&file).unwrap_or_default() == now, "{} is stale", file.display());
}

#[test]
fn every_program_obeys_the_schema() {
    let schema = schema().to_value();
    let mut seen = 0;
    let systems = sortkey_testkit::SYSTEMS.iter().map(|system| sortkey_testkit::system_folder(system));
    for folder in systems.chain([repository().join("examples/designs")]) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "sk") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let program = compile(&path.to_string_lossy(), &text, &FileLoader).program;
            let json = serde_json::to_value(wire::write(&program)).unwrap();
            assert_eq!(faults(&schema, &schema, &json, "$"), Vec::<String>::new(), "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 10);
}

#[test]
fn what_is_no_program_is_refused() {
    let schema = schema().to_value();
    let program = compile("t.sk", "table T { key (a) }", &FileLoader).program;
    let program = serde_json::to_value(wire::write(&program)).unwrap();
    for (path, wrong) in
        [("/tables/0/key/partition", json!(5)), ("/tables/0/name", json!(null)), ("/entities", json!({}))]
    {
        let mut program = program.clone();
        *program.pointer_mut(path).unwrap() = wrong;
        assert_ne!(faults(&schema, &schema, &program, "$"), Vec::<String>::new(), "{path}");
    }
}

/// The faults of a value, by the part of JSON Schema that the published schema uses. An unsupported
/// keyword is a fault, so that the schema cannot outgrow this function unnoticed.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let Value::Object(schema) = schema else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let any = |options: &Value| {
        let options = options.as_array().into_iter().flatten();
        let possible = options.filter(|option| !is_other_variant(option, value));
        possible.filter(|option| faults(root, option, value, at).is_empty()).count()
    };
    for (keyword, wanted) in schema {
        let right = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "default" | "format" => true,
            "$ref" => {
                let pointer = wanted.as_str().and_then(|each| each.strip_prefix('#')).unwrap_or_default();
                let target = root.pointer(pointer).unwrap_or(&Value::Null);
                found.extend(faults(root, target, value, at));
                !target.is_null()
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|each| is_of(each, value)),
                one => is_of(one, value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
            "anyOf" => any(wanted) > 0,
            "oneOf" => any(wanted) == 1,
            "required" => {
                let names = wanted.as_array().into_iter().flatten().filter_map(Value::as_str);
                let missing: Vec<&str> = names.filter(|name| value.get(name).is_none()).collect();
                missing.is_empty()
            }
            "properties" => {
                for (name, inner) in wanted.as_object().into_iter().flatten() {
                    if let Some(part) = value.get(name) {
                        found.extend(faults(root, inner, part, &format!("{at}.{name}")));
                    }
                }
                true
            }
            "items" => {
                let skip = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                for (number, element) in value.as_array().into_iter().flatten().enumerate().skip(skip) {
                    found.extend(faults(root, wanted, element, &format!("{at}[{number}]")));
                }
                true
            }
            "prefixItems" => {
                let parts = wanted.as_array().into_iter().flatten();
                for (number, (inner, element)) in
                    parts.zip(value.as_array().into_iter().flatten()).enumerate()
                {
                    found.extend(faults(root, inner, element, &format!("{at}[{number}]")));
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|all| all.len() as u64 >= wanted.as_u64().unwrap_or(0)),
            "maxItems" => value.as_array().is_none_or(|all| all.len() as u64 <= wanted.as_u64().unwrap_or(0)),
            "minLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 >= wanted.as_u64().unwrap_or(0))
            }
            "maxLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 <= wanted.as_u64().unwrap_or(0))
            }
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap_or(0.0)),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap_or(0.0)),
            "additionalProperties" => {
                wanted != &Value::Bool(false) || {
                    let known = schema.get("properties").and_then(Value::as_object);
                    let names = value.as_object().into_iter().flat_map(|all| all.keys());
                    names.clone().all(|name| known.is_some_and(|known| known.contains_key(name)))
                }
            }
            _ => false,
        };
        if !right {
            found.push(format!("{at} breaks {keyword} {wanted}"));
        }
    }
    found
}

/// Whether a variant is ruled out by its tag alone, which spares a look at all its parts.
fn is_other_variant(option: &Value, value: &Value) -> bool {
    let properties = option.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(name, inner)| {
        inner.get("const").is_some_and(|tag| value.get(name).is_some_and(|given| given != tag))
    })
}

fn is_of(wanted: &Value, value: &Value) -> bool {
    match wanted.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => false,
    }
}
