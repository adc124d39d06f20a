//! The pages about the server itself: health, readiness and metrics.

use hyper::StatusCode;
use hyper::header::HeaderValue;

use crate::backend::{Backend, Readiness};
use crate::metrics;
use crate::reply::{self, Answer};
use crate::shared::Shared;
use crate::tls::Tls;

/// AWS's health text, which ends in a space.
pub(crate) fn health<B>(server: &Shared<B>) -> Answer {
    let text = format!("healthy: dynamodb.{}.amazonaws.com ", server.settings.region);
    reply::answer(StatusCode::OK, None, text.into_bytes())
}

/// Whether requests are answered, and if not, why. Paths are left out: this page is open to all.
pub(crate) fn ready<B: Backend>(server: &Shared<B>) -> Answer {
    let (status, why) = match server.backend.readiness() {
        Readiness::Ready => (StatusCode::OK, "ready".to_owned()),
        Readiness::NotReady(why) => (StatusCode::SERVICE_UNAVAILABLE, without_paths(&why)),
    };
    let mut notices = server.backend.notices();
    notices.extend(server.settings.tls.as_ref().and_then(Tls::notice));
    notices.extend(server.settings.audit.as_ref().and_then(|audit| audit.notice()));
    let notices: String = notices.iter().map(|notice| format!("{}\n", without_paths(notice))).collect();
    text(status, "text/plain; charset=utf-8", format!("{why}\n{notices}"))
}

/// The page for Prometheus.
pub(crate) fn metrics<B: Backend>(server: &Shared<B>) -> Answer {
    let is_ready = server.backend.readiness() == Readiness::Ready;
    let histories = server.backend.histories();
    let mut page = server.metrics.page(server.connections.count(), is_ready, &histories);
    page.push_str(&server.settings.more_metrics.lines());
    text(StatusCode::OK, metrics::CONTENT_TYPE, page)
}

/// A reason without the words that could be a path.
fn without_paths(why: &str) -> String {
    let shown = |word| if str::contains(word, ['/', '\\']) { "[path]" } else { word };
    why.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

fn text(status: StatusCode, content_type: &'static str, body: String) -> Answer {
    reply::answer(status, Some(HeaderValue::from_static(content_type)), body.into_bytes())
}
