//! Who gets in: tokens, certificates, and visitors who never say who they are.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prost::Message as _;
use sprague::server::Server;
use sprague::server::credentials::{Access, Tls, TlsFiles, Tokens};
use sprague::server::listen::{Address, Listener};
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::wire;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status};

use crate::authority::{Authority, Identity, put};

const TOKEN: &str = "a-token-of-these-tests";
const HEALTH: &str = "/grpc.health.v1.Health/Check";

/// Every method of the service as its descriptor lists them, reflection, and some that do not exist.
fn methods() -> Vec<String> {
    let set = prost_types::FileDescriptorSet::decode(wire::DESCRIPTOR_SET).unwrap();
    let mut methods = Vec::new();
    for file in &set.file {
        for service in &file.service {
            let name = |method: &prost_types::MethodDescriptorProto| {
                format!("/{}.{}/{}", file.package(), service.name(), method.name())
            };
            methods.extend(service.method.iter().map(name));
        }
    }
    assert!(methods.contains(&"/sprague.v1.SpragueService/SolveStream".into()), "{methods:?}");
    for version in ["v1", "v1alpha"] {
        methods.push(format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"));
    }
    for nothing in ["/sprague.v1.SpragueService/Nothing", "/a.Service/Nothing", "/grpc.health.v1.Healthy/Check"] {
        methods.push(nothing.into());
    }
    methods
}

/// Calls a method with an empty message.
async fn call(channel: &Channel, method: &str, authorization: Option<&str>) -> Result<(), Status> {
    let mut grpc = tonic::client::Grpc::new(channel.clone());
    grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
    let mut request = Request::new(());
    if let Some(value) = authorization {
        request.metadata_mut().insert("authorization", value.parse().unwrap());
    }
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    grpc.unary(request, method.parse().unwrap(), codec).await.map(|_| ())
}

/// Whether a call got as far as the services: what they say of an empty message is their own business.
fn got_in(outcome: &Result<(), Status>) -> bool {
    use std::error::Error as _;
    match outcome {
        Ok(()) => true,
        Err(status) => status.source().is_none() && status.code() != Code::Unauthenticated,
    }
}

struct Guarded {
    server: Server,
    address: String,
}

async fn serve(access: Access, settings: Settings) -> Guarded {
    let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await.unwrap();
    let address = listener.address().to_string();
    let server = Server::watched(settings, Arc::new(Games), vec![listener], access, Arc::default()).unwrap();
    Guarded { server, address }
}

/// Files of a server whose certificate, and those of its clients, one authority signs.
fn files(folder: &Path, server: &Identity, clients: Option<&Authority>) -> TlsFiles {
    TlsFiles {
        cert: put(folder, "server.pem", &server.cert),
        key: put(folder, "server.key", &server.key),
        client_ca: clients.map(|authority| put(folder, "clients.pem", &authority.pem)),
    }
}

fn with_tls(files: TlsFiles) -> Access {
    Access { tls: Some(Tls::load(files).unwrap()), tokens: None }
}

fn encrypted(address: &str, believed: &Authority, shown: Option<&Identity>) -> Channel {
    let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&believed.pem));
    if let Some(identity) = shown {
        tls = tls.identity(tonic::transport::Identity::from_pem(&identity.cert, &identity.key));
    }
    Endpoint::new(format!("https://{address}")).unwrap().tls_config(tls).unwrap().connect_lazy()
}

fn in_the_clear(address: &str) -> Channel {
    Endpoint::new(format!("http://{address}")).unwrap().connect_lazy()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_of_the_servers_no_method_is_reached_but_the_health_check() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = Tokens::load(put(folder.path(), "tokens", &format!("another-token-entirely\n{TOKEN}\n"))).unwrap();
    let guarded = serve(Access { tls: None, tokens: Some(tokens) }, Settings::default()).await;
    let channel = in_the_clear(&guarded.address);
    let right = format!("Bearer {TOKEN}");
    let wrong = [
        "",
        "Bearer ",
        TOKEN,
        "Bearer a-token-of-these-test",
        "Bearer a-token-of-these-tests!",
        "Basic a-token-of-these-tests",
    ];
    for method in methods() {
        let outcome = call(&channel, &method, None).await;
        assert_eq!(outcome.unwrap_err().code(), Code::Unauthenticated, "{method}");
        for authorization in wrong {
            let outcome = call(&channel, &method, Some(authorization)).await;
            assert_eq!(outcome.unwrap_err().code(), Code::Unauthenticated, "{method} {authorization}");
        }
        let outcome = call(&channel, &method, Some(&right)).await;
        assert!(got_in(&outcome), "{method}: {outcome:?}");
    }
    assert!(call(&channel, HEALTH, None).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_certificate_of_the_right_authority_no_method_is_reached_health_included() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, stranger) = (Authority::new(), Authority::new());
    let access = with_tls(files(folder.path(), &authority.sign(), Some(&authority)));
    let guarded = serve(access, Settings::default()).await;
    let good = authority.sign();
    let visitors = [
        ("no TLS", in_the_clear(&guarded.address)),
        ("no certificate", encrypted(&guarded.address, &authority, None)),
        ("another authority's", encrypted(&guarded.address, &authority, Some(&stranger.sign()))),
        ("expired", encrypted(&guarded.address, &authority, Some(&authority.sign_for("client", 2001)))),
    ];
    for method in methods().iter().map(String::as_str).chain([HEALTH]) {
        for (who, channel) in &visitors {
            let outcome = call(channel, method, None).await;
            assert!(!got_in(&outcome), "{who} {method}: {outcome:?}");
        }
        let outcome = call(&encrypted(&guarded.address, &authority, Some(&good)), method, None).await;
        assert!(got_in(&outcome), "{method}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_does_not_stand_for_a_token_nor_a_token_for_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let mut access = with_tls(files(folder.path(), &authority.sign(), Some(&authority)));
    access.tokens = Some(Tokens::load(put(folder.path(), "tokens", TOKEN)).unwrap());
    let guarded = serve(access, Settings::default()).await;
    let good = authority.sign();
    let token = format!("Bearer {TOKEN}");
    for (shown, authorization, expected) in [
        (Some(&good), Some(&*token), true),
        (Some(&good), None, false),
        (None, Some(&*token), false),
        (None, None, false),
    ] {
        let channel = encrypted(&guarded.address, &authority, shown);
        let outcome = call(&channel, "/sprague.v1.SpragueService/GetServerInfo", authorization).await;
        assert_eq!(got_in(&outcome), expected, "certificate {}, {authorization:?}: {outcome:?}", shown.is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_does_not_talk_to_a_server_that_is_not_the_one_it_wants() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, stranger) = (Authority::new(), Authority::new());
    for (what, identity, expected) in [
        ("right", authority.sign(), true),
        ("another authority's", stranger.sign(), false),
        ("another name", authority.sign_for("elsewhere.example", 2100), false),
        ("expired", authority.sign_for("127.0.0.1", 2001), false),
    ] {
        let guarded = serve(with_tls(files(folder.path(), &identity, None)), Settings::default()).await;
        let outcome = call(&encrypted(&guarded.address, &authority, None), HEALTH, None).await;
        assert_eq!(outcome.is_ok(), expected, "{what}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_of_this_machine_needs_no_tls_but_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let mut access = with_tls(files(folder.path(), &authority.sign(), Some(&authority)));
    access.tokens = Some(Tokens::load(put(folder.path(), "tokens", TOKEN)).unwrap());
    let socket = format!("unix:{}", folder.path().join("socket").display());
    let listener = Listener::bind(&socket.parse().unwrap()).await.unwrap();
    let _server =
        Server::watched(Settings::default(), Arc::new(Games), vec![listener], access, Arc::default()).unwrap();
    let channel = Endpoint::new(socket).unwrap().connect_lazy();
    let method = "/sprague.v1.SpragueService/GetServerInfo";
    assert_eq!(call(&channel, method, None).await.unwrap_err().code(), Code::Unauthenticated);
    assert!(call(&channel, method, Some(&format!("Bearer {TOKEN}"))).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn new_files_are_in_force_once_they_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (Authority::new(), Authority::new());
    let mut access = with_tls(files(folder.path(), &old.sign(), None));
    access.tokens = Some(Tokens::load(put(folder.path(), "tokens", TOKEN)).unwrap());
    let guarded = serve(access, Settings::default()).await;
    let open = encrypted(&guarded.address, &old, None);
    let method = "/sprague.v1.SpragueService/GetServerInfo";
    assert!(call(&open, method, Some(&format!("Bearer {TOKEN}"))).await.is_ok());

    put(folder.path(), "server.pem", "not a certificate");
    assert!(guarded.server.reload().unwrap_err().to_string().ends_with("server.pem: holds no certificate in PEM form"));
    assert!(call(&encrypted(&guarded.address, &old, None), HEALTH, None).await.is_ok(), "the old one stays");

    files(folder.path(), &new.sign(), None);
    put(folder.path(), "tokens", "the-token-of-tomorrow");
    guarded.server.reload().unwrap();
    assert!(call(&encrypted(&guarded.address, &old, None), HEALTH, None).await.is_err());
    assert!(call(&encrypted(&guarded.address, &new, None), HEALTH, None).await.is_ok());
    // A revoked token ends on connections that are open already.
    let outcome = call(&open, method, Some(&format!("Bearer {TOKEN}"))).await;
    assert_eq!(outcome.unwrap_err().code(), Code::Unauthenticated);
    assert!(call(&open, method, Some("Bearer the-token-of-tomorrow")).await.is_ok());
}

/// The beginning of a TLS record that holds a ClientHello.
const CLIENT_HELLO: &[u8] = &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_who_stalls_in_a_handshake_is_shown_out_and_its_place_is_free_again() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let tls = files(folder.path(), &authority.sign(), None);
    for (what, is_encrypted, said) in [
        ("nothing", false, &b""[..]),
        ("one byte", false, b"P"),
        ("half of HTTP/2's preface", false, b"PRI * HTTP/2"),
        ("nothing to TLS", true, b""),
        ("half of a ClientHello", true, CLIENT_HELLO),
    ] {
        let access = if is_encrypted { with_tls(tls.clone()) } else { Access::default() };
        let settings =
            Settings { handshake_timeout: Duration::from_millis(200), connections: 1, ..Settings::default() };
        let guarded = serve(access, settings).await;
        let mut visitor = TcpStream::connect(&guarded.address).await.unwrap();
        visitor.write_all(said).await.unwrap();
        let mut rest = Vec::new();
        let shown_out = tokio::time::timeout(Duration::from_secs(20), visitor.read_to_end(&mut rest)).await;
        assert!(shown_out.is_ok(), "{what}: still connected");
        let channel = match is_encrypted {
            true => encrypted(&guarded.address, &authority, None),
            false => in_the_clear(&guarded.address),
        };
        // The place is free a moment after the connection is closed.
        let mut attempts = 0;
        while let Err(status) = call(&channel, HEALTH, None).await {
            attempts += 1;
            assert!(attempts < 100, "{what}: the place is not free: {status:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_who_says_nothing_after_tls_is_shown_out_too() {
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject as _};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let settings = Settings { handshake_timeout: Duration::from_millis(300), ..Settings::default() };
    let guarded = serve(with_tls(files(folder.path(), &authority.sign(), None)), settings).await;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tcp = TcpStream::connect(&guarded.address).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut visitor = tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, tcp).await.unwrap();
    let shown_out = tokio::time::timeout(Duration::from_secs(20), visitor.read_to_end(&mut Vec::new())).await;
    assert!(shown_out.is_ok(), "still connected");
}
