//! The current deployment: in a file, or on a running DynamoDB.

use std::path::PathBuf;

use clap::Args;
use sortkey_codegen::model::Deployment;
use sortkey_codegen::{Deployed, inspect};
use sortkey_remote::{Remote, Settings};

use crate::designs;
use crate::failure::Failure;
use crate::stages::failed;

#[derive(Args, Debug)]
pub(super) struct Against {
    /// What is deployed: an earlier template, or the JSON of `aws dynamodb describe-table`
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    against: Option<PathBuf>,

    /// Ask the DynamoDB at this address what is deployed
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
}

impl Against {
    pub(super) fn load(&self, deployment: &Deployment) -> Result<Option<Deployed>, Failure> {
        match (&self.against, &self.endpoint) {
            (Some(file), _) => {
                let text = designs::read(file)?;
                Deployed::read(&file.display().to_string(), &text)
                    .map(Some)
                    .map_err(|problem| failed(&[problem]))
            }
            (None, Some(endpoint)) => live(endpoint, deployment).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// The tables of the deployment that are there.
pub(in crate::commands) fn live(endpoint: &str, deployment: &Deployment) -> Result<Deployed, Failure> {
    let settings = Settings::new(endpoint).map_err(Failure::new)?;
    let region = settings.region.clone().or_else(|| deployment.region.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    runtime.block_on(async {
        let remote = Remote::new(Settings { region, ..settings }).await;
        let mut deployed = Deployed::default();
        for table in &deployment.tables {
            let found = inspect(&remote, &table.name).await.map_err(Failure::new)?;
            deployed.tables.extend(found);
        }
        Ok(deployed)
    })
}
