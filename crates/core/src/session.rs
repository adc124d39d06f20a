//! The requests of one call: counted, and repeated where the backend asks for it.

mod meaning;
mod requests;
mod way;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use sortkey_api::shapes::capacity::ConsumedCapacity;
use sortkey_api::{Again, ApiError, Backend, Exchanged, Request, Response};

use self::way::Way;
use crate::ask::Ask;
use crate::fence::{Fence, Kept};
use crate::outbox::Outbox;
use crate::prepared::Shared;
use crate::{Consumed, Ids};

pub(crate) use self::meaning::{failure, faulty};

/// How often a request is sent, the first time included.
const ATTEMPTS: u32 = 6;
/// The longest first pause; every further one may be twice as long.
const FIRST_PAUSE_MS: u64 = 25;

/// The requests of one call.
pub struct Session<'a> {
    pub(crate) shared: &'a Shared,
    way: Way<'a>,
    consumed: Mutex<Consumed>,
    /// Writes that happened.
    writes: AtomicU64,
    /// Whether the answer is that of an earlier call.
    is_repeat: AtomicBool,
    /// The item that the run of a worker has leased, until it gives it back.
    fence: Mutex<Option<Fence>>,
    /// Whether the run has written that item.
    has_written_own: AtomicBool,
    /// Whether an effect got no answer.
    is_in_trouble: AtomicBool,
}

impl<'a> Session<'a> {
    /// A call without requests yet, on a backend.
    pub(crate) fn new(shared: &'a Shared, backend: &'a dyn Backend) -> Session<'a> {
        Session::on(shared, Way::Direct(backend))
    }

    /// A call without requests yet, whose host is asked for them.
    pub(crate) fn asking(shared: &'a Shared, outbox: &'a Outbox) -> Session<'a> {
        Session::on(shared, Way::Asked(outbox))
    }

    fn on(shared: &'a Shared, way: Way<'a>) -> Session<'a> {
        Session {
            shared,
            way,
            consumed: Mutex::default(),
            writes: AtomicU64::new(0),
            is_repeat: AtomicBool::new(false),
            fence: Mutex::new(None),
            has_written_own: AtomicBool::new(false),
            is_in_trouble: AtomicBool::new(false),
        }
    }

    /// The requests of a run that has leased an item.
    pub(crate) fn fenced(self, fence: Fence) -> Session<'a> {
        Session { fence: Mutex::new(Some(fence)), ..self }
    }

    /// The lease that writes must carry.
    pub(crate) fn fence(&self) -> Option<Fence> {
        self.fence.lock().clone()
    }

    /// Whether the run has a lease that no write has given back.
    pub(crate) fn is_fenced(&self) -> bool {
        self.fence.lock().is_some()
    }

    /// Whether the run has written the item that it has leased.
    pub(crate) fn has_written_own(&self) -> bool {
        self.has_written_own.load(Ordering::Relaxed)
    }

    /// A request of the run has happened.
    pub(crate) fn keep(&self, kept: Kept) {
        self.has_written_own.fetch_or(kept != Kept::Untouched, Ordering::Relaxed);
        if kept == Kept::Over {
            *self.fence.lock() = None;
        }
    }

    /// Whether an effect of this call got no answer, or that the other side is in trouble.
    pub(crate) fn is_in_trouble(&self) -> bool {
        self.is_in_trouble.load(Ordering::Relaxed)
    }

    pub(crate) fn meets_trouble(&self) {
        self.is_in_trouble.store(true, Ordering::Relaxed);
    }

    /// How many writes have happened.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Whether the answer is that of an earlier call with the same idempotency key.
    pub(crate) fn is_repeat(&self) -> bool {
        self.is_repeat.load(Ordering::Relaxed)
    }

    pub(crate) fn repeats_earlier_call(&self) {
        self.is_repeat.store(true, Ordering::Relaxed);
    }

    pub(crate) fn wrote_something(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// The consumption of the call so far.
    pub fn consumed(&self) -> Consumed {
        *self.consumed.lock()
    }

    /// Sends an input. It is boxed before anything waits: a call that waits holds a pointer, and is small.
    fn send<O: Exchanged>(
        &self,
        repeat: Repeat,
        input: O::Input,
    ) -> impl Future<Output = Result<Box<O::Output>, ApiError>> {
        let request = O::request(input);
        async move { O::output(self.exchange(repeat, request).await?).ok_or_else(ApiError::internal) }
    }

    /// Sends a request, again and again while it is only a matter of time: full jitter, doubled from one to the next.
    async fn exchange(&self, repeat: Repeat, request: Request) -> Result<Response, ApiError> {
        let attempts = if self.way.is_steady() { 1 } else { ATTEMPTS };
        let mut longest_ms = FIRST_PAUSE_MS;
        for _ in 1..attempts {
            self.consumed.lock().requests += 1;
            match self.way.send(request.clone()).await {
                Err(error) if self.passes(&error, repeat) => {
                    self.pause(longest_ms).await;
                    longest_ms *= 2;
                }
                answer => return answer,
            }
        }
        self.consumed.lock().requests += 1;
        self.way.send(request).await
    }

    /// Waits for a random time.
    async fn pause(&self, longest_ms: u64) {
        let settings = &self.shared.settings;
        let length = |ids: &Ids| Duration::from_millis(ids.next().unwrap_or(0) % longest_ms + 1);
        match &self.way {
            Way::Direct(_) => settings.timer.pause(length(&settings.ids)).await,
            Way::Asked(outbox) => drop(outbox.ask(Ask::Pause(length(&outbox.ids))).await),
        }
    }

    fn read<'b>(&self, consumed: impl Iterator<Item = &'b ConsumedCapacity>) {
        self.consumed.lock().rcu += consumed.filter_map(|each| each.capacity_units).sum::<f64>();
    }

    fn wrote<'b>(&self, consumed: impl Iterator<Item = &'b ConsumedCapacity>) {
        self.consumed.lock().wcu += consumed.filter_map(|each| each.capacity_units).sum::<f64>();
    }

    /// Whether a transaction needs a token by which its repeat is recognised.
    pub(crate) fn needs_tokens(&self) -> bool {
        self.way.loses_answers()
    }

    /// Whether the same request may succeed a moment later.
    fn passes(&self, error: &ApiError, repeat: Repeat) -> bool {
        match error.again() {
            // A backend that repeats requests itself has its own backoff.
            Again::Refused => !(error.is_throttled() && self.way.repeats()),
            Again::Unknown => repeat == Repeat::Freely && !self.way.repeats(),
            Again::Never => false,
        }
    }
}

/// Whether a request may be repeated although the first may have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeat {
    /// It reads, writes the same again, or carries a token.
    Freely,
    /// It would count twice, or refuse what it did itself.
    IfRefused,
}
