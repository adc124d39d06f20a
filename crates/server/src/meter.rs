//! A socket that reports what passes through it to the connection's progress, to its framing and to the metrics.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::framing::{Framing, UnclearLength};
use crate::metrics::Metrics;
use crate::progress::Progress;

/// The most that one read takes. Hyper doubles the buffer of a connection when a read fills it, and keeps it until the connection
/// closes; a read that is one byte short of a power of two does not fill it.
const READ_BYTES: usize = (16 << 10) - 1;

/// A metered socket, or a metered TLS session on one.
#[derive(Debug)]
pub(crate) struct Meter<S> {
    pub(crate) stream: S,
    pub(crate) progress: Arc<Progress>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) framing: Framing,
    pub(crate) unclear_length: Arc<UnclearLength>,
}

impl<S> Meter<S> {
    fn count_write(&self, result: &Poll<io::Result<usize>>) {
        match result {
            Poll::Ready(Ok(bytes)) => {
                self.progress.wrote(Some(*bytes));
                self.metrics.bytes_sent.add(*bytes as u64);
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.progress.wrote(None),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Meter<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let Meter { stream, progress, metrics, framing, unclear_length } = &mut *self;
        let result = match buffer.remaining() > READ_BYTES {
            false => Pin::new(stream).poll_read(cx, buffer),
            true => {
                let mut part = ReadBuf::new(buffer.initialize_unfilled_to(READ_BYTES));
                let result = Pin::new(stream).poll_read(cx, &mut part);
                let bytes = part.filled().len();
                buffer.advance(bytes);
                result
            }
        };
        let arrived = &buffer.filled()[before..];
        if !arrived.is_empty() {
            progress.bytes_arrived();
            metrics.bytes_received.add(arrived.len() as u64);
            framing.read(arrived, unclear_length);
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Meter<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, buffer);
        self.count_write(&result);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
        self.count_write(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // TLS takes bytes before the socket does, so a client that reads nothing may only be noticed here.
        let result = Pin::new(&mut self.stream).poll_flush(cx);
        self.progress.wrote(result.is_ready().then_some(0));
        result
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
