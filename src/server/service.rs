//! The RPCs: their messages are read and charged, their boards solved.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::server::NamedService;

use super::account::{Account, Class};
use super::connection::Draining;
use super::deadline;
use super::explain;
use super::inbox::Inbox;
use super::messages::{self, MessageReader, Received};
use super::quota::{Lease, Resource};
use super::settings;
use super::status;
use super::stream;
use super::watch::Asked;
use super::workers::{StopOnDrop, Workers};
use crate::wire::incoming::{self, Malformed};
use crate::wire::{self, v1};

/// The `SpragueService` of one server.
///
/// It reads messages itself, where tonic's generated server would build each of them before anything is known of it, and
/// would keep a buffer of the size of the largest one for as long as a stream is open.
#[derive(Clone)]
pub(super) struct SpragueService {
    pub(super) workers: Arc<Workers>,
}

/// One call, as its connection and the layers in front of the services have prepared it.
struct Call {
    request: Request<Body>,
    account: Arc<Account>,
    inbox: Inbox,
    asked: Asked,
}

impl SpragueService {
    async fn answer(self, request: Request<Body>) -> Response<Body> {
        let extensions = request.extensions();
        let parts = (extensions.get::<Arc<Account>>().cloned(), extensions.get::<Inbox>().cloned());
        let (Some(account), Some(inbox)) = parts else { return status::internal().into_http() };
        let asked = extensions.get::<Asked>().cloned().unwrap_or_default();
        let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let call = Call { request, account, inbox, asked };
        match method.as_str() {
            "Solve" => messages::unary(self.solve(call).await),
            "SolveStream" => self.solve_stream(call),
            "Explain" => messages::unary(self.explain(call).await),
            "GetServerInfo" => messages::unary(self.server_info(call).await),
            _ => status::unimplemented().into_http(),
        }
    }

    async fn solve(&self, call: Call) -> Result<v1::SolveResponse, Status> {
        let Received { bytes, lease: _until_answered } = self.reader(&call, Class::Call).only().await?;
        call.asked.add(1);
        let batch = self.unpacked(&bytes, Workers::admit_one).await?;
        // Small boards are part of what the call is charged.
        let most = batch.most(self.workers.settings.limits.message_bytes);
        let _lease = if most > settings::PREPAID_MESSAGE { Some(self.charge(&call, most)?) } else { None };
        let stop = StopOnDrop::default();
        let share = self.workers.share(call.account.peer());
        match self.workers.solve(batch, &share, &stop.0).await {
            Ok(results) => Ok(wire::solve_response(results)),
            Err(_cancelled) => Err(status::internal()),
        }
    }

    async fn explain(&self, call: Call) -> Result<v1::ExplainResponse, Status> {
        let Received { bytes, lease: _until_answered } = self.reader(&call, Class::Call).only().await?;
        call.asked.add(1);
        let message_bytes = self.workers.settings.limits.message_bytes;
        let respond = |result| Ok(wire::explain::response(result, message_bytes));
        let parts =
            self.unpacked(&bytes, |workers, bytes| incoming::explain(bytes.clone(), &workers.settings.sizes)).await?;
        let (board, moves, wants) = match parts {
            Ok(parts) => parts,
            Err(error) => return respond(Err(error)),
        };
        let _lease = self.charge(&call, explain::most_bytes(&board, message_bytes))?;
        let stop = StopOnDrop::default();
        let share = self.workers.share(call.account.peer());
        match explain::answer(&self.workers, &share, board, moves, wants, &stop.0).await {
            Ok(result) => respond(result),
            Err(_cancelled) => Err(status::internal()),
        }
    }

    fn solve_stream(&self, call: Call) -> Response<Body> {
        let requests = self.reader(&call, Class::Stream);
        let deadline = deadline::of(call.request.headers());
        let draining = Draining::of(call.request.extensions());
        let Call { account, asked, .. } = call;
        messages::streaming(stream::open(self.workers.clone(), requests, account, draining, deadline, asked))
    }

    async fn server_info(&self, call: Call) -> Result<v1::GetServerInfoResponse, Status> {
        let Received { bytes, .. } = self.reader(&call, Class::Info).only().await?;
        self.unpacked(&bytes, |_, bytes| incoming::server_info(bytes.clone())).await?;
        Ok(self.workers.settings.facts().into())
    }

    fn reader(&self, call: &Call, class: Class) -> MessageReader {
        MessageReader::new(call.inbox.clone(), call.account.clone(), class, self.workers.settings.clone())
    }

    /// What a message says: looked at in place if it is short.
    async fn unpacked<T: Send + 'static>(
        &self,
        bytes: &Bytes,
        unpack: impl FnOnce(&Workers, &Bytes) -> Result<T, Malformed> + Send + 'static,
    ) -> Result<T, Status> {
        let unpacked = if bytes.len() < settings::UNPACKED_IN_PLACE {
            unpack(&self.workers, bytes)
        } else {
            let (workers, bytes) = (self.workers.clone(), bytes.clone());
            self.workers.run_light(move || unpack(&workers, &bytes)).await.map_err(|_cancelled| status::internal())?
        };
        unpacked.map_err(|malformed| status::bad_message(malformed.to_string()))
    }

    fn charge(&self, call: &Call, bytes: u64) -> Result<Lease, Status> {
        call.account.take(Resource::WorkingBytes, bytes).map_err(|full| status::no_room(&full))
    }
}

impl NamedService for SpragueService {
    const NAME: &'static str = v1::sprague_service_server::SERVICE_NAME;
}

impl tower::Service<Request<Body>> for SpragueService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}
