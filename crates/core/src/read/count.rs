//! `count`: by DynamoDB itself where the keys alone decide which items count, otherwise by reading and checking them.
//!
//! Both cost the same units; what DynamoDB counts does not travel and is not decoded. No check is left out: it is counted
//! by keys only where every check follows from them.

use sortkey_api::operations::QueryInput;
use sortkey_api::shapes::returns::Select;
use sortkey_design::program::{AttributeId, Source};
use sortkey_value::AttributeValue;

use super::{Read, Route, fixed};
use crate::Failure;
use crate::catalog::is_reserved_text;
use crate::condition::Placeholders;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Fields;

impl Read {
    /// How many items the pattern finds.
    pub(super) async fn count(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Fields>,
    ) -> Result<i64, Failure> {
        if !self.is_decided_by_keys(scope, &branches) {
            return Ok(self.all(session, scope, branches).await?.len() as i64);
        }
        let mut count = 0;
        for known in &branches {
            let mut placeholders = Placeholders::default();
            // A part of the partition key is not known: there can be no such item.
            let Some(condition) = self.key_condition(scope, known, &mut placeholders)? else { continue };
            let mut input = QueryInput { select: Some(Select::Count), ..self.query(condition, placeholders) };
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
    pub(super) fn is_decided_by_keys(&self, scope: &Scope<'_>, branches: &[Fields]) -> bool {
        let info = self.entity(scope);
        let entity = info.of(&scope.shared.program);
        let asks_more =
            !self.pattern.conditions.is_empty() || !self.pattern.filters.is_empty() || self.fetches;
        let is_alone = self.pattern.entities.len() == 1 && !info.shares_table && info.kind.is_none();
        let may_be_gone = (entity.ttl.is_some() && !self.pattern.with_expired)
            || (entity.deleted.is_some() && !self.pattern.with_deleted);
        let is_ours = match (&scope.caller, entity.tenant) {
            (Some(_), Some(tenant)) => self.is_partition(scope, tenant.attribute),
            _ => true,
        };
        !asks_more && is_alone && !may_be_gone && is_ours && self.has_no_reserved(scope, branches)
    }

    /// Whether an attribute is itself a partition key of the path. Foreign values of it were refused before.
    fn is_partition(&self, scope: &Scope<'_>, id: AttributeId) -> bool {
        let filled = self.filled(&scope.shared.program);
        filled.partition.iter().any(|part| part.source == Some(Source::Attribute(id)))
    }

    /// Whether no guard and no receipt can be under the keys.
    fn has_no_reserved(&self, scope: &Scope<'_>, branches: &[Fields]) -> bool {
        let program = &scope.shared.program;
        let table = &program.tables[self.table_id];
        match &self.route {
            Route::Table => branches.iter().all(|known| {
                // A query of a whole key is a lookup, and stays one.
                let entity = &program.entities[self.first()];
                let part = entity.key.partition.first();
                let partition = part.and_then(|part| fixed(program, entity, part, known));
                let is_free =
                    matches!(&partition, Some(AttributeValue::S(text)) if !is_reserved_text(text.as_bytes()));
                is_free && !self.is_key_lookup(scope, known)
            }),
            // They have no attribute but the table's key, the expiry, and what no index is by.
            Route::Index(at, _) => table.indexes[*at]
                .key
                .names()
                .any(|name| !table.key.contains(name) && table.ttl.as_ref() != Some(name)),
            Route::Guard(_) | Route::Scan(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sortkey_design::{FileLoader, compile};
    use sortkey_embedded::Embedded;
    use sortkey_engine::Engine;

    use crate::values::{Fields, Val};
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
            assert_eq!(read.is_decided_by_keys(&scope, &[own]), expected, "{text}");
        }
    }
}
