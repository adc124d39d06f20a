//! `count`: by DynamoDB itself where the keys alone decide which items count, otherwise by reading and checking them.
//!
//! Both cost the same units; what DynamoDB counts does not travel and is not decoded. No check is left out: it is counted
//! by keys only where every check follows from them.

use sortkey_api::operations::QueryInput;
use sortkey_api::shapes::returns::Select;
use sortkey_design::program::{AttributeId, Source};
use sortkey_plan::{KeyIs, Way};

use super::Read;
use super::asked::Asked;
use crate::Failure;
use crate::catalog::is_reserved_text;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Known;

impl Read {
    /// How many items the pattern finds.
    pub(super) async fn count(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Known<'_>>,
    ) -> Result<i64, Failure> {
        if !self.is_decided_by_keys(scope, &branches)? {
            return Ok(self.all(session, scope, branches).await?.len() as i64);
        }
        let mut count = 0;
        for known in &branches {
            // A part of the partition key is not known: there can be no such item.
            let Some(asked) = self.asked(scope, known)? else { continue };
            let mut input = QueryInput { select: Some(Select::Count), ..self.query(&asked) };
            loop {
                let output = session.query(input.clone()).await?;
                count += i64::from(output.count);
                match output.last_evaluated_key {
                    Some(key) => input.exclusive_start_key = Some(key.into()),
                    None => break,
                }
            }
        }
        Ok(count)
    }

    /// Whether every item under the keys counts: all are of the one entity, live, the caller's, and nothing else is asked.
    pub(super) fn is_decided_by_keys(
        &self,
        scope: &Scope<'_>,
        branches: &[Known<'_>],
    ) -> Result<bool, Failure> {
        let info = self.entity(scope);
        let entity = info.of(&scope.shared.program);
        let asks_more =
            !self.pattern.conditions.is_empty() || !self.pattern.filters.is_empty() || self.plan.fetches;
        let is_alone = self.pattern.entities.len() == 1 && !info.shares_table && info.kind.is_none();
        let may_be_gone = (entity.ttl.is_some() && !self.pattern.with_expired)
            || (entity.deleted.is_some() && !self.pattern.with_deleted);
        let is_ours = match (&scope.caller, entity.tenant) {
            (Some(_), Some(tenant)) => self.is_partition(tenant.attribute),
            _ => true,
        };
        Ok(!asks_more && is_alone && !may_be_gone && is_ours && self.has_no_reserved(scope, branches)?)
    }

    /// Whether an attribute is itself a partition key of the path. Foreign values of it were refused before.
    fn is_partition(&self, id: AttributeId) -> bool {
        self.plan.key.partition.iter().any(|part| part.is == KeyIs::Equal(Source::Attribute(id)))
    }

    /// Whether no guard and no receipt can be under the keys.
    fn has_no_reserved(&self, scope: &Scope<'_>, branches: &[Known<'_>]) -> Result<bool, Failure> {
        let table = &scope.shared.program.tables[self.plan.path.table];
        match self.plan.path.way {
            Way::Key => {
                for known in branches {
                    // A query of a whole key is a lookup, and stays one.
                    let asked = self.asked(scope, known)?.filter(|_| self.table_key(scope, known).is_none());
                    let partition = asked.as_ref().and_then(Asked::partition);
                    if partition.is_none_or(|text| is_reserved_text(text.as_bytes())) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            // They have no attribute but the table's key, the expiry, and what no index is by.
            Way::Index(at) => Ok(table.indexes[at]
                .key
                .names()
                .any(|name| !table.key.contains(name) && table.ttl.as_ref() != Some(name))),
            Way::Guard(_) | Way::Scan(_) => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use sortkey_design::program::Bound;
    use sortkey_design::{FileLoader, compile};
    use sortkey_embedded::Embedded;
    use sortkey_engine::Engine;

    use crate::values::{Fields, Known, Val};
    use crate::{Runtime, fixture};

    #[test]
    fn keys_decide_only_where_nothing_else_could() {
        let notes = "table Notes \"notes\" { key (userId | at)  index Kinds (kind | at) project keys }
            caller { userId slug }
            entity Note in Notes { userId slug  at int  kind slug  open bool = true  tenant userId }";
        let gone = notes.replace("tenant userId", "tenant userId  deleted when open = false");
        let ttl = notes.replace("| at)  index", "| at)  ttl at  index").replace("at int", "at time(s)");
        let shared = format!("{notes} entity Other in Notes {{ userId = \"o#{{x}}\" x slug at int }}");
        let template = notes
            .replace("key (userId | at)", "key (PK | at)")
            .replace("userId slug  at", "PK = \"USER#{userId}\" userId slug  at");
        for (design, pattern, system, expected) in [
            (notes, "count Note by userId", false, true),
            (notes, "count Note by userId filter open = true", false, false),
            (notes, "count Note by userId where at > 3", false, false),
            (notes, "count Note by kind", false, false),
            (notes, "count Note by kind", true, true),
            (&gone, "count Note by userId", false, false),
            (&gone, "count Note by userId including deleted", false, true),
            (&ttl, "count Note by userId", false, false),
            (&ttl, "count Note by userId including expired", false, true),
            (&shared, "count Note by userId", false, false),
            (&template, "count Note by userId", false, false),
            (&template, "count Note by userId", true, true),
        ] {
            let text = format!("{design}\npattern counted = {pattern}");
            let design = compile("count.sk", &text, &FileLoader).design;
            let backend = Arc::new(Embedded::new(Engine::memory(sortkey_engine::Settings::default())));
            let runtime = Runtime::new(design, backend, fixture::settings()).expect("the design runs");
            let own: Fields =
                [("userId".to_owned(), Val::text("ada")), ("kind".to_owned(), Val::text("k"))].into();
            let scope = runtime.scope((!system).then(|| Arc::new(own.clone())));
            let read = runtime.shared().read_of("counted").expect("declared");
            let attributes = &runtime.shared().program.entities[read.first()].attributes;
            let mut known = Known::default();
            for (name, value) in own {
                let id = attributes.find(&name).expect("an attribute");
                known.put(Bound::Attribute(id), Cow::Owned(value));
            }
            assert_eq!(read.is_decided_by_keys(&scope, &[known]), Ok(expected), "{text}");
        }
    }
}
