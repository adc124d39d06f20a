//! The names that tables and indexes get where they are deployed.

use sortkey_design::{NoFiles, compile};

fn said(declarations: &str) -> Vec<String> {
    let found = compile("names.sk", declarations, &NoFiles).diagnostics;
    found.into_iter().map(|each| format!("{}: {}", each.rule, each.title)).collect()
}

// F-29: names that DynamoDB refuses passed `check` and failed when the design was deployed.
#[test]
fn names_that_dynamodb_refuses_are_errors() {
    let refused =
        |name: &str| format!("bad-parameter: table `T` would be called \"{name}\", which DynamoDB refuses");
    for name in ["t", "ab", "bad name!", "tür", "a/b", ""] {
        assert_eq!(said(&format!("table T \"{name}\" {{ key (id) }}")), [refused(name)], "{name}");
    }
    let long = "x".repeat(256);
    assert_eq!(said(&format!("table T \"{long}\" {{ key (id) }}")), [refused(&long)]);
    for name in ["tab", "a.b", "under_score-and-dash", &long[..255]] {
        assert_eq!(said(&format!("table T \"{name}\" {{ key (id) }}")), Vec::<String>::new(), "{name}");
    }
    // The name in the design gets a prefix, so that its length is known only when it is deployed.
    assert_eq!(said("table T { key (id) }"), Vec::<String>::new());
    assert_eq!(
        said("table T { key (id)  index by (a) project all }"),
        ["bad-parameter: index `by` would be called \"by\", which DynamoDB refuses"]
    );
}

// F-29: `{Stage}` that nobody declares failed when the design was deployed.
#[test]
fn parameters_in_names_are_declared() {
    let needs = "bad-parameter: the name of table `T` needs a parameter `Stage`, which is not declared";
    assert_eq!(said("table T \"{Stage}-orders\" { key (id) }"), [needs]);
    assert_eq!(said("parameter stage: dev | prod = dev\ntable T \"{Stage}-orders\" { key (id) }"), [needs]);
    assert_eq!(
        said("parameter Stage: dev | prod = dev\ntable T \"{Stage}\" { key (id) }"),
        Vec::<String>::new()
    );
    assert_eq!(
        said("parameter stage: dev | prod = dev\ntable T \"{stage}:t\" { key (id) }"),
        ["bad-parameter: table `T` would be called \"{stage}:t\", which DynamoDB refuses"]
    );
    assert_eq!(
        said("table T \"{stage\" { key (id) }"),
        ["bad-parameter: the name of table `T` has an open `{`"]
    );
}
