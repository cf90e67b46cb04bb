//! The gRPC messages of a call: read whole and charged before they are held, written with their status behind them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use http_body::Frame;
use tokio::time::{Instant, Sleep};
use tokio_stream::Stream;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderMap, HeaderValue, Response};

use super::account::{Account, Class};
use super::inbox::Inbox;
use super::quota::{Lease, Resource};
use super::settings::{self, Settings};
use super::status;
use super::transport::PROGRESS;

/// In front of every message: whether it is compressed, and its length in bytes (gRPC over HTTP/2, Length-Prefixed-Message).
const PREFIX: usize = 5;

/// Answers are packed together up to about this many bytes: small frames cost more than they carry.
const PACKED: usize = 32 * 1024;

/// A message as it came, with the memory that it is charged for where it is not part of what the call holds anyway.
pub(super) struct Received {
    pub(super) bytes: Bytes,
    pub(super) lease: Option<Lease>,
}

/// Reads the messages of one call.
pub(super) struct MessageReader {
    inbox: Inbox,
    account: Arc<Account>,
    class: Class,
    settings: Arc<Settings>,
    /// What was received and belongs to no message yet.
    buffer: BytesMut,
    state: State,
    stalled: Option<Pin<Box<Sleep>>>,
    /// Bytes since `stalled` was last set.
    progress: usize,
}

enum State {
    Prefix,
    /// Waits for the memory of a message of so many bytes.
    Charging(usize, Pin<Box<dyn Future<Output = Result<Lease, Status>> + Send>>),
    /// A message of so many bytes, whose memory the call holds anyway.
    Prepaid(usize),
    /// A message of its own memory, of so many bytes.
    Charged(usize, BytesMut, Lease),
}

impl MessageReader {
    pub(super) fn new(inbox: Inbox, account: Arc<Account>, class: Class, settings: Arc<Settings>) -> MessageReader {
        MessageReader {
            inbox,
            account,
            class,
            settings,
            buffer: BytesMut::new(),
            state: State::Prefix,
            stalled: None,
            progress: 0,
        }
    }

    /// The next message. `None`: there are no more. May be dropped at any time: nothing is lost.
    ///
    /// # Errors
    /// A message that is too long, compressed or cut off, or that does not come; no memory for it; a client that is gone.
    pub(super) async fn next(&mut self) -> Result<Option<Received>, Status> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// The one message of a unary call.
    ///
    /// # Errors
    /// Those of `next`; no message, or more than one.
    pub(super) async fn only(&mut self) -> Result<Received, Status> {
        let message = self.next().await?.ok_or_else(|| status::bad_message("the request has no message".into()))?;
        match self.next().await? {
            None => Ok(message),
            Some(_) => Err(status::bad_message("the request has more than one message".into())),
        }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Received>, Status>> {
        loop {
            match &mut self.state {
                State::Prefix if self.buffer.len() < PREFIX => {
                    if !ready!(self.poll_more(context))? {
                        return Poll::Ready(if self.buffer.is_empty() { Ok(None) } else { Err(cut_off()) });
                    }
                }
                State::Prefix => {
                    let is_compressed = self.buffer.get_u8() != 0;
                    let length = self.buffer.get_u32();
                    // A call that names a compression does not come this far.
                    if is_compressed {
                        let message = "a message is marked as compressed, and grpc-encoding does not say how";
                        return Poll::Ready(Err(status::bad_message(message.into())));
                    }
                    let most = self.message_bytes();
                    if u64::from(length) > most {
                        return Poll::Ready(Err(status::message_too_long(length.into(), most)));
                    }
                    self.state = self.charge(length as usize)?;
                }
                State::Charging(length, lease) => {
                    let lease = ready!(lease.as_mut().poll(context))?;
                    self.state = State::Charged(*length, BytesMut::with_capacity(*length), lease);
                }
                State::Prepaid(length) if self.buffer.len() >= *length => {
                    let bytes = self.buffer.split_to(*length).freeze();
                    return Poll::Ready(Ok(Some(self.finished(bytes, None))));
                }
                State::Charged(length, message, _) => {
                    let missing = *length - message.len();
                    let here = self.buffer.split_to(missing.min(self.buffer.len()));
                    message.extend_from_slice(&here);
                    if message.len() == *length {
                        let State::Charged(_, bytes, lease) = std::mem::replace(&mut self.state, State::Prefix) else {
                            unreachable!("the state was just looked at");
                        };
                        return Poll::Ready(Ok(Some(self.finished(bytes.freeze(), Some(lease)))));
                    }
                    if !ready!(self.poll_more(context))? {
                        return Poll::Ready(Err(cut_off()));
                    }
                }
                State::Prepaid(_) => {
                    if !ready!(self.poll_more(context))? {
                        return Poll::Ready(Err(cut_off()));
                    }
                }
            }
        }
    }

    /// The longest message that such a call may send.
    fn message_bytes(&self) -> u64 {
        let limit = self.settings.limits.message_bytes;
        if self.class == Class::Info { limit.min(settings::SMALL_MESSAGE_BYTES) } else { limit }
    }

    fn finished(&mut self, bytes: Bytes, lease: Option<Lease>) -> Received {
        self.state = State::Prefix;
        self.progress = PROGRESS;
        Received { bytes, lease }
    }

    /// Memory for a message of so many bytes: streams wait for it, unary calls are refused at once.
    fn charge(&self, length: usize) -> Result<State, Status> {
        let bytes = length as u64;
        let is_large = bytes > settings::PREPAID_MESSAGE;
        if self.class == Class::Stream && !is_large {
            return Ok(State::Prepaid(length));
        }
        let resource = if is_large { Resource::ReadingBytes } else { Resource::WorkingBytes };
        match self.account.take(resource, bytes) {
            Ok(lease) => Ok(State::Charged(length, BytesMut::with_capacity(length), lease)),
            Err(full) if self.class != Class::Stream => Err(status::no_room(&full)),
            Err(full) => {
                let (account, patience) = (self.account.clone(), self.settings.stall_timeout);
                Ok(State::Charging(
                    length,
                    Box::pin(async move {
                        let lease = tokio::time::timeout(patience, account.wait_for(resource, bytes)).await;
                        lease.map_err(|_late| status::no_room(&full))
                    }),
                ))
            }
        }
    }

    /// Adds what comes next to the buffer; false at the end.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, Status>> {
        match self.inbox.poll_take(context) {
            Poll::Ready(Some(piece)) => {
                let piece = piece?;
                self.progress += piece.len();
                self.buffer.extend_from_slice(&piece);
                Poll::Ready(Ok(true))
            }
            Poll::Ready(None) => Poll::Ready(Ok(false)),
            // Between the messages of a stream the call itself knows whose turn it is.
            Poll::Pending if self.class == Class::Stream && self.is_between_messages() => {
                self.stalled = None;
                Poll::Pending
            }
            Poll::Pending => {
                let deadline = Instant::now() + self.settings.stall_timeout;
                let progress = &mut self.progress;
                let stalled = self.stalled.get_or_insert_with(|| {
                    *progress = 0;
                    Box::pin(tokio::time::sleep_until(deadline))
                });
                while stalled.as_mut().poll(context).is_ready() {
                    if *progress < PROGRESS {
                        return Poll::Ready(Err(status::stalled(self.settings.stall_timeout)));
                    }
                    *progress = 0;
                    stalled.as_mut().reset(deadline);
                }
                Poll::Pending
            }
        }
    }

    fn is_between_messages(&self) -> bool {
        self.buffer.is_empty() && matches!(self.state, State::Prefix)
    }
}

fn cut_off() -> Status {
    status::bad_message("the request ends in the middle of a message".into())
}

/// A message with its prefix.
fn pack(message: &impl prost::Message, buffer: &mut BytesMut) {
    let length = message.encoded_len();
    buffer.reserve(PREFIX + length);
    buffer.put_u8(0);
    buffer.put_u32(u32::try_from(length).expect("answers are held to message_bytes, which is 32 bits"));
    message.encode_raw(buffer);
}

/// The response of a unary call.
pub(super) fn unary(result: Result<impl prost::Message, Status>) -> Response<Body> {
    match result {
        Err(status) => status.into_http(),
        Ok(message) => {
            let mut buffer = BytesMut::with_capacity(PREFIX + message.encoded_len());
            pack(&message, &mut buffer);
            respond(Answer { data: Some(buffer.freeze()), status: Some(Status::ok("")) })
        }
    }
}

/// The response of a stream: its messages, then its status.
pub(super) fn streaming<M: prost::Message + 'static>(
    messages: impl Stream<Item = Result<M, Status>> + Send + Unpin + 'static,
) -> Response<Body> {
    respond(Answers { messages, status: None, is_over: false })
}

fn respond(body: impl http_body::Body<Data = Bytes, Error = Status> + Send + 'static) -> Response<Body> {
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

fn trailers(status: &Status) -> Frame<Bytes> {
    let mut trailers = HeaderMap::new();
    // Fails for a message that is no header value; ours are.
    let _added = status.add_header(&mut trailers);
    Frame::trailers(trailers)
}

/// One message and its status.
struct Answer {
    data: Option<Bytes>,
    status: Option<Status>,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(data) = self.data.take() {
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        Poll::Ready(self.status.take().map(|status| Ok(trailers(&status))))
    }

    fn is_end_stream(&self) -> bool {
        self.status.is_none()
    }
}

/// Messages as they come, and their status.
struct Answers<S> {
    messages: S,
    /// Set once there are no more messages.
    status: Option<Status>,
    is_over: bool,
}

impl<M: prost::Message, S: Stream<Item = Result<M, Status>> + Unpin> http_body::Body for Answers<S> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let me = &mut *self;
        // Of its own for each frame: a buffer that lived on would stay as large as the largest message ever was.
        let mut buffer = BytesMut::new();
        while me.status.is_none() && buffer.len() < PACKED {
            match Pin::new(&mut me.messages).poll_next(context) {
                Poll::Ready(Some(Ok(message))) => pack(&message, &mut buffer),
                Poll::Ready(Some(Err(status))) => me.status = Some(status),
                Poll::Ready(None) => me.status = Some(Status::ok("")),
                Poll::Pending if buffer.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        if !buffer.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(buffer.freeze()))));
        }
        if std::mem::replace(&mut me.is_over, true) {
            return Poll::Ready(None);
        }
        Poll::Ready(me.status.as_ref().map(|status| Ok(trailers(status))))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}
