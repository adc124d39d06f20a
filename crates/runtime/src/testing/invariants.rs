//! What must hold of the tables after every test, whatever the test was about: no stored key attribute is stale.

use sortkey_api::operations::ScanInput;
use sortkey_design::model::Test;
use sortkey_diagnostics::Diagnostic;
use sortkey_value::{Item, ValueRef};

use super::failed;
use crate::Runtime;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::write::rendered;

/// Every template of every stored item says what the item's attributes say.
pub(super) async fn check(runtime: &Runtime, test: &Test) -> Result<(), Diagnostic> {
    let scope = runtime.scope(None);
    let session = Session::new(&runtime.shared);
    let mut tables: Vec<_> = runtime.shared.entities.iter().map(|info| &info.table).collect();
    tables.dedup();
    for table in tables {
        let mut input = ScanInput { table_name: table.clone(), ..ScanInput::default() };
        loop {
            let unreadable = |failure: crate::Failure| failed(test.span, failure.message);
            let output = session.scan(input.clone()).await.map_err(unreadable)?;
            for item in output.items.iter().flatten() {
                if let Some(what) = stale(&scope, table.name(), item) {
                    return Err(failed(test.span, what));
                }
            }
            match output.last_evaluated_key {
                Some(key) => input.exclusive_start_key = Some(key.into()),
                None => break,
            }
        }
    }
    Ok(())
}

/// What is stale about an item, if anything is.
fn stale(scope: &Scope<'_>, table: &str, item: &Item) -> Option<String> {
    let design = &scope.shared.design;
    let mut owners =
        scope.shared.entities.iter().filter(|info| info.table.name() == table && info.owns(design, item));
    // Where several entities could own it, the templates themselves decide, and say nothing here.
    let (Some(info), None) = (owners.next(), owners.next()) else { return None };
    let fields = info.decode(design, item);
    info.of(design).templates.iter().find_map(|template| {
        let name = &template.name.text;
        let expected = rendered(scope, info, template, &fields).ok()?;
        let there = match item.get(name) {
            Some(ValueRef::S(text)) => Some(text),
            _ => None,
        };
        (expected.as_deref() != there).then(|| {
            format!("{}.{name} is {there:?} after this test, and its template says {expected:?}", info.name)
        })
    })
}
