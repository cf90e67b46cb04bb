//! What every gRPC server is expected to have: health, reflection; and compression refused.

use sprague::wire::v1;
use tokio_stream::StreamExt as _;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn reflection_lists_the_services_and_shows_cells_as_strings() {
    let served = Served::games().await;
    let mut reflection = ServerReflectionClient::new(served.channel().await);
    let ask = |message| ServerReflectionRequest { host: String::new(), message_request: Some(message) };
    let requests = [
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol("sprague.v1.Treblecross".into())),
    ];
    let answers = reflection.server_reflection_info(tokio_stream::iter(requests)).await.unwrap().into_inner();
    let answers: Vec<_> = answers.map(|answer| answer.unwrap().message_response.unwrap()).collect().await;
    let MessageResponse::ListServicesResponse(list) = &answers[0] else { panic!("{:?}", answers[0]) };
    let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    for name in ["sprague.v1.SpragueService", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    let MessageResponse::FileDescriptorResponse(file) = &answers[1] else { panic!("{:?}", answers[1]) };
    let file: prost_types::FileDescriptorProto = prost::Message::decode(&file.file_descriptor_proto[0][..]).unwrap();
    let message = file.message_type.iter().find(|message| message.name() == "Treblecross").unwrap();
    assert_eq!(message.field[0].r#type(), prost_types::field_descriptor_proto::Type::String);
    let comments = file.source_code_info.unwrap();
    assert!(comments.location.iter().any(|place| place.leading_comments().contains("completes three adjacent X")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_older_reflection_answers_too() {
    use tonic_reflection::pb::v1alpha::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1alpha::{ServerReflectionRequest, server_reflection_request::MessageRequest};
    let served = Served::games().await;
    let mut reflection = ServerReflectionClient::new(served.channel().await);
    let message_request = Some(MessageRequest::ListServices(String::new()));
    let request = ServerReflectionRequest { host: String::new(), message_request };
    let mut answers = reflection.server_reflection_info(tokio_stream::iter([request])).await.unwrap().into_inner();
    assert!(format!("{:?}", answers.message().await.unwrap()).contains("sprague.v1.SpragueService"));
}

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
