//! A condition taken apart into branches, each of which reads one part of one partition.
//!
//! Only conditions on the key are taken apart; any other stays whole, as a filter.

use sortkey_expression::{Comparator, Condition, Constant, Operand, Path, SortRange};

use super::{KeySchema, READS};
use crate::error::PartiqlError;

/// One of several ways to meet a condition.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    pub(super) partition: Option<Constant>,
    pub(super) sort: Option<SortTest>,
    pub(super) filters: Vec<Condition>,
    /// Whether a filter excludes values of the sort attribute.
    pub(super) excludes_sort: bool,
}

/// A range of the sort attribute, and the condition it came from.
#[derive(Clone, Debug)]
pub(super) struct SortTest {
    pub(super) range: SortRange,
    pub(super) condition: Condition,
}

/// Whether every way to meet the condition names a partition.
pub(super) fn names_partition(condition: &Condition, key: KeySchema<'_>) -> bool {
    match condition {
        Condition::And(terms) => terms.iter().any(|term| names_partition(term, key)),
        Condition::Or(terms) => !terms.is_empty() && terms.iter().all(|term| names_partition(term, key)),
        _ => key_values(condition).is_some_and(|(name, _)| key.is_partition(name)),
    }
}

/// The ways to meet a condition for which [`names_partition`] holds. Ways that contradict themselves are left out.
pub(super) fn branches(condition: &Condition, key: KeySchema<'_>) -> Result<Vec<Branch>, PartiqlError> {
    let mentions_key = |path: &&Path| {
        let name = path.attribute_name();
        key.is_partition(name) || key.is_sort(name)
    };
    if !condition.paths().iter().any(mentions_key) {
        return Ok(vec![Branch { filters: vec![condition.clone()], ..Branch::default() }]);
    }
    match condition {
        Condition::And(terms) => {
            let mut product = vec![Branch::default()];
            for term in terms {
                let ways = branches(term, key)?;
                check_count(product.len() * ways.len())?;
                product =
                    product.iter().flat_map(|branch| ways.iter().filter_map(|way| branch.and(way))).collect();
            }
            Ok(product)
        }
        Condition::Or(terms) => {
            let mut sum = Vec::new();
            for term in terms {
                sum.extend(branches(term, key)?);
                check_count(sum.len())?;
            }
            Ok(sum)
        }
        _ => leaf(condition, key),
    }
}

fn check_count(reads: usize) -> Result<(), PartiqlError> {
    if reads > READS {
        return Err(PartiqlError::TooManyReads);
    }
    Ok(())
}

fn leaf(condition: &Condition, key: KeySchema<'_>) -> Result<Vec<Branch>, PartiqlError> {
    if let Some((name, values)) = key_values(condition) {
        check_count(values.len())?;
        if key.is_partition(name) {
            let branch = |value: &Constant| Branch { partition: Some(value.clone()), ..Branch::default() };
            return Ok(values.into_iter().map(branch).collect());
        }
        if key.is_sort(name) {
            let branch = |value: &Constant| {
                let test = SortTest {
                    range: SortRange::Equal(value.clone()),
                    condition: Condition::Compare {
                        operator: Comparator::Equal,
                        left: Path::attribute(name).into(),
                        right: value.clone().into(),
                    },
                };
                Branch { sort: Some(test), ..Branch::default() }
            };
            return Ok(values.into_iter().map(branch).collect());
        }
    }
    if let Some((name, range)) = range(condition)
        && key.is_sort(name)
    {
        let test = SortTest { range, condition: condition.clone() };
        return Ok(vec![Branch { sort: Some(test), ..Branch::default() }]);
    }
    let excludes_sort = condition.paths().iter().any(|path| key.is_sort(path.attribute_name()));
    Ok(vec![Branch { filters: vec![condition.clone()], excludes_sort, ..Branch::default() }])
}

impl Branch {
    /// Both ways at once, unless they name different partitions. Of two ranges the first is read; the second
    /// filters.
    fn and(&self, other: &Branch) -> Option<Branch> {
        let mut both = self.clone();
        match (&self.partition, &other.partition) {
            (Some(own), Some(others)) if own != others => return None,
            (None, others) => both.partition = others.clone(),
            (Some(_), _) => {}
        }
        both.filters.extend(other.filters.iter().cloned());
        both.excludes_sort |= other.excludes_sort;
        match (&self.sort, &other.sort) {
            (Some(_), Some(second)) => both.filters.push(second.condition.clone()),
            (None, others) => both.sort = others.clone(),
            (Some(_), None) => {}
        }
        Some(both)
    }
}

/// The attribute of which a condition lists the values it may have.
fn key_values(condition: &Condition) -> Option<(&str, Vec<&Constant>)> {
    match condition {
        Condition::Compare { operator: Comparator::Equal, left, right } => match (left, right) {
            (Operand::Path(path), Operand::Constant(value))
            | (Operand::Constant(value), Operand::Path(path)) => Some((whole_attribute(path)?, vec![value])),
            _ => None,
        },
        Condition::In { operand: Operand::Path(path), members } => {
            let values = members.iter().map(|member| match member {
                Operand::Constant(value) => Some(value),
                _ => None,
            });
            Some((whole_attribute(path)?, values.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// The attribute of which a condition gives a range.
fn range(condition: &Condition) -> Option<(&str, SortRange)> {
    match condition {
        Condition::Compare { operator, left: Operand::Path(path), right: Operand::Constant(value) } => {
            Some((whole_attribute(path)?, SortRange::compared(*operator, value.clone())?))
        }
        Condition::Compare { operator, left: Operand::Constant(value), right: Operand::Path(path) } => {
            Some((whole_attribute(path)?, SortRange::compared(operator.mirrored(), value.clone())?))
        }
        Condition::Between {
            operand: Operand::Path(path),
            lower: Operand::Constant(lower),
            upper: Operand::Constant(upper),
        } => Some((whole_attribute(path)?, SortRange::Between(lower.clone(), upper.clone()))),
        Condition::BeginsWith(Operand::Path(path), Operand::Constant(prefix)) => {
            Some((whole_attribute(path)?, SortRange::BeginsWith(prefix.clone())))
        }
        _ => None,
    }
}

fn whole_attribute(path: &Path) -> Option<&str> {
    (!path.is_nested()).then(|| path.attribute_name())
}
