//! Compares the table that the design declares with the one that exists.
//!
//! The result is a list of additions, remarks on parts that stay although the design does not mention them, and
//! refusals: differences that could only be removed by rebuilding the table or by dropping something.

mod billing;
mod indexes;

pub use billing::Billing;

use std::fmt;

use sortkey_api::shapes::stream::StreamSpecification;
use sortkey_api::shapes::table::{
    KeySchemaElement, KeyType, SSESpecification, SseType, TableClass, TableDescription,
};
use sortkey_api::shapes::tag::Tag;
use sortkey_change::Difference;
use sortkey_design::TABLE_DIFFERS;
use sortkey_diagnostics::{Diagnostic, Span, counted};

use super::tables::Desired;
use super::{DESIGN_TAG, MIGRATE};

/// An existing table.
#[derive(Clone, Debug, Default)]
pub struct There {
    /// The result of DescribeTable.
    pub table: TableDescription,
    /// The attribute by which items expire; the outer none if this DynamoDB does not report it.
    pub time_to_live: Option<Option<String>>,
    /// For how many days it can be restored to any second; none if this DynamoDB does not report it.
    pub recovery_days: Option<u64>,
    /// Its tags; none if this DynamoDB does not report them.
    pub tags: Option<Vec<Tag>>,
}

/// A change of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The whole table.
    Create,
    /// Another billing mode, or another capacity.
    Billing(Billing),
    /// A global index, by its deployed name.
    AddIndex(String),
    /// Expiry by this attribute.
    TimeToLive(String),
    /// Recovery to any second of so many days.
    Recovery(u64),
    /// Deletion protection.
    Protect,
    /// Another price class of storage.
    Class(TableClass),
    /// Encryption with another key.
    Encrypt(SSESpecification),
    /// A stream.
    Stream(StreamSpecification),
    /// Tags.
    Tags(Vec<Tag>),
    /// Guards for items that are older than these clauses, as in `User(email)`.
    Guards(Vec<String>),
    /// Items rewritten in the form of the new design, by what changed, as in `Order.note`.
    Rewrite(Vec<String>),
    /// No change: processes of the version before are given the time to notice that they are superseded.
    Superseded,
    /// No change: the differences from the design that was deployed before, shown before anything is changed.
    Compared(Vec<Difference>),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Create => f.write_str("creating the table"),
            Change::AddIndex(index) => write!(f, "index {index} added"),
            Change::TimeToLive(attribute) => write!(f, "items expire by {attribute}"),
            Change::Recovery(days) => write!(f, "can be restored to any second of {}", counted(*days, "day")),
            Change::Billing(billing) => billing.fmt(f),
            Change::Class(class) => write!(f, "stored in the class {class}"),
            Change::Encrypt(with) if with.enabled == Some(true) => f.write_str("encrypted with a KMS key"),
            Change::Encrypt(_) => f.write_str("encrypted with a key that AWS owns"),
            Change::Protect => f.write_str("protected from deletion"),
            Change::Stream(_) => f.write_str("stream started"),
            Change::Tags(_) => f.write_str("tagged"),
            Change::Guards(clauses) => write!(f, "every item has its guard of {}", clauses.join(" and ")),
            Change::Rewrite(subjects) => write!(f, "items rewritten for {}", subjects.join(", ")),
            Change::Superseded => f.write_str("waiting until processes of the version before have stopped"),
            Change::Compared(_) => f.write_str("compared"),
        }
    }
}

/// The difference between a declared and an existing table.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The changes to make, in order.
    pub changes: Vec<Change>,
    /// Parts that stay although the design does not mention them.
    pub remarks: Vec<String>,
    /// The differences that cannot be removed.
    pub refusals: Vec<Diagnostic>,
}

/// Compares a declared table with the existing one, if any.
pub fn compare(desired: &Desired<'_>, there: Option<&There>) -> Comparison {
    let mut comparison = Comparison::default();
    comparison.replicas(desired);
    let Some(there) = there else {
        comparison.create(desired);
        return comparison;
    };
    comparison.key(desired, &there.table);
    comparison.indexes(desired, &there.table);
    comparison.billing(desired, &there.table);
    comparison.encryption(desired, &there.table);
    comparison.stream(desired, &there.table);
    comparison.time_to_live(desired, there);
    comparison.recovery(desired, there);
    comparison.protection(desired, &there.table);
    comparison.class(desired, &there.table);
    comparison.tags(desired, there);
    comparison
}

impl Comparison {
    fn create(&mut self, desired: &Desired<'_>) {
        self.changes.push(Change::Create);
        self.changes.extend(desired.time_to_live.map(|name| Change::TimeToLive(name.to_owned())));
        self.changes.extend(desired.recovery_days.filter(|days| *days > 0).map(Change::Recovery));
    }

    /// Remarks, on each run, that replicas are never created.
    fn replicas(&mut self, desired: &Desired<'_>) {
        if !desired.table.replicas.is_empty() {
            let regions: Vec<&str> =
                desired.table.replicas.iter().map(|region| region.text.as_str()).collect();
            self.remarks.push(format!(
                "`replicas {}` of `{}` has no effect: the table is created in one region, and replicas are not",
                regions.join(", "),
                desired.table.name
            ));
        }
    }

    fn key(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        let (wanted, found) = (shape(desired, None, &desired.create.key_schema), found_key(there));
        if wanted != found {
            let title = format!("the key of table \"{}\" cannot change", desired.name());
            let way = format!("A key is for ever: give the table a new name in the design. {MIGRATE}");
            self.refuse(desired.table.key.span, title, format!("the design says {wanted}"), found, &way);
        }
    }

    /// A design without `encryption` leaves the table as it is.
    fn encryption(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        if desired.table.encryption.is_none() {
            return;
        }
        let wanted = desired.create.sse_specification.clone();
        let found = there.sse_description.as_ref().is_some_and(|sse| sse.sse_type == Some(SseType::Kms));
        if wanted.is_some() != found {
            let off = SSESpecification { enabled: Some(false), ..SSESpecification::default() };
            self.changes.push(Change::Encrypt(wanted.unwrap_or(off)));
        }
    }

    fn stream(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        let found = there.stream_specification.as_ref().filter(|stream| stream.stream_enabled);
        match (&desired.create.stream_specification, found) {
            (Some(wanted), None) => self.changes.push(Change::Stream(wanted.clone())),
            (Some(wanted), Some(found)) if wanted.stream_view_type != found.stream_view_type => {
                let view = |stream: &StreamSpecification| {
                    stream
                        .stream_view_type
                        .as_ref()
                        .map_or(String::new(), |view| view.as_str().to_lowercase())
                };
                let title = format!("the stream of table \"{}\" shows something else", desired.name());
                let way = "A stream has to be switched off and on again, and its readers begin anew: do it by hand.";
                let place = desired.table.stream.as_ref().map_or(desired.table.name.span, |name| name.span);
                self.refuse(place, title, format!("the design says {}", view(wanted)), view(found), way);
            }
            (None, Some(_)) => {
                self.remark(desired, "has a stream that the design does not mention; it stays")
            }
            _ => {}
        }
    }

    fn time_to_live(&mut self, desired: &Desired<'_>, there: &There) {
        let Some(found) = &there.time_to_live else {
            if desired.time_to_live.is_some() {
                self.remark(desired, "cannot expire items on this DynamoDB; patterns still hide them");
            }
            return;
        };
        match (desired.time_to_live, found) {
            (Some(wanted), None) => self.changes.push(Change::TimeToLive(wanted.to_owned())),
            (wanted, Some(found)) if wanted != Some(found) => {
                let title = format!("items of table \"{}\" expire by another attribute", desired.name());
                let says = wanted.map_or("nothing expires".to_owned(), |wanted| format!("by `{wanted}`"));
                let place = desired.table.ttl.as_ref().map_or(desired.table.name.span, |name| name.span);
                let way = "Items that the design wants to keep may be deleted: switch expiry off by hand \
                           (UpdateTimeToLive), wait an hour, and start again.";
                self.refuse(place, title, format!("the design says {says}"), format!("by `{found}`"), way);
            }
            _ => {}
        }
    }

    fn recovery(&mut self, desired: &Desired<'_>, there: &There) {
        let Some(wanted) = desired.recovery_days else { return };
        match there.recovery_days {
            None if wanted > 0 => self.remark(desired, "has no point-in-time recovery on this DynamoDB"),
            Some(found) if wanted > found => self.changes.push(Change::Recovery(wanted)),
            Some(found) if wanted < found => self.remark(
                desired,
                &format!("can be restored for {found} days, the design says {wanted}; nothing is taken away"),
            ),
            _ => {}
        }
    }

    fn protection(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        if desired.table.deletion_protection && there.deletion_protection_enabled != Some(true) {
            self.changes.push(Change::Protect);
        }
    }

    /// A design without `class` leaves the table as it is.
    fn class(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        let Some(wanted) = &desired.create.table_class else { return };
        let found = there.table_class_summary.as_ref().and_then(|summary| summary.table_class.clone());
        if *wanted != found.unwrap_or(TableClass::Standard) {
            self.changes.push(Change::Class(wanted.clone()));
        }
    }

    fn tags(&mut self, desired: &Desired<'_>, there: &There) {
        let (Some(found), Some(wanted)) = (&there.tags, &desired.create.tags) else { return };
        let design =
            |tags: &[Tag]| tags.iter().find(|tag| tag.key == DESIGN_TAG).map(|tag| tag.value.clone());
        if let (Some(owner), Some(own)) = (design(found), design(wanted))
            && owner != own
            && !desired.follows.contains(&owner.as_str())
        {
            let title = format!("table \"{}\" belongs to another design", desired.name());
            let way = "Two designs in one table write over each other's items: give the table another name, or the \
                       deployment a prefix (`--prefix`). If the design itself was renamed, give it its name back, or change the \
                       tag `sortkey:design` of the table by hand.";
            let (wanted, found) = (format!("this is the design `{own}`"), format!("of the design `{owner}`"));
            self.refuse(desired.table.name.span, title, wanted, found, way);
            return;
        }
        let missing: Vec<Tag> = wanted.iter().filter(|tag| !found.contains(tag)).cloned().collect();
        if !missing.is_empty() {
            self.changes.push(Change::Tags(missing));
        }
    }

    fn remark(&mut self, desired: &Desired<'_>, what: &str) {
        self.remarks.push(format!("table \"{}\" {what}", desired.name()));
    }

    /// Refuses a difference: the declared part, the existing one, and the way out.
    fn refuse(&mut self, span: Span, title: String, wanted: String, found: String, way: &str) {
        let refusal = TABLE_DIFFERS.at(span, title).label(wanted);
        self.refusals.push(refusal.note(format!("The table that is there: {found}.")).note(way));
    }
}

/// A key as the language writes it, with types where they are known: `(userId S | at N)`.
fn shape(desired: &Desired<'_>, there: Option<&TableDescription>, key: &[KeySchemaElement]) -> String {
    let definitions = match there {
        Some(there) => there.attribute_definitions.as_deref().unwrap_or_default(),
        None => &desired.create.attribute_definitions,
    };
    written(key, definitions)
}

fn found_key(there: &TableDescription) -> String {
    let definitions = there.attribute_definitions.as_deref().unwrap_or_default();
    written(there.key_schema.as_deref().unwrap_or_default(), definitions)
}

fn written(
    key: &[KeySchemaElement],
    definitions: &[sortkey_api::shapes::table::AttributeDefinition],
) -> String {
    let part = |wanted: KeyType| {
        let names = key.iter().filter(|element| element.key_type == wanted).map(|element| {
            let name = &element.attribute_name;
            let definition = definitions.iter().find(|definition| definition.attribute_name == *name);
            definition.map_or(name.clone(), |each| format!("{name} {}", each.attribute_type))
        });
        names.collect::<Vec<_>>().join(", ")
    };
    match part(KeyType::Range) {
        sort if sort.is_empty() => format!("({})", part(KeyType::Hash)),
        sort => format!("({} | {sort})", part(KeyType::Hash)),
    }
}

#[cfg(test)]
mod tests;
