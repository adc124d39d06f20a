//! `SELECT`: reads by key, or a scan.

use sortkey_expression::{Condition, Constant, SortRange};

use super::KeySchema;
use super::branches::{Branch, branches, names_partition};
use super::overlap::overlap;
use crate::error::PartiqlError;
use crate::statement::Select;

/// How a `SELECT` is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadPlan {
    /// By looking at every item.
    Scan {
        /// The condition on the items to return.
        filter: Option<Condition>,
    },
    /// By reading parts of partitions, one after another. No item is in two of them. There may be none: a
    /// condition that contradicts itself.
    Keys(Vec<KeyRead>),
}

/// A part of a partition.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRead {
    /// The partition.
    pub partition: Constant,
    /// The range of the sort attribute; `None` for the whole partition.
    pub sort: Option<SortRange>,
    /// The condition on the items to return.
    pub filter: Option<Condition>,
}

/// In which order the sort attribute is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The smallest first.
    Ascending,
    /// The largest first.
    Descending,
}

/// How a condition is answered from this key.
pub fn plan_read(condition: Option<&Condition>, key: KeySchema<'_>) -> Result<ReadPlan, PartiqlError> {
    let Some(condition) = condition.filter(|condition| names_partition(condition, key)) else {
        return Ok(ReadPlan::Scan { filter: condition.cloned() });
    };
    let branches = branches(condition, key)?;
    for branch in &branches {
        check_types(branch, key)?;
    }
    let mut partitions: Vec<(Constant, Vec<Branch>)> = Vec::new();
    for branch in branches {
        let Some(partition) = branch.partition.clone() else { continue };
        match partitions.iter_mut().find(|(known, _)| *known == partition) {
            Some((_, same)) => same.push(branch),
            None => partitions.push((partition, vec![branch])),
        }
    }
    let mut reads = Vec::new();
    for (partition, branches) in partitions {
        reads.extend(partition_reads(&partition, branches)?);
    }
    Ok(ReadPlan::Keys(reads))
}

fn check_types(branch: &Branch, key: KeySchema<'_>) -> Result<(), PartiqlError> {
    let mismatch = |name: &str| Err(PartiqlError::KeyValueType(name.to_owned()));
    let (partition, partition_type) = key.partition;
    if branch.partition.as_ref().is_some_and(|value| value.value().attribute_type() != partition_type) {
        return mismatch(partition);
    }
    if let (Some((sort, sort_type)), Some(test)) = (key.sort, &branch.sort)
        && test.range.bounds().any(|bound| bound.value().attribute_type() != sort_type)
    {
        return mismatch(sort);
    }
    Ok(())
}

/// The reads of one partition. Branches that could return the same item are refused, unless one of them excludes
/// values of the sort attribute: then the whole partition is read once and filtered.
fn partition_reads(partition: &Constant, branches: Vec<Branch>) -> Result<Vec<KeyRead>, PartiqlError> {
    if branches.len() > 1 && branches.iter().any(|branch| branch.excludes_sort) {
        let ways = branches.into_iter().map(|branch| {
            let sort = branch.sort.map(|test| test.condition);
            Condition::And(sort.into_iter().chain(branch.filters).collect())
        });
        let filter = Some(Condition::Or(ways.collect()));
        return Ok(vec![KeyRead { partition: partition.clone(), sort: None, filter }]);
    }
    let ranges: Vec<Option<&SortRange>> =
        branches.iter().map(|branch| branch.sort.as_ref().map(|test| &test.range)).collect();
    for (position, one) in ranges.iter().enumerate() {
        if ranges[..position].iter().any(|two| overlap(*one, *two)) {
            return Err(PartiqlError::OverlappingReads);
        }
    }
    let reads = branches.into_iter().map(|mut branch| KeyRead {
        partition: partition.clone(),
        sort: branch.sort.map(|test| test.range),
        filter: match branch.filters.len() {
            0 | 1 => branch.filters.pop(),
            _ => Some(Condition::And(branch.filters)),
        },
    });
    Ok(reads.collect())
}

/// The order that a `SELECT` asks for, given how it is answered.
pub fn plan_order(select: &Select, plan: &ReadPlan, key: KeySchema<'_>) -> Result<Direction, PartiqlError> {
    if select.order.is_empty() {
        return Ok(Direction::Ascending);
    }
    if select.condition.is_none() {
        return Err(PartiqlError::OrderWithoutWhere);
    }
    let ReadPlan::Keys(reads) = plan else {
        return Err(PartiqlError::OrderWithoutKey);
    };
    for order in &select.order {
        if !key.is_partition(&order.attribute) && !key.is_sort(&order.attribute) {
            return Err(PartiqlError::OrderAttribute(order.attribute.clone()));
        }
    }
    let several = reads.iter().any(|read| read.partition != reads[0].partition);
    if several && !select.order.iter().any(|order| key.is_partition(&order.attribute)) {
        return Err(PartiqlError::OrderWithoutPartition);
    }
    let sort = select.order.iter().find(|order| key.is_sort(&order.attribute));
    match sort.or(select.order.first()) {
        Some(order) if order.descending => Ok(Direction::Descending),
        _ => Ok(Direction::Ascending),
    }
}
