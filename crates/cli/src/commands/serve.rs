//! `sortkey serve`: a DynamoDB on a port.

use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use sortkey_engine::Engine;
use sortkey_server::{Database, Server, Settings, admin_mount};
use sortkey_storage_fjall::{Durability, FjallStore, Options};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

use super::Run;
use crate::failure::Failure;
use crate::{open_files, shutdown};

/// Descriptors that are not for connections: the store, which keeps a few hundred tables open, the logs, the runtime.
const RESERVED_FILES: u64 = 384;

/// Run a DynamoDB on this machine
///
/// Any AWS SDK, the AWS command line and every tool that speaks to DynamoDB can use it: give them the address
/// that is printed as the endpoint, and any credentials. Tables and items are kept in a directory, and every
/// write is on disk before it is answered.
#[derive(Args, Debug)]
pub(super) struct Serve {
    /// The port to listen on; 0 takes any that is free and prints it
    #[arg(short, long, default_value_t = 8000)]
    port: u16,

    /// The address to listen on; 0.0.0.0 lets other machines in
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    host: String,

    /// The directory that keeps the data; it is created if it is not there
    #[arg(long, default_value = ".sortkey/default", value_name = "DIR", conflicts_with = "in_memory")]
    data: PathBuf,

    /// Keep everything in memory and write nothing to disk
    #[arg(long)]
    in_memory: bool,

    /// What an answered write survives: `fsync` a power failure, `os` a crash of this process only, but faster
    #[arg(long, default_value = "fsync", value_name = "LEVEL", conflicts_with = "in_memory")]
    durability: DurabilityLevel,

    /// Memory for what was read from disk before, in megabytes
    #[arg(long, default_value_t = 256, value_name = "MB", conflicts_with = "in_memory")]
    cache: u64,

    /// The region that ARNs and stream records name; clients may use any
    #[arg(long, default_value = "us-east-1")]
    region: String,

    /// The directory for exports and imports; where a request names a bucket, a directory in it is meant
    #[arg(long, value_name = "DIR")]
    export_dir: Option<PathBuf>,

    /// What to log to standard error: error, warn, info, debug or trace, also per module
    /// (`warn,sortkey_server=debug`)
    #[arg(long, env = "SORTKEY_LOG", default_value = "warn", value_name = "FILTER")]
    log: Targets,

    /// Let programs on other machines use the administration routes under /_sortkey
    #[arg(long)]
    admin_from_anywhere: bool,
}

impl Run for Serve {
    const NAME: &'static str = "serve";

    fn run(self) -> Result<(), Failure> {
        start_log(self.log.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("sortkey")
            .enable_all()
            .build()
            .map_err(|error| Failure::new(format_args!("cannot start threads: {error}")))?;
        let served = runtime.block_on(self.serve());
        // What outlived the grace period is not waited for any longer.
        runtime.shutdown_background();
        served
    }
}

impl Serve {
    async fn serve(self) -> Result<(), Failure> {
        let address = self.address()?;
        let database = self.database()?;
        let mounts = vec![admin_mount(Arc::new(database.clone()))];
        let server = Server::bind(address, database, self.settings(), mounts).await;
        let server = server.map_err(|error| cannot_listen(address, &error))?;
        let address = server.local_address().map_err(|error| cannot_listen(address, &error))?;
        self.announce(address);
        server.run(shutdown::asked_for()).await;
        Ok(())
    }

    fn database(&self) -> Result<Database, Failure> {
        let settings = sortkey_engine::Settings {
            region: self.region.clone(),
            export_dir: self.export_dir.clone(),
            ..sortkey_engine::Settings::default()
        };
        if self.in_memory {
            return Ok(Database::memory(settings));
        }
        let options = Options {
            durability: self.durability.into(),
            cache_bytes: self.cache.saturating_mul(1024 * 1024),
        };
        let store = FjallStore::open(&self.data, options).map_err(|error| {
            Failure::new(format_args!("cannot open the data in {}: {error}", self.data.display()))
                .hint("choose another directory with --data, or --in-memory to keep nothing")
        })?;
        Ok(Database::durable(Engine::open(store, settings)))
    }

    fn address(&self) -> Result<SocketAddr, Failure> {
        let unknown = |why: String| Failure::new(format_args!("{:?} is no address: {why}", self.host));
        let mut found =
            (self.host.as_str(), self.port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
        found.next().ok_or_else(|| unknown("the name leads nowhere".into()))
    }

    fn settings(&self) -> Settings {
        let defaults = Settings::default();
        let files = usize::try_from(open_files::raise().saturating_sub(RESERVED_FILES));
        Settings {
            region: self.region.clone(),
            max_connections: files.unwrap_or(usize::MAX).clamp(1, defaults.max_connections),
            admin_from_anywhere: self.admin_from_anywhere,
            request_id_seed: seed(),
            ..defaults
        }
    }

    /// Says where the server is. The first line is for programs too: it has always this form.
    fn announce(&self, address: SocketAddr) {
        let mut terminal = io::stdout().lock();
        let said = writeln!(
            terminal,
            "sortkey is listening on http://{address}\n\
             Point an SDK at it: AWS_ENDPOINT_URL_DYNAMODB=http://{address} AWS_REGION={} \
             AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n\
             {}; Ctrl-C stops it.",
            self.region,
            self.where_data_is()
        )
        .and_then(|()| terminal.flush());
        if let Err(error) = said {
            tracing::warn!(%error, "nobody reads the standard output");
        }
    }
}

impl Serve {
    fn where_data_is(&self) -> String {
        match self.in_memory {
            true => "Everything is kept in memory and gone when it stops".into(),
            false => format!("Everything is kept in {}", self.data.display()),
        }
    }
}

/// [`Durability`], as the command line spells it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DurabilityLevel {
    Fsync,
    Os,
}

impl From<DurabilityLevel> for Durability {
    fn from(level: DurabilityLevel) -> Durability {
        match level {
            DurabilityLevel::Fsync => Durability::Fsync,
            DurabilityLevel::Os => Durability::Os,
        }
    }
}

fn start_log(filter: Targets) {
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_filter(filter);
    tracing_subscriber::registry().with(lines).init();
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Failure {
    let failure = Failure::new(format_args!("cannot listen on {address}: {error}"));
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            failure.hint("another server has this port; choose one with --port, or --port 0 for any")
        }
        io::ErrorKind::PermissionDenied => {
            failure.hint("ports below 1024 are the system's; choose a higher --port")
        }
        io::ErrorKind::AddrNotAvailable => {
            failure.hint("this machine does not have that address; see --host")
        }
        _ => failure,
    }
}

/// A number that differs from one start to the next.
fn seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX) ^ u64::from(std::process::id())
}
