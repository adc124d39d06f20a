//! The place of a migration: a directory that this process opens, or a remote DynamoDB.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use sortkey_core::{Backend, Runtime, Settings};
use sortkey_deploy::{DeployError, Naming};
use sortkey_design::Compilation;
use sortkey_migrate::{Ages, Plan, Runner};

use crate::commands::up::{
    assignment, design,
    place::{Place, keys},
};
use crate::failure::Failure;
use crate::keep::Keep;
use crate::keyring::KeyringArguments;
use crate::tls::Trust;

/// The region, unless another is named.
const REGION: &str = "us-east-1";

/// The design, and the place of its tables.
#[derive(Args, Debug)]
pub(super) struct Where {
    /// The new design: a file, or a folder with one
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    keep: Keep,

    /// The DynamoDB that has the tables, also a `sortkey up` that is running, instead of a directory
    #[arg(long, value_name = "URL", conflicts_with = "in_memory")]
    endpoint: Option<String>,

    /// The directory with the keys of encrypted attributes, where --endpoint is a `sortkey up` with data of its own
    #[arg(long, value_name = "DIR", requires = "endpoint")]
    keys: Option<PathBuf>,

    /// The region
    #[arg(long, default_value = REGION)]
    region: String,

    /// A parameter of the design; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, String)>,

    /// Written before the name of every table
    #[arg(long)]
    prefix: Option<String>,

    #[command(flatten)]
    keyring: KeyringArguments,

    #[command(flatten)]
    trust: Trust,
}

/// A migration that can be carried out.
pub(super) struct Opened {
    pub(super) runner: Runner,
    /// The new design on the bare backend.
    pub(super) runtime: Runtime,
    pub(super) name: String,
    /// The arguments that name this place for another command.
    pub(super) shown: String,
    compilation: Compilation,
}

impl Where {
    /// The arguments that name the same place for another command.
    pub(super) fn shown(&self) -> String {
        let mut all = vec![self.path.display().to_string()];
        let mut option = |name: &str, value: &dyn std::fmt::Display| all.push(format!("{name} {value}"));
        if let Some(data) = self.keep.asked_for() {
            option("--data", &data.display());
        }
        if let Some(endpoint) = &self.endpoint {
            option("--endpoint", endpoint);
        }
        if let Some(keys) = &self.keys {
            option("--keys", &keys.display());
        }
        if self.region != REGION {
            option("--region", &self.region);
        }
        if let Some(prefix) = &self.prefix {
            option("--prefix", prefix);
        }
        for (name, value) in &self.parameters {
            option("--set", &format_args!("{name}={value}"));
        }
        all.join(" ")
    }

    pub(super) async fn open(&self) -> Result<Opened, Failure> {
        let compilation = design::checked(&self.path)?;
        let name = design::name(&compilation.design, &self.path);
        let (place, ages) = match &self.endpoint {
            Some(endpoint) => {
                let (ca, program) = (self.trust.pem()?, &compilation.program);
                let mut place =
                    Place::elsewhere(endpoint, ca, &self.region, self.keep.folder(&keys(&name)), program)
                        .await?;
                if let Some(folder) = &self.keys {
                    place.secrets = Some(folder.clone());
                }
                (place, Ages::SHARED)
            }
            None => {
                let folder = self.keep.folder(&name);
                if !folder.is_dir() {
                    return Err(Failure::new(format_args!("there is no data in {}", folder.display()))
                        .hint("name the directory with --data, or a DynamoDB with --endpoint"));
                }
                (Place::inside(&self.region, &self.keep, &self.keyring, &name)?, Ages::ALONE)
            }
        };
        let parameters = self.parameters.iter().cloned().collect();
        let naming = Naming { prefix: self.prefix.clone(), parameters };
        let settings = place.runtime_settings(naming, &self.keyring)?;
        let backend: Arc<dyn Backend> = place.backend.clone();
        let (runtime, runner) = runner(&compilation, &backend, &settings, ages)?;
        Ok(Opened { runner, runtime, name, shown: self.shown(), compilation })
    }
}

/// The runner of a design's migration on a bare backend.
fn runner(
    compilation: &Compilation,
    backend: &Arc<dyn Backend>,
    settings: &Settings,
    ages: Ages,
) -> Result<(Runtime, Runner), Failure> {
    let runtime = Runtime::new(Arc::clone(&compilation.design), Arc::clone(backend), settings.clone())
        .map_err(|problems| design::cannot_run(compilation, &problems))?;
    let plan = Plan::new(runtime.clone()).map_err(Failure::new)?;
    let runner =
        Runner::new(Arc::new(plan), Arc::clone(backend), settings.clone(), ages).map_err(Failure::new)?;
    let runner = runner.spawning(Arc::new(|work| drop(tokio::spawn(work))));
    Ok((runtime, runner))
}

impl Opened {
    /// Why the new tables were not created.
    pub(super) fn failure(&self, error: DeployError) -> Failure {
        match error {
            DeployError::Refused(refusals) | DeployError::NotUnique(refusals) => {
                design::refused(&self.compilation, &refusals)
            }
            DeployError::Failed { table, doing, error } => {
                Failure::new(format_args!("{doing} of table {table:?}: {error}"))
            }
            DeployError::Stopped { table, failure } => {
                Failure::new(format_args!("table {table:?}: {failure}"))
            }
        }
    }
}
