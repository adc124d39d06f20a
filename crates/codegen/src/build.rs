//! The deployment model of a design and a stage.
//!
//! Tables come from `sortkey_deploy`, which also creates them for `sortkey up`: this is the only file that
//! reads them, so that generated tables and created tables cannot differ.

mod capacity;
mod limits;

use std::collections::BTreeMap;

use sortkey_api::shapes::index::{self, ProjectionType};
use sortkey_api::shapes::table::{KeySchemaElement, KeyType};
use sortkey_deploy::{Desired, Naming, desired};
use sortkey_design::model::Design;
use sortkey_design::nearest;
use sortkey_diagnostics::Diagnostic;

use crate::model::*;
use crate::problem::{Problem, unless};
use crate::settings::{Stage, TableSettings};

/// Why there is no model.
#[derive(Debug)]
pub enum BuildError {
    /// Something is wrong in the design, or with the values of its parameters.
    Design(Vec<Diagnostic>),
    /// Something is wrong in the stage, or in what design and stage make together.
    Stage(Vec<Problem>),
}

/// The deployment of a design to a stage. `name` is what the design is called if it does not name itself; `given` are
/// values of parameters from the command line, which win over those of the stage.
pub fn build(
    design: &Design,
    name: &str,
    stage: &Stage,
    given: &BTreeMap<String, String>,
) -> Result<Deployment, BuildError> {
    let mut parameters = stage.parameters.clone();
    parameters.extend(given.clone());
    let naming = Naming { prefix: stage.prefix.clone(), parameters };
    let wanted = desired(design, &naming).map_err(BuildError::Design)?;
    let own = &design.name.text;
    let name = if own.is_empty() { name } else { own };
    let mut problems = unknown_tables(design, stage);
    let tables = wanted.iter().map(|each| Builder::new(stage, each, &mut problems).table()).collect();
    let deployment = Deployment {
        design: name.to_owned(),
        version: design.version,
        stage: stage.name.clone(),
        region: stage.region.clone(),
        keyring: stage.keyring.clone(),
        tables,
        retained: Vec::new(),
    };
    limits::check(&deployment, &mut problems);
    unless(problems, deployment).map_err(BuildError::Stage)
}

/// Sections of the stage for tables and indexes that the design does not have.
fn unknown_tables(design: &Design, stage: &Stage) -> Vec<Problem> {
    let mut problems = Vec::new();
    let missing = |what: String, name: &str, known: Vec<&str>| {
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has: {}", known.join(", ")),
        };
        Problem::new(what).hint(hint)
    };
    for (name, settings) in &stage.tables {
        let Some(table) = design.tables.iter().find(|table| table.name.is(name)) else {
            let known = design.tables.iter().map(|table| table.name.text.as_str()).collect();
            let what = format!("[stages.{}.tables.{name}]: the design has no table `{name}`", stage.name);
            problems.push(missing(what, name, known));
            continue;
        };
        for index in
            settings.indexes.keys().filter(|index| table.index(index).is_none_or(|found| found.local))
        {
            let global = table.indexes.iter().filter(|index| !index.local);
            let what = format!(
                "[stages.{}.tables.{name}.indexes.{index}]: table `{name}` has no global index `{index}`",
                stage.name
            );
            problems.push(missing(what, index, global.map(|index| index.name.text.as_str()).collect()));
        }
    }
    problems
}

/// Makes one table, and collects the problems.
struct Builder<'a> {
    stage: &'a Stage,
    own: TableSettings,
    desired: &'a Desired<'a>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Builder<'a> {
    fn new(stage: &'a Stage, desired: &'a Desired<'a>, problems: &'a mut Vec<Problem>) -> Builder<'a> {
        let own = stage.tables.get(&desired.table.name.text).cloned().unwrap_or_default();
        Builder { stage, own, desired, problems }
    }

    fn table(mut self) -> Table {
        let create = &self.desired.create;
        let types = create.attribute_definitions.iter();
        let encryption = self.encryption();
        let replicas = self.replicas(&encryption);
        let billing = self.billing();
        let scaling = self.scaling(&billing);
        let is_global = self.stage.global_tables || !replicas.is_empty();
        Table {
            design_name: self.desired.table.name.text.clone(),
            name: self.desired.name().to_owned(),
            span: self.desired.table.name.span,
            types: types
                .map(|each| (each.attribute_name.clone(), each.attribute_type.as_str().to_owned()))
                .collect(),
            key: key(&create.key_schema),
            local: self.local(),
            global: self.global(&billing, scaling),
            ttl: self.desired.time_to_live.map(str::to_owned),
            stream: self.stream(&replicas),
            recovery_days: self.desired.recovery_days,
            deletion_protection: create.deletion_protection_enabled == Some(true),
            encryption,
            class: self.own.class.or(self.declared_class()).or(self.stage.all.class).unwrap_or_default(),
            is_global,
            replicas,
            tags: self.tags(),
            insights: self.own.insights.or(self.stage.all.insights).unwrap_or(false),
            alarms: self.alarms(),
            billing,
            scaling,
        }
    }

    /// The price class that the design declares; a stage may give the table another one.
    fn declared_class(&self) -> Option<TableClass> {
        use sortkey_api::shapes::table::TableClass as Declared;
        self.desired.create.table_class.as_ref().map(|class| match class {
            Declared::StandardInfrequentAccess => TableClass::InfrequentAccess,
            _ => TableClass::Standard,
        })
    }

    fn local(&self) -> Vec<LocalIndex> {
        let indexes = self.desired.create.local_secondary_indexes.iter().flatten();
        indexes
            .map(|index| LocalIndex {
                name: index.index_name.clone(),
                key: key(&index.key_schema),
                projection: projection(&index.projection),
            })
            .collect()
    }

    fn global(&mut self, billing: &Billing, scaling: Scaling) -> Vec<GlobalIndex> {
        let indexes = self.desired.create.global_secondary_indexes.iter().flatten();
        let mut found = Vec::new();
        for index in indexes {
            let (capacity, scaling) = self.index_capacity(&index.index_name, billing, scaling);
            let named = self.design_index(&index.index_name);
            found.push(GlobalIndex {
                name: index.index_name.clone(),
                key: key(&index.key_schema),
                projection: projection(&index.projection),
                capacity,
                scaling,
                span: named.map(|index| index.name.span),
            });
        }
        found
    }

    /// The index of the design that has this deployed name.
    fn design_index(&self, deployed: &str) -> Option<&'a sortkey_design::model::Index> {
        let name = |index: &sortkey_design::model::Index| {
            index.deployed.as_deref().unwrap_or(&index.name.text) == deployed
        };
        self.desired.table.indexes.iter().find(|index| name(index))
    }

    /// The other regions: those of the stage if it names any, or else those of the design; never the table's own.
    fn regions(&self) -> Vec<String> {
        let named = self.own.replicas.clone().or_else(|| self.stage.all.replicas.clone());
        let regions = named.unwrap_or_else(|| {
            self.desired.table.replicas.iter().map(|region| region.text.clone()).collect()
        });
        regions.into_iter().filter(|region| Some(region) != self.stage.region.as_ref()).collect()
    }

    /// A replica is under a key of the customer if the table itself is.
    fn replicas(&mut self, encryption: &Encryption) -> Vec<Replica> {
        let is_customers = matches!(encryption, Encryption::Customer(_));
        if !is_customers && !self.own.kms_keys.is_empty() {
            self.wrong(
                "has `kms_keys` for its replicas, and no key itself".to_owned(),
                "add `kms_key`, or leave out `kms_keys`",
            );
        }
        let replica = |region: String| {
            let key = self.own.kms_keys.get(&region).or_else(|| self.stage.all.kms_keys.get(&region));
            Replica { kms_key: key.cloned().filter(|_| is_customers), region }
        };
        self.regions().into_iter().map(replica).collect()
    }

    /// Replication reads a stream of both images.
    fn stream(&mut self, replicas: &[Replica]) -> Option<String> {
        let view = self.desired.create.stream_specification.as_ref();
        let view =
            view.and_then(|stream| stream.stream_view_type.as_ref()).map(|view| view.as_str().to_owned());
        if replicas.is_empty() {
            return view;
        }
        if let Some(other) = view.filter(|view| view != REPLICATION) {
            self.wrong(
                format!(
                    "has replicas, which need a stream of new_and_old_images, not {}",
                    other.to_lowercase()
                ),
                "write `stream new_and_old_images` in the design",
            );
        }
        Some(REPLICATION.to_owned())
    }

    fn encryption(&self) -> Encryption {
        let asked = self.desired.create.sse_specification.as_ref();
        let key = self.own.kms_key.clone().or_else(|| self.stage.all.kms_key.clone());
        match (key, asked) {
            (Some(key), _) => Encryption::Customer(key),
            (None, None) => Encryption::Owned,
            (None, Some(asked)) => match &asked.kms_master_key_id {
                Some(key) => Encryption::Customer(key.clone()),
                None => Encryption::Managed,
            },
        }
    }

    fn tags(&self) -> BTreeMap<String, String> {
        let mut tags = self.stage.all.tags.clone();
        tags.extend(self.own.tags.clone());
        let named = self.desired.create.tags.iter().flatten();
        tags.extend(named.map(|tag| (tag.key.clone(), tag.value.clone())));
        tags
    }

    fn alarms(&self) -> Alarms {
        let (own, all) = (&self.own.alarms, &self.stage.all.alarms);
        Alarms {
            topic: own.topic.clone().or_else(|| all.topic.clone()),
            throttles: own.throttles.or(all.throttles),
            system_errors: own.system_errors.or(all.system_errors),
            iterator_age_ms: own.iterator_age_ms.or(all.iterator_age_ms),
            period_seconds: own.period_seconds.or(all.period_seconds).unwrap_or(60),
            consumers: own.consumers.clone(),
        }
    }

    fn wrong(&mut self, what: String, hint: impl Into<String>) {
        let what = format!("table `{}` {what}", self.desired.table.name);
        self.problems.push(Problem::new(what).hint(hint));
    }
}

/// The stream that replication reads.
const REPLICATION: &str = "NEW_AND_OLD_IMAGES";

fn key(schema: &[KeySchemaElement]) -> Key {
    let part = |kind: KeyType| {
        let elements = schema.iter().filter(move |element| element.key_type == kind);
        elements.map(|element| element.attribute_name.clone()).collect()
    };
    Key { partition: part(KeyType::Hash), sort: part(KeyType::Range) }
}

fn projection(projection: &index::Projection) -> Projection {
    match &projection.projection_type {
        Some(ProjectionType::KeysOnly) => Projection::KeysOnly,
        Some(ProjectionType::Include) => {
            Projection::Include(projection.non_key_attributes.clone().unwrap_or_default())
        }
        _ => Projection::All,
    }
}
