//! The address and the logs of a server, shared by `serve` and `up`.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use sortkey_server::{Mount, Server, Settings, Stage};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

use crate::designs;
use crate::failure::Failure;
use crate::{open_files, parent};

/// Descriptors that are not for connections: the store, which keeps a few hundred tables open, the logs, the runtime.
const RESERVED_FILES: u64 = 384;

/// The address to listen on, and the logs.
#[derive(Args, Debug)]
pub(crate) struct Listen {
    /// The port to listen on; 0 takes any that is free and prints it
    #[arg(short, long, default_value_t = 8000)]
    port: u16,

    /// The address to listen on; 0.0.0.0 lets other machines in
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub(crate) host: String,

    /// The region that ARNs and stream records name; clients may use any
    #[arg(long, default_value = "us-east-1")]
    pub(crate) region: String,

    /// The log level on standard error: error, warn, info, debug or trace, also per module
    /// (`warn,sortkey_server=debug`)
    #[arg(long, env = "SORTKEY_LOG", default_value = "warn", value_name = "FILTER")]
    log: Targets,

    /// Stop when this process ends; it must be the one that starts the server. For test runners and launchers, which may be
    /// killed
    #[arg(long, env = "SORTKEY_PARENT", value_name = "PID", hide_env_values = true)]
    parent: Option<u32>,
}

impl Listen {
    /// Runs a server's life on threads of its own.
    pub(crate) fn block_on(&self, life: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
        log_to_stderr(&self.log);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("sortkey")
            .enable_all()
            .build()
            .map_err(|error| Failure::new(format_args!("cannot start threads: {error}")))?;
        if let Some(parent) = self.parent {
            parent::stop_with(parent)?;
        }
        let lived = runtime.block_on(life);
        // Tasks that outlived the grace period are abandoned.
        runtime.shutdown_background();
        lived
    }

    /// The address to listen on.
    pub(crate) fn address(&self) -> Result<SocketAddr, Failure> {
        let unknown = |why: String| Failure::new(format_args!("{:?} is not an address: {why}", self.host));
        let mut found =
            (self.host.as_str(), self.port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
        found.next().ok_or_else(|| unknown("the name leads nowhere".into()))
    }

    /// How the server behaves.
    pub(crate) fn settings(&self) -> Settings {
        let defaults = Settings::default();
        let files = usize::try_from(open_files::raise().saturating_sub(RESERVED_FILES));
        Settings {
            region: self.region.clone(),
            max_connections: files.unwrap_or(usize::MAX).clamp(1, defaults.max_connections),
            request_id_seed: seed(),
            ..defaults
        }
    }
}

/// Writes logs to standard error. Warnings of the AWS SDK fill pages and repeat our own, so they are shown only if its modules
/// are named.
pub(crate) fn log_to_stderr(log: &Targets) {
    let quiet = ["aws_config", "aws_runtime", "aws_smithy_http_client", "aws_smithy_runtime", "aws_sdk_sts"];
    let quiet = Targets::new().with_targets(quiet.map(|name| (name, LevelFilter::ERROR)));
    let filter = quiet.with_targets(log.iter());
    let filter = filter.with_default(log.default_level().unwrap_or(LevelFilter::OFF));
    let lines = tracing_subscriber::fmt::layer().with_ansi(designs::is_coloured(&io::stderr()));
    let lines = lines.with_writer(io::stderr).with_filter(filter);
    tracing_subscriber::registry().with(lines).init();
}

/// A server that has its port, and where it is.
pub(crate) async fn bind(
    address: SocketAddr,
    stage: Stage,
    settings: Settings,
    mounts: Vec<Mount>,
) -> Result<(Server<Stage>, SocketAddr), Failure> {
    let server = stage.bind(address, settings, mounts).await;
    let server = server.map_err(|error| cannot_listen(address, &error))?;
    let address = server.local_address().map_err(|error| cannot_listen(address, &error))?;
    Ok((server, address))
}

/// Whether a server could listen there now.
pub(crate) fn is_free(address: SocketAddr) -> Result<(), Failure> {
    std::net::TcpListener::bind(address).map(drop).map_err(|error| cannot_listen(address, &error))
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
