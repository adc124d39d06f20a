//! The state that all connections of a server share.

use std::sync::Arc;

use crate::body::Budget;
use crate::connections::Connections;
use crate::iam::Evaluator;
use crate::metrics::Metrics;
use crate::mount::Mount;
use crate::settings::Settings;

/// The parts of a server that requests need.
#[derive(Debug)]
pub(crate) struct Shared<B> {
    pub(crate) backend: B,
    pub(crate) settings: Settings,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) evaluator: Evaluator,
    pub(crate) budget: Budget,
    pub(crate) connections: Arc<Connections>,
}

impl<B> Shared<B> {
    pub(crate) fn new(backend: B, settings: Settings, mounts: Vec<Mount>) -> Shared<B> {
        Shared {
            metrics: Arc::default(),
            evaluator: Evaluator::default(),
            budget: Budget::new(settings.max_buffered_bytes),
            connections: Arc::default(),
            backend,
            settings,
            mounts,
        }
    }
}
