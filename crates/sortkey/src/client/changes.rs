//! Changes of a stream, in the types of a design.

use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use sortkey_api::decode_output;
use sortkey_api::operations::GetItemOutput;
use sortkey_core::Failure;

use super::calls::unexpected;
use super::errors::error;
use super::{Client, DesignError};

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The item is new.
    Create,
    /// It was there before.
    Update,
    /// It is gone.
    Delete,
    /// DynamoDB removed it, since its time was over.
    Expire,
}

/// A change of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed<T> {
    /// The kind.
    pub kind: ChangeKind,
    /// The item after the change, if the stream has it.
    pub item: Option<T>,
    /// The item before the change, if the stream has it.
    pub before: Option<T>,
}

/// A change whose entity is known by name only: what generated code makes a [`Changed`] of.
pub struct RawChange {
    /// The entity.
    pub entity: String,
    change: Changed<Json>,
}

impl Client {
    /// The changes of stream records: `Records` of a Lambda's event as JSON. Records of what is nobody's item are left out.
    pub fn changes<E: DesignError>(&self, records: &[Json]) -> Result<Vec<RawChange>, E> {
        let mut found = Vec::new();
        for record in records {
            let table = table_of(record).unwrap_or_default();
            let image = |name: &str| self.image(table, &record["dynamodb"][name]).map_err(error::<E>);
            let (item, before) = (image("NewImage")?, image("OldImage")?);
            let entity = item.as_ref().or(before.as_ref()).map(|(entity, _)| entity.clone());
            let Some(entity) = entity else { continue };
            let json = |image: Option<(String, Json)>| image.map(|(_, item)| item);
            let change = Changed { kind: kind_of(record), item: json(item), before: json(before) };
            found.push(RawChange { entity, change });
        }
        Ok(found)
    }

    fn image(&self, table: &str, image: &Json) -> Result<Option<(String, Json)>, Failure> {
        if image.is_null() {
            return Ok(None);
        }
        let body = json!({ "Item": image }).to_string();
        let output: GetItemOutput = decode_output(body.as_bytes())
            .map_err(|_| Failure::invalid("records", "`records`: an image is not an item of DynamoDB"))?;
        self.core().shown(table, &output.item.unwrap_or_default(), self.now_ms())
    }
}

/// A change in the types of a client.
pub fn read_change<T: DeserializeOwned, E: DesignError>(raw: RawChange) -> Result<Changed<T>, E> {
    let read = |json: Option<Json>| {
        let item = json.map(serde_json::from_value).transpose();
        item.map_err(|error| unexpected::<E>("changes", &error))
    };
    Ok(Changed { kind: raw.change.kind, item: read(raw.change.item)?, before: read(raw.change.before)? })
}

/// The table that a record names: by its ARN, as Lambda gives it.
fn table_of(record: &Json) -> Option<&str> {
    let arn = record["eventSourceARN"].as_str().or(record["tableName"].as_str())?;
    match arn.split_once(":table/") {
        Some((_, rest)) => rest.split('/').next(),
        None => Some(arn),
    }
}

fn kind_of(record: &Json) -> ChangeKind {
    let by_expiry = record["userIdentity"]["principalId"] == "dynamodb.amazonaws.com";
    match record["eventName"].as_str() {
        Some("INSERT") => ChangeKind::Create,
        Some("MODIFY") => ChangeKind::Update,
        _ if by_expiry => ChangeKind::Expire,
        _ => ChangeKind::Delete,
    }
}
