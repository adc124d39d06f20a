//! A deployment as Terraform.
//!
//! Indexes are resources of their own, created one after the other (`depends_on`), because DynamoDB builds one index of a
//! table at a time; `inline` writes them into the table, for providers older than 6.44. Every table and index has
//! `prevent_destroy`, and what an earlier file had and this one does not is released from the state, never destroyed.

mod alarms;
mod hcl;
mod names;
mod removed;
mod scaling;
mod table;

use std::collections::BTreeSet;

use crate::deployed::Deployed;
use crate::files::File;
use crate::header;
use crate::model::{Deployment, Encryption, Table};
use crate::problem::{Problem, unless};
use hcl::{Block, quoted};
use names::Names;

/// How Terraform is written.
#[derive(Clone, Debug, Default)]
pub struct TerraformOptions<'a> {
    /// Whether indexes are blocks of their table.
    pub inline: bool,
    /// The file that was generated before, if there is one.
    pub previous: Option<&'a str>,
    /// The existing tables to import.
    pub deployed: Option<&'a Deployed>,
}

/// The file that declares everything.
pub const TERRAFORM_FILE: &str = "sortkey.tf";

/// The file that imports what exists. Terraform accepts imports in a root module only, so they are apart.
const IMPORTS_FILE: &str = "imports.tf";

/// The files of a deployment.
pub fn terraform(deployment: &Deployment, options: &TerraformOptions<'_>) -> Result<Vec<File>, Vec<Problem>> {
    let mut names = Names::default();
    let ids: Vec<String> = deployment.tables.iter().map(|table| names.table(table)).collect();
    let mut blocks = vec![versions(options.inline)];
    let mut imports = Vec::new();
    for (table, id) in deployment.tables.iter().zip(&ids) {
        if options.inline {
            names.one_attribute_per_part(table);
        }
        blocks.extend(alias(table, id));
        blocks.push(table::resource(table, id, options.inline));
        if !options.inline {
            blocks.extend(table::indexes(table, id, &mut names));
        }
        blocks.extend(table::insights(table, id, &mut names));
        blocks.extend(scaling::resources(table, id, options.inline, &mut names));
        blocks.extend(alarms::resources(table, id, &mut names));
        imports.extend(imported(table, id, options));
    }
    blocks.extend(deployment.tables.iter().zip(&ids).flat_map(|(table, id)| outputs(table, id)));
    let kept: BTreeSet<String> = blocks.iter().filter_map(Block::address).collect();
    blocks.extend(removed::blocks(options.previous.unwrap_or_default(), &kept));
    let header = header::comment(deployment, "#");
    let mut files = vec![File::new(TERRAFORM_FILE, format!("{header}\n{}", hcl::print(&blocks)))];
    if !imports.is_empty() {
        let note = "# Brings what exists under Terraform. Remove this file once `terraform apply` has run.\n";
        files.push(File::new(IMPORTS_FILE, format!("{header}{note}\n{}", hcl::print(&imports))));
    }
    unless(names.problems, files)
}

/// `removed` blocks came with Terraform 1.7, indexes as resources with 6.44 of the provider.
fn versions(inline: bool) -> Block {
    let provider = if inline { ">= 5.98, < 7.0" } else { ">= 6.44" };
    let aws = format!("{{ source = \"hashicorp/aws\", version = {} }}", quoted(provider));
    Block::new("terraform", &[])
        .set("required_version", quoted(">= 1.7"))
        .block(Block::new("required_providers", &[]).set("aws", aws))
}

/// The provider needs the ARN of a key; an alias is looked up.
fn alias(table: &Table, id: &str) -> Option<Block> {
    match &table.encryption {
        Encryption::Customer(key) if key.starts_with("alias/") => {
            Some(Block::new("data", &["aws_kms_alias", id]).set("name", quoted(key)))
        }
        _ => None,
    }
}

fn outputs(table: &Table, id: &str) -> Vec<Block> {
    let output = |what: &str, attribute: &str| {
        Block::new("output", &[&format!("{id}_{what}")])
            .set("value", format!("aws_dynamodb_table.{id}.{attribute}"))
    };
    let mut outputs = vec![output("name", "name"), output("arn", "arn")];
    outputs.extend(table.stream.is_some().then(|| output("stream_arn", "stream_arn")));
    outputs
}

fn imported(table: &Table, id: &str, options: &TerraformOptions<'_>) -> Vec<Block> {
    let Some(found) = options.deployed.and_then(|deployed| deployed.table(&table.name)) else {
        return Vec::new();
    };
    let import = |to: String, id: &str| Block::new("import", &[]).set("to", to).set("id", quoted(id));
    let mut blocks = vec![import(format!("aws_dynamodb_table.{id}"), &table.name)];
    if !options.inline {
        let there =
            table.global.iter().filter(|index| found.global.iter().any(|there| there.name == index.name));
        blocks.extend(there.map(|index| {
            let to = format!("{}.{}", table::INDEX, names::index(id, &index.name));
            import(to, &format!("{},{}", table.name, index.name))
        }));
    }
    blocks
}
