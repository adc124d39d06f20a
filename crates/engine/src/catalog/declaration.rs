//! From what CreateTable and UpdateTable declare to schemas: the rules about keys, indexes and projections, in
//! the order in which AWS checks them.

use std::collections::BTreeSet;

use sortkey_api::ApiError;
use sortkey_api::shapes::index::{
    GlobalSecondaryIndex, LocalSecondaryIndex, Projection as ProjectionShape, ProjectionType,
};
use sortkey_api::shapes::table::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use sortkey_value::AttributeType;

use crate::catalog::schema::{IndexKind, KeyAttribute, KeySchema, Projection};
use crate::text;

/// Local indexes that a table may have.
const MAX_LOCAL_INDEXES: usize = 5;
/// Global indexes that a table may have.
pub(crate) const MAX_GLOBAL_INDEXES: usize = 20;
/// Partition attributes, and sort attributes, that a global index may have.
const MAX_INDEX_ATTRIBUTES: usize = 4;
/// Non-key attributes that all indexes of a table may name together.
const MAX_PROJECTED_ATTRIBUTES: usize = 100;

/// The keys of a table and of its indexes, checked against each other.
pub(crate) struct Declaration {
    pub(crate) attributes: Vec<KeyAttribute>,
    pub(crate) key: KeySchema,
    pub(crate) indexes: Vec<DeclaredIndex>,
}

/// An index that is not part of a table yet.
pub(crate) struct DeclaredIndex {
    pub(crate) name: String,
    pub(crate) kind: IndexKind,
    pub(crate) key: KeySchema,
    pub(crate) projection: Projection,
}

impl Declaration {
    pub(crate) fn check(
        definitions: &[AttributeDefinition],
        key: &[KeySchemaElement],
        locals: Option<&[LocalSecondaryIndex]>,
        globals: Option<&[GlobalSecondaryIndex]>,
    ) -> Result<Declaration, ApiError> {
        let attributes = attributes(definitions)?;
        let key = table_key(key, &attributes)?;
        let mut indexes = Vec::new();
        if let Some(locals) = locals {
            check_local_list(locals, &key)?;
            for local in locals {
                add(&mut indexes, declare_local(local, &key, &attributes)?)?;
            }
            check_count(&indexes, IndexKind::Local)?;
        }
        if let Some(globals) = globals {
            if globals.is_empty() {
                return Err(ApiError::invalid_parameter("List of GlobalSecondaryIndexes is empty"));
            }
            for GlobalSecondaryIndex { index_name, key_schema, projection, .. } in globals {
                add(&mut indexes, declare_global(index_name, key_schema, projection, &attributes)?)?;
            }
            check_count(&indexes, IndexKind::Global)?;
        }
        check_projected(&indexes)?;
        let declaration = Declaration { attributes, key, indexes };
        declaration.check_all_used()?;
        Ok(declaration)
    }

    /// Every attribute definition must be there for a key. Without indexes AWS only counts.
    fn check_all_used(&self) -> Result<(), ApiError> {
        let keys = [&self.key].into_iter().chain(self.indexes.iter().map(|index| &index.key));
        let mut used: Vec<&str> = Vec::new();
        for attribute in keys.flat_map(KeySchema::attributes) {
            if !used.contains(&attribute.name.as_str()) {
                used.push(&attribute.name);
            }
        }
        if used.len() == self.attributes.len() {
            return Ok(());
        }
        if self.indexes.is_empty() {
            return Err(ApiError::invalid_parameter(
                "Number of attributes in KeySchema does not exactly match number of attributes defined in \
                 AttributeDefinitions",
            ));
        }
        let defined: Vec<&str> = self.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        Err(ApiError::invalid_parameter(format_args!(
            "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
            defined.join(", "),
            used.join(", ")
        )))
    }
}

/// The attributes that are defined, each once.
pub(crate) fn attributes(definitions: &[AttributeDefinition]) -> Result<Vec<KeyAttribute>, ApiError> {
    let mut attributes: Vec<KeyAttribute> = Vec::with_capacity(definitions.len());
    for definition in definitions {
        let name = definition.attribute_name.clone();
        if attributes.iter().any(|known| known.name == name) {
            return Err(ApiError::validation(format!("Attribute Name is duplicated: {name}")));
        }
        let kind = match definition.attribute_type {
            ScalarAttributeType::N => AttributeType::N,
            ScalarAttributeType::B => AttributeType::B,
            _ => AttributeType::S,
        };
        attributes.push(KeyAttribute { name, kind });
    }
    Ok(attributes)
}

fn table_key(elements: &[KeySchemaElement], attributes: &[KeyAttribute]) -> Result<KeySchema, ApiError> {
    if elements.len() > attributes.len() {
        return Err(ApiError::validation("Invalid KeySchema: Some index key attribute have no definition"));
    }
    key_schema(elements, attributes, 1)
}

fn declare_local(
    local: &LocalSecondaryIndex,
    table_key: &KeySchema,
    attributes: &[KeyAttribute],
) -> Result<DeclaredIndex, ApiError> {
    let key = key_schema(&local.key_schema, attributes, 1)?;
    check_local_key(&local.index_name, &key, table_key)?;
    let projection = projection(&local.projection)?;
    Ok(DeclaredIndex { name: local.index_name.clone(), kind: IndexKind::Local, key, projection })
}

/// A global index as it is declared, checked for itself.
pub(crate) fn declare_global(
    name: &str,
    elements: &[KeySchemaElement],
    projection: &ProjectionShape,
    attributes: &[KeyAttribute],
) -> Result<DeclaredIndex, ApiError> {
    let key = key_schema(elements, attributes, MAX_INDEX_ATTRIBUTES)?;
    let projection = self::projection(projection)?;
    Ok(DeclaredIndex { name: name.to_owned(), kind: IndexKind::Global, key, projection })
}

/// Adds an index whose name is not taken.
fn add(indexes: &mut Vec<DeclaredIndex>, index: DeclaredIndex) -> Result<(), ApiError> {
    if indexes.iter().any(|known| known.name == index.name) {
        return Err(text::duplicate_index_name(&index.name));
    }
    indexes.push(index);
    Ok(())
}

/// A key whose attributes are defined and distinct: partition attributes first, then sort attributes, at most so
/// many of each.
fn key_schema(
    elements: &[KeySchemaElement],
    attributes: &[KeyAttribute],
    most: usize,
) -> Result<KeySchema, ApiError> {
    check_defined(elements, attributes)?;
    check_distinct(elements)?;
    let invalid = |what: String| Err(ApiError::validation(format!("Invalid KeySchema: {what}")));
    let is_sort = |element: &KeySchemaElement| element.key_type == KeyType::Range;
    let split = elements.iter().position(is_sort).unwrap_or(elements.len());
    let (partition, sort) = elements.split_at(split);
    if partition.is_empty() {
        return invalid("The first KeySchemaElement is not a HASH key type".into());
    }
    if partition.len() > most && most == 1 {
        return invalid("The second KeySchemaElement is not a RANGE key type".into());
    }
    if !sort.iter().all(is_sort) {
        return Err(ApiError::invalid_parameter(
            "All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ));
    }
    if partition.len() > most || sort.len() > most {
        return invalid(format!("A key can have at most {most} HASH and {most} RANGE key attributes"));
    }
    let pick = |elements: &[KeySchemaElement]| {
        let find = |element: &KeySchemaElement| {
            attributes.iter().find(|known| known.name == element.attribute_name).cloned()
        };
        elements.iter().filter_map(find).collect()
    };
    Ok(KeySchema { partition: pick(partition), sort: pick(sort) })
}

fn check_defined(elements: &[KeySchemaElement], attributes: &[KeyAttribute]) -> Result<(), ApiError> {
    let is_defined =
        |element: &KeySchemaElement| attributes.iter().any(|known| known.name == element.attribute_name);
    if elements.iter().all(is_defined) {
        return Ok(());
    }
    let keys: Vec<&str> = elements.iter().map(|element| element.attribute_name.as_str()).collect();
    let defined: Vec<&str> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    Err(ApiError::invalid_parameter(format_args!(
        "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
        keys.join(", "),
        defined.join(", "),
    )))
}

fn check_distinct(elements: &[KeySchemaElement]) -> Result<(), ApiError> {
    let names: BTreeSet<&str> = elements.iter().map(|element| element.attribute_name.as_str()).collect();
    if names.len() < elements.len() {
        return Err(ApiError::validation(
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ));
    }
    Ok(())
}

fn projection(shape: &ProjectionShape) -> Result<Projection, ApiError> {
    let names = shape.non_key_attributes.as_ref();
    let unexpected = |kind: &str| {
        let what = format!("ProjectionType is {kind}, but NonKeyAttributes is specified");
        if names.is_some() { Err(ApiError::invalid_parameter(what)) } else { Ok(()) }
    };
    match &shape.projection_type {
        None => Err(ApiError::invalid_parameter("Unknown ProjectionType: null")),
        Some(ProjectionType::KeysOnly) => unexpected("KEYS_ONLY").map(|()| Projection::KeysOnly),
        Some(ProjectionType::Include) => match names {
            Some(names) => {
                let mut seen = BTreeSet::new();
                match names.iter().find(|name| !seen.insert(name.as_str())) {
                    Some(name) => Err(ApiError::invalid_parameter(format_args!(
                        "Duplicate element in NonKeyAttributes: {name}"
                    ))),
                    None => Ok(Projection::Include(names.clone())),
                }
            }
            None => Err(ApiError::invalid_parameter(
                "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
            )),
        },
        Some(_) => unexpected("ALL").map(|()| Projection::All),
    }
}

fn check_local_list(locals: &[LocalSecondaryIndex], table_key: &KeySchema) -> Result<(), ApiError> {
    if locals.is_empty() {
        return Err(ApiError::invalid_parameter("List of LocalSecondaryIndexes is empty"));
    }
    if table_key.sort.is_empty() {
        return Err(ApiError::invalid_parameter(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        ));
    }
    Ok(())
}

fn check_local_key(name: &str, key: &KeySchema, table_key: &KeySchema) -> Result<(), ApiError> {
    if key.sort.is_empty() {
        return Err(ApiError::invalid_parameter(format_args!(
            "Index KeySchema does not have a range key for index: {name}"
        )));
    }
    if key.partition != table_key.partition {
        let hash =
            |key: &KeySchema| key.partition.first().map_or(String::new(), |attribute| attribute.name.clone());
        return Err(ApiError::invalid_parameter(format_args!(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. \
             index hash key: {}, table hash key: {}",
            hash(key),
            hash(table_key)
        )));
    }
    Ok(())
}

fn check_count(indexes: &[DeclaredIndex], kind: IndexKind) -> Result<(), ApiError> {
    let count = indexes.iter().filter(|index| index.kind == kind).count();
    match kind {
        IndexKind::Local if count > MAX_LOCAL_INDEXES => Err(ApiError::invalid_parameter(format_args!(
            "Number of LocalSecondaryIndexes exceeds per-table limit of {MAX_LOCAL_INDEXES}"
        ))),
        IndexKind::Global if count > MAX_GLOBAL_INDEXES => Err(ApiError::invalid_parameter(format_args!(
            "GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL_INDEXES}"
        ))),
        _ => Ok(()),
    }
}

fn check_projected(indexes: &[DeclaredIndex]) -> Result<(), ApiError> {
    let projected: usize = indexes
        .iter()
        .map(|index| match &index.projection {
            Projection::Include(names) => names.len(),
            _ => 0,
        })
        .sum();
    if projected > MAX_PROJECTED_ATTRIBUTES {
        return Err(ApiError::invalid_parameter(format_args!(
            "Total number of non-key attributes projected across all indexes exceeds the limit of {MAX_PROJECTED_ATTRIBUTES}"
        )));
    }
    Ok(())
}
