//! `sortkey serve`: a DynamoDB on a port.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use sortkey_server::{AccessMode, Database, Settings, Stage, Tls, admin_mount};

use super::Run;
use crate::audit::AuditArguments;
use crate::failure::Failure;
use crate::imitate::Imitate;
use crate::keep::Keep;
use crate::listen::{self, Listen};
use crate::protect::Protect;
use crate::shutdown;
use crate::tls::{self, TlsArguments};

/// The name of data that belongs to no design.
const NAME: &str = "default";

/// Run a DynamoDB on this machine
///
/// Any AWS SDK, the AWS command line and every tool for DynamoDB can use it: give them the address
/// that is printed as the endpoint, and any credentials. Tables and items are kept in a directory, and every
/// write is on disk before it is answered.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey serve                        # data in .sortkey/default
  sortkey serve --in-memory --port 0   # for tests: nothing on disk, any free port
  sortkey serve --host 0.0.0.0 --auth auth.json --tls-cert cert.pem --tls-key key.pem")]
pub(super) struct Serve {
    #[command(flatten)]
    listen: Listen,

    #[command(flatten)]
    keep: Keep,

    #[command(flatten)]
    imitate: Imitate,

    #[command(flatten)]
    protect: Protect,

    #[command(flatten)]
    tls: TlsArguments,

    #[command(flatten)]
    audit: AuditArguments,
}

impl Run for Serve {
    const NAME: &'static str = "serve";

    fn run(self) -> Result<(), Failure> {
        self.listen.block_on(self.serve())
    }
}

impl Serve {
    async fn serve(&self) -> Result<(), Failure> {
        let address = self.listen.address()?;
        let mode = self.protect.mode(address, "serve")?;
        let guard = self.protect.guard(mode)?;
        let audit = self.audit.open()?;
        let database = self.database()?;
        let mounts = vec![admin_mount(Arc::new(database.clone()))];
        let folder = self.keep.lasting_folder(NAME);
        let tls = self.tls.open(folder.as_deref(), &self.listen.host)?;
        let report = self.tls.report(tls.as_ref(), folder.as_deref());
        let settings = Settings { guard, audit, tls: tls.clone(), ..self.listen.settings() };
        let (server, address) = listen::bind(address, Stage::Inside(database), settings, mounts).await?;
        let shutdown = shutdown::asked_for();
        self.announce(address, mode, tls.as_ref(), &report);
        server.serve(Box::pin(shutdown)).await;
        Ok(())
    }

    fn database(&self) -> Result<Database, Failure> {
        let region = self.listen.region.clone();
        let settings = sortkey_engine::Settings { region, ..sortkey_engine::Settings::default() };
        let (settings, keyring) = (self.imitate.apply(settings), &self.protect.keyring);
        match self.keep.in_memory {
            true => Ok(Database::memory(self.keep.in_memory(settings, keyring)?)),
            false => Ok(Database::durable(self.keep.open(&self.keep.folder(NAME), settings, keyring)?)),
        }
    }

    /// Says where the server is. The first line is for programs too: it has always this form.
    fn announce(&self, address: SocketAddr, mode: AccessMode, tls: Option<&Tls>, certificate: &str) {
        let scheme = tls::scheme(tls);
        let mut terminal = io::stdout().lock();
        let endpoint = format!("{scheme}://{address}");
        let sdk = self.protect.sdk(mode, &endpoint, &self.listen.region);
        let sdk = sdk.map(|sdk| format!("Point an SDK at it: {sdk}\n")).unwrap_or_default();
        let said = writeln!(
            terminal,
            "sortkey is listening on {endpoint}\n{sdk}{}; Ctrl-C stops it.\n{certificate}{}",
            self.where_data_is(),
            self.protect.report(mode, false, true)
        )
        .and_then(|()| terminal.flush());
        if let Err(error) = said {
            tracing::warn!(%error, "nobody reads the standard output");
        }
    }

    fn where_data_is(&self) -> String {
        match self.keep.in_memory {
            true => "Everything is kept in memory and gone when it stops".into(),
            false => format!("Everything is kept in {}", self.keep.folder(NAME).display()),
        }
    }
}
