//! F-20: a value opens in its own item only; one of the first version,
//! which is bound to no item, still opens.

use std::sync::Arc;

use sortkey_design::program::{EntityId, Id};
use sortkey_design::{NoFiles, compile};

use super::*;
use crate::{Runtime, fixture};

/// Seals in one item and opens in another.
fn moved(version: u8, from: &str, to: &str) -> Result<Val, FailureKind> {
    let text =
        "table T \"seals\" { key (id) }  entity E in T { id slug  code? string(1..9) @secret @encrypted }";
    let design = compile("t.sk", text, &NoFiles).design;
    let engine = sortkey_engine::Engine::memory(sortkey_engine::Settings::default());
    let backend = Arc::new(sortkey_embedded::Embedded::new(engine));
    let runtime = Runtime::new(design, backend, fixture::settings()).expect("it runs");
    let scope = runtime.scope(None);
    let program = &scope.shared.program;
    let info = &scope.shared.entities[EntityId::new(0)];
    let attributes = &info.of(program).attributes;
    let attribute = &attributes[attributes.find("code").expect("declared")];
    let item = |id: &str| -> Fields { [("id", Val::text(id))].into() };
    let place = |id: &str| Place::of(&scope, info, attribute, &item(id)).expect("a key");
    let seals = Seals::default();
    let sealed = seals.seal_as(version, &scope, &place(from), &Val::text("secret"), &item(from));
    let Ok(Val::Sealed(bytes)) = sealed else { panic!("{sealed:?}") };
    seals.open(&scope, &place(to), &bytes, &item(to)).map_err(|failure| failure.kind)
}

#[test]
fn a_value_opens_where_it_was_sealed() {
    let secret = Ok(Val::text("secret"));
    for (version, from, to, expected) in [
        (VERSION, "a", "a", secret.clone()),
        (VERSION, "a", "b", Err(FailureKind::Unreadable)),
        (UNBOUND, "a", "a", secret.clone()),
        (UNBOUND, "a", "b", secret),
    ] {
        assert_eq!(moved(version, from, to), expected, "{version} {from} {to}");
    }
}
