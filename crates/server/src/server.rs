//! The server: accepts connections, keeps an eye on them, and stops without losing what is in flight.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;

use crate::backend::Backend;
use crate::connection;
use crate::mount::Mount;
use crate::progress::Order;
use crate::settings::Settings;
use crate::shared::Shared;

/// Pause after a failed accept. The usual reason is that the process has no file descriptor left, which
/// another connection's end will cure.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// A server that is bound to its port and not yet serving.
#[derive(Debug)]
pub struct Server<B> {
    listener: TcpListener,
    shared: Arc<Shared<B>>,
}

impl<B: Backend> Server<B> {
    /// Binds to an address; port 0 takes any that is free.
    ///
    /// Must be called within a tokio runtime.
    pub async fn bind(
        address: SocketAddr,
        backend: B,
        settings: Settings,
        mounts: Vec<Mount>,
    ) -> io::Result<Server<B>> {
        let listener = TcpListener::bind(address).await?;
        Ok(Server { listener, shared: Arc::new(Shared::new(backend, settings, mounts)) })
    }

    /// The listening address, with the port that was chosen.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `shutdown` completes; then stops accepting, lets requests in flight finish within
    /// the grace period, and returns.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Server { listener, shared } = self;
        accept_until(listener, &shared, shutdown).await;
        let connections = &shared.connections;
        connections.give_all(Order::Drain);
        let grace = shared.settings.shutdown_grace;
        if tokio::time::timeout(grace, connections.fewer_than(1)).await.is_err() {
            tracing::warn!(?grace, "requests still in flight after the grace period are cut off");
            connections.give_all(Order::Close);
        }
    }
}

/// Accepts connections until `shutdown` completes. The listener is closed on return, so later clients are
/// refused at once instead of waiting in vain.
async fn accept_until<B: Backend>(
    listener: TcpListener,
    shared: &Arc<Shared<B>>,
    shutdown: impl Future<Output = ()>,
) {
    let settings = &shared.settings;
    let mut shutdown = pin!(shutdown);
    let mut look = tokio::time::interval(look_interval(settings));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut number = 0;
    loop {
        tokio::select! {
            () = &mut shutdown => return,
            _ = look.tick() => {
                let closed = shared.connections.close_overdue(Instant::now(), settings);
                shared.metrics.connections_timed_out.add(closed);
                if let Some(authority) = &settings.guard.authority {
                    authority.refresh();
                }
                if let Some(tls) = &settings.tls {
                    tls.refresh();
                }
            }
            (stream, peer) = accept(&listener, shared) => {
                let membership = shared.connections.enter(number, Instant::now());
                tokio::spawn(connection::serve(shared.clone(), stream, peer, number, membership));
                number += 1;
            }
        }
    }
}

/// The next connection, once there is room for it.
async fn accept<B>(listener: &TcpListener, shared: &Shared<B>) -> (TcpStream, SocketAddr) {
    loop {
        shared.connections.fewer_than(shared.settings.max_connections).await;
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection; trying again");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

/// How often connections are looked at: a quarter of the shortest timeout, so that none is off by more.
fn look_interval(settings: &Settings) -> Duration {
    let timeouts = [
        settings.handshake_timeout,
        settings.receive_timeout,
        settings.send_timeout,
        settings.idle_timeout,
        settings.idle_timeout_when_full,
    ];
    let shortest = timeouts.into_iter().min().unwrap_or_default();
    (shortest / 4).max(Duration::from_millis(10))
}
