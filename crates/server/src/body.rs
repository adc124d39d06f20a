//! Receiving a request body: bounded in size, alone and together with all others.
//!
//! Most bodies arrive in one piece and are handed on as they are. Larger ones are collected; their memory is
//! reserved from a budget as it arrives, not as it is announced, so a client cannot hold memory by promising
//! bytes that it never sends.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming};
use sortkey_api::ApiError;

use crate::refusal;

/// Bytes of an oversized body that are read and thrown away, so that a client that sends everything before it
/// reads anything still sees the answer instead of a reset connection.
const DISCARD_LIMIT_BYTES: usize = 64 << 20;

/// Why a body could not be received.
#[derive(Debug)]
pub(crate) enum ReceiveError {
    /// The client gets an answer.
    Refused(ApiError),
    /// The client is gone, or its bytes are not HTTP; an answer would not be read.
    Broken(hyper::Error),
}

/// Reads a body to its end. The reservation is held until the request is done.
pub(crate) async fn receive<'a>(
    mut body: Incoming,
    limit_bytes: usize,
    budget: &'a Budget,
) -> Result<(Bytes, Reservation<'a>), ReceiveError> {
    let mut reservation = Reservation { budget, held_bytes: 0 };
    let announced = body.size_hint().lower();
    if usize::try_from(announced).is_ok_and(|announced| announced > limit_bytes) {
        return Err(discard(body, limit_bytes).await);
    }
    let mut first = Bytes::new();
    let mut gathered = Vec::new();
    while let Some(frame) = next_frame(&mut body).await.transpose().map_err(ReceiveError::Broken)? {
        let Ok(data) = frame.into_data() else { continue };
        if first.is_empty() && gathered.is_empty() {
            first = data;
            continue;
        }
        if gathered.is_empty() {
            gathered.extend_from_slice(&first);
        }
        if gathered.len() + data.len() > limit_bytes {
            return Err(discard(body, limit_bytes).await);
        }
        if !reservation.grow(data.len()) {
            return Err(ReceiveError::Refused(refusal::overloaded()));
        }
        gathered.extend_from_slice(&data);
    }
    if first.len() > limit_bytes {
        return Err(ReceiveError::Refused(refusal::too_large(limit_bytes)));
    }
    let bytes = if gathered.is_empty() { first } else { gathered.into() };
    Ok((bytes, reservation))
}

/// Reads on without keeping anything, then refuses.
async fn discard(mut body: Incoming, limit_bytes: usize) -> ReceiveError {
    let mut discarded_bytes = 0;
    while discarded_bytes < DISCARD_LIMIT_BYTES {
        match next_frame(&mut body).await {
            Some(Ok(frame)) => discarded_bytes += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(error)) => return ReceiveError::Broken(error),
            None => break,
        }
    }
    ReceiveError::Refused(refusal::too_large(limit_bytes))
}

async fn next_frame(body: &mut Incoming) -> Option<Result<Frame<Bytes>, hyper::Error>> {
    std::future::poll_fn(|cx| poll_frame(body, cx)).await
}

fn poll_frame(body: &mut Incoming, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
    Pin::new(body).poll_frame(cx)
}

/// The memory that gathered bodies may take, all connections together.
#[derive(Debug)]
pub(crate) struct Budget {
    limit_bytes: usize,
    used_bytes: AtomicUsize,
}

impl Budget {
    pub(crate) fn new(limit_bytes: usize) -> Budget {
        Budget { limit_bytes, used_bytes: AtomicUsize::new(0) }
    }
}

/// A share of the budget, returned when dropped.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    held_bytes: usize,
}

impl Reservation<'_> {
    /// Reserves more if the budget allows it; returns whether it did.
    fn grow(&mut self, bytes: usize) -> bool {
        let before = self.budget.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= self.budget.limit_bytes;
        if fits {
            self.held_bytes += bytes;
        } else {
            self.budget.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if self.held_bytes > 0 {
            self.budget.used_bytes.fetch_sub(self.held_bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_is_bounded_and_given_back() {
        let budget = Budget::new(100);
        let mut one = Reservation { budget: &budget, held_bytes: 0 };
        let mut two = Reservation { budget: &budget, held_bytes: 0 };
        assert!(one.grow(60));
        assert!(!two.grow(41));
        assert!(two.grow(40));
        drop(one);
        assert!(two.grow(60));
        drop(two);
        assert_eq!(budget.used_bytes.load(Ordering::Relaxed), 0);
    }
}
