//! Who may use how much of the pool for heavy boards.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::quota::PeerId;

/// What one call may use of the heavy pool: some threads, out of as many that all calls of its client have together. The
/// pool has more, so that whoever has thousands of heavy boards leaves others their turn.
#[derive(Clone)]
pub(super) struct Share {
    call: Arc<Semaphore>,
    /// None for who has no limits of its own.
    client: Option<Arc<Semaphore>>,
}

/// A place on the heavy pool.
pub(super) struct HeavyPermit {
    _call: OwnedSemaphorePermit,
    _client: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// A place, in turn: first among the call's boards, then among the client's calls.
    pub(super) async fn acquire(&self) -> HeavyPermit {
        let acquire =
            async |semaphore: &Arc<Semaphore>| semaphore.clone().acquire_owned().await.expect("nobody closes it");
        let call = acquire(&self.call).await;
        let client = match &self.client {
            Some(client) => Some(acquire(client).await),
            None => None,
        };
        HeavyPermit { _call: call, _client: client }
    }
}

/// What each client that is here may use of the heavy pool, as long as one of its calls knows it.
pub(super) struct Shares {
    threads: usize,
    clients: Mutex<HashMap<PeerId, Weak<Semaphore>>>,
}

impl Shares {
    /// So many threads for each call, and for all calls of one client.
    pub(super) fn new(threads: usize) -> Shares {
        Shares { threads, clients: Mutex::default() }
    }

    /// A fresh call's share.
    pub(super) fn of(&self, peer: PeerId) -> Share {
        let semaphore = || Arc::new(Semaphore::new(self.threads));
        let client = (peer != PeerId::Unlimited).then(|| {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.get(&peer).and_then(Weak::upgrade).unwrap_or_else(|| {
                clients.retain(|_, client| client.strong_count() > 0);
                let client = semaphore();
                clients.insert(peer, Arc::downgrade(&client));
                client
            })
        });
        Share { call: semaphore(), client }
    }
}
