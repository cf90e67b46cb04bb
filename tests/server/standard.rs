//! What every gRPC server is expected to have: methods that are not known, and compression, refused.

use sprague::wire::v1;
use tonic::Code;
use tonic::codec::CompressionEncoding;

use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn compressed_requests_are_refused() {
    let served = Served::games().await;
    let mut client = served.client().await.send_compressed(CompressionEncoding::Gzip);
    let request = v1::SolveRequest { board: Some(row("...")), outcome_only: false };
    assert_eq!(client.solve(request).await.unwrap_err().code(), Code::Unimplemented);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_method_is_unimplemented() {
    let served = Served::games().await;
    let channel = served.channel().await;
    let mut grpc = tonic::client::Grpc::new(channel);
    grpc.ready().await.unwrap();
    let codec: tonic_prost::ProstCodec<v1::SolveRequest, v1::SolveResponse> = tonic_prost::ProstCodec::default();
    let path = "/sprague.v1.SpragueService/Nothing".parse().unwrap();
    let request = tonic::Request::new(v1::SolveRequest::default());
    assert_eq!(grpc.unary(request, path, codec).await.unwrap_err().code(), Code::Unimplemented);
}
