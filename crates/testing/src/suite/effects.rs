//! Effects of a test: the outcomes that `given` prepares, and the effects that were done.

use parking_lot::Mutex;
use serde_json::{Map, Value as Json};
use sortkey_core::{Deed, Effects, Failure, FailureKind, Outgoing, Performed, Performing};

/// Answers that a test prepared, and what was asked.
#[derive(Default)]
pub(super) struct Stubs {
    prepared: Mutex<Vec<Prepared>>,
    done: Mutex<Vec<(String, Json)>>,
    /// An effect that no answer was prepared for.
    unprepared: Mutex<Option<String>>,
}

/// The prepared outcome of an effect with certain arguments.
pub(super) struct Prepared {
    /// The effect.
    pub(super) effect: String,
    /// The arguments that it must have; others may be anything.
    pub(super) arguments: Json,
    /// Its result, or the name of the error.
    pub(super) outcome: Result<Json, String>,
}

impl Stubs {
    /// From now on, an effect with these arguments gives this.
    pub(super) fn prepare(&self, prepared: Prepared) {
        self.prepared.lock().push(prepared);
    }

    /// How often an effect was done with these arguments, among others.
    pub(super) fn count(&self, effect: &str, arguments: &Json) -> usize {
        self.done.lock().iter().filter(|(name, given)| name == effect && has(given, arguments)).count()
    }

    /// The calls of an effect, for messages.
    pub(super) fn show(&self, effect: &str) -> Vec<String> {
        let done = self.done.lock();
        done.iter()
            .filter(|(name, _)| name == effect)
            .map(|(name, given)| format!("{name} {given}"))
            .collect()
    }

    /// An effect that no answer was prepared for, once.
    pub(super) fn unprepared(&self) -> Option<String> {
        self.unprepared.lock().take()
    }
}

/// Whether an object has all members of another.
fn has(given: &Json, wanted: &Json) -> bool {
    let members = wanted.as_object().into_iter().flatten();
    members.into_iter().all(|(name, value)| given.get(name) == Some(value))
}

impl Effects for Stubs {
    fn perform(&self, effect: Outgoing) -> Performing<'_> {
        let Outgoing { name, arguments, deed, .. } = effect;
        let prepared = self.prepared.lock();
        let mut fitting =
            prepared.iter().rev().filter(|each| each.effect == name && has(&arguments, &each.arguments));
        let outcome = match fitting.next().map(|each| &each.outcome) {
            Some(Ok(claims)) if matches!(deed, Deed::Jwt { .. }) => Ok(Performed::Claims(claims.clone())),
            Some(Ok(result)) => Ok(Performed::Result(result.clone())),
            Some(Err(error)) => failed(&deed, error),
            // An event needs no prepared outcome.
            None if matches!(deed, Deed::Live { .. }) => Ok(Performed::Result(Json::Object(Map::new()))),
            None => {
                *self.unprepared.lock() = Some(format!("{name} {arguments}"));
                Err(Failure::new(FailureKind::Internal, format!("no `given` says what `{name}` gives")))
            }
        };
        self.done.lock().push((name, arguments));
        Box::pin(async { outcome })
    }
}

/// A request or a mail that fails is an answer without a status, and an invalid token is unauthenticated; a function of
/// the application just fails.
fn failed(deed: &Deed, error: &str) -> Result<Performed, Failure> {
    let (latency_ms, error) = (0, error.to_owned());
    match deed {
        Deed::Http { .. } => Ok(Performed::Http {
            status: 0,
            headers: Vec::new(),
            body: Vec::new(),
            latency_ms,
            error: Some(error),
        }),
        Deed::Mail { .. } => Ok(Performed::Mail { latency_ms, error: Some(error) }),
        Deed::Jwt { .. } => Err(Failure::new(FailureKind::Unauthenticated, error)),
        Deed::Extern | Deed::Streamed { .. } | Deed::Live { .. } => {
            Err(Failure::new(FailureKind::Declared(error), "the test says that it fails"))
        }
    }
}
