//! Dynoxide as a server: its own router on its own database, in memory or in a file.

use std::io;

use tokio::net::TcpListener;

/// Serves until the process ends.
pub fn serve(file: Option<&str>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let database = match file {
            Some(file) => dynoxide::Database::new(file),
            None => dynoxide::Database::memory(),
        };
        let database = database.map_err(|error| io::Error::other(error.to_string()))?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("listening on http://{}", listener.local_addr()?);
        dynoxide::server::serve_with_shutdown(listener, database, std::future::pending())
            .await
            .map_err(io::Error::other)
    })
}
