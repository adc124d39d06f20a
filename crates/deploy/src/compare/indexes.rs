//! The indexes of a table: a missing global one is added, a different one is refused, a forgotten one stays.

use sortkey_api::shapes::index::{Projection, ProjectionType};
use sortkey_api::shapes::table::{KeySchemaElement, TableDescription};
use sortkey_diagnostics::Span;

use super::{Change, Comparison, shape};
use crate::MIGRATE;
use crate::tables::Desired;

/// An index, local or global, wanted or found.
struct Indexed<'a> {
    name: &'a str,
    key: &'a [KeySchemaElement],
    projection: &'a Projection,
}

impl Comparison {
    pub(super) fn indexes(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        let found_global = found_global(there);
        for wanted in wanted_global(desired) {
            match found_global.iter().find(|found| found.name == wanted.name) {
                Some(found) => self.index(desired, there, &wanted, found),
                None => self.changes.push(Change::AddIndex(wanted.name.to_owned())),
            }
        }
        let found_local = found_local(there);
        for wanted in wanted_local(desired) {
            match found_local.iter().find(|found| found.name == wanted.name) {
                Some(found) => self.index(desired, there, &wanted, found),
                None => self.missing_local(desired, &wanted),
            }
        }
        for found in found_global.iter().chain(&found_local) {
            if desired.index(found.name).is_none() {
                let stays =
                    format!("has an index \"{}\" that the design does not mention; it stays", found.name);
                self.remark(desired, &stays);
            }
        }
    }

    fn index(
        &mut self,
        desired: &Desired<'_>,
        there: &TableDescription,
        wanted: &Indexed<'_>,
        found: &Indexed<'_>,
    ) {
        let says = |there, index: &Indexed<'_>| {
            format!("{} {}", shape(desired, there, index.key), projects(index.projection))
        };
        let (wants, has) = (says(None, wanted), says(Some(there), found));
        if wants == has {
            return;
        }
        let title =
            format!("index \"{}\" of table \"{}\" cannot change in place", wanted.name, desired.name());
        let way = "Give the index a new name in the design: it is added beside the old one, which you can delete \
                   when nothing uses it any more.";
        self.refuse(place(desired, wanted.name), title, format!("the design says {wants}"), has, way);
    }

    fn missing_local(&mut self, desired: &Desired<'_>, wanted: &Indexed<'_>) {
        let title = format!("table \"{}\" cannot get a local index any more", desired.name());
        let says =
            format!("the design says {} {}", shape(desired, None, wanted.key), projects(wanted.projection));
        let way = format!(
            "Local indexes are made with their table: make it a global index, or give the table a new name. {MIGRATE}"
        );
        self.refuse(place(desired, wanted.name), title, says, "no such index".to_owned(), &way);
    }
}

fn place(desired: &Desired<'_>, index: &str) -> Span {
    desired.index(index).map_or(desired.table.name.span, |index| index.name.span)
}

/// A projection as the language writes it; the order of names means nothing.
fn projects(projection: &Projection) -> String {
    match &projection.projection_type {
        Some(ProjectionType::KeysOnly) => "project keys".to_owned(),
        Some(ProjectionType::Include) => {
            let mut names = projection.non_key_attributes.clone().unwrap_or_default();
            names.sort_unstable();
            format!("project [{}]", names.join(", "))
        }
        _ => "project all".to_owned(),
    }
}

fn wanted_global<'a>(desired: &'a Desired<'_>) -> impl Iterator<Item = Indexed<'a>> {
    let indexes = desired.create.global_secondary_indexes.iter().flatten();
    indexes.map(|each| Indexed {
        name: &each.index_name,
        key: &each.key_schema,
        projection: &each.projection,
    })
}

fn wanted_local<'a>(desired: &'a Desired<'_>) -> impl Iterator<Item = Indexed<'a>> {
    let indexes = desired.create.local_secondary_indexes.iter().flatten();
    indexes.map(|each| Indexed {
        name: &each.index_name,
        key: &each.key_schema,
        projection: &each.projection,
    })
}

fn found_global(there: &TableDescription) -> Vec<Indexed<'_>> {
    let indexes = there.global_secondary_indexes.iter().flatten();
    indexes.filter_map(|each| found(&each.index_name, &each.key_schema, &each.projection)).collect()
}

fn found_local(there: &TableDescription) -> Vec<Indexed<'_>> {
    let indexes = there.local_secondary_indexes.iter().flatten();
    indexes.filter_map(|each| found(&each.index_name, &each.key_schema, &each.projection)).collect()
}

fn found<'a>(
    name: &'a Option<String>,
    key: &'a Option<Vec<KeySchemaElement>>,
    projection: &'a Option<Projection>,
) -> Option<Indexed<'a>> {
    Some(Indexed { name: name.as_ref()?, key: key.as_ref()?, projection: projection.as_ref()? })
}
