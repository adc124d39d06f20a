//! The last step of every response: compression, checksum, request id, and the body hyper sends.

use std::io::{self, Cursor};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, SERVER, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use sortkey_api::ApiError;
use tokio::sync::mpsc;

use crate::encoding::Coding;
use crate::mount::Content;
use crate::progress::Progress;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Pieces of a long answer that wait for the client. A piece of a backup has about a megabyte.
const PIECES_AHEAD: usize = 2;

/// The answer of a route: a body, and the headers that are specific to the route.
pub(crate) type Answer = Response<Content>;

/// An answer of one content type; none for the bare texts that AWS sends without one.
pub(crate) fn answer(status: StatusCode, content_type: Option<HeaderValue>, body: Vec<u8>) -> Answer {
    let mut answer = Response::new(Content::Whole(body));
    *answer.status_mut() = status;
    if let Some(content_type) = content_type {
        answer.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    answer
}

/// The answer for an error.
pub(crate) fn error(error: &ApiError, content_type: HeaderValue) -> Answer {
    let mut body = Vec::new();
    error.write_json(&mut body);
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer(status, Some(content_type), body)
}

/// Completes an answer, compressed if a coding is given and it is whole.
pub(crate) fn finish(
    answer: Answer,
    request_id: HeaderValue,
    coding: Option<Coding>,
    sending: Sending,
) -> Response<ReplyBody> {
    let (mut parts, content) = answer.into_parts();
    parts.headers.insert(REQUEST_ID, request_id);
    // The name that AWS gives, too.
    parts.headers.insert(SERVER, HeaderValue::from_static("Server"));
    // Answers contain somebody's data: no cache keeps them, and no browser guesses that they are something else.
    parts.headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
    parts.headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    let mut body = match content {
        Content::Whole(body) => body,
        Content::Pieces(pieces) => {
            let pieces = start(pieces);
            return Response::from_parts(parts, ReplyBody::Pieces { pieces, _sending: sending });
        }
        Content::Events(pieces) => {
            return Response::from_parts(parts, ReplyBody::Pieces { pieces, _sending: sending });
        }
    };
    if let Some(coding) = coding {
        body = coding.compress(&body);
        parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    parts.headers.insert(CRC32, HeaderValue::from(crc32fast::hash(&body)));
    // AWS streams this one refusal without saying how long it is.
    let sized = parts.status != StatusCode::PAYLOAD_TOO_LARGE;
    Response::from_parts(parts, ReplyBody::Whole { data: Some(Cursor::new(body)), sized })
}

/// Lets a thread make the pieces, not much faster than they are sent. It ends with them, or with the connection.
fn start(
    pieces: Box<dyn Iterator<Item = io::Result<Vec<u8>>> + Send>,
) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    tokio::task::spawn_blocking(move || {
        for piece in pieces {
            if sender.blocking_send(piece).is_err() {
                return;
            }
        }
    });
    receiver
}

/// A request is answered when this is dropped: with the head of a whole answer, or with the last piece of a long one.
#[derive(Debug)]
pub(crate) struct Sending(pub(crate) Arc<Progress>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.answered();
    }
}

/// A body as hyper sends it.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    /// In one piece.
    Whole { data: Option<Cursor<Vec<u8>>>, sized: bool },
    /// As it is made.
    Pieces { pieces: mpsc::Receiver<io::Result<Vec<u8>>>, _sending: Sending },
}

impl Body for ReplyBody {
    type Data = Cursor<Vec<u8>>;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        match &mut *self {
            ReplyBody::Whole { data, .. } => Poll::Ready(data.take().map(|data| Ok(Frame::data(data)))),
            ReplyBody::Pieces { pieces, .. } => {
                let frame = |piece: Vec<u8>| Frame::data(Cursor::new(piece));
                pieces.poll_recv(context).map(|piece| piece.map(|piece| piece.map(frame)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            ReplyBody::Whole { data, sized } => {
                data.as_ref().is_none_or(|data| *sized && data.get_ref().is_empty())
            }
            ReplyBody::Pieces { .. } => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ReplyBody::Whole { data, sized: true } => {
                SizeHint::with_exact(data.as_ref().map_or(0, |data| data.get_ref().len()) as u64)
            }
            _ => SizeHint::default(),
        }
    }
}
