use super::*;
use crate::{Runtime, Settings, fixture};
use sortkey_design::program::Id;
use sortkey_design::{NoFiles, compile};

/// The condition with names and values put back in, or why there is none.
fn compiled(condition: &str) -> String {
    let text = format!(
        "table T {{ key (id) }}
         entity E in T {{
           id slug  a int  b? int  flag bool  status x | y | z  t time(s)  o {{ n int }}  l list(int, max 9)
           j json({{ n int }})
           check {condition}
         }}"
    );
    let design = compile("t.sk", &text, &NoFiles).design;
    let engine = sortkey_engine::Engine::memory(sortkey_engine::Settings::default());
    let prefix = Some("test-".to_owned());
    let settings = Settings { table_prefix: prefix, ..fixture::settings() };
    let runtime =
        Runtime::new(design, Arc::new(sortkey_embedded::Embedded::new(engine)), settings).expect("it runs");
    let mut scope = runtime.scope(None);
    scope.now_ms = 5_000;
    let mut into = Placeholders::default();
    let entity = EntityId::new(0);
    let compiler = Compiler::new(&scope, entity);
    match compiler
        .compile(&runtime.shared().program.entities[entity].checks[0].condition, &mut into)
        .expect("compiled")
    {
        None => "not expressible".to_owned(),
        Some(Condition::Always) => "always".to_owned(),
        Some(Condition::Never) => "never".to_owned(),
        Some(Condition::Text(mut text)) => {
            for (alias, name) in &into.names {
                text = text.replace(alias, name);
            }
            for (alias, value) in &into.values {
                let shown = match value {
                    AttributeValue::S(text) => text.clone(),
                    AttributeValue::N(number) => number.to_string(),
                    other => format!("{other:?}"),
                };
                text = text.replace(alias, &shown);
            }
            text
        }
    }
}

#[test]
fn conditions_become_expressions() {
    for (condition, expected) in [
        ("a = 1", "a = 1"),
        ("1 < a", "a > 1"),
        ("a != 1 and b exists", "(a <> 1) AND (attribute_exists(b))"),
        ("b absent or a >= b", "(attribute_not_exists(b)) OR (a >= b)"),
        ("flag", "flag = Bool(true)"),
        ("flag implies a > 2", "(NOT (flag = Bool(true))) OR (a > 2)"),
        ("status in [x, y]", "status IN (x, y)"),
        ("a in 1..3", "(a >= 1) AND (a <= 3)"),
        ("t > now", "t > 5"),
        ("o.n < a", "o.n < a"),
        ("size(l) < 3", "size(l) < 3"),
        ("l contains 3", "contains(l, 3)"),
        ("id starts with \"u\"", "begins_with(id, u)"),
        ("1 < 2", "always"),
        ("1 > 2", "never"),
        ("1 > 2 or a = 1", "a = 1"),
    ] {
        assert_eq!(compiled(condition), expected, "{condition}");
    }
}

#[test]
fn what_dynamodb_cannot_compare_is_left_to_us() {
    for condition in ["a + 1 < 3", "j.n = 1", "a * 2 = b"] {
        assert_eq!(compiled(condition), "not expressible", "{condition}");
    }
}
