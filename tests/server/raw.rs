//! An HTTP/2 client of which every frame is the test's own matter.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use h2::client::SendRequest;
use h2::{Reason, RecvStream, SendStream};
use tokio::net::{TcpSocket, TcpStream};
use tonic::Code;

use crate::support::Served;

/// Nothing in these tests takes as long as this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A connection that comes from an address of its own.
pub(crate) async fn tcp(served: &Served, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, from], 0))).unwrap();
    socket.connect(served.address.parse().unwrap()).await.unwrap()
}

/// An HTTP/2 client of which every frame is the test's own matter.
pub(crate) struct Raw {
    send: SendRequest<Bytes>,
    pub(crate) connection: tokio::task::JoinHandle<Result<(), h2::Error>>,
}

impl Raw {
    pub(crate) async fn connect(served: &Served, from: u8, window: u32) -> Raw {
        let mut builder = h2::client::Builder::new();
        let handshake = builder.initial_window_size(window).handshake(tcp(served, from).await);
        let (send, connection) = handshake.await.unwrap();
        Raw { send, connection: tokio::spawn(connection) }
    }

    /// Opens a call without an end of its request.
    pub(crate) async fn open(&mut self, path: &str) -> Call {
        let request = tonic::codegen::http::Request::post(format!("http://test{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())
            .unwrap();
        let mut send = self.send.clone().ready().await.unwrap();
        let (response, request) = send.send_request(request, false).unwrap();
        Call { response, request }
    }
}

pub(crate) struct Call {
    pub(crate) response: h2::client::ResponseFuture,
    pub(crate) request: SendStream<Bytes>,
}

impl Call {
    pub(crate) async fn send(&mut self, mut bytes: Bytes) {
        while !bytes.is_empty() {
            self.request.reserve_capacity(bytes.len());
            let Some(Ok(capacity)) = poll_fn(|context| self.request.poll_capacity(context)).await else { return };
            self.request.send_data(bytes.split_to(capacity), false).unwrap();
        }
    }

    /// The gRPC status of the call, or how the stream was reset.
    pub(crate) async fn end(self) -> Result<Code, Option<Reason>> {
        let end = async {
            let response = self.response.await.map_err(|error| error.reason())?;
            if let Some(status) = response.headers().get("grpc-status") {
                return Ok(Code::from_bytes(status.as_bytes()));
            }
            let mut body = response.into_body();
            while let Some(data) = body.data().await {
                data.map_err(|error| error.reason())?;
            }
            let trailers = body.trailers().await.map_err(|error| error.reason())?.expect("trailers end a call");
            Ok(Code::from_bytes(trailers["grpc-status"].as_bytes()))
        };
        tokio::time::timeout(PATIENCE, end).await.expect("the call ends in time")
    }

    /// The body of the answer, of which nothing is read yet.
    pub(crate) async fn body(self) -> (RecvStream, SendStream<Bytes>) {
        (self.response.await.unwrap().into_body(), self.request)
    }
}

/// A message with its prefix; `missing` bytes of it are left out.
pub(crate) fn framed(message: &impl prost::Message, missing: usize) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_u8(0);
    bytes.put_u32(message.encoded_len() as u32);
    message.encode(&mut bytes).unwrap();
    bytes.truncate(bytes.len() - missing);
    bytes.freeze()
}
