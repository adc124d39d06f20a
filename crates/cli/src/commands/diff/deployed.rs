//! The design that tables remember, as the older of the two versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sortkey_change::Difference;
use sortkey_core::{Backend, Runtime, Settings};
use sortkey_deploy::{DeployError, differences};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::{Engine, Settings as EngineSettings};
use sortkey_remote::{Remote, Settings as RemoteSettings};
use sortkey_storage_fjall::{FjallStore, Options};

use crate::commands::up::design;
use crate::data_key;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;

/// The place of the tables.
#[derive(Args, Debug)]
pub(super) struct Deployed {
    /// Compare with the design that was deployed last, which the tables remember, instead of with a file
    #[arg(long)]
    pub(super) deployed: bool,

    /// The directory that keeps the data, with --deployed; no server may be running on it [default: .sortkey/<the design's name>]
    #[arg(long, value_name = "DIR", requires = "deployed", conflicts_with = "endpoint")]
    data: Option<PathBuf>,

    /// The DynamoDB that has the tables, with --deployed: also a `sortkey up` that is running
    #[arg(long, value_name = "URL", requires = "deployed")]
    endpoint: Option<String>,

    /// Written before the name of every table
    #[arg(long, requires = "deployed")]
    prefix: Option<String>,

    /// A parameter of the design; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "deployed", value_parser = crate::commands::up::assignment)]
    parameters: Vec<(String, String)>,

    #[command(flatten)]
    keyring: KeyringArguments,
}

impl Deployed {
    /// The differences between what the tables remember and a design.
    pub(super) fn differences(&self, path: &Path) -> Result<Vec<Difference>, Failure> {
        let compilation = design::checked(path)?;
        let name = design::name(&compilation.design, path);
        let runtime = tokio::runtime::Runtime::new().map_err(Failure::new)?;
        runtime.block_on(async {
            let backend = self.backend(&name).await?;
            let parameters: BTreeMap<String, String> = self.parameters.iter().cloned().collect();
            let defaults = ephemeral().map_err(Failure::new)?;
            let settings = Settings { table_prefix: self.prefix.clone(), parameters, ..defaults };
            let runtime = Runtime::new(Arc::clone(&compilation.design), backend, settings)
                .map_err(|problems| design::cannot_run(&compilation, &problems))?;
            let found = differences(&runtime).await.map_err(|error| match error {
                DeployError::Failed { table, doing, error } => {
                    Failure::new(format_args!("{doing} of table {table:?}: {error}"))
                }
                DeployError::Stopped { table, failure } => {
                    Failure::new(format_args!("table {table:?}: {failure}"))
                }
                DeployError::Refused(refusals) | DeployError::NotUnique(refusals) => {
                    design::refused(&compilation, &refusals)
                }
            })?;
            found.ok_or_else(|| {
                Failure::new("the tables do not say which design was deployed")
                    .hint("they are not there, or `sortkey up` of this version has not run on them yet")
            })
        })
    }

    async fn backend(&self, name: &str) -> Result<Arc<dyn Backend>, Failure> {
        if let Some(endpoint) = &self.endpoint {
            let settings = RemoteSettings::new(endpoint).map_err(Failure::new)?;
            return Ok(Arc::new(Remote::new(settings).await));
        }
        let folder = self.data.clone().unwrap_or_else(|| Path::new(".sortkey").join(name));
        if !folder.is_dir() {
            return Err(Failure::new(format_args!("there is no data in {}", folder.display()))
                .hint("name the directory with --data, or a DynamoDB with --endpoint"));
        }
        let data_key = data_key::open(&folder, &self.keyring, false)?.map(|(key, _)| key);
        let options = Options { data_key, ..Options::default() };
        let store = FjallStore::open(&folder, options).map_err(|error| {
            Failure::new(format_args!("cannot open the data in {}: {error}", folder.display()))
                .hint("if a server is running on it, name the server with --endpoint")
        })?;
        Ok(Arc::new(Embedded::new(Engine::open(store, EngineSettings::default()))))
    }
}
