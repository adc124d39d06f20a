//! The DynamoDB under test: one server for all tests of a process.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::mpsc;
use std::thread;

use sortkey_server::{Database, Server, Settings, admin_mount};
use tokio::runtime::Builder;

/// The endpoint under test. The first call starts the server, unless the environment names another.
pub fn endpoint() -> &'static str {
    static ENDPOINT: LazyLock<String> =
        LazyLock::new(|| std::env::var("SORTKEY_E2E_ENDPOINT").unwrap_or_else(|_| start()));
    &ENDPOINT
}

/// Starts a server as `sortkey serve` does, on threads of its own: tests come and go with their runtimes, and it must
/// outlive them all. It ends with the process.
fn start() -> String {
    let (say, said) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_multi_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let settings = sortkey_engine::Settings {
                export_dir: Some(export_dir()),
                ..sortkey_engine::Settings::default()
            };
            let database = Database::memory(settings);
            let mounts = vec![admin_mount(std::sync::Arc::new(database.clone()))];
            let loopback = ([127, 0, 0, 1], 0).into();
            let server =
                Server::bind(loopback, database, Settings::default(), mounts).await.expect("a free port");
            let address = server.local_address().expect("a bound socket has an address");
            say.send(format!("http://{address}")).expect("the first test waits for it");
            server.run(std::future::pending()).await;
        });
    });
    said.recv().expect("the server starts")
}

/// The directory for the buckets of the tests' server. It is in the build's directory, and is removed with it.
pub fn export_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../target/e2e-exports/{}", std::process::id()))
}
