//! `new dynamodb.TableV2(...)`.

use super::property;
use super::value::{Object, Value, code, text};
use crate::cloudformation::logical_id;
use crate::model::{Encryption, GlobalIndex, Maximum, Projection, Range, Table, TableClass};

/// The statements that make a table.
pub(super) fn statements(table: &Table) -> String {
    let id = logical_id(&table.design_name);
    let properties: Value = properties(table).into();
    format!("    this.{} = new dynamodb.TableV2(this, \"{id}\", {});\n", property(table), properties.print(2))
}

fn properties(table: &Table) -> Object {
    let partition = table.key.partition.first().map(|name| attribute(table, name));
    let sort = table.key.sort.first().map(|name| attribute(table, name));
    Object::new()
        .with("tableName", text(&table.name))
        .with_some("partitionKey", partition)
        .with_some("sortKey", sort)
        .with_list("globalSecondaryIndexes", table.global.iter().map(|index| global(table, index)).collect())
        .with_list(
            "localSecondaryIndexes",
            table
                .local
                .iter()
                .map(|index| {
                    let sort = index.key.sort.first().map(|name| attribute(table, name));
                    projected(
                        Object::new().with("indexName", text(&index.name)).with_some("sortKey", sort),
                        &index.projection,
                    )
                    .into()
                })
                .collect(),
        )
        .with("billing", billing(table))
        .with_some("timeToLiveAttribute", table.ttl.as_deref().map(text))
        .with_some("dynamoStream", table.stream.as_deref().and_then(stream))
        .with_some("pointInTimeRecoverySpecification", table.recovery_days.map(recovery))
        .with_some("deletionProtection", table.deletion_protection.then(|| code("true")))
        .with_some("encryption", encryption(table))
        .with_some(
            "tableClass",
            (table.class != TableClass::Standard)
                .then(|| code("dynamodb.TableClass.STANDARD_INFREQUENT_ACCESS")),
        )
        .with_some("contributorInsightsSpecification", insights(table))
        .with_list(
            "replicas",
            table
                .replicas
                .iter()
                .map(|replica| {
                    // The tags of the table are not those of its replicas.
                    Object::new().with("region", text(&replica.region)).with_list("tags", tags(table)).into()
                })
                .collect(),
        )
        .with_list("tags", tags(table))
        .with("removalPolicy", code("RemovalPolicy.RETAIN"))
}

fn attribute(table: &Table, name: &str) -> Value {
    let kind = match table.type_of(name) {
        "N" => "NUMBER",
        "B" => "BINARY",
        _ => "STRING",
    };
    Object::new().with("name", text(name)).with("type", code(format!("dynamodb.AttributeType.{kind}"))).into()
}

fn global(table: &Table, index: &GlobalIndex) -> Value {
    let attributes = |names: &[String]| names.iter().map(|name| attribute(table, name)).collect::<Vec<_>>();
    let key = |object: Object, one: &str, several: &str, names: &[String]| match attributes(names) {
        none if none.is_empty() => object,
        mut single if single.len() == 1 => object.with(one, single.remove(0)),
        many => object.with_list(several, many),
    };
    let object = Object::new().with("indexName", text(&index.name));
    let object = key(object, "partitionKey", "partitionKeys", &index.key.partition);
    let object = key(object, "sortKey", "sortKeys", &index.key.sort);
    let maximum = table.maximum();
    let units = |units: Option<u64>| units.map(|units| code(units.to_string()));
    projected(object, &index.projection)
        .with_some("readCapacity", index.capacity.map(|own| capacity(index.scaling.read, own.read)))
        .with_some("writeCapacity", index.scaling.write.map(|range| capacity(Some(range), range.min)))
        .with_some("maxReadRequestUnits", units(maximum.read))
        .with_some("maxWriteRequestUnits", units(maximum.write))
        // The insights of the table are those of its indexes, too.
        .into()
}

fn projected(object: Object, projection: &Projection) -> Object {
    let kind = code(format!("dynamodb.ProjectionType.{}", projection.kind()));
    let names = projection.names().iter().map(|name| text(name)).collect();
    object.with("projectionType", kind).with_list("nonKeyAttributes", names)
}

fn billing(table: &Table) -> Value {
    let Some(own) = table.capacity() else {
        let Maximum { read, write } = table.maximum();
        let limits = Object::new()
            .with_some("maxReadRequestUnits", read.map(|units| code(units.to_string())))
            .with_some("maxWriteRequestUnits", write.map(|units| code(units.to_string())));
        let limits = if limits.is_empty() { String::new() } else { Value::from(limits).print(0) };
        return code(format!("dynamodb.Billing.onDemand({limits})"));
    };
    let throughput = Object::new()
        .with("readCapacity", capacity(table.scaling.read, own.read))
        .with("writeCapacity", capacity(table.scaling.write, own.write));
    code(format!("dynamodb.Billing.provisioned({})", Value::from(throughput).print(3)))
}

fn capacity(range: Option<Range>, units: u64) -> Value {
    match range {
        Some(Range { min, max, target }) => code(format!(
            "dynamodb.Capacity.autoscaled({{ minCapacity: {min}, maxCapacity: {max}, targetUtilizationPercent: {target} }})"
        )),
        None => code(format!("dynamodb.Capacity.fixed({units})")),
    }
}

fn stream(view: &str) -> Option<Value> {
    let word = match view {
        "NEW_IMAGE" => "NEW_IMAGE",
        "OLD_IMAGE" => "OLD_IMAGE",
        "NEW_AND_OLD_IMAGES" => "NEW_AND_OLD_IMAGES",
        "KEYS_ONLY" => "KEYS_ONLY",
        _ => return None,
    };
    Some(code(format!("dynamodb.StreamViewType.{word}")))
}

fn recovery(days: u64) -> Value {
    let object = Object::new().with("pointInTimeRecoveryEnabled", code((days > 0).to_string()));
    object.with_some("recoveryPeriodInDays", (days > 0).then(|| code(days.to_string()))).into()
}

fn encryption(table: &Table) -> Option<Value> {
    let key = match &table.encryption {
        Encryption::Owned => return None,
        Encryption::Managed => return Some(code("dynamodb.TableEncryptionV2.awsManagedKey()")),
        Encryption::Customer(key) => key,
    };
    let id = format!("{}Key", logical_id(&table.design_name));
    let own = match key.starts_with("arn:") {
        true => format!("kms.Key.fromKeyArn(this, \"{id}\", {})", text(key).print(0)),
        false => format!("kms.Alias.fromAliasName(this, \"{id}\", {})", text(key).print(0)),
    };
    let replicas = table.replicas.iter().fold(Object::new(), |object, replica| {
        object.with_some(&replica.region, replica.kms_key.as_deref().map(text))
    });
    let replicas =
        if replicas.is_empty() { String::new() } else { format!(", {}", Value::from(replicas).print(3)) };
    Some(code(format!("dynamodb.TableEncryptionV2.customerManagedKey({own}{replicas})")))
}

fn insights(table: &Table) -> Option<Value> {
    table.insights.then(|| Object::new().with("enabled", code("true")).into())
}

fn tags(table: &Table) -> Vec<Value> {
    let tag = |(key, value): (&String, &String)| {
        Object::new().with("key", text(key)).with("value", text(value)).into()
    };
    table.tags.iter().map(tag).collect()
}
