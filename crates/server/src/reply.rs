//! The last step of every response: compression, checksum, request id, and the body hyper sends.

use std::convert::Infallible;
use std::io::Cursor;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use sortkey_api::ApiError;

use crate::encoding;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");

/// What a route answers: a whole body, with the headers that only the route knows.
pub(crate) type Answer = Response<Vec<u8>>;

/// An answer of one content type; none for the bare texts that AWS sends without one.
pub(crate) fn answer(status: StatusCode, content_type: Option<HeaderValue>, body: Vec<u8>) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    if let Some(content_type) = content_type {
        answer.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    answer
}

/// The answer that tells an error.
pub(crate) fn error(error: &ApiError, content_type: HeaderValue) -> Answer {
    let mut body = Vec::new();
    error.write_json(&mut body);
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer(status, Some(content_type), body)
}

/// Completes an answer. `gzip` says whether to compress it.
pub(crate) fn finish(answer: Answer, request_id: HeaderValue, gzip: bool) -> Response<ReplyBody> {
    let (mut parts, mut body) = answer.into_parts();
    if gzip {
        body = encoding::gzip(&body);
        parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    label(&mut parts.headers, request_id, &body);
    // AWS streams this one refusal without saying how long it is.
    let sized = parts.status != StatusCode::PAYLOAD_TOO_LARGE;
    Response::from_parts(parts, ReplyBody { data: Some(Cursor::new(body)), sized })
}

fn label(headers: &mut HeaderMap, request_id: HeaderValue, body: &[u8]) {
    headers.insert(REQUEST_ID, request_id);
    headers.insert(CRC32, HeaderValue::from(crc32fast::hash(body)));
}

/// A body that is sent in one piece.
#[derive(Debug)]
pub(crate) struct ReplyBody {
    data: Option<Cursor<Vec<u8>>>,
    sized: bool,
}

impl Body for ReplyBody {
    type Data = Cursor<Vec<u8>>;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Poll::Ready(self.data.take().map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.data.as_ref().is_none_or(|data| self.sized && data.get_ref().is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.data.as_ref().map_or(0, |data| data.get_ref().len()) as u64;
        if self.sized { SizeHint::with_exact(length) } else { SizeHint::default() }
    }
}
