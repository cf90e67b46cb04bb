//! The calls of the service, as the client makes them: single questions, and a stream of ready-made messages.

use std::time::Duration;

use bytes::{BufMut as _, Bytes};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::client::Grpc;
use tonic::codec::{BufferSettings, Codec, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;

use super::fault::Fault;
use super::target::Link;
use crate::wire::facts::ServerFacts;
use crate::wire::v1::{self, sprague_service_client::SpragueServiceClient};

const SOLVE_STREAM: PathAndQuery = PathAndQuery::from_static("/sprague.v1.SpragueService/SolveStream");

/// A server that does not tell its facts within this time is not there, whatever its kernel says.
const FACTS_TIMEOUT: Duration = Duration::from_secs(10);

/// Answers no longer than this are taken, whatever a server says of its own limit: a length is believed before the
/// message is there.
const LONGEST_ANSWER: usize = 1 << 30;

/// Asks a server what it is.
pub(super) async fn facts(server: String, link: Link) -> Result<ServerFacts, Fault> {
    let mut client = SpragueServiceClient::new(link.channel.clone());
    let call = client.get_server_info(link.request(v1::GetServerInfoRequest {}));
    match tokio::time::timeout(FACTS_TIMEOUT, call).await {
        Ok(Ok(response)) => Ok(response.into_inner().into()),
        Ok(Err(status)) => Err(link.fault(&server, &status)),
        Err(_) => Err(Fault::unfit(&server, &format!("no answer within {} s", FACTS_TIMEOUT.as_secs()))),
    }
}

/// Asks a server to solve one board.
pub(super) async fn solve(
    server: String,
    link: Link,
    request: v1::SolveRequest,
    message_bytes: usize,
) -> Result<v1::SolveResponse, Fault> {
    let mut client = client(&link, message_bytes);
    let response = client.solve(link.request(request)).await.map_err(|status| link.fault(&server, &status))?;
    Ok(response.into_inner())
}

/// Asks a server for an explanation.
pub(super) async fn explain(
    server: String,
    link: Link,
    request: v1::ExplainRequest,
    message_bytes: usize,
) -> Result<v1::ExplainResponse, Fault> {
    let mut client = client(&link, message_bytes);
    let response = client.explain(link.request(request)).await.map_err(|status| link.fault(&server, &status))?;
    Ok(response.into_inner())
}

fn client(link: &Link, message_bytes: usize) -> SpragueServiceClient<Channel> {
    SpragueServiceClient::new(link.channel.clone())
        .max_decoding_message_size(message_bytes.min(LONGEST_ANSWER))
        .max_encoding_message_size(message_bytes)
}

/// Opens a stream. Messages may be sent before it is open, and should: some servers say nothing until they get one.
pub(super) async fn solve_stream(
    link: Link,
    messages: mpsc::Receiver<Bytes>,
    message_bytes: usize,
) -> Result<Streaming<v1::SolveStreamResponse>, Status> {
    let mut grpc = Grpc::new(link.channel.clone())
        .max_decoding_message_size(message_bytes.min(LONGEST_ANSWER))
        .max_encoding_message_size(message_bytes);
    grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
    let request = link.request(ReceiverStream::new(messages));
    Ok(grpc.streaming(request, SOLVE_STREAM, ReadyMade).await?.into_inner())
}

/// Sends what is encoded already.
#[derive(Debug, Clone, Copy)]
struct ReadyMade;

impl Codec for ReadyMade {
    type Encode = Bytes;
    type Decode = v1::SolveStreamResponse;
    type Encoder = ReadyMade;
    type Decoder = <ProstCodec<(), v1::SolveStreamResponse> as Codec>::Decoder;

    fn encoder(&mut self) -> ReadyMade {
        ReadyMade
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<(), v1::SolveStreamResponse>::raw_decoder(BufferSettings::default())
    }
}

impl Encoder for ReadyMade {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }
}
