//! Items as they came back, of which the key shows that they belong to the answer (`ReadPlan::shown`).
//!
//! They are examined when they are decoded: whether they are what their key implies, and whether the design can read them.

use sortkey_design::model::ReadVerb;
use sortkey_value::Item;

use super::{Found, Paging, Read};
use crate::Failure;
use crate::evaluate::Scope;
use crate::session::Session;

/// The response to a pattern.
pub(crate) enum Came {
    /// It has been examined.
    Seen(Found),
    /// The item of a `get`.
    Item(Item),
    /// The items of a `list`, and the cursor behind them.
    Page(Vec<Item>, Option<String>),
}

impl Read {
    /// Runs a pattern whose key shows what comes back. Its parameters are in the scope, admitted.
    pub(crate) async fn run_unseen(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        paging: Paging<'_>,
    ) -> Result<Came, Failure> {
        if let Some(key) = self.direct_key(scope) {
            return self.unseen(session, key).await;
        }
        let branches = self.branches(scope)?;
        if let [known] = branches.as_slice() {
            if self.pattern.verb == ReadVerb::List {
                let (most, paging) = self.bounded(paging);
                let mut queries = self.begin_at(scope, &branches, paging)?;
                let items = self.merge(session, scope, &mut queries, most).await?;
                return Ok(Came::Page(items, self.cursor(scope, &queries, paging)?));
            }
            if let Some(key) = self.table_key(scope, known) {
                return self.unseen(session, key).await;
            }
        }
        self.run_branches(session, scope, branches, paging).await.map(Came::Seen)
    }

    /// The item under a key.
    fn unseen(&self, session: &Session<'_>, key: Item) -> impl Future<Output = Result<Came, Failure>> {
        let item = session.get(&self.table, key, self.plan.strong);
        async move { Ok(item.await?.map_or(Came::Seen(Found::Item(None)), Came::Item)) }
    }

    /// Examines a response. Items that do not belong to the answer after all are left out.
    pub(crate) fn look(&self, scope: &Scope<'_>, came: Came) -> Result<Found, Failure> {
        let (came, cursor) = match came {
            Came::Seen(found) => return Ok(found),
            Came::Item(item) => {
                let branches = self.branches(scope)?;
                return self.admitted(scope, &self.sieve(scope, &branches), item).map(Found::Item);
            }
            Came::Page(items, cursor) => (items, cursor),
        };
        let branches = self.branches(scope)?;
        let sieve = self.sieve(scope, &branches);
        let mut items = Vec::with_capacity(came.len());
        for item in came {
            items.extend(self.admitted(scope, &sieve, item)?);
        }
        Ok(Found::Items { items, cursor })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pollster::block_on;
    use serde_json::{Value as Json, json};
    use sortkey_api::operations::PutItemInput;
    use sortkey_design::{NoFiles, compile};
    use sortkey_embedded::Embedded;
    use sortkey_engine::Engine;
    use sortkey_value::{AttributeValue, Item};

    use crate::{Answer, Call, Failure, FailureKind, Reply, Runtime, Shown, fixture};

    const DESIGN: &str = r#"
        caller { shop slug }
        table Shops "shops" { key (PK | SK) }
        entity Profile in Shops { PK = "SHOP#{shop}"  SK = "PROFILE"  shop slug  tenant shop }
        entity Order in Shops { PK = "SHOP#{shop}"  SK = "ORDER#{id}"  shop slug  id slug  sum int = 0  tenant shop }
        pattern orders = list Order by shop page 10
        pattern order = get Order by shop, id
    "#;

    fn shop(items: &[&[(&str, &str)]]) -> Runtime {
        let engine = Engine::memory(sortkey_engine::Settings::default());
        let embedded = Embedded::new(engine.clone());
        let design = compile("shop.sk", DESIGN, &NoFiles).design;
        let runtime = Runtime::new(design, Arc::new(embedded.clone()), fixture::settings()).expect("it runs");
        let naming = sortkey_deploy::Naming::default();
        let pause = |_| -> crate::Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        block_on(sortkey_deploy::deploy(runtime.design(), &naming, &embedded, &pause, &mut |_| {}))
            .expect("deployed");
        for item in items {
            let item = item.iter().map(|(name, value)| {
                let value = value.parse::<i64>().map_or_else(|_| (*value).into(), AttributeValue::from);
                ((*name).to_owned(), value)
            });
            let item: sortkey_value::Map = item.collect();
            let input = PutItemInput {
                table_name: "shops".into(),
                item: Item::from(item).into(),
                ..PutItemInput::default()
            };
            block_on(engine.put_item(input)).expect("stored");
        }
        runtime
    }

    fn call(runtime: &Runtime, name: &str, arguments: Json) -> Result<Answer, Failure> {
        let caller = runtime.caller(json!({ "shop": "a" }).as_object().cloned().unwrap_or_default())?;
        let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
        let call = Call { name, caller: Some(&caller), arguments, ..Call::default() };
        let reply = block_on(runtime.reply(call)).0.expect("it came back");
        Reply::look(reply).map(Shown::into_answer)
    }

    #[test]
    fn items_come_back_as_they_are_and_are_checked_when_somebody_looks() {
        let whole = [("PK", "SHOP#a"), ("SK", "ORDER#x"), ("shop", "a"), ("id", "x"), ("sum", "3")];
        // Older than `sum`, whose default it reads as having.
        let older = [("PK", "SHOP#a"), ("SK", "ORDER#y"), ("shop", "a"), ("id", "y")];
        let expected =
            [json!({ "shop": "a", "id": "x", "sum": 3 }), json!({ "shop": "a", "id": "y", "sum": 0 })];
        let runtime = shop(&[&whole, &older]);
        assert!(runtime.shared().reads.iter().all(|read| read.plan.shown));
        assert_eq!(
            call(&runtime, "orders", json!({})).map(|answer| answer.items().to_vec()),
            Ok(expected.to_vec())
        );
        let one = call(&runtime, "order", json!({ "id": "y" }));
        assert_eq!(one, Ok(Answer::Value(expected[1].clone())));
        assert_eq!(call(&runtime, "order", json!({ "id": "z" })), Ok(Answer::Nothing));
    }

    #[test]
    fn what_is_not_what_its_key_says_is_an_error_and_never_shown() {
        for (name, other) in [
            // Another tenant's, under a key of the caller's.
            (
                "of another tenant",
                [("PK", "SHOP#a"), ("SK", "ORDER#x"), ("shop", "b"), ("id", "x"), ("sum", "3")],
            ),
            (
                "of another id",
                [("PK", "SHOP#a"), ("SK", "ORDER#x"), ("shop", "a"), ("id", "y"), ("sum", "3")],
            ),
            (
                "of another type",
                [("PK", "SHOP#a"), ("SK", "ORDER#x"), ("shop", "a"), ("id", "x"), ("sum", "many")],
            ),
        ] {
            let runtime = shop(&[&other]);
            for (pattern, arguments) in [("orders", json!({})), ("order", json!({ "id": "x" }))] {
                let failure = call(&runtime, pattern, arguments).expect_err(name);
                assert_eq!(failure.kind, FailureKind::Unreadable, "{name}: {}", failure.message);
            }
        }
        // A key that no order can have is not an order's.
        let runtime = shop(&[&[("PK", "SHOP#a"), ("SK", "ORDER#")]]);
        assert_eq!(call(&runtime, "orders", json!({})), Ok(Answer::Page { items: Vec::new(), cursor: None }));
    }
}
