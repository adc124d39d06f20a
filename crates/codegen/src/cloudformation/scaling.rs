//! Autoscaling of a table in one region and of each of its indexes. A global table scales by itself.

use super::resources::{Resources, logical_id, resource};
use crate::model::{Range, Table};
use crate::node::{Map, reference, substitute};
use crate::scaling::{Dimension, targets};

pub(super) fn add(id: &str, table: &Table, resources: &mut Resources) {
    for target in targets(table) {
        let base = match target.index {
            Some(index) => format!("{id}{}", logical_id(index)),
            None => id.to_owned(),
        };
        let base = format!("{base}{}", target.dimension.word());
        let what = format!("autoscaling of {}", target.what(table));
        let path = match target.index {
            Some(index) => format!("table/${{{id}}}/index/{index}"),
            None => format!("table/${{{id}}}"),
        };
        let target_id = format!("{base}Target");
        resources.insert(
            &target_id,
            what.clone(),
            scalable_target(path, target.dimension, target.index.is_some(), target.range),
        );
        let policy =
            policy(&format!("{}Policy", target.name(table)), &target_id, target.dimension, target.range);
        resources.insert(&format!("{base}Policy"), what, policy);
    }
}

fn scalable_target(path: String, dimension: Dimension, is_index: bool, range: Range) -> Map {
    let properties = Map::new()
        .with("ServiceNamespace", "dynamodb")
        .with("ResourceId", substitute(path))
        .with("ScalableDimension", dimension.scalable(is_index))
        .with("MinCapacity", range.min)
        .with("MaxCapacity", range.max);
    resource("AWS::ApplicationAutoScaling::ScalableTarget", properties)
}

fn policy(name: &str, target: &str, dimension: Dimension, range: Range) -> Map {
    let metric = Map::new().with("PredefinedMetricType", dimension.metric());
    let tracking = Map::new().with("TargetValue", range.target).with("PredefinedMetricSpecification", metric);
    let properties = Map::new()
        .with("PolicyName", name)
        .with("PolicyType", "TargetTrackingScaling")
        .with("ScalingTargetId", reference(target))
        .with("TargetTrackingScalingPolicyConfiguration", tracking);
    resource("AWS::ApplicationAutoScaling::ScalingPolicy", properties)
}
