//! `sortkey generate`: files that other tools deploy, and clients in other languages.

mod against;
mod client;
mod output;

use clap::{Args, Subcommand};
use sortkey_codegen::{
    Deployed, File, Format, IamOptions, TERRAFORM_FILE, TerraformOptions, WaveOptions, cdk,
    client::{python, rust, typescript},
    iam, terraform, wave_files, waves,
};

use super::Run;
use crate::failure::Failure;
use crate::stages::{StageArguments, Staged, failed};
use against::Against;
pub(super) use against::live;
use client::ClientTarget;
use output::Output;

/// Generate infrastructure or a typed client from a design: CloudFormation, Terraform, CDK, IAM, TypeScript, Python, Rust
///
/// The files create the same tables as `sortkey up`, with the settings of a stage in deploy.toml beside the design:
/// tags, capacity, autoscaling, alarms, keys, replicas. Nothing that is generated deletes a table.
/// docs/deploying.md describes the targets and deploy.toml, docs/typescript.md, docs/python.md and docs/rust.md the clients.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey generate cloudformation links.sk --stage prod --out infra
  sortkey generate cloudformation links.sk --stage prod --out infra --against infra/template.json
  sortkey generate terraform links.sk --stage prod --out infra --inline
  sortkey generate cdk links.sk --stage prod --out lib
  sortkey generate cdk links.sk --stage prod --out lib --check    # in continuous integration")]
pub(super) struct Generate {
    #[command(subcommand)]
    target: Target,
}

#[derive(Debug, Subcommand)]
enum Target {
    /// A template; several of them, and a script that applies them in order, where one update cannot do it all
    ///
    /// An update of a stack creates or deletes at most one index of a table. With --against or --endpoint the changes are
    /// ordered in waves, a template each.
    #[command(
        name = "cloudformation",
        after_help = "Examples:
  sortkey generate cloudformation links.sk --stage prod --out infra --yaml
  aws dynamodb describe-table --table-name links > links.json
  sortkey generate cloudformation links.sk --stage prod --out infra --against links.json"
    )]
    CloudFormation(CloudFormation),

    /// Resources of the AWS provider 6.44 or newer; of provider 5 with --inline
    #[command(after_help = "Examples:
  sortkey generate terraform links.sk --stage prod --out infra
  sortkey generate terraform links.sk --stage prod --out infra --endpoint https://dynamodb.eu-west-1.amazonaws.com")]
    Terraform(Terraform),

    /// A construct in TypeScript, on TableV2
    #[command(after_help = "Examples:
  sortkey generate cdk links.sk --stage prod --out lib")]
    Cdk(Cdk),

    /// Policies of IAM for each module and each worker: exactly the actions, tables, indexes and partition keys that they need
    ///
    /// A design without modules has one policy for all its calls. Workers are not part of a module.
    #[command(after_help = "Examples:
  sortkey generate iam links.sk --stage prod --out infra
  sortkey generate iam links.sk --stage prod --out infra --account 111122223333 --per-tenant")]
    Iam(Iam),

    /// A typed client in TypeScript, over the npm package `sortkey` and the AWS SDK
    ///
    /// One file for each module of the design, with the compiled design in it. No `sortkey` process is needed to run it.
    #[command(after_help = "Examples:
  sortkey generate typescript links.sk --out src/links
  sortkey generate typescript links.sk --out src/links --check    # in continuous integration")]
    Typescript(ClientTarget),

    /// A typed client in Python, over the package `sortkey` and boto3 or aiobotocore
    ///
    /// Dataclasses, ids of their own types, a class that blocks and one that is awaited. No `sortkey` process is needed to
    /// run it.
    #[command(after_help = "Examples:
  sortkey generate python links.sk --out app/links
  sortkey generate python links.sk --out app/links --check    # in continuous integration")]
    Python(ClientTarget),

    /// A typed client in Rust, over the crate `sortkey`
    ///
    /// Structs, ids of their own types, calls that are awaited or waited for. It runs on a database in the same process, or on
    /// a DynamoDB elsewhere with the AWS SDK's credentials.
    #[command(after_help = "Examples:
  sortkey generate rust links.sk --out src/links
  sortkey generate rust links.sk --out src/links --check    # in continuous integration")]
    Rust(ClientTarget),
}

#[derive(Args, Debug)]
struct CloudFormation {
    #[command(flatten)]
    stage: StageArguments,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    against: Against,

    /// Write JSON, as without a choice
    #[arg(long, conflicts_with = "yaml")]
    json: bool,

    /// Write YAML
    #[arg(long)]
    yaml: bool,

    /// Fail if the changes need more than one template
    #[arg(long)]
    single: bool,

    /// Delete indexes that the design no longer has, and make those anew whose key or projection changed
    #[arg(long)]
    remove_indexes: bool,
}

#[derive(Args, Debug)]
struct Terraform {
    #[command(flatten)]
    stage: StageArguments,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    against: Against,

    /// Write indexes into their tables, for the AWS provider 5
    #[arg(long)]
    inline: bool,
}

#[derive(Args, Debug)]
struct Iam {
    #[command(flatten)]
    stage: StageArguments,

    #[command(flatten)]
    output: Output,

    /// The account of the tables; any account without it
    #[arg(long, value_name = "ID")]
    account: Option<String>,

    /// Allow only the keys of the tenant that a tag of the principal names, under the name of the caller's part
    #[arg(long)]
    per_tenant: bool,
}

#[derive(Args, Debug)]
struct Cdk {
    #[command(flatten)]
    stage: StageArguments,

    #[command(flatten)]
    output: Output,
}

impl Run for Generate {
    const NAME: &'static str = "generate";

    fn run(self) -> Result<(), Failure> {
        match self.target {
            Target::CloudFormation(target) => target.run(),
            Target::Terraform(target) => target.run(),
            Target::Cdk(target) => target.run(),
            Target::Iam(target) => target.run(),
            Target::Typescript(target) => target.run(typescript),
            Target::Python(target) => target.run(python),
            Target::Rust(target) => target.run(rust),
        }
    }
}

impl CloudFormation {
    fn run(self) -> Result<(), Failure> {
        let Staged { deployment, .. } = self.stage.load(|_| {})?;
        let format = if self.yaml { Format::Yaml } else { Format::Json };
        let deployed = self.against.load(&deployment)?.unwrap_or_default();
        let options = WaveOptions { remove_indexes: self.remove_indexes };
        let waves = waves(&deployment, &deployed, options).map_err(|problems| failed(&problems))?;
        if self.single && waves.len() > 1 {
            let what = format_args!(
                "the changes need {} templates: an update creates or deletes at most one index of a table",
                waves.len()
            );
            return Err(Failure::new(what).hint("leave out --single, and apply the waves in order"));
        }
        let files = wave_files(&waves, format).map_err(|problems| failed(&problems))?;
        self.output.put(&files)
    }
}

impl Terraform {
    fn run(self) -> Result<(), Failure> {
        let Staged { deployment, .. } = self.stage.load(|_| {})?;
        let deployed: Option<Deployed> = self.against.load(&deployment)?;
        let previous = self.output.there(TERRAFORM_FILE)?;
        let options = TerraformOptions {
            inline: self.inline,
            previous: previous.as_deref(),
            deployed: deployed.as_ref(),
        };
        let files: Vec<File> = terraform(&deployment, &options).map_err(|problems| failed(&problems))?;
        self.output.put(&files)
    }
}

impl Iam {
    fn run(self) -> Result<(), Failure> {
        let Staged { deployment, compilation } = self.stage.load(|_| {})?;
        let options = IamOptions { account: self.account, per_tenant: self.per_tenant };
        self.output.put(&iam(&compilation.program, &deployment, &options))
    }
}

impl Cdk {
    /// `TableV2` makes global tables only.
    fn run(self) -> Result<(), Failure> {
        let Staged { deployment, .. } = self.stage.load(|stage| stage.global_tables = true)?;
        let files = cdk(&deployment).map_err(|problems| failed(&problems))?;
        self.output.put(&files)
    }
}
