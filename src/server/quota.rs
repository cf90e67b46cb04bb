//! What clients hold of a server: connections, streams, calls and memory, each with a limit and half of it for one peer.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash as _, Hasher as _};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::settings::Settings;

/// What there is a limit for. The last three are bytes, and draw on one budget of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    /// Connections open.
    Connections,
    /// Connections that wait until others release what they need.
    WaitingConnections,
    /// SolveStream calls open.
    Streams,
    /// Unary calls of `SpragueService` in progress.
    Calls,
    /// Health checks in progress.
    Checks,
    /// Streams of the standard services open: health watches and reflection.
    Watches,
    /// What connections and streams take as long as they are open. At most a quarter of the budget.
    OpenBytes,
    /// Large messages on their way in. At most a quarter of the budget.
    ReadingBytes,
    /// Everything else: messages in work, and answers until the transport has let go of them.
    WorkingBytes,
}

const RESOURCES: usize = 9;

impl Resource {
    /// The limit's name, as flags and messages have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Resource::Connections => "connections",
            Resource::WaitingConnections => "waiting connections",
            Resource::Streams => "streams",
            Resource::Calls => "calls",
            Resource::Checks => "health checks",
            Resource::Watches => "health watches and reflection streams",
            Resource::OpenBytes | Resource::ReadingBytes | Resource::WorkingBytes => "memory",
        }
    }
}

/// Connections that wait at once: each is a socket and a task, and takes no memory of the budget.
const WAITING_CONNECTIONS: u64 = 128;

/// Health checks in progress at once: they take microseconds.
const CHECKS: u64 = 256;

/// Health watches and reflection streams open at once.
const WATCHES: u64 = 128;

/// Who is at the other end, as far as limits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PeerId {
    /// An address; of IPv6 the first 64 bits, which one customer has.
    Address(IpAddr),
    /// A bearer token, by its hash.
    Token(u64),
    /// Nobody in particular: in-memory pipes, Unix sockets and trusted proxies have the server's limits alone.
    Unlimited,
}

impl PeerId {
    pub(super) fn address(address: IpAddr) -> PeerId {
        PeerId::Address(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
            canonical => canonical,
        })
    }

    pub(super) fn token(token: &[u8]) -> PeerId {
        let mut hasher = DefaultHasher::new();
        token.hash(&mut hasher);
        PeerId::Token(hasher.finish())
    }
}

/// A limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exceeded {
    pub(super) resource: Resource,
    pub(super) limit: u64,
    /// The limit is that of one peer.
    pub(super) by_peer: bool,
}

impl Exceeded {
    /// The limit's name, for programs: `calls`, or `calls of client` where it is that of one client.
    pub(super) fn limit_name(&self) -> String {
        format!("{}{}", self.resource.name(), if self.by_peer { " of client" } else { "" })
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_peer = if self.by_peer { " for one client" } else { "" };
        write!(f, "{} = {}{of_peer}", self.resource.name(), self.limit)
    }
}

type Usage = [u64; RESOURCES];

fn memory_of(usage: &Usage) -> u64 {
    usage[Resource::OpenBytes as usize]
        + usage[Resource::ReadingBytes as usize]
        + usage[Resource::WorkingBytes as usize]
}

#[derive(Default)]
struct State {
    total: Usage,
    // Invariant: no peer is here whose usage is all 0.
    peers: HashMap<PeerId, Usage>,
}

/// The limits of one server, and who uses how much. Cheap to clone.
#[derive(Clone)]
pub(super) struct Quotas(Arc<Inner>);

struct Inner {
    limits: Usage,
    memory: u64,
    state: Mutex<State>,
    released: Notify,
}

impl Quotas {
    /// The limits on what is open at once, and the budget of memory.
    pub(super) fn new(settings: &Settings) -> Quotas {
        let memory = settings.limits.memory_bytes;
        let mut limits = [0; RESOURCES];
        for (resource, limit) in [
            (Resource::Connections, settings.connections.into()),
            (Resource::WaitingConnections, WAITING_CONNECTIONS),
            (Resource::Streams, settings.limits.streams.into()),
            (Resource::Calls, settings.calls.into()),
            (Resource::Checks, CHECKS),
            (Resource::Watches, WATCHES),
            (Resource::OpenBytes, memory / 4),
            (Resource::ReadingBytes, memory / 4),
            (Resource::WorkingBytes, memory),
        ] {
            limits[resource as usize] = limit;
        }
        Quotas(Arc::new(Inner { limits, memory, state: Mutex::default(), released: Notify::new() }))
    }

    /// Takes an amount, or says which limit is in the way.
    ///
    /// Of memory to work in, a peer that has none may take all that is there, so that every message gets its turn.
    pub(super) fn take(&self, peer: PeerId, resource: Resource, amount: u64) -> Result<Lease, Exceeded> {
        self.add(&mut self.lock(), peer, resource, amount)?;
        Ok(Lease { quotas: self.clone(), peer, resource, amount })
    }

    /// As `take`, for what is there already and must be counted.
    pub(super) fn take_anyway(&self, peer: PeerId, resource: Resource, amount: u64) -> Lease {
        self.lock().add(peer, resource, amount);
        Lease { quotas: self.clone(), peer, resource, amount }
    }

    /// As `take`, waiting for others to release what they have.
    pub(super) async fn wait_for(&self, peer: PeerId, resource: Resource, amount: u64) -> Lease {
        let mut released = std::pin::pin!(self.0.released.notified());
        loop {
            // Listens before it looks: a release in between is not missed.
            released.as_mut().enable();
            if let Ok(lease) = self.take(peer, resource, amount) {
                return lease;
            }
            released.as_mut().await;
            released.set(self.0.released.notified());
        }
    }

    /// The budget of memory, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.0.memory
    }

    /// How much of a resource is in use.
    pub(super) fn used(&self, resource: Resource) -> u64 {
        self.lock().total[resource as usize]
    }

    /// How much of the memory is in use, in bytes.
    pub(super) fn memory_used(&self) -> u64 {
        memory_of(&self.lock().total)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, state: &mut State, peer: PeerId, resource: Resource, amount: u64) -> Result<(), Exceeded> {
        let at = resource as usize;
        let is_memory = matches!(resource, Resource::OpenBytes | Resource::ReadingBytes | Resource::WorkingBytes);
        let fits = |usage: &Usage, share: fn(u64) -> u64| {
            let limit = share(self.0.limits[at]);
            let memory = share(self.0.memory);
            if usage[at].saturating_add(amount) > limit {
                Err(limit)
            } else if is_memory && memory_of(usage).saturating_add(amount) > memory {
                Err(memory)
            } else {
                Ok(())
            }
        };
        fits(&state.total, |limit| limit).map_err(|limit| Exceeded { resource, limit, by_peer: false })?;
        if peer != PeerId::Unlimited {
            let usage = state.peers.get(&peer).copied().unwrap_or_default();
            if resource != Resource::WorkingBytes || usage[at] > 0 {
                fits(&usage, |limit| limit.div_ceil(2)).map_err(|limit| Exceeded { resource, limit, by_peer: true })?;
            }
        }
        state.add(peer, resource, amount);
        Ok(())
    }
}

impl State {
    fn add(&mut self, peer: PeerId, resource: Resource, amount: u64) {
        self.total[resource as usize] += amount;
        if peer != PeerId::Unlimited {
            self.peers.entry(peer).or_default()[resource as usize] += amount;
        }
    }

    fn subtract(&mut self, peer: PeerId, resource: Resource, amount: u64) {
        self.total[resource as usize] -= amount;
        if peer != PeerId::Unlimited
            && let Some(usage) = self.peers.get_mut(&peer)
        {
            usage[resource as usize] -= amount;
            if usage.iter().all(|&used| used == 0) {
                self.peers.remove(&peer);
            }
        }
    }
}

/// An amount taken, given back when it is dropped.
pub(super) struct Lease {
    quotas: Quotas,
    peer: PeerId,
    resource: Resource,
    amount: u64,
}

impl Lease {
    /// In the resource's unit.
    pub(super) fn amount(&self) -> u64 {
        self.amount
    }

    /// Gives back what is above `amount`.
    pub(super) fn shrink_to(&mut self, amount: u64) {
        if let Some(less) = self.amount.checked_sub(amount).filter(|&less| less > 0) {
            self.give_back(less);
        }
    }

    fn give_back(&mut self, amount: u64) {
        self.amount -= amount;
        self.quotas.lock().subtract(self.peer, self.resource, amount);
        self.quotas.0.released.notify_waiters();
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.amount > 0 {
            self.give_back(self.amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn peer(last: u8) -> PeerId {
        PeerId::address(Ipv4Addr::new(192, 0, 2, last).into())
    }

    fn quotas() -> Quotas {
        let mut settings = Settings { connections: 5, calls: 1, ..Settings::default() };
        (settings.limits.streams, settings.limits.memory_bytes) = (4, 1000);
        Quotas::new(&settings)
    }

    #[test]
    fn one_peer_gets_half_of_each_limit_rounded_up() {
        for (resource, unlimited, half) in [
            (Resource::Connections, 5, 3),
            (Resource::Streams, 4, 2),
            (Resource::Calls, 1, 1),
            (Resource::Checks, 256, 128),
        ] {
            for (peer, most) in [(peer(1), half), (PeerId::token(b"secret"), half), (PeerId::Unlimited, unlimited)] {
                let quotas = quotas();
                let taken: Vec<Lease> = std::iter::from_fn(|| quotas.take(peer, resource, 1).ok()).collect();
                assert_eq!(taken.len() as u64, most, "{resource:?} {peer:?}");
                let limit = if peer == PeerId::Unlimited { unlimited } else { half };
                let is_peers = limit < unlimited;
                let refused = quotas.take(peer, resource, 1).err();
                assert_eq!(refused.map(|full| (full.limit, full.by_peer)), Some((limit, is_peers)));
                drop(taken);
                assert_eq!(quotas.used(resource), 0);
                assert!(quotas.lock().peers.is_empty());
            }
        }
    }

    #[test]
    fn memory_is_one_budget_with_a_quarter_for_what_is_open_and_a_quarter_for_what_comes_in() {
        let quotas = quotas();
        let all = PeerId::Unlimited;
        assert!(quotas.take(all, Resource::OpenBytes, 251).is_err());
        let open = quotas.take(all, Resource::OpenBytes, 250).unwrap();
        let reading = quotas.take(all, Resource::ReadingBytes, 250).unwrap();
        assert!(quotas.take(all, Resource::WorkingBytes, 501).is_err());
        let mut working = quotas.take(all, Resource::WorkingBytes, 500).unwrap();
        assert_eq!(quotas.memory_used(), 1000);
        working.shrink_to(100);
        working.shrink_to(400);
        assert_eq!((working.amount(), quotas.memory_used()), (100, 600));
        drop((open, reading));
        assert!(quotas.take(all, Resource::WorkingBytes, 900).is_ok());
    }

    #[test]
    fn a_peer_without_memory_in_work_may_take_what_is_there() {
        let quotas = quotas();
        let first = quotas.take(peer(1), Resource::WorkingBytes, 600).unwrap();
        let refused = quotas.take(peer(1), Resource::WorkingBytes, 1).err().unwrap();
        assert_eq!(refused.to_string(), "memory = 500 for one client");
        let second = quotas.take(peer(2), Resource::WorkingBytes, 400).unwrap();
        assert_eq!(quotas.take(peer(3), Resource::WorkingBytes, 1).err().unwrap().to_string(), "memory = 1000");
        drop((first, second));
    }

    #[tokio::test]
    async fn who_waits_gets_what_others_release() {
        let quotas = quotas();
        let mut held = quotas.take(peer(1), Resource::WorkingBytes, 1000).unwrap();
        let waiting = tokio::spawn({
            let quotas = quotas.clone();
            async move { quotas.wait_for(peer(2), Resource::WorkingBytes, 300).await.amount() }
        });
        tokio::task::yield_now().await;
        held.shrink_to(800);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        held.shrink_to(700);
        assert_eq!(waiting.await.unwrap(), 300);
    }

    #[test]
    fn addresses_of_one_customer_are_one_peer() {
        let at = |text: &str| PeerId::address(text.parse().unwrap());
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:2"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
    }
}
