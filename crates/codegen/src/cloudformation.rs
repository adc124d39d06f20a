//! A deployment as a CloudFormation template.
//!
//! Every table has `DeletionPolicy` and `UpdateReplacePolicy: Retain`: neither a removed resource nor a deleted stack
//! deletes items.

mod alarms;
mod global_table;
mod resources;
mod scaling;
mod table;

pub(crate) use resources::logical_id;

use crate::files::File;
use crate::header;
use crate::model::{Deployment, Table};
use crate::node::{Map, Node, attribute, reference};
use crate::problem::{Problem, unless};
use resources::Resources;

/// How a template is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As JSON.
    #[default]
    Json,
    /// As YAML.
    Yaml,
}

impl Format {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Yaml => "yaml",
        }
    }
}

/// CloudFormation's quotas of one template.
const MOST_RESOURCES: usize = 500;
const MOST_OUTPUTS: usize = 200;

/// The template of a deployment, as one file.
pub fn cloudformation(deployment: &Deployment, format: Format) -> Result<Vec<File>, Vec<Problem>> {
    let name = format!("template.{}", format.extension());
    Ok(vec![File::new(name, print(deployment, &template(deployment, None)?, format))])
}

/// A template as text.
pub(crate) fn print(deployment: &Deployment, template: &Node, format: Format) -> String {
    match format {
        Format::Json => template.to_json(),
        Format::Yaml => header::comment(deployment, "#") + &template.to_yaml(),
    }
}

/// The template of a deployment. `wave` is an output by which a script finds out how far it came.
pub(crate) fn template(deployment: &Deployment, wave: Option<String>) -> Result<Node, Vec<Problem>> {
    let mut resources = Resources::default();
    for table in &deployment.tables {
        let id = logical_id(&table.design_name);
        if table.is_global {
            resources.insert(
                &id,
                format!("table `{}`", table.design_name),
                global_table::resource(deployment, table),
            );
        } else {
            resources.insert(&id, format!("table `{}`", table.design_name), table::resource(table));
            scaling::add(&id, table, &mut resources);
        }
        alarms::add(&id, table, &mut resources);
    }
    let mut outputs = Map::new();
    for table in &deployment.tables {
        outputs = table_outputs(outputs, table);
    }
    let [generated, advice] = header::lines(deployment);
    let mut metadata = Map::new()
        .with("Generated", advice)
        .with("Design", deployment.design.as_str())
        .with("Stage", deployment.stage.as_str());
    if !deployment.retained.is_empty() {
        let names: Vec<Node> = deployment.retained.iter().map(|name| name.as_str().into()).collect();
        metadata = metadata
            .with("RetainedTables", names)
            .with("RetainedBecause", "The design no longer has these tables. They stay, with their items.");
    }
    if let Some(wave) = wave {
        outputs = outputs
            .with(WAVE, Map::new().with("Description", "How far the waves have come").with("Value", wave));
    }
    let (found, mut problems) = resources.finish();
    for (what, count, most) in
        [("resources", found.len(), MOST_RESOURCES), ("outputs", outputs.len(), MOST_OUTPUTS)]
    {
        if count > most {
            let problem =
                Problem::new(format!("the template has {count} {what}; CloudFormation allows {most}"));
            problems.push(problem.hint("use fewer alarms, or deploy with Terraform or the CDK"));
        }
    }
    let template = Map::new()
        .with("AWSTemplateFormatVersion", "2010-09-09")
        .with("Description", generated)
        .with("Metadata", Map::new().with("Sortkey", metadata))
        .with("Resources", found)
        .with("Outputs", outputs);
    unless(problems, template.into())
}

/// The output that counts waves.
pub(crate) const WAVE: &str = "SortkeyWave";

fn table_outputs(outputs: Map, table: &Table) -> Map {
    let id = logical_id(&table.design_name);
    let output = |value: Node| Map::new().with("Value", value);
    let outputs = outputs
        .with(format!("{id}Name"), output(reference(&id)))
        .with(format!("{id}Arn"), output(attribute(&id, "Arn")));
    match &table.stream {
        Some(_) => outputs.with(format!("{id}StreamArn"), output(attribute(&id, "StreamArn"))),
        None => outputs,
    }
}
