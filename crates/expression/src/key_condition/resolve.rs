//! Laying the tests of a key condition on the key of a table or index.

use sortkey_value::{AttributeType, ValueRef};

use super::{KeyCondition, KeyConditionError, KeyTest, SortRange};
use crate::constant::Constant;

/// The part of a table or an index that a query reads.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRange {
    /// The values of all partition attributes, in the order of the key.
    pub partition: Vec<Constant>,
    /// The values of the first sort attributes, as many as are tested by equality.
    pub sort_equal: Vec<Constant>,
    /// The range of the sort attribute behind these; never an equality.
    pub sort_range: Option<SortRange>,
}

/// An attribute of a key: its name and type.
type KeyAttribute<'k> = (&'k str, AttributeType);

impl KeyCondition {
    /// Resolves the condition for a key with these attributes, in the order of the key.
    pub fn resolve(
        &self,
        partition: &[KeyAttribute<'_>],
        sort: &[KeyAttribute<'_>],
    ) -> Result<KeyRange, KeyConditionError> {
        let values = self.resolve_partition(partition, sort)?;
        let (sort_equal, sort_range) = self.resolve_sort(partition, sort)?;
        Ok(KeyRange { partition: values, sort_equal, sort_range })
    }

    /// The values of the partition attributes: DynamoDB holds the condition against these first.
    pub fn resolve_partition(
        &self,
        partition: &[KeyAttribute<'_>],
        sort: &[KeyAttribute<'_>],
    ) -> Result<Vec<Constant>, KeyConditionError> {
        let (conditions, attributes) = (self.tests.len(), partition.len() + sort.len());
        if conditions == 0 {
            return Err(KeyConditionError::NoConditions);
        }
        // DynamoDB has a text of its own for one condition too many on a key of one attribute.
        if attributes == 1 && conditions == 2 {
            return Err(KeyConditionError::RangeOnPartition);
        }
        if conditions > attributes {
            return Err(KeyConditionError::TooManyConditions { conditions, attributes });
        }
        let is_equality = |name: &str| {
            self.test_of(name).is_some_and(|test| matches!(test.range, Some(SortRange::Equal(_))))
        };
        if partition.len() > 1 && !partition.iter().all(|(name, _)| is_equality(name)) {
            let without = partition.iter().filter(|(name, _)| !is_equality(name));
            let attributes = without.map(|(name, _)| (*name).to_owned()).collect();
            return Err(KeyConditionError::PartitionGap { attributes });
        }
        partition.iter().map(|attribute| self.partition_value(*attribute)).collect()
    }

    /// The values of the first sort attributes, and the range of the next.
    pub fn resolve_sort(
        &self,
        partition: &[KeyAttribute<'_>],
        sort: &[KeyAttribute<'_>],
    ) -> Result<(Vec<Constant>, Option<SortRange>), KeyConditionError> {
        let is_of_key =
            |test: &KeyTest| partition.iter().chain(sort).any(|(name, _)| *name == test.attribute);
        if !self.tests.iter().all(is_of_key) {
            // DynamoDB reports a test of a non-key attribute as a missing test of the key.
            let missing = sort.iter().find(|(name, _)| self.test_of(name).is_none());
            let Some((name, _)) = missing else { return Err(KeyConditionError::RangeOnPartition) };
            return Err(KeyConditionError::MissingAttribute { attribute: (*name).to_owned() });
        }
        self.sort_values(sort)
    }

    fn partition_value(&self, attribute: KeyAttribute<'_>) -> Result<Constant, KeyConditionError> {
        let Some(test) = self.test_of(attribute.0) else {
            return Err(KeyConditionError::MissingAttribute { attribute: attribute.0.to_owned() });
        };
        match test.checked_range(attribute)? {
            SortRange::Equal(value) => Ok(value.clone()),
            _ => Err(KeyConditionError::RangeOnPartition),
        }
    }

    fn sort_values(
        &self,
        sort: &[KeyAttribute<'_>],
    ) -> Result<(Vec<Constant>, Option<SortRange>), KeyConditionError> {
        let mut equal = Vec::new();
        let mut last = None;
        let mut without_equality: Vec<String> = Vec::new();
        for attribute in sort {
            let name = attribute.0.to_owned();
            let Some(test) = self.test_of(attribute.0) else {
                without_equality.push(name);
                continue;
            };
            if !without_equality.is_empty() {
                return Err(KeyConditionError::SortGap { before: without_equality, attribute: name });
            }
            match test.checked_range(*attribute)? {
                SortRange::Equal(value) => equal.push(value.clone()),
                range => {
                    last = Some(range.clone());
                    without_equality.push(name);
                }
            }
        }
        Ok((equal, last))
    }

    fn test_of(&self, attribute: &str) -> Option<&KeyTest> {
        self.tests.iter().find(|test| test.attribute == attribute)
    }
}

impl KeyTest {
    /// The range, if its bounds can be values of this attribute.
    fn checked_range(&self, (name, kind): KeyAttribute<'_>) -> Result<&SortRange, KeyConditionError> {
        let range = self.range.as_ref().ok_or(KeyConditionError::NotIndexable)?;
        for bound in range.bounds() {
            let empty = |kind| KeyConditionError::EmptyValue { attribute: name.to_owned(), kind };
            match bound.value() {
                value if value.attribute_type() != kind => return Err(KeyConditionError::TypeMismatch),
                ValueRef::S("") => return Err(empty("string")),
                ValueRef::B([]) => return Err(empty("binary")),
                _ => {}
            }
        }
        Ok(range)
    }
}
