//! grpc.health.v1 to the letter: services that are served, and names that are not.

use std::time::Duration;

use sprague::server::SERVICE_NAME;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_types::StatusExt as _;

use crate::support::*;

async fn watch(served: &Served, service: &str) -> Streaming<HealthCheckResponse> {
    let mut health = HealthClient::new(served.channel().await);
    health.watch(HealthCheckRequest { service: service.into() }).await.unwrap().into_inner()
}

/// The next status, or how the stream ended.
async fn next(watch: &mut Streaming<HealthCheckResponse>) -> Result<&'static str, Status> {
    let next = tokio::time::timeout(Duration::from_secs(10), watch.message()).await.expect("a status or an end");
    next.map(|response| response.expect("no end in success").status().as_str_name())
}

/// Whether nothing comes for a while.
async fn is_quiet(watch: &mut Streaming<HealthCheckResponse>) -> bool {
    tokio::time::timeout(Duration::from_millis(200), watch.message()).await.is_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_is_told_each_change_once_and_let_go_by_a_drain() {
    let served = Served::games().await;
    for service in ["", SERVICE_NAME] {
        assert_eq!(next(&mut watch(&served, service).await).await.unwrap(), "SERVING");
    }
    let mut watched = watch(&served, SERVICE_NAME).await;
    assert_eq!(next(&mut watched).await.unwrap(), "SERVING");
    assert!(is_quiet(&mut watched).await);
    served.server.announce_drain().await;
    assert_eq!(next(&mut watched).await.unwrap(), "NOT_SERVING");
    served.server.announce_drain().await;
    assert!(is_quiet(&mut watched).await, "the status is what it was");
    served.server.drain(Duration::from_secs(60)).await;
    let end = next(&mut watched).await.unwrap_err();
    assert_eq!(end.code(), Code::Unavailable, "{end:?}");
    assert_eq!(end.get_error_details().error_info().unwrap().reason, "DRAINING");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_without_warning_is_told_before_the_end() {
    let served = Served::games().await;
    let mut watched = watch(&served, "").await;
    assert_eq!(next(&mut watched).await.unwrap(), "SERVING");
    served.server.drain(Duration::from_secs(60)).await;
    assert_eq!(next(&mut watched).await.unwrap(), "NOT_SERVING");
    assert_eq!(next(&mut watched).await.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_not_known_is_watched_as_such_and_not_found_by_a_check() {
    let served = Served::games().await;
    for service in ["nothing", "sprague.v1", "sprague.v1.spragueservice", "grpc.health.v1.Health", " "] {
        let mut watched = watch(&served, service).await;
        assert_eq!(next(&mut watched).await.unwrap(), "SERVICE_UNKNOWN", "{service:?}");
        assert!(is_quiet(&mut watched).await, "{service:?}: the stream stays open");
        let mut health = HealthClient::new(served.channel().await);
        let status = health.check(HealthCheckRequest { service: service.into() }).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{service:?}: {status:?}");
        let info = status.get_error_details().error_info().unwrap().clone();
        assert_eq!((info.domain.as_str(), info.reason.as_str()), ("sprague.v1", "SERVICE_UNKNOWN"));
    }
    let mut watched = watch(&served, "nothing").await;
    assert_eq!(next(&mut watched).await.unwrap(), "SERVICE_UNKNOWN");
    served.server.announce_drain().await;
    assert!(is_quiet(&mut watched).await, "what happens to others does not change it");
    served.server.drain(Duration::from_secs(60)).await;
    assert_eq!(next(&mut watched).await.unwrap_err().code(), Code::Unavailable);
}
