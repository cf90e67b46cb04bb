//! Server reflection, v1 and v1alpha: what generic tools ask, and what they are told.

use std::time::{Duration, Instant};

use prost::Message as _;
use prost_types::field_options::JsType;
use prost_types::method_options::IdempotencyLevel;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest::{self, *};
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ExtensionRequest, ServerReflectionRequest, ServerReflectionResponse};
use tonic_types::StatusExt as _;

use crate::support::*;

const SPRAGUE: &str = "sprague/v1/sprague.proto";
const HEALTH: &str = "grpc/health/v1/health.proto";
const V1: &str = "grpc/reflection/v1/reflection.proto";
const V1ALPHA: &str = "grpc/reflection/v1alpha/reflection.proto";
const DETAILS: &str = "google/rpc/error_details.proto";
const STATUS: &str = "google/rpc/status.proto";
const ANY: &str = "google/protobuf/any.proto";
const DURATION: &str = "google/protobuf/duration.proto";

const SERVICES: [&str; 4] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "sprague.v1.SpragueService",
];

fn request(question: MessageRequest) -> ServerReflectionRequest {
    ServerReflectionRequest { host: "a.host".into(), message_request: Some(question) }
}

/// Puts the questions in one stream; one answer to each.
async fn ask(served: &Served, questions: Vec<ServerReflectionRequest>) -> Vec<MessageResponse> {
    let mut client = ServerReflectionClient::new(served.channel().await);
    let answers = client.server_reflection_info(tokio_stream::iter(questions.clone())).await.unwrap().into_inner();
    let answers: Vec<ServerReflectionResponse> = answers.map(Result::unwrap).collect().await;
    assert_eq!(answers.len(), questions.len());
    let told = |(answer, question): (ServerReflectionResponse, ServerReflectionRequest)| {
        assert_eq!(answer.valid_host, question.host);
        assert_eq!(answer.original_request, Some(question));
        answer.message_response.unwrap()
    };
    answers.into_iter().zip(questions).map(told).collect()
}

/// The files of an answer, the one that was asked for first.
fn files(answer: &MessageResponse) -> Vec<FileDescriptorProto> {
    let MessageResponse::FileDescriptorResponse(files) = answer else { panic!("{answer:?}") };
    files.file_descriptor_proto.iter().map(|file| FileDescriptorProto::decode(&file[..]).unwrap()).collect()
}

/// A short form of an answer: names of files or services, numbers, or the code of an error.
fn show(answer: &MessageResponse) -> String {
    match answer {
        MessageResponse::FileDescriptorResponse(_) => {
            files(answer).iter().map(|file| file.name().to_owned()).collect::<Vec<_>>().join(" ")
        }
        MessageResponse::ListServicesResponse(list) => {
            list.service.iter().map(|service| service.name.clone()).collect::<Vec<_>>().join(" ")
        }
        MessageResponse::AllExtensionNumbersResponse(all) => {
            format!("{} {:?}", all.base_type_name, all.extension_number)
        }
        MessageResponse::ErrorResponse(error) => {
            assert!(!error.error_message.is_empty());
            format!("{:?}", Code::from(error.error_code))
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn symbols_are_found_by_their_protobuf_names() {
    let served = Served::games().await;
    let details_and_imports = format!("{DETAILS} {DURATION}");
    let cases = [
        ("sprague.v1.SpragueService", SPRAGUE),
        ("sprague.v1.SpragueService.SolveStream", SPRAGUE),
        ("sprague.v1.Treblecross", SPRAGUE),
        ("sprague.v1.Treblecross.cells", SPRAGUE),
        // A oneof, and one of its fields: siblings.
        ("sprague.v1.Board.game", SPRAGUE),
        ("sprague.v1.Board.end_nim", SPRAGUE),
        ("sprague.v1.Outcome", SPRAGUE),
        // Values of an enum are siblings of the enum.
        ("sprague.v1.OUTCOME_FIRST_PLAYER_WINS", SPRAGUE),
        ("sprague.v1.REASON_TOO_LONG", SPRAGUE),
        ("sprague.v1.Outcome.OUTCOME_FIRST_PLAYER_WINS", "NotFound"),
        ("grpc.health.v1.Health.Watch", HEALTH),
        // An enum within a message, and its values.
        ("grpc.health.v1.HealthCheckResponse.ServingStatus", HEALTH),
        ("grpc.health.v1.HealthCheckResponse.SERVICE_UNKNOWN", HEALTH),
        ("grpc.health.v1.HealthCheckResponse.ServingStatus.SERVICE_UNKNOWN", "NotFound"),
        ("grpc.reflection.v1.ServerReflectionRequest", V1),
        ("grpc.reflection.v1alpha.ServerReflectionRequest", V1ALPHA),
        ("google.rpc.ErrorInfo", &details_and_imports),
        ("google.rpc.RetryInfo", &details_and_imports),
        ("google.rpc.BadRequest", &details_and_imports),
        // A message within a message, and the one behind a map.
        ("google.rpc.BadRequest.FieldViolation", &details_and_imports),
        ("google.rpc.ErrorInfo.MetadataEntry", &details_and_imports),
        ("google.rpc.Status", &format!("{STATUS} {ANY}")),
        ("google.protobuf.Duration", DURATION),
        ("sprague.v1", "NotFound"),
        ("sprague.v1.Nothing", "NotFound"),
        ("SpragueService", "NotFound"),
        ("", "NotFound"),
    ];
    let questions = cases.map(|(name, _)| request(FileContainingSymbol(name.into()))).to_vec();
    for (answer, (name, expected)) in ask(&served, questions).await.iter().zip(cases) {
        assert_eq!(show(answer), expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_fails_is_answered_and_so_is_the_next() {
    let served = Served::games().await;
    let extension = |containing_type: &str| {
        FileContainingExtension(ExtensionRequest { containing_type: containing_type.into(), extension_number: 7 })
    };
    let services = SERVICES.join(" ");
    let cases = [
        (FileByFilename("nothing.proto".into()), "NotFound"),
        (FileByFilename(SPRAGUE.into()), SPRAGUE),
        (FileByFilename(HEALTH.into()), HEALTH),
        (FileByFilename(V1.into()), V1),
        (FileByFilename(V1ALPHA.into()), V1ALPHA),
        (FileByFilename(DURATION.into()), DURATION),
        (FileByFilename(ANY.into()), ANY),
        (FileContainingSymbol("nothing.Nothing".into()), "NotFound"),
        (FileContainingSymbol("sprague.v1.Board".into()), SPRAGUE),
        (extension("nothing.Nothing"), "NotFound"),
        (extension("sprague.v1.Board"), "NotFound"),
        (AllExtensionNumbersOfType("nothing.Nothing".into()), "NotFound"),
        (AllExtensionNumbersOfType("sprague.v1.SpragueService".into()), "NotFound"),
        (AllExtensionNumbersOfType("sprague.v1.Board".into()), "sprague.v1.Board []"),
        (ListServices("*".into()), services.as_str()),
    ];
    let questions = cases.iter().map(|(question, _)| request(question.clone())).collect();
    for (answer, (question, expected)) in ask(&served, questions).await.iter().zip(&cases) {
        assert_eq!(&show(answer), expected, "{question:?}");
    }
    let nothing = ServerReflectionRequest::default();
    let answers = ask(&served, vec![nothing.clone(), request(ListServices(String::new())), nothing]).await;
    assert_eq!(answers.iter().map(show).collect::<Vec<_>>(), ["InvalidArgument", &services, "InvalidArgument"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_older_version_answers_the_same() {
    use tonic_reflection::pb::v1alpha;
    use v1alpha::server_reflection_request::MessageRequest;
    let served = Served::games().await;
    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(served.channel().await);
    let question = |question| v1alpha::ServerReflectionRequest { host: "a".into(), message_request: Some(question) };
    let questions = [
        question(MessageRequest::FileContainingSymbol("nothing".into())),
        question(MessageRequest::ListServices(String::new())),
    ];
    let answers = client.server_reflection_info(tokio_stream::iter(questions.clone())).await.unwrap().into_inner();
    let answers: Vec<_> = answers.map(Result::unwrap).collect().await;
    let mut shown = Vec::new();
    for (answer, question) in answers.iter().zip(questions) {
        assert_eq!((answer.valid_host.as_str(), &answer.original_request), ("a", &Some(question)));
        // The two versions have one wire form.
        let same = ServerReflectionResponse::decode(&answer.encode_to_vec()[..]).unwrap();
        shown.push(show(&same.message_response.unwrap()));
    }
    assert_eq!(shown, ["NotFound".to_owned(), SERVICES.join(" ")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_the_service_is_the_published_one() {
    let served = Served::games().await;
    let answers = ask(&served, vec![request(FileByFilename(SPRAGUE.into()))]).await;
    let [file] = &files(&answers[0])[..] else { panic!("one file without imports") };
    let options = file.options.as_ref().unwrap();
    assert_eq!(options.go_package(), "sprague/v1;spraguev1");
    assert_eq!((options.java_package(), options.java_multiple_files()), ("sprague.v1", true));
    assert_eq!(options.csharp_namespace(), "Sprague.V1");
    let comments = file.source_code_info.as_ref().unwrap();
    assert!(comments.location.iter().any(|place| place.leading_comments().contains("completes three adjacent X")));
    let cells = field(message(file, "Treblecross"), "cells");
    assert_eq!(cells.r#type(), prost_types::field_descriptor_proto::Type::String);
}

fn message<'a>(file: &'a FileDescriptorProto, name: &str) -> &'a DescriptorProto {
    file.message_type.iter().find(|message| message.name() == name).unwrap()
}

fn field<'a>(message: &'a DescriptorProto, name: &str) -> &'a FieldDescriptorProto {
    message.field.iter().find(|field| field.name() == name).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn unary_calls_have_no_side_effects_and_numbers_past_2_to_the_53_are_strings_in_javascript() {
    let served = Served::games().await;
    let answers = ask(&served, vec![request(FileByFilename(SPRAGUE.into()))]).await;
    let file = &files(&answers[0])[0];
    for method in &file.service[0].method {
        let level = method.options.as_ref().map(|options| options.idempotency_level());
        let expected = (!method.client_streaming()).then_some(IdempotencyLevel::NoSideEffects);
        assert_eq!(level, expected, "{}", method.name());
    }
    let mut strings = Vec::new();
    for message in &file.message_type {
        for field in &message.field {
            if field.options.as_ref().is_some_and(|options| options.jstype() == JsType::JsString) {
                strings.push(format!("{}.{}", message.name(), field.name()));
            }
        }
    }
    let expected = [
        "SolveStreamRequest.batch_id",
        "EndNim.piles",
        "EndNimMove.take",
        "Explanation.options_total",
        "StonesLeft.stones",
        "StonesLeft.threshold",
        "Threshold.value",
        "Threshold.pile",
        "Threshold.x",
        "Threshold.far",
        "Threshold.near",
        "Limits.cost_per_board",
        "BatchResult.batch_id",
    ];
    strings.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(strings, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_goes_on_asking_does_not_hold_up_a_drain() {
    let served = Served::games().await;
    let mut client = ServerReflectionClient::new(served.channel().await);
    let (sender, questions) = mpsc::channel(1);
    let mut answers = client.server_reflection_info(ReceiverStream::new(questions)).await.unwrap().into_inner();
    sender.send(request(ListServices(String::new()))).await.unwrap();
    assert!(answers.message().await.unwrap().is_some());
    let begun = Instant::now();
    served.server.drain(Duration::from_secs(60)).await;
    assert!(begun.elapsed() < Duration::from_secs(30), "only the timeout ended it");
    let end = answers.message().await.unwrap_err();
    assert_eq!(end.code(), Code::Unavailable, "{end:?}");
    assert_eq!(end.get_error_details().error_info().unwrap().reason, "DRAINING");
}
