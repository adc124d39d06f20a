//! The DynamoDB API of a program: a database of its own, or the address of the one that its tables are in.
//!
//! One server serves both and is compiled here, once. A server for each type of backend would be compiled wherever it is
//! started, with all of HTTP, for every one of them.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

use sortkey_api::{ApiError, ErrorKind};
use sortkey_engine::{History, JsonReply};

use crate::backend::{Backend, Call, ForkName, Readiness, ResourcePolicy};
use crate::database::Database;
use crate::mount::Mount;
use crate::server::Server;
use crate::settings::Settings;

/// Who answers DynamoDB's API.
#[derive(Clone)]
pub enum Stage {
    /// The database in this process.
    Inside(Database),
    /// Nobody here: the tables are at this address. Requests are not passed on, since they would be signed with the
    /// server's own credentials, whoever sent them.
    Elsewhere(String),
}

/// Something that ends when it has to.
pub type Ending<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

impl Stage {
    /// A server that has its port and is not yet serving; port 0 takes any that is free.
    ///
    /// Must be called within a tokio runtime.
    pub async fn bind(
        self,
        address: SocketAddr,
        settings: Settings,
        mounts: Vec<Mount>,
    ) -> io::Result<Server<Stage>> {
        Server::bind(address, self, settings, mounts).await
    }

    fn database(&self) -> Option<&Database> {
        match self {
            Stage::Inside(database) => Some(database),
            Stage::Elsewhere(_) => None,
        }
    }
}

impl Server<Stage> {
    /// Serves until `shutdown` ends, as [`run`](Server::run) does.
    pub fn serve<'a>(self, shutdown: Ending<'a>) -> Ending<'a> {
        Box::pin(self.run(shutdown))
    }
}

impl Backend for Stage {
    async fn call(&self, call: Call) -> JsonReply {
        match self {
            Stage::Inside(database) => database.call(call).await,
            Stage::Elsewhere(address) => {
                let why = format!("The tables of this design are at {address}: send the request there");
                JsonReply { result: Err(ApiError::new(ErrorKind::AccessDeniedException, why)), table: None }
            }
        }
    }

    fn readiness(&self) -> Readiness {
        self.database().map_or(Readiness::Ready, Database::readiness)
    }

    fn notices(&self) -> Vec<String> {
        self.database().map(Database::notices).unwrap_or_default()
    }

    fn partition_key(&self, fork: Option<&ForkName>, table: &str, index: Option<&str>) -> Option<String> {
        self.database()?.partition_key(fork, table, index)
    }

    fn resource_policy(
        &self,
        fork: Option<&ForkName>,
        table: &str,
        stream: Option<&str>,
    ) -> Option<ResourcePolicy> {
        self.database()?.resource_policy(fork, table, stream)
    }

    fn iterator_stream(&self, fork: Option<&ForkName>, iterator: &str) -> Option<(String, String)> {
        self.database()?.iterator_stream(fork, iterator)
    }

    fn histories(&self) -> Vec<History> {
        self.database().map(Database::histories).unwrap_or_default()
    }
}
