//! The record of the design that was deployed last, kept in its tables.
//!
//! Every table has a record under a reserved key: which version of the design its items are stored for, and which version they
//! are being rewritten for. The version itself is the design as JSON, compressed and cut into parts that fit into items,
//! under keys that are made of its digest. Parts are written first and the record last, on condition that it is what was
//! read, so a deployment that ends early leaves a record of how far it has come.

mod text;

use std::sync::Arc;

use sortkey_api::operations::GetItemInput;
use sortkey_design::Design;
use sortkey_value::{AttributeValue, Item, Map, Number, ValueRef};

pub(super) use self::text::Version;
use super::apply::DeployError;
use super::inspect;
use sortkey_core::internals::{Change, DESIGN, EntityInfo, Session, apply, reserved_key};
use sortkey_core::{Failure, Requests as _, Runtime};

/// The digest of the version that items are stored for.
const VERSION: &str = "version";
/// The number of parts of that version.
const PARTS: &str = "parts";
/// Counts the deployments that rewrote items.
const EPOCH: &str = "epoch";
/// The digest of the version that items are being rewritten for.
const PENDING: &str = "pending";
/// The last key that the walk has seen.
const AFTER: &str = "after";
/// The deployment that walks.
const HOLDER: &str = "holder";
/// When the walk counts as given up, in milliseconds.
const UNTIL: &str = "until";
/// The content of a part.
const PART: &str = "part";

/// The record of the design that a table was deployed with; the default where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// The version that items are stored for; none in a table that is older than records.
    pub(super) version: Option<(String, u32)>,
    /// How many deployments have rewritten items.
    pub(super) epoch: u64,
    /// The rewriting that is under way.
    pub(super) pending: Option<Pending>,
}

/// A rewriting that is under way, or was given up.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    /// The digest of the version that items are being rewritten for.
    pub(super) version: String,
    /// The key behind which the walk continues.
    pub(super) after: Option<Map>,
    /// The deployment that walks.
    pub(super) holder: String,
    /// When another deployment may go on with it.
    pub(super) until_ms: u64,
}

/// The records of a table, by any of its entities: all have the table's keys.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) first: &'a EntityInfo,
}

impl<'a> Records<'a> {
    /// The records of a table; none if its key has no room for them.
    pub(super) fn of(runtime: &'a Runtime, first: &'a EntityInfo) -> Option<Records<'a>> {
        let records = Records { runtime, first };
        matches!(records.key(DESIGN).get(&*first.partition), Some(AttributeValue::S(_))).then_some(records)
    }

    /// The record; the default if the table is missing, or has another key.
    pub(super) async fn read(&self) -> Result<Record, DeployError> {
        let input = GetItemInput {
            table_name: self.first.table.clone(),
            key: self.key(DESIGN).into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let item = match self.runtime.backend().get_item(input).await {
            Ok(output) => output.item,
            Err(error) if inspect::is_elsewhere(&error) => None,
            Err(error) => return Err(DeployError::failed(self.first.table.name(), "GetItem")(error)),
        };
        let Some(item) = item else { return Ok(Record::default()) };
        let parts = self.number(&item, PARTS).and_then(|parts| u32::try_from(parts).ok()).unwrap_or(0);
        let pending = self.text(&item, PENDING).map(|version| Pending {
            version,
            after: self.map(&item, AFTER),
            holder: self.text(&item, HOLDER).unwrap_or_default(),
            until_ms: self.number(&item, UNTIL).unwrap_or(0),
        });
        let version = self.text(&item, VERSION).map(|version| (version, parts));
        Ok(Record { version, epoch: self.number(&item, EPOCH).unwrap_or(0), pending })
    }

    /// Replaces the record; false if it is not what was read.
    pub(super) async fn write(
        &self,
        session: &Session<'_>,
        old: &Record,
        new: &Record,
    ) -> Result<bool, Failure> {
        let scope = self.runtime.scope(None);
        let key = self.key(DESIGN);
        let mut item = key.clone();
        item.extend(self.entries(new));
        let mut change = Change::put(self.first, &key, item);
        let before = self.entries(old);
        for name in [VERSION, EPOCH, PENDING, HOLDER] {
            let name = self.first.aside(name);
            let value = before.get(&name).cloned();
            change = change.if_unchanged(&scope, &name.into(), value)?;
        }
        apply(session, &scope, vec![change]).await
    }

    /// Stores a version, so that a record can name it.
    pub(super) async fn keep(&self, session: &Session<'_>, version: &Version) -> Result<(), Failure> {
        let scope = self.runtime.scope(None);
        for (at, content) in version.parts().enumerate() {
            let key = self.key(&part(&version.digest, at));
            let mut item = key.clone();
            item.insert(self.first.aside(PART), AttributeValue::B(content.to_vec()));
            apply(session, &scope, vec![Change::put(self.first, &key, item)]).await?;
        }
        Ok(())
    }

    /// Removes a version that no record names any more.
    pub(super) async fn forget(
        &self,
        session: &Session<'_>,
        (digest, parts): &(String, u32),
    ) -> Result<(), Failure> {
        let scope = self.runtime.scope(None);
        for at in 0..*parts as usize {
            let key = self.key(&part(digest, at));
            apply(session, &scope, vec![Change::delete(self.first, &key)]).await?;
        }
        Ok(())
    }

    /// The design of a version; none if it was written by a Sortkey that described designs otherwise.
    pub(super) async fn design(
        &self,
        session: &Session<'_>,
        (digest, parts): &(String, u32),
    ) -> Result<Option<Arc<Design>>, Failure> {
        let mut content = Vec::new();
        for at in 0..*parts as usize {
            let found = session.get(&self.first.table, self.key(&part(digest, at)), true).await?;
            match found.as_ref().and_then(|item| item.get(&self.first.aside(PART))) {
                Some(ValueRef::B(bytes)) => content.extend_from_slice(bytes),
                _ => return Ok(None),
            }
        }
        Ok(text::read(&content).map(Arc::new))
    }

    fn key(&self, text: &str) -> Map {
        reserved_key(&self.runtime.scope(None), self.first, text)
    }

    fn entries(&self, record: &Record) -> Map {
        let mut entries = Map::new();
        let mut put = |name: &str, value: AttributeValue| entries.insert(self.first.aside(name), value);
        let number = |number: u64| AttributeValue::N(Number::from(i64::try_from(number).unwrap_or(i64::MAX)));
        if let Some((version, parts)) = &record.version {
            put(VERSION, AttributeValue::S(version.clone()));
            put(PARTS, number(u64::from(*parts)));
        }
        if record.epoch > 0 {
            put(EPOCH, number(record.epoch));
        }
        if let Some(pending) = &record.pending {
            put(PENDING, AttributeValue::S(pending.version.clone()));
            put(HOLDER, AttributeValue::S(pending.holder.clone()));
            put(UNTIL, number(pending.until_ms));
            if let Some(after) = &pending.after {
                put(AFTER, AttributeValue::M(after.clone()));
            }
        }
        entries
    }

    fn text(&self, item: &Item, name: &str) -> Option<String> {
        match item.get(&self.first.aside(name)) {
            Some(ValueRef::S(text)) => Some(text.to_owned()),
            _ => None,
        }
    }

    fn number(&self, item: &Item, name: &str) -> Option<u64> {
        match item.get(&self.first.aside(name))?.to_owned() {
            AttributeValue::N(number) => number.to_i64().and_then(|number| u64::try_from(number).ok()),
            _ => None,
        }
    }

    fn map(&self, item: &Item, name: &str) -> Option<Map> {
        match item.get(&self.first.aside(name)) {
            Some(ValueRef::M(entries)) => {
                Some(entries.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
            }
            _ => None,
        }
    }
}

fn part(digest: &str, at: usize) -> String {
    format!("{DESIGN}#{digest}#{at}")
}
