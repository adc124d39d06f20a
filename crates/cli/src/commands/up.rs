//! `sortkey up`: a design brought to life.

pub(super) mod able;
mod banner;
mod cascades;
pub(super) mod design;
mod events;
mod exposed;
mod follow;
mod hashing;
pub(super) mod place;
mod progress;
mod rest;
mod seed;
mod superseded;
mod watch;
mod work;
mod workers;

pub(super) use work::WorkCommand;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sortkey_core::Runtime;
use sortkey_deploy::{
    Begun, Coverage, DeployError, Deployment, Interim, Naming, Options, begin, desired, is_pending,
};
use sortkey_design::Compilation;
use sortkey_design::program::Segment;
use sortkey_embedded::Embedded;
use sortkey_gateway::{Admission, Forks, Gateway, Live};
use sortkey_migrate::{Phase, Side};
use sortkey_server::{AccessMode, Database, MoreMetrics, Mount, Settings, Stage};
use sortkey_work::Waking;

use super::Run;
use crate::audit::AuditArguments;
use crate::effects::Outside;
use crate::failure::Failure;
use crate::keep::Keep;
use crate::listen::{self, Listen};
use crate::pause::pause;
use crate::protect::{self, Protect};
use crate::shutdown;
use crate::tls::{self, TlsArguments, Trust};
use follow::Following;
use place::Place;
use rest::Rest;
use workers::Crew;

/// Run a design: its tables, its operations API, its documentation
///
/// Checks the design, creates its tables or compares them with those that are there, and serves on one port: every
/// pattern and operation under /api, a page of them at /docs, their OpenAPI document at /openapi.json, and the DynamoDB
/// API itself. Where another version of the design was deployed before, everything that differs is shown. Missing indexes and
/// settings are added, and items are rewritten where the design stores them otherwise, while the design serves already.
/// Any other difference is refused before anything is changed, and nothing is dropped.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey up                                  # the design in this folder, data in .sortkey
  sortkey up links.sk --in-memory --seed-data
  sortkey up links.sk --in-memory --watch     # starts again whenever a .sk file changes
  sortkey up links.sk --port 8001 --data /var/lib/links
  sortkey up links.sk --endpoint https://dynamodb.eu-west-1.amazonaws.com --region eu-west-1")]
pub(super) struct Up {
    /// The design: a file, or a folder with one
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    listen: Listen,

    #[command(flatten)]
    keep: Keep,

    /// Run on the DynamoDB at this address instead of the one inside: AWS, ScyllaDB, DynamoDB Local
    #[arg(long, value_name = "URL", conflicts_with = "in_memory")]
    endpoint: Option<String>,

    /// Use tables that another program made, and write into them what the design needs
    #[arg(long)]
    adopt: bool,

    /// Look through all items again for what is to be unique, after something else wrote to the tables
    #[arg(long)]
    recheck_unique: bool,

    /// Serve although the design leaves out something that items have: it stays in the tables, and no answer shows it
    #[arg(long)]
    keep_removed: bool,

    /// A parameter of the design; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, String)>,

    /// Written before the name of every table
    #[arg(long)]
    prefix: Option<String>,

    #[command(flatten)]
    protect: Protect,

    #[command(flatten)]
    tls: TlsArguments,

    #[command(flatten)]
    audit: AuditArguments,

    #[command(flatten)]
    trust: Trust,

    /// Offer the DynamoDB API to other machines as well; tenants do not apply to it
    #[arg(long)]
    dynamodb_api: bool,

    #[command(flatten)]
    outside: Outside,

    /// Check the design again whenever one of its files changes, and serve the new version; one with errors is shown, and the
    /// version before goes on
    #[arg(long)]
    watch: bool,

    /// Leave the workers of the design to `sortkey work`
    #[arg(long)]
    no_workers: bool,

    /// Fill the tables with generated data of the declared volumes, up to N items of a kind
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1000")]
    seed_data: Option<u64>,
}

/// The parts that stay while one version of a design follows another.
struct Seat {
    /// The address the server listens on: as asked for, then with the port that it got.
    address: Cell<SocketAddr>,
    mode: AccessMode,
    place: Place,
    settings: sortkey_core::Settings,
    /// Whether generated data is still to be made.
    seeds: Cell<bool>,
}

/// The parts that a server starts with.
struct Start<'a> {
    seat: &'a Seat,
    runtime: &'a Runtime,
    more_metrics: MoreMetrics,
    live: Arc<Live>,
    stop: Option<watch::Stop<'a>>,
}

impl Run for Up {
    const NAME: &'static str = "up";

    fn run(self) -> Result<(), Failure> {
        let compilation = design::runnable(&self.path)?;
        self.listen.block_on(self.live(compilation))
    }
}

impl Up {
    async fn live(&self, compilation: Compilation) -> Result<(), Failure> {
        let address = self.listen.address()?;
        let mode = self.protect.mode(address, "up")?;
        self.admission()?;
        // Checked first, so that no tables are created for a server that cannot start.
        listen::is_free(address)?;
        let place = self.place(&compilation).await?;
        desired(&compilation.design, &self.naming())
            .map_err(|refusals| design::refused(&compilation, &refusals))?;
        let settings = place.runtime_settings(self.naming(), &self.protect.keyring)?;
        let (address, seeds) = (Cell::new(address), Cell::new(self.seed_data.is_some()));
        let seat = Seat { address, mode, place, settings, seeds };
        match self.watch {
            true => watch::run(self, compilation, &seat).await,
            false => self.version(&compilation, &seat, None).await,
        }
    }

    /// Runs one version of a design until it is stopped: by `stop` if given, otherwise by a signal.
    async fn version(
        &self,
        compilation: &Compilation,
        seat: &Seat,
        stop: Option<watch::Stop<'_>>,
    ) -> Result<(), Failure> {
        let admission = self.admission()?;
        let place = &seat.place;
        let live = Arc::new(Live::default());
        let settings = sortkey_core::Settings { effects: self.outside.open(&live)?, ..seat.settings.clone() };
        let design = Arc::clone(&compilation.design);
        let interim = Arc::new(Interim::new(Arc::clone(&place.backend)));
        let waking = Arc::new(Waking::new(Arc::<Interim>::clone(&interim)));
        let runtime = Runtime::new(design, Arc::<Waking>::clone(&waking), settings)
            .map_err(|problems| design::cannot_run(compilation, &problems))?;
        if let Some(following) = self.following(compilation, place, &runtime).await? {
            return self.follow(following, compilation, seat, stop).await;
        }
        // The deployment itself sees items as they are stored.
        let bare = bare(compilation, place, &runtime)?;
        let begun = self.begin(compilation, &bare, self.is_migrated(place, &runtime).await?).await?;
        interim.follow(begun.turning());
        let (is_early, deployment) = (begun.turning().is_some(), begun.deployment().clone());
        let mut rest = Rest::of(self.finish(compilation, begun));
        match is_early {
            true => rest.for_a_moment().await?,
            false => rest.finish().await?,
        }
        if rest.is_over() {
            interim.follow(None);
        }
        cascades::resume(&runtime).await?;
        if let Some(most) = self.seed_data.filter(|_| seat.seeds.take()) {
            seed::generate(&runtime, most).await?;
        }
        // The engine locks its directory, so processes that had leases here before are gone.
        if matches!(place.stage, Stage::Inside(_)) {
            runtime.has_database_alone().map_err(Failure::new)?;
        }
        let gateway = Gateway::new(runtime.clone(), admission).with_live(Arc::clone(&live));
        let crew = Crew::default();
        let start = Start { seat, runtime: &runtime, more_metrics: crew.metrics(), live, stop };
        let serve = async {
            match &place.stage {
                Stage::Inside(database) => {
                    let admin = sortkey_server::admin_mount(Arc::new(database.clone()));
                    let mounts = gateway.with_forks(forks(database, &runtime, &interim)).mounts();
                    self.serve(start, [mounts, vec![admin]].concat()).await
                }
                Stage::Elsewhere(_) => tokio::select! {
                    served = self.serve(start, gateway.mounts()) => served,
                    () = superseded::noticed(&runtime, &deployment) => Err(superseded::failure()),
                },
            }
        };
        // Stream records may contain items in their old form until the rewriting has ended, so workers start after it.
        let work = async {
            rest.finish().await?;
            interim.follow(None);
            match self.no_workers {
                true => Ok(()),
                false => crew.start(&runtime, &waking),
            }
        };
        let served = tokio::select! {
            biased;
            Err(failure) = work => Err(failure),
            served = serve => served,
        };
        crew.stop().await;
        served
    }

    async fn serve(&self, start: Start<'_>, mounts: Vec<Mount>) -> Result<(), Failure> {
        let stage = start.seat.place.stage.clone();
        let Start { seat, runtime, more_metrics, live, stop } = start;
        let (address, mode) = (seat.address.get(), seat.mode);
        // The store of secrets, if there is one.
        let secrets = seat.place.secrets.as_deref();
        let dynamodb_api = self.dynamodb_api || address.ip().is_loopback();
        let guard = self.protect.guard(mode)?;
        let tls = self.tls.open(secrets, &self.listen.host)?;
        let certificate = self.tls.report(tls.as_ref(), secrets);
        let base = tls::scheme(tls.as_ref());
        let audit = self.audit.open()?;
        let settings = Settings { dynamodb_api, guard, audit, tls, more_metrics, ..self.listen.settings() };
        let (server, address) = listen::bind(address, stage, settings, mounts).await?;
        seat.address.set(address);
        let stop = stop.unwrap_or_else(|| Box::pin(shutdown::asked_for()));
        let shutdown = events::until(stop, live);
        let report =
            format!("{certificate}{}{}", self.protect.report(mode, true, dynamodb_api), open_routes(runtime));
        let base = format!("{base}://{address}");
        banner::say(runtime, &base, self.protect.api_keys.as_deref(), &seat.place.kept, &report);
        server.serve(Box::pin(shutdown)).await;
        Ok(())
    }

    /// By keys if they are configured; otherwise the server's guard decides who reaches the API.
    fn admission(&self) -> Result<Admission, Failure> {
        match &self.protect.api_keys {
            Some(path) => Ok(Admission::Keys(protect::open(path)?)),
            None => Ok(Admission::Open),
        }
    }

    async fn place(&self, compilation: &Compilation) -> Result<Place, Failure> {
        let name = design::name(&compilation.design, &self.path);
        match &self.endpoint {
            Some(endpoint) => {
                let ca = self.trust.pem()?;
                let program = &compilation.program;
                Place::elsewhere(
                    endpoint,
                    ca,
                    &self.listen.region,
                    self.keep.folder(&place::keys(&name)),
                    program,
                )
                .await
            }
            None => Place::inside(&self.listen.region, &self.keep, &self.protect.keyring, &name),
        }
    }

    /// Both designs, if items wait to be carried over or are on their way.
    async fn following(
        &self,
        compilation: &Compilation,
        place: &Place,
        runtime: &Runtime,
    ) -> Result<Option<Following>, Failure> {
        let settings = &runtime.shared().settings;
        let bare = bare(compilation, place, runtime)?;
        let Ok(Some(following)) = Following::of(&bare, &place.backend, settings) else { return Ok(None) };
        let is_ours = match following.state().await? {
            Some(state) => state.phase != Phase::Finished,
            None => is_pending(&bare).await.map_err(|error| self.explained(compilation, error))?,
        };
        Ok(is_ours.then_some(following))
    }

    /// Whether the items of the design before have been carried over.
    async fn is_migrated(&self, place: &Place, runtime: &Runtime) -> Result<bool, Failure> {
        let settings = &runtime.shared().settings;
        let bare =
            Runtime::of_program(Arc::clone(runtime.program()), Arc::clone(&place.backend), settings.clone());
        let Ok(bare) = bare else { return Ok(false) };
        match Following::of(&bare, &place.backend, settings) {
            Ok(Some(following)) => {
                Ok(following.state().await?.is_some_and(|state| state.phase == Phase::Finished))
            }
            _ => Ok(false),
        }
    }

    /// Serves both designs, according to the phase.
    async fn follow(
        &self,
        following: Following,
        compilation: &Compilation,
        seat: &Seat,
        stop: Option<watch::Stop<'_>>,
    ) -> Result<(), Failure> {
        let state = following.state().await?;
        if state.as_ref().is_none_or(|state| state.phase == Phase::Prepared) {
            let begun = self.begin(compilation, following.plan.runtime(Side::Old), false).await?;
            self.finish(compilation, begun).await?;
        }
        follow::say(state.as_ref());
        let mounts = following.mounts(&|| self.admission())?;
        let runtime = following.answering(state.as_ref());
        let start = Start { seat, runtime, more_metrics: MoreMetrics::default(), live: Arc::default(), stop };
        match &seat.place.stage {
            Stage::Inside(database) => {
                let admin = sortkey_server::admin_mount(Arc::new(database.clone()));
                self.serve(start, [mounts, vec![admin]].concat()).await
            }
            Stage::Elsewhere(_) => self.serve(start, mounts).await,
        }
    }

    fn explained(&self, compilation: &Compilation, error: DeployError) -> Failure {
        match error {
            DeployError::Refused(refusals) => design::refused(compilation, &refusals),
            DeployError::NotUnique(refusals) => design::not_unique(compilation, &refusals),
            DeployError::Stopped { table, failure } => {
                Failure::new(format_args!("table {table:?}: {failure}"))
            }
            DeployError::Failed { table, doing, error } => {
                Failure::new(format_args!("{doing} of table {table:?}: {error}"))
            }
        }
    }

    /// Compares, changes the tables, and keeps processes of the version before from writing.
    async fn begin<'r>(
        &self,
        compilation: &Compilation,
        runtime: &'r Runtime,
        migrated: bool,
    ) -> Result<Begun<'r>, Failure> {
        let coverage = if self.recheck_unique { Coverage::Doubted } else { Coverage::AsMarked };
        let mut progress = progress::Steps::default();
        let mut watch = |step: sortkey_deploy::Progress<'_>| progress.show(step);
        let fence = self.endpoint.as_ref().map_or(Duration::ZERO, |_| superseded::LONGEST);
        let options =
            Options { coverage, adopt: self.adopt, keeps_removed: self.keep_removed, fence, migrated };
        let begun = begin(runtime, options, &pause, &mut watch).await;
        begun.map_err(|error| self.explained(compilation, error))
    }

    /// Rewrites items, and makes the guards of unique values.
    async fn finish(&self, compilation: &Compilation, begun: Begun<'_>) -> Result<Deployment, Failure> {
        let mut progress = progress::Steps::default();
        let mut watch = |step: sortkey_deploy::Progress<'_>| progress.show(step);
        let finished = begun.finish(&pause, &mut watch).await;
        let done = finished.map_err(|error| self.explained(compilation, error))?;
        progress.end(&done);
        Ok(done)
    }

    fn naming(&self) -> Naming {
        let parameters: BTreeMap<String, String> = self.parameters.iter().cloned().collect();
        Naming { prefix: self.prefix.clone(), parameters }
    }
}

/// The design on the forks of a database, each with the fork's own clock.
fn forks(database: &Database, runtime: &Runtime, interim: &Arc<Interim>) -> Arc<Forks> {
    let (database, runtime, interim) = (database.clone(), runtime.clone(), Arc::clone(interim));
    Arc::new(move |name| {
        // A fork has items as they were stored, and nobody rewrites them there.
        if interim.is_following() {
            return None;
        }
        let fork = Arc::new(Embedded::new(database.fork_engine(name)?));
        // A design that runs on the main database runs on its copies.
        runtime.on(fork.clone(), fork).ok()
    })
}

/// A runtime of the same program that bypasses the conversion of old items and reads them as they are stored.
fn bare(compilation: &Compilation, place: &Place, runtime: &Runtime) -> Result<Runtime, Failure> {
    let (program, settings) = (Arc::clone(runtime.program()), runtime.shared().settings.clone());
    Runtime::of_program(program, Arc::clone(&place.backend), settings)
        .map_err(|problems| design::cannot_run(compilation, &problems))
}

pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// The routes of a design, which are open by declaration: their operations check for themselves who calls.
fn open_routes(runtime: &Runtime) -> String {
    let text = |segment: &Segment| match segment {
        Segment::Literal(text) => format!("/{text}"),
        Segment::Parameter(_) => "/*".to_owned(),
    };
    let mut paths: Vec<String> =
        runtime.program().routes.iter().map(|route| route.segments.iter().map(text).collect()).collect();
    paths.sort();
    paths.dedup();
    match paths.is_empty() {
        true => String::new(),
        false => format!("\nOpen to everybody, as the design declares: {}", paths.join(", ")),
    }
}
