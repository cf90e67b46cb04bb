//! What one call holds of its server, from its headers until the transport has let go of its last byte.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::quota::{Exceeded, Lease, PeerId, Quotas, Resource};
use super::settings;
use super::transport::Activity;
use crate::wire::v1::sprague_service_server::SERVICE_NAME;

/// What kind of call it is, as far as limits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// SolveStream.
    Stream,
    /// A unary call with a board.
    Call,
    /// A unary call without one: GetServerInfo.
    Info,
    /// A health check.
    Check,
    /// A health watch or a reflection stream.
    Watch,
}

impl Class {
    /// By the path of the call; none for a method that no service has.
    pub(super) fn of(path: &str) -> Option<Class> {
        let (service, method) = path.strip_prefix('/')?.split_once('/')?;
        Some(match (service, method) {
            (SERVICE_NAME, "SolveStream") => Class::Stream,
            (SERVICE_NAME, "Solve" | "Explain") => Class::Call,
            (SERVICE_NAME, "GetServerInfo") => Class::Info,
            ("grpc.health.v1.Health", "Watch") => Class::Watch,
            ("grpc.health.v1.Health", _) => Class::Check,
            ("grpc.reflection.v1.ServerReflection" | "grpc.reflection.v1alpha.ServerReflection", _) => Class::Watch,
            _ => return None,
        })
    }

    fn resource(self) -> Resource {
        match self {
            Class::Stream => Resource::Streams,
            Class::Call | Class::Info => Resource::Calls,
            Class::Check => Resource::Checks,
            Class::Watch => Resource::Watches,
        }
    }

    /// What such a call takes as long as it is open, in bytes, besides messages that are charged one by one.
    fn open_bytes(self) -> u64 {
        match self {
            Class::Stream => u64::from(settings::STREAM_WINDOW) + settings::PREPAID_MESSAGE + CALL_BYTES,
            Class::Watch => CALL_BYTES,
            // As many as there can be fit into what is kept beside the budget.
            Class::Call | Class::Info | Class::Check => 0,
        }
    }
}

/// What the task of a call takes, with its headers.
const CALL_BYTES: u64 = 32 * 1024;

/// The account of one call. Everything on it is given back when the last holder drops it.
pub(super) struct Account {
    quotas: Quotas,
    /// That of the call's connection.
    activity: Arc<Activity>,
    held: Mutex<Held>,
    unsent: AtomicU64,
    less_unsent: Notify,
}

/// Packed answers in the hands of the transport.
pub(super) struct Unsent {
    account: Arc<Account>,
    lease: Lease,
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.account.sent(self.lease.amount());
    }
}

struct Held {
    peer: PeerId,
    leases: Vec<Lease>,
    /// Answers on their way to the transport.
    answers: Vec<Lease>,
}

impl Account {
    /// An account of a call that is not admitted yet. A call without a token belongs to the address it came from.
    pub(super) fn new(quotas: Quotas, address: PeerId, activity: Arc<Activity>) -> Arc<Account> {
        let held = Held { peer: address, leases: Vec::new(), answers: Vec::new() };
        let (unsent, less_unsent) = (AtomicU64::new(0), Notify::new());
        Arc::new(Account { quotas, activity, held: Mutex::new(held), unsent, less_unsent })
    }

    /// Takes what a call of this class holds as long as it is open, in the name of `token` if there is one.
    pub(super) fn admit(&self, class: Class, token: Option<PeerId>) -> Result<(), Exceeded> {
        let mut held = self.held();
        // Who is not limited by address (a proxy, this machine) is not limited by token either.
        if let Some(token) = token.filter(|_| held.peer != PeerId::Unlimited) {
            held.peer = token;
        }
        let open = self.quotas.take(held.peer, class.resource(), 1)?;
        if class.open_bytes() > 0 {
            let bytes = self.quotas.take(held.peer, Resource::OpenBytes, class.open_bytes())?;
            held.leases.push(bytes);
        }
        held.leases.push(open);
        self.activity.call_begins();
        Ok(())
    }

    /// Who the call belongs to.
    pub(super) fn peer(&self) -> PeerId {
        self.held().peer
    }

    /// Memory for the call, or the limit that is in the way.
    pub(super) fn take(&self, resource: Resource, bytes: u64) -> Result<Lease, Exceeded> {
        self.quotas.take(self.peer(), resource, bytes)
    }

    /// Memory for the call, once there is some.
    pub(super) async fn wait_for(&self, resource: Resource, bytes: u64) -> Lease {
        self.quotas.wait_for(self.peer(), resource, bytes).await
    }

    /// Keeps the memory of an answer that was handed over to be packed and sent.
    pub(super) fn keep_answer(&self, lease: Lease) {
        self.unsent.fetch_add(lease.amount(), Ordering::Relaxed);
        self.held().answers.push(lease);
    }

    /// Counts packed answers, in place of what `keep_answer` kept, until the transport has let go of them.
    pub(super) fn packed(self: &Arc<Account>, bytes: usize) -> Unsent {
        let (unpacked, peer) = {
            let mut held = self.held();
            (std::mem::take(&mut held.answers), held.peer)
        };
        let lease = self.quotas.take_anyway(peer, Resource::WorkingBytes, bytes as u64);
        self.unsent.fetch_add(lease.amount(), Ordering::Relaxed);
        self.sent(unpacked.iter().map(Lease::amount).sum());
        Unsent { account: self.clone(), lease }
    }

    /// Tells the connection that a piece of an answer is sent.
    pub(super) fn piece_sent(&self) {
        self.activity.piece_sent();
    }

    /// Answers that were handed over and of which the transport has not let go, in bytes.
    pub(super) fn unsent(&self) -> u64 {
        self.unsent.load(Ordering::Relaxed)
    }

    /// Waits until `unsent` has become less.
    pub(super) async fn less_unsent(&self) {
        self.less_unsent.notified().await;
    }

    fn sent(&self, bytes: u64) {
        self.unsent.fetch_sub(bytes, Ordering::Relaxed);
        self.less_unsent.notify_one();
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if !self.held().leases.is_empty() {
            self.activity.call_ends();
        }
    }
}
