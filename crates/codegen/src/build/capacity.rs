//! How a table and its indexes are paid for: the stage's own section of the table, then the stage, then the design.

use sortkey_design::model;

use super::Builder;
use crate::model::{Billing, Capacity, Maximum, Scaling};
use crate::settings::{CapacitySettings, ScalingSettings};

impl Builder<'_> {
    pub(super) fn billing(&mut self) -> Billing {
        let asked = self.own.capacity.or(self.stage.all.capacity);
        let design = match &self.desired.table.billing {
            Some(model::Billing::Provisioned(capacity)) => Some(*capacity),
            Some(model::Billing::OnDemand) | None => None,
        };
        if !asked.is_provisioned.unwrap_or(design.is_some()) {
            self.has_no_effect_on_demand();
            return Billing::OnDemand(Maximum { read: asked.max_read, write: asked.max_write });
        }
        self.has_no_effect_provisioned();
        let scaling = self.own_scaling(self.own.scaling);
        // Autoscaling starts at its minimum unless design or stage set the units.
        let read = asked.read.or(design.map(|each| each.rcu)).or(scaling.read.map(|range| range.min));
        let write = asked.write.or(design.map(|each| each.wcu)).or(scaling.write.map(|range| range.min));
        let missing: Vec<&str> = [("read", read), ("write", write)]
            .iter()
            .filter(|(_, units)| units.unwrap_or(0) == 0)
            .map(|(name, _)| *name)
            .collect();
        if !missing.is_empty() {
            self.wrong(
                format!("is provisioned, but its {} capacity is missing", missing.join(" and ")),
                format!(
                    "give it: [stages.{}.tables.{}.capacity] with {}",
                    self.stage.name,
                    self.desired.table.name,
                    missing.iter().map(|name| format!("{name} = 5")).collect::<Vec<_>>().join(", ")
                ),
            );
        }
        Billing::Provisioned(Capacity { read: read.unwrap_or(0), write: write.unwrap_or(0) })
    }

    /// Autoscaling of the table: only provisioned capacity scales. A global table scales its writes in every region
    /// alike, or not at all, which CloudFormation refuses.
    pub(super) fn scaling(&mut self, billing: &Billing) -> Scaling {
        if matches!(billing, Billing::OnDemand(_)) {
            return Scaling::default();
        }
        let scaling = self.own_scaling(self.own.scaling);
        let is_global = self.stage.global_tables || !self.regions().is_empty();
        if is_global && scaling.write.is_none() {
            self.wrong(
                "is a provisioned global table, whose writes have to scale".to_owned(),
                format!(
                    "add [stages.{}.autoscaling.write] with min and max, or make it on demand",
                    self.stage.name
                ),
            );
        }
        scaling
    }

    /// Capacity and scaling of an index: its own section, then its clause in the design, then the table's.
    pub(super) fn index_capacity(
        &mut self,
        deployed: &str,
        table: &Billing,
        scaling: Scaling,
    ) -> (Option<Capacity>, Scaling) {
        let design = self.design_index(deployed);
        let named = design.map_or(deployed, |index| index.name.text.as_str());
        let own = self.own.indexes.get(named).cloned().unwrap_or_default();
        let Billing::Provisioned(table) = table else {
            if own.capacity != CapacitySettings::default() || own.scaling != ScalingSettings::default() {
                let what = format!(
                    "is paid on demand, so capacity and autoscaling of index `{named}` have no effect"
                );
                self.wrong(what, "remove them, or make the table provisioned");
            }
            return (None, Scaling::default());
        };
        let clause = design.and_then(|index| index.provisioned);
        let capacity = Capacity {
            read: own.capacity.read.or(clause.map(|each| each.rcu)).unwrap_or(table.read),
            write: own.capacity.write.or(clause.map(|each| each.wcu)).unwrap_or(table.write),
        };
        let scaling =
            Scaling { read: own.scaling.read.or(scaling.read), write: own.scaling.write.or(scaling.write) };
        (Some(capacity), scaling)
    }

    fn own_scaling(&self, own: ScalingSettings) -> Scaling {
        let all = self.stage.all.scaling;
        Scaling { read: own.read.or(all.read), write: own.write.or(all.write) }
    }

    /// A section of its own that cannot mean anything is a mistake; one of the whole stage is for its other tables.
    fn has_no_effect_on_demand(&mut self) {
        let capacity = self.own.capacity;
        if capacity.read.is_some()
            || capacity.write.is_some()
            || self.own.scaling != ScalingSettings::default()
        {
            self.wrong(
                "is paid on demand, so its capacity and autoscaling have no effect".to_owned(),
                "add billing = \"provisioned\" to its capacity, or remove them",
            );
        }
    }

    fn has_no_effect_provisioned(&mut self) {
        let capacity = self.own.capacity;
        if capacity.max_read.is_some() || capacity.max_write.is_some() {
            self.wrong(
                "is provisioned, so its max_read and max_write have no effect".to_owned(),
                "they limit tables on demand; autoscaling has a max of its own",
            );
        }
    }
}
