//! The state that all connections of a server share.

use std::sync::Arc;

use crate::body::Budget;
use crate::connections::Connections;
use crate::guard::AccessMode;
use crate::iam::Evaluator;
use crate::metrics::Metrics;
use crate::mount::Mount;
use crate::settings::Settings;

/// One part in so many of the memory for bodies is for strangers.
const STRANGERS_SHARE: usize = 4;

/// The parts of a server that requests need.
#[derive(Debug)]
pub(crate) struct Shared<B> {
    pub(crate) backend: B,
    pub(crate) settings: Settings,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) evaluator: Evaluator,
    /// The memory for bodies of clients that may be answered.
    pub(crate) budget: Budget,
    /// The memory for bodies of requests with no credential, or an unknown one, where one is needed: strangers cannot take the
    /// memory of the others.
    pub(crate) strangers_budget: Budget,
    pub(crate) connections: Arc<Connections>,
}

impl<B> Shared<B> {
    pub(crate) fn new(backend: B, settings: Settings, mounts: Vec<Mount>) -> Shared<B> {
        let strangers_bytes = match settings.guard.mode {
            AccessMode::Credentials => settings.max_buffered_bytes / STRANGERS_SHARE,
            AccessMode::Local | AccessMode::Open => 0,
        };
        Shared {
            metrics: Arc::default(),
            evaluator: Evaluator::default(),
            budget: Budget::new(settings.max_buffered_bytes - strangers_bytes),
            strangers_budget: Budget::new(strangers_bytes),
            connections: Arc::default(),
            backend,
            settings,
            mounts,
        }
    }
}
