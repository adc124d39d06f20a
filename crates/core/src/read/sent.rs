//! The conditions of a pattern that DynamoDB checks itself: what they drop is read there, but does not travel.
//!
//! The plan names them ([`sortkey_plan::sent`]). They cost what they cost without being sent, and every item that comes is
//! asked again, so no answer depends on them.

use std::collections::BTreeMap;

use sortkey_api::operations::QueryInput;
use sortkey_value::Map;

use super::Read;
use super::filter::is_asked;
use crate::condition::{Compiler, Condition, Placeholders};
use crate::evaluate::Scope;
use crate::{Failure, FailureKind};

/// A filter expression, with placeholders of its own.
pub(super) struct SentFilter {
    text: String,
    names: BTreeMap<String, String>,
    values: Map,
}

impl SentFilter {
    /// Puts the filter into a query that has none.
    pub(super) fn add_to(&self, input: &mut QueryInput) {
        input.filter_expression = Some(self.text.clone());
        if !self.names.is_empty() {
            input.expression_attribute_names.get_or_insert_default().extend(self.names.clone());
        }
        if !self.values.is_empty() {
            let mut values = input
                .expression_attribute_values
                .take()
                .map(|given| given.unchecked().to_map())
                .unwrap_or_default();
            values.extend(self.values.clone());
            input.expression_attribute_values = Some(values.into());
        }
    }
}

impl Read {
    /// The conditions of a call that DynamoDB checks on the items of its queries; none if there are none.
    pub(super) fn sent_filter(&self, scope: &Scope<'_>) -> Result<Option<SentFilter>, Failure> {
        let compiler = Compiler::new(scope, self.first());
        let (mut whole, mut into) = (Condition::Always, Placeholders::default());
        let conjuncts = self.pattern.sieve.first().into_iter();
        let conjuncts = conjuncts.flat_map(|all| self.sent.iter().filter_map(|at| all.get(*at)));
        for conjunct in conjuncts.filter(|each| is_asked(scope, each)) {
            let mut more = into.clone();
            match compiler.compile(&conjunct.expr, &mut more) {
                Ok(Some(text @ Condition::Text(_))) => (whole, into) = (whole.and(text), more),
                // Of an item that a condition cannot be evaluated for, it does not hold; that is found out item by item.
                Err(failure) if failure.kind != FailureKind::Invalid => return Err(failure),
                _ => {}
            }
        }
        let Condition::Text(text) = whole else { return Ok(None) };
        // The key condition has placeholders of the same form.
        let own = |text: &str| text.replace("#n", "#f").replace(":v", ":f");
        let (names, values) = into.into_parts();
        let names = names.into_iter().flatten().map(|(alias, name)| (own(&alias), name)).collect();
        let values = values.map(|given| given.unchecked().to_map()).unwrap_or_default();
        let values = values.into_iter().map(|(alias, value)| (own(&alias), value)).collect();
        Ok(Some(SentFilter { text: own(&text), names, values }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sortkey_design::{NoFiles, compile};
    use sortkey_embedded::Embedded;
    use sortkey_engine::Engine;

    use crate::{Runtime, fixture};

    const NOTES: &str = "table Notes \"notes\" { key (userId | at)  index Kinds (kind | at) project keys  index Open (open | at) }
        caller { userId slug }
        entity Note in Notes {
          userId slug  at int  kind slug  open bool = true  size int  status text?  words string(..99)
          twice int := size * 2  tenant userId
        }";

    fn sent(pattern: &str) -> Option<String> {
        let text = format!("{NOTES}\npattern found = {pattern}").replace("status text?", "status? slug");
        let compiled = compile("sent.sk", &text, &NoFiles);
        assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
        let backend = Arc::new(Embedded::new(Engine::memory(sortkey_engine::Settings::default())));
        let runtime = Runtime::new(compiled.design, backend, fixture::settings()).expect("the design runs");
        let read = runtime.shared().read_of("found").expect("declared");
        let scope = runtime.scope(None);
        let filter = read.sent_filter(&scope).expect("compiled");
        filter.map(|filter| {
            let names: Vec<String> =
                filter.names.into_iter().map(|(alias, name)| format!("{alias}={name}")).collect();
            format!("{} {}", filter.text, names.join(" ")).trim().to_owned()
        })
    }

    #[test]
    fn dynamodb_is_sent_what_it_can_decide() {
        assert_eq!(sent("list Note by userId page 20"), None);
        assert_eq!(
            sent("list Note by userId filter size > 3 page 20").as_deref(),
            Some("#f0 > :f0 #f0=size")
        );
        let both = sent("list Note by userId filter kind = \"a\" and words = \"b\" page 20");
        assert!(both.is_some_and(|text| text.contains("kind = :f0") && text.contains("words = :f1")));
        // An item without it reads as having the default.
        assert!(
            sent("list Note by userId filter open = true page 20")
                .is_some_and(|text| text.contains("attribute_not_exists"))
        );
        assert!(
            sent("list Note by userId filter status absent page 20")
                .is_some_and(|text| text.contains("attribute_not_exists"))
        );
    }

    #[test]
    fn what_dynamodb_refuses_or_does_not_have_is_not_sent() {
        // The index has no `size`, so that items are fetched.
        assert_eq!(sent("list Note by kind filter size > 3 page 20"), None);
        // A part of the queried key.
        assert_eq!(sent("list Note by userId filter at % 2 = 0 page 20"), None);
    }
}
