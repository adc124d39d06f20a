//! `aws_appautoscaling_target` and `aws_appautoscaling_policy`.

use super::hcl::{Block, quoted};
use super::names::{self, Names};
use super::table::INDEX;
use crate::model::Table;
use crate::scaling::targets;

pub(super) fn resources(table: &Table, id: &str, inline: bool, names: &mut Names) -> Vec<Block> {
    let mut blocks = Vec::new();
    for target in targets(table) {
        let place = match target.index {
            Some(index) => names::index(id, index),
            None => id.to_owned(),
        };
        let own = format!("{place}_{}", target.dimension.word().to_lowercase());
        let (kind, policy) = ("aws_appautoscaling_target", "aws_appautoscaling_policy");
        names.take(kind, &own, format!("autoscaling of {}", target.what(table)));
        let name = format!("${{aws_dynamodb_table.{id}.name}}");
        let resource_id = match target.index {
            Some(index) => format!("\"table/{name}/index/{index}\""),
            None => format!("\"table/{name}\""),
        };
        // An index of its own exists after its table.
        let after = target.index.filter(|_| !inline).map(|_| format!("[{INDEX}.{place}]"));
        blocks.push(
            Block::new("resource", &[kind, &own])
                .set("service_namespace", quoted("dynamodb"))
                .set("resource_id", resource_id)
                .set("scalable_dimension", quoted(&target.dimension.scalable(target.index.is_some())))
                .set("min_capacity", target.range.min.to_string())
                .set("max_capacity", target.range.max.to_string())
                .set_some("depends_on", after),
        );
        let metric = Block::new("predefined_metric_specification", &[])
            .set("predefined_metric_type", quoted(&target.dimension.metric()));
        let tracking = Block::new("target_tracking_scaling_policy_configuration", &[])
            .set("target_value", target.range.target.to_string())
            .block(metric);
        blocks.push(
            Block::new("resource", &[policy, &own])
                .set("name", quoted(&format!("{}Policy", target.name(table))))
                .set("policy_type", quoted("TargetTrackingScaling"))
                .set("service_namespace", format!("{kind}.{own}.service_namespace"))
                .set("resource_id", format!("{kind}.{own}.resource_id"))
                .set("scalable_dimension", format!("{kind}.{own}.scalable_dimension"))
                .block(tracking),
        );
    }
    blocks
}
