//! A table of the design as a request to DynamoDB.

use sortkey_api::operations::CreateTableInput;
use sortkey_api::shapes::index::{self, GlobalSecondaryIndex, LocalSecondaryIndex, ProjectionType};
use sortkey_api::shapes::stream::{StreamSpecification, StreamViewType};
use sortkey_api::shapes::table::{
    AttributeDefinition, KeySchemaElement, KeyType, SSESpecification, ScalarAttributeType, SseType,
    TableClass,
};
use sortkey_api::shapes::tag::Tag;
use sortkey_api::shapes::throughput::{BillingMode, ProvisionedThroughput};
use sortkey_design::model::{
    Billing, Capacity, Design, Encryption, Index, Key, Name, Projection, Stored, Table,
};
use sortkey_diagnostics::Diagnostic;

use super::{DESIGN_TAG, TABLE_TAG};
use sortkey_core::{Naming, parameter_values, table_name};

/// A table as the design declares it.
#[derive(Clone, Debug)]
pub struct Desired<'a> {
    /// The table in the design.
    pub table: &'a Table,
    /// The request that creates it.
    pub create: CreateTableInput,
    /// The attribute that holds an item's expiry.
    pub time_to_live: Option<&'a str>,
    /// For how many days the table can be restored to any second; zero for not at all,
    /// none if the design leaves it open.
    pub recovery_days: Option<u64>,
    /// The designs that this one follows, whose tables it takes over.
    pub follows: Vec<&'a str>,
}

/// Every table of a design, with its deployed name.
pub fn desired<'a>(design: &'a Design, naming: &Naming) -> Result<Vec<Desired<'a>>, Vec<Diagnostic>> {
    let values = parameter_values(design, &naming.parameters)?;
    let (mut tables, mut problems) = (Vec::new(), Vec::new());
    for table in &design.tables {
        match table_name(table, naming.prefix.as_deref(), &values) {
            Ok(name) => tables.push(one(design, table, name)),
            Err(problem) => problems.push(*problem),
        }
    }
    if problems.is_empty() { Ok(tables) } else { Err(problems) }
}

fn one<'a>(design: &'a Design, table: &'a Table, name: String) -> Desired<'a> {
    let capacity = match &table.billing {
        Some(Billing::Provisioned(capacity)) => Some(*capacity),
        Some(Billing::OnDemand) | None => None,
    };
    let (local, global): (Vec<&Index>, Vec<&Index>) = table.indexes.iter().partition(|index| index.local);
    let create = CreateTableInput {
        table_name: name.as_str().into(),
        attribute_definitions: attribute_definitions(design, table),
        key_schema: key_schema(&table.key),
        billing_mode: Some(if capacity.is_some() {
            BillingMode::Provisioned
        } else {
            BillingMode::PayPerRequest
        }),
        provisioned_throughput: capacity.map(throughput),
        local_secondary_indexes: some(local.into_iter().map(local_index).collect()),
        global_secondary_indexes: some(
            global.into_iter().map(|index| global_index(index, capacity)).collect(),
        ),
        stream_specification: table.stream.as_ref().map(|view| stream(&view.text)),
        sse_specification: table.encryption.as_ref().and_then(encryption),
        table_class: table.class.as_ref().map(class),
        tags: Some(tags(design, table)),
        deletion_protection_enabled: table.deletion_protection.then_some(true),
        ..CreateTableInput::default()
    };
    Desired {
        table,
        create,
        time_to_live: table.ttl.as_ref().map(|name| name.text.as_str()),
        recovery_days: table.recovery_days,
        follows: design
            .migrations
            .iter()
            .filter_map(|each| each.old.as_ref())
            .map(|old| old.name.text.as_str())
            .collect(),
    }
}

impl Desired<'_> {
    /// Its deployed name.
    pub fn name(&self) -> &str {
        self.create.table_name.name()
    }

    /// The index of the design that has this deployed name.
    pub(super) fn index(&self, deployed: &str) -> Option<&Index> {
        self.table.indexes.iter().find(|index| deployed_index_name(index) == deployed)
    }
}

/// The deployed name of an index.
pub(super) fn deployed_index_name(index: &Index) -> &str {
    index.deployed.as_deref().unwrap_or(&index.name.text)
}

/// The types of all key attributes, each once. A key attribute has the type of the entity attribute of that name; it
/// is a string where a template fills it.
fn attribute_definitions(design: &Design, table: &Table) -> Vec<AttributeDefinition> {
    let mut definitions: Vec<AttributeDefinition> = Vec::new();
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    for name in keys.flat_map(Key::attributes) {
        if definitions.iter().any(|definition| definition.attribute_name == name.text) {
            continue;
        }
        let natural = design
            .entities_in(table)
            .filter(|entity| entity.template(&name.text).is_none())
            .find_map(|entity| entity.attribute(&name.text));
        let attribute_type = match natural.map(|attribute| design.type_of(attribute).stored()) {
            Some(Stored::N) => ScalarAttributeType::N,
            Some(Stored::B) => ScalarAttributeType::B,
            _ => ScalarAttributeType::S,
        };
        definitions.push(AttributeDefinition { attribute_name: name.text.clone(), attribute_type });
    }
    definitions
}

fn key_schema(key: &Key) -> Vec<KeySchemaElement> {
    let element = |key_type: KeyType| {
        move |name: &Name| KeySchemaElement { attribute_name: name.text.clone(), key_type: key_type.clone() }
    };
    let partition = key.partition.iter().map(element(KeyType::Hash));
    partition.chain(key.sort.iter().map(element(KeyType::Range))).collect()
}

fn local_index(index: &Index) -> LocalSecondaryIndex {
    LocalSecondaryIndex {
        index_name: deployed_index_name(index).to_owned(),
        key_schema: key_schema(&index.key),
        projection: projection(index.projection.as_ref()),
    }
}

/// An index without a capacity of its own has the table's.
fn global_index(index: &Index, table: Option<Capacity>) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: deployed_index_name(index).to_owned(),
        key_schema: key_schema(&index.key),
        projection: projection(index.projection.as_ref()),
        provisioned_throughput: table.map(|table| throughput(index.provisioned.unwrap_or(table))),
        ..GlobalSecondaryIndex::default()
    }
}

/// An index without a projection copies everything.
fn projection(projection: Option<&Projection>) -> index::Projection {
    let (projection_type, names) = match projection {
        None | Some(Projection::All) => (ProjectionType::All, None),
        Some(Projection::Keys) => (ProjectionType::KeysOnly, None),
        Some(Projection::Include(names)) => {
            (ProjectionType::Include, Some(names.iter().map(|name| name.text.clone()).collect()))
        }
    };
    index::Projection { projection_type: Some(projection_type), non_key_attributes: names }
}

fn throughput(capacity: Capacity) -> ProvisionedThroughput {
    let units = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    ProvisionedThroughput {
        read_capacity_units: units(capacity.rcu),
        write_capacity_units: units(capacity.wcu),
    }
}

/// Views have AWS's names, in lower case.
fn stream(view: &str) -> StreamSpecification {
    let view = StreamViewType::from(view.to_uppercase().as_str());
    StreamSpecification { stream_enabled: true, stream_view_type: Some(view) }
}

/// The words of the language for AWS's price classes.
fn class(name: &Name) -> TableClass {
    match name.is("infrequent_access") {
        true => TableClass::StandardInfrequentAccess,
        false => TableClass::Standard,
    }
}

/// A table is encrypted with a key that AWS owns unless another is asked for.
fn encryption(encryption: &Encryption) -> Option<SSESpecification> {
    let key = match encryption.kind.text.as_str() {
        "aws_managed" => None,
        "customer" => encryption.key.clone(),
        _ => return None,
    };
    Some(SSESpecification { enabled: Some(true), sse_type: Some(SseType::Kms), kms_master_key_id: key })
}

fn tags(design: &Design, table: &Table) -> Vec<Tag> {
    let tag = |key: &str, value: &str| Tag { key: key.to_owned(), value: value.to_owned() };
    let mut tags = vec![tag(TABLE_TAG, &table.name.text)];
    if !design.name.text.is_empty() {
        tags.insert(0, tag(DESIGN_TAG, &design.name.text));
    }
    tags
}

/// An absent list is not the same as an empty one, which AWS refuses.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_design::{NoFiles, compile};

    fn request(text: &str) -> String {
        let design = compile("d.sk", text, &NoFiles).design;
        let tables = desired(&design, &Naming::default()).unwrap();
        let mut json = Vec::new();
        sortkey_api::encode(&tables[0].create, &mut json);
        String::from_utf8(json).unwrap()
    }

    #[test]
    fn a_plain_table_is_on_demand() {
        let asked =
            request("table Users { key (userId | at) }  entity User in Users { userId uuid  at time(ms) }");
        let expected = concat!(
            r#"{"AttributeDefinitions":[{"AttributeName":"userId","AttributeType":"S"},"#,
            r#"{"AttributeName":"at","AttributeType":"N"}],"TableName":"Users","BillingMode":"PAY_PER_REQUEST","#,
            r#""KeySchema":[{"AttributeName":"userId","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],"#,
            r#""Tags":[{"Key":"sortkey:table","Value":"Users"}]}"#
        );
        assert_eq!(asked, expected);
    }

    #[test]
    fn everything_a_table_can_say_is_asked_for() {
        let asked = request(
            r#"design d
            table Jobs "jobs-v1" {
              key (PK | SK)
              index Due "due-index" (shard, kind | at) project [title] provisioned 3 rcu 4 wcu
              local index Old (PK | at) project keys
              billing provisioned 1 rcu 2 wcu   stream new_and_old_images   protect deletion
              encryption customer "alias/jobs"  ttl gone
            }
            entity Job in Jobs { PK = "J#{id}" SK = "X" id uuid  at time(s)  kind string  shard int(0..9)  title string  gone time(s) }"#,
        );
        for part in [
            r#""TableName":"jobs-v1","BillingMode":"PROVISIONED","#,
            r#""ProvisionedThroughput":{"WriteCapacityUnits":2,"ReadCapacityUnits":1}"#,
            r#"{"IndexName":"Old","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}"#,
            r#"{"IndexName":"due-index","KeySchema":[{"AttributeName":"shard","KeyType":"HASH"},{"AttributeName":"kind","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["title"]},"ProvisionedThroughput":{"WriteCapacityUnits":4,"ReadCapacityUnits":3}}"#,
            r#""StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}"#,
            r#""SSESpecification":{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"alias/jobs"}"#,
            r#""DeletionProtectionEnabled":true"#,
            r#"{"Key":"sortkey:design","Value":"d"}"#,
            r#"{"AttributeName":"shard","AttributeType":"N"}"#,
        ] {
            assert!(asked.contains(part), "{part}\nin {asked}");
        }
    }
}
