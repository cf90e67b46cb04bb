//! What a call has received: taken off the transport as it comes, and flow control opened as it is used.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use h2::RecvStream;
use http_body::Frame;
use tokio::time::Sleep;
use tonic::{Code, Status};

use super::status;

/// Smaller pieces are copied together: a slice of a few bytes would keep the whole block that it was read into.
const SMALL: usize = 1024;

/// The receiving half of a call. Clones share it.
///
/// One task takes everything that the peer sends off the transport (`fill`); another uses it (`poll_take`). The peer may
/// send more only for what was used, so no more than a stream's window is ever here.
#[derive(Clone)]
pub(super) struct Inbox(Arc<Mutex<Received>>);

struct Received {
    stream: RecvStream,
    pieces: VecDeque<Bytes>,
    /// Small pieces, after all others.
    tail: BytesMut,
    /// Bytes that ever came.
    received: u64,
    /// Set once nothing more will come: whether the peer said that it had sent everything.
    end: Option<bool>,
    /// Nobody uses it any more: what still comes is dropped.
    is_abandoned: bool,
    user: Option<Waker>,
}

impl Inbox {
    pub(super) fn new(stream: RecvStream) -> Inbox {
        Inbox(Arc::new(Mutex::new(Received {
            stream,
            pieces: VecDeque::new(),
            tail: BytesMut::new(),
            received: 0,
            end: None,
            is_abandoned: false,
            user: None,
        })))
    }

    /// Takes in what has come. Ready once the peer has sent everything or is gone.
    pub(super) fn fill(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut received = self.lock();
        let mut is_news = false;
        while received.end.is_none() {
            match received.stream.poll_data(context) {
                Poll::Pending => break,
                Poll::Ready(Some(Ok(piece))) => received.add(piece),
                Poll::Ready(Some(Err(_))) => received.end = Some(false),
                Poll::Ready(None) => received.end = Some(true),
            }
            is_news = true;
        }
        let user = if is_news { received.user.take() } else { None };
        let is_over = received.end.is_some();
        drop(received);
        if let Some(user) = user {
            user.wake();
        }
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    }

    /// The next piece. `None`: the peer has sent everything.
    ///
    /// # Errors
    /// CANCELLED when the peer is gone before the end.
    pub(super) fn poll_take(&self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        let mut received = self.lock();
        let piece = match received.pieces.pop_front() {
            Some(piece) => piece,
            None if !received.tail.is_empty() => received.tail.split().freeze(),
            None => {
                return match received.end {
                    Some(true) => Poll::Ready(None),
                    Some(false) => Poll::Ready(Some(Err(Status::new(Code::Cancelled, "the client is gone")))),
                    None => {
                        received.user = Some(context.waker().clone());
                        Poll::Pending
                    }
                };
            }
        };
        received.release(piece.len());
        Poll::Ready(Some(Ok(piece)))
    }

    /// Drops what is here and what still comes.
    pub(super) fn abandon(&self) {
        let mut received = self.lock();
        received.is_abandoned = true;
        let unused = received.pieces.iter().map(Bytes::len).sum::<usize>() + received.tail.len();
        received.pieces = VecDeque::new();
        received.tail = BytesMut::new();
        received.release(unused);
    }

    /// Bytes that ever came.
    pub(super) fn received(&self) -> u64 {
        self.lock().received
    }

    /// Whether the peer has sent everything, or is gone.
    pub(super) fn is_over(&self) -> bool {
        self.lock().end.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Received> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Received {
    fn add(&mut self, piece: Bytes) {
        self.received += piece.len() as u64;
        if self.is_abandoned {
            self.release(piece.len());
        } else if piece.len() < SMALL {
            self.tail.extend_from_slice(&piece);
        } else {
            if !self.tail.is_empty() {
                let tail = self.tail.split().freeze();
                self.pieces.push_back(tail);
            }
            self.pieces.push_back(piece);
        }
    }

    /// Lets the peer send so many bytes more.
    fn release(&mut self, bytes: usize) {
        // An error says that the stream is over: there is nothing to open then.
        let _over = self.stream.flow_control().release_capacity(bytes);
    }
}

/// A request's body for services that read it themselves. It fails when nothing comes for too long.
pub(super) struct RequestBody {
    inbox: Inbox,
    stall_timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(super) fn new(inbox: Inbox, stall_timeout: Duration) -> RequestBody {
        RequestBody { inbox, stall_timeout, stalled: None }
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let me = &mut *self;
        match me.inbox.poll_take(context) {
            Poll::Ready(piece) => {
                me.stalled = None;
                Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
            }
            Poll::Pending => {
                let stalled = me.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(me.stall_timeout)));
                ready!(stalled.as_mut().poll(context));
                Poll::Ready(Some(Err(status::stalled(me.stall_timeout))))
            }
        }
    }
}
