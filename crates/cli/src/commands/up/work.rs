//! `sortkey work`: the workers of a design, in a process of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use sortkey_api::operations::ListTablesInput;
use sortkey_core::{Backend, Requests as _, Runtime, Settings, Which};
use sortkey_deploy::Naming;
use sortkey_work::{Waking, Work};
use tracing_subscriber::filter::Targets;

use super::place::{Place, keys};
use super::workers::{Workers, report};
use super::{assignment, design, exposed};
use crate::commands::Run;
use crate::designs;
use crate::effects::Outside;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;
use crate::listen::log_to_stderr;
use crate::tls::Trust;

/// Run the workers of a design on a DynamoDB elsewhere, or look at what they could not do
///
/// Several processes share the work: an item that is due is leased by one of them, a slot of a schedule runs once. Without a
/// subcommand it works until it is stopped. The tables must be there: `sortkey up` or a deployment creates them.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey work relay.sk --endpoint http://127.0.0.1:8000
  sortkey work relay.sk --endpoint http://127.0.0.1:8000 status
  sortkey work relay.sk --endpoint http://127.0.0.1:8000 dead
  sortkey work relay.sk --endpoint http://127.0.0.1:8000 replay deliver deliver-0a1b-1767225600000")]
pub(crate) struct WorkCommand {
    /// The design: a file, or a folder with one
    path: PathBuf,

    /// The directory of the design's keys: what `up --endpoint` was given, or its data directory where the server keeps the items
    /// itself [default: .sortkey/<name of the design>-keys]
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,

    /// The DynamoDB with the design's tables
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8000", global = true)]
    endpoint: String,

    /// The region of the DynamoDB
    #[arg(long, default_value = "us-east-1", global = true)]
    region: String,

    /// A parameter of the design; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment, global = true)]
    parameters: Vec<(String, String)>,

    /// Written before the name of every table
    #[arg(long, global = true)]
    prefix: Option<String>,

    #[command(flatten)]
    keyring: KeyringArguments,

    #[command(flatten)]
    outside: Outside,

    /// Answer `GET /metrics` here with the counters of the workers, for Prometheus: 127.0.0.1:9100
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics: Option<String>,

    #[command(flatten)]
    trust: Trust,

    /// The log level on standard error: error, warn, info, debug or trace, also per module
    #[arg(long, env = "SORTKEY_LOG", default_value = "warn", value_name = "FILTER", global = true)]
    log: Targets,

    #[command(subcommand)]
    ask: Option<Ask>,
}

#[derive(Subcommand, Debug)]
enum Ask {
    /// Show what is due, and how much was put aside
    Status,
    /// List what was put aside after its last attempt
    Dead {
        /// Only this worker's
        worker: Option<String>,
    },
    /// Try something again that was put aside
    Replay {
        /// The worker
        worker: String,
        /// The run, as `dead` lists it
        run: String,
    },
}

impl Run for WorkCommand {
    const NAME: &'static str = "work";

    fn run(self) -> Result<(), Failure> {
        log_to_stderr(&self.log);
        let threads = tokio::runtime::Builder::new_multi_thread().thread_name("sortkey").enable_all().build();
        let threads = threads.map_err(|error| Failure::new(format_args!("cannot start threads: {error}")))?;
        threads.block_on(self.live())
    }
}

impl WorkCommand {
    async fn live(&self) -> Result<(), Failure> {
        let compilation = design::checked(&self.path)?;
        let name = design::name(&compilation.design, &self.path);
        let (ca, program) = (self.trust.pem()?, &compilation.program);
        let secrets = self.data.clone().unwrap_or_else(|| Path::new(".sortkey").join(keys(&name)));
        let place = Place::elsewhere(&self.endpoint, ca, &self.region, secrets, program).await?;
        answers(&*place.backend).await?;
        let parameters: BTreeMap<String, String> = self.parameters.iter().cloned().collect();
        let naming = Naming { prefix: self.prefix.clone(), parameters };
        let settings = place.runtime_settings(naming, &self.keyring)?;
        let settings = Settings {
            // Nobody follows channels of this process.
            effects: self.outside.open(&Arc::default())?,
            ..settings
        };
        let waking = Arc::new(Waking::new(place.backend.clone()));
        let runtime = Runtime::new(Arc::clone(&compilation.design), Arc::<Waking>::clone(&waking), settings)
            .map_err(|problems| design::cannot_run(&compilation, &problems))?;
        match &self.ask {
            None => self.work(&runtime, &waking).await,
            Some(ask) => answer(ask, &runtime).await,
        }
    }

    async fn work(&self, runtime: &Runtime, waking: &Waking) -> Result<(), Failure> {
        let count = runtime.program().workers.len();
        let Some(workers) = Workers::start(runtime, waking)? else {
            return Err(Failure::new("the design has no workers"));
        };
        if let Some(address) = &self.metrics {
            let address = exposed::expose(address, workers.page()).await?;
            designs::say(&format!("metrics at http://{address}/metrics\n"));
        }
        let noun = if count == 1 { "worker" } else { "workers" };
        designs::say(&format!("{count} {noun} at {}\n", self.endpoint));
        crate::shutdown::asked_for().await;
        workers.stop().await;
        Ok(())
    }
}

/// Fails if nobody is at an address, which is likely mistyped. One that answers with an error is there.
async fn answers(backend: &dyn Backend) -> Result<(), Failure> {
    let asked = ListTablesInput { limit: Some(1), ..ListTablesInput::default() };
    match backend.list_tables(asked).await {
        Err(error) if error.is_unanswered() => Err(Failure::new(error.message)
            .hint("start `sortkey up` first, or name where the tables are with --endpoint")),
        _ => Ok(()),
    }
}

async fn answer(ask: &Ask, runtime: &Runtime) -> Result<(), Failure> {
    let work = Work::new(runtime.clone(), report()).map_err(Failure::new)?;
    match ask {
        Ask::Status => {
            for (id, worker) in runtime.program().workers.entries() {
                let due = runtime.due(id, Which::Oldest, None).await.map_err(Failure::new)?;
                let more = if due.cursor.is_some() { "+" } else { "" };
                let dead = work.letters(Some(&worker.name)).await.map_err(Failure::new)?.len();
                designs::say(&format!("{}: {}{more} due, {dead} put aside\n", worker.name, due.items.len()));
            }
        }
        Ask::Dead { worker } => {
            for letter in work.letters(worker.as_deref()).await.map_err(Failure::new)? {
                designs::say(&format!("{} {} {}\n", letter.worker, letter.run, letter.reason));
            }
        }
        Ask::Replay { worker, run } => {
            work.replay(worker, run).await.map_err(Failure::new)?;
            designs::say(&format!("{worker} will try {run} again\n"));
        }
    }
    Ok(())
}
