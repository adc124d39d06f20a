//! Tables for tests: a name that no other test has, the keys in a line, and ready when `create` returns.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, LocalSecondaryIndex,
    Projection, ProjectionType, ScalarAttributeType,
};

/// A name that starts with `prefix` and that no other test uses, in this process or another.
pub fn unique_name(prefix: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{prefix}-{}-{number}", std::process::id())
}

/// A table to be created. Attributes are written `"name"`, or `"name:N"` if they are not strings.
#[derive(Debug)]
pub struct Table {
    name: String,
    request: CreateTableFluentBuilder,
    attributes: Vec<AttributeDefinition>,
}

impl Table {
    /// A table with a partition key and, if `keys` has two, a sort key.
    pub fn new(client: &Client, prefix: &str, keys: &[&str]) -> Table {
        let name = unique_name(prefix);
        let request = client.create_table().table_name(&name).billing_mode(BillingMode::PayPerRequest);
        let mut table = Table { name, request, attributes: Vec::new() };
        let (partition, sort) = keys.split_at(1);
        let schema = table.key_schema(partition, sort);
        table.request = table.request.set_key_schema(Some(schema));
        table
    }

    /// Adds a global secondary index that projects everything. Its key may have up to four attributes of each kind.
    pub fn global(mut self, index: &str, partition: &[&str], sort: &[&str]) -> Table {
        let index = GlobalSecondaryIndex::builder()
            .index_name(index)
            .set_key_schema(Some(self.key_schema(partition, sort)))
            .projection(Projection::builder().projection_type(ProjectionType::All).build())
            .build()
            .expect("a complete index");
        self.request = self.request.global_secondary_indexes(index);
        self
    }

    /// Adds a local secondary index that projects keys only.
    pub fn local(mut self, index: &str, partition: &str, sort: &str) -> Table {
        let index = LocalSecondaryIndex::builder()
            .index_name(index)
            .set_key_schema(Some(self.key_schema(&[partition], &[sort])))
            .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
            .build()
            .expect("a complete index");
        self.request = self.request.local_secondary_indexes(index);
        self
    }

    /// Changes the request in a way that has no short word here.
    pub fn with(
        mut self,
        change: impl FnOnce(CreateTableFluentBuilder) -> CreateTableFluentBuilder,
    ) -> Table {
        self.request = change(self.request);
        self
    }

    /// Creates it, waits until it is active and returns its name.
    pub async fn create(self, client: &Client) -> String {
        let request = self.request.set_attribute_definitions(Some(self.attributes));
        request.send().await.expect("the table is created");
        client
            .wait_until_table_exists()
            .table_name(&self.name)
            .wait(Duration::from_secs(60))
            .await
            .expect("the table becomes active");
        self.name
    }

    /// The elements of a key. Defines each attribute once, however many keys it is part of.
    fn key_schema(&mut self, partition: &[&str], sort: &[&str]) -> Vec<KeySchemaElement> {
        let partition = partition.iter().map(|key| (key, KeyType::Hash));
        let sort = sort.iter().map(|key| (key, KeyType::Range));
        let element = |(key, role): (&&str, KeyType)| {
            let (name, attribute_type) = key.split_once(':').unwrap_or((key, "S"));
            if !self.attributes.iter().any(|defined| defined.attribute_name == name) {
                self.attributes.push(definition(name, attribute_type));
            }
            key_element(name, role)
        };
        partition.chain(sort).map(element).collect()
    }
}

/// An attribute that takes part in a key.
pub fn definition(name: &str, attribute_type: &str) -> AttributeDefinition {
    AttributeDefinition::builder()
        .attribute_name(name)
        .attribute_type(ScalarAttributeType::from(attribute_type))
        .build()
        .expect("a complete definition")
}

/// An attribute's part in a key.
pub fn key_element(name: &str, role: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder().attribute_name(name).key_type(role).build().expect("a complete element")
}
