//! The batches of a run that are not answered: which wait for a connection, and which servers have the others.
//!
//! Every connection takes the oldest batch that waits, and gives back what it could not get answered. One that has
//! nothing else to do takes a *copy* of a batch that another server has not answered for a while: a server that hangs
//! then costs about a second. The first answer counts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::batch::Batch;

/// A batch with this many strikes travels alone: if its stream breaks again, no other batch is to blame.
const SUSPECT: u32 = 2;

/// So many streams in a row must break over one batch before it is given up. Any one may be a server's restart.
const MOST_STRIKES: u32 = 5;

/// A batch that has been at a server for this long may be given to another one, too. Most batches take milliseconds;
/// much less than this is a pause of the network or of a busy machine.
const COPY_AFTER: Duration = Duration::from_secs(1);

/// What a connection holds of a batch: the entries stay in the queue, because another may answer them first.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) id: u64,
    pub(super) message: Bytes,
    pub(super) boards: usize,
    pub(super) cost: u64,
    /// It may be what breaks streams.
    pub(super) is_suspect: bool,
}

/// What there is to do for a connection.
#[derive(Debug)]
pub(super) enum Next {
    /// This batch.
    Send(Request),
    /// Nothing on this stream is of use any more: others answered all of it.
    Overtaken,
    /// Every batch is answered, and no more will come.
    Over,
}

#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Notify,
}

// Invariant: a batch is in `unanswered` from `offer` until its first answer. Meanwhile it is either in `waiting` or with
// one connection at least, and never with two of one server.
#[derive(Debug)]
struct State<T> {
    unanswered: BTreeMap<u64, Entry<T>>,
    waiting: BTreeSet<u64>,
    complete: bool,
}

#[derive(Debug)]
struct Entry<T> {
    batch: Batch<T>,
    /// How often a stream broke while this was the oldest batch on it.
    strikes: u32,
    /// The servers that have it, by number, and since when.
    holders: Vec<(usize, Instant)>,
}

impl<T> Entry<T> {
    fn is_suspect(&self) -> bool {
        self.strikes >= SUSPECT
    }

    fn hand_to(&mut self, server: usize) -> Request {
        self.holders.push((server, Instant::now()));
        Request {
            id: self.batch.id,
            message: self.batch.message.clone(),
            boards: self.batch.boards,
            cost: self.batch.cost,
            is_suspect: self.is_suspect(),
        }
    }

    /// When this server may have a copy. A suspect has none: it may bring down servers.
    fn copied_at(&self, server: usize) -> Option<Instant> {
        let has_it = self.holders.iter().any(|&(holder, _)| holder == server);
        let latest = self.holders.iter().map(|&(_, since)| since).max()?;
        (!has_it && !self.is_suspect()).then(|| latest + COPY_AFTER)
    }
}

impl<T> Queue<T> {
    pub(super) fn new() -> Queue<T> {
        let state = State { unanswered: BTreeMap::new(), waiting: BTreeSet::new(), complete: false };
        Queue { state: Mutex::new(state), changed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new batch.
    pub(super) fn offer(&self, batch: Batch<T>) {
        let mut state = self.state();
        state.waiting.insert(batch.id);
        state.unanswered.insert(batch.id, Entry { batch, strikes: 0, holders: Vec::new() });
        self.changed.notify_waiters();
    }

    /// No more batches will be offered.
    pub(super) fn complete(&self) {
        self.state().complete = true;
        self.changed.notify_waiters();
    }

    /// Requests that a connection to `server` could not get answered. `broke`: the stream broke without a reason, perhaps
    /// over the oldest of them. Returns that batch, with its strikes, if it did so too often and no other server has it.
    pub(super) fn give_back(
        &self,
        server: usize,
        requests: &VecDeque<Request>,
        broke: bool,
    ) -> Option<(u32, Batch<T>)> {
        let mut state = self.state();
        for (at, Request { id, .. }) in requests.iter().enumerate() {
            // Answered by another meanwhile: nothing to give back, and nobody to blame.
            let Some(entry) = state.unanswered.get_mut(id) else { continue };
            entry.holders.retain(|&(holder, _)| holder != server);
            entry.strikes += u32::from(broke && at == 0);
            let (strikes, is_free) = (entry.strikes, entry.holders.is_empty());
            if is_free && strikes >= MOST_STRIKES {
                return state.unanswered.remove(id).map(|entry| (strikes, entry.batch));
            }
            if is_free {
                state.waiting.insert(*id);
            }
        }
        self.changed.notify_waiters();
        None
    }

    /// The batch that an answer is for; none if another answer came before.
    pub(super) fn answered(&self, id: u64) -> Option<Batch<T>> {
        let mut state = self.state();
        let entry = state.unanswered.remove(&id)?;
        if entry.holders.len() > 1 || state.is_over() {
            self.changed.notify_waiters();
        }
        Some(entry.batch)
    }

    /// Waits for what a connection to `server` is to do next. `under_way` is what it has sent, oldest first; it gets more
    /// if it `has_room`. One with others under way does not get a suspect.
    pub(super) async fn next(&self, server: usize, under_way: &VecDeque<Request>, has_room: bool) -> Next {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let later = match self.state().next(server, under_way, has_room) {
                Ok(next) => return next,
                Err(later) => later,
            };
            match later {
                Some(later) => drop(tokio::time::timeout_at(later, changed).await),
                None => changed.await,
            }
        }
    }

    /// Waits until every batch is answered and no more will come.
    pub(super) async fn over(&self) {
        while !matches!(self.next(usize::MAX, &VecDeque::new(), false).await, Next::Over) {}
    }
}

impl<T> State<T> {
    fn is_over(&self) -> bool {
        self.complete && self.unanswered.is_empty()
    }

    /// What there is to do; if nothing, when there may be, unless something changes before.
    fn next(&mut self, server: usize, under_way: &VecDeque<Request>, has_room: bool) -> Result<Next, Option<Instant>> {
        if self.is_over() {
            return Ok(Next::Over);
        }
        let is_open = |request: &Request| self.unanswered.contains_key(&request.id);
        if let Some(oldest) = under_way.front()
            && !is_open(oldest)
        {
            // Another server was sooner: this one gets no more until it has caught up.
            return if under_way.iter().any(is_open) { Err(None) } else { Ok(Next::Overtaken) };
        }
        if !has_room {
            return Err(None);
        }
        let is_busy = !under_way.is_empty();
        let may_go = |id: &&u64| !is_busy || self.unanswered.get(id).is_some_and(|entry| !entry.is_suspect());
        if let Some(id) = self.waiting.iter().find(may_go).copied() {
            self.waiting.remove(&id);
            let request = self.unanswered.get_mut(&id).map(|entry| entry.hand_to(server));
            return request.map(Next::Send).ok_or(None);
        }
        if is_busy {
            return Err(None);
        }
        let mut earliest = None;
        for entry in self.unanswered.values_mut() {
            let Some(at) = entry.copied_at(server) else { continue };
            if at <= Instant::now() {
                tracing::debug!("batch {} goes to a second server", entry.batch.id);
                return Ok(Next::Send(entry.hand_to(server)));
            }
            earliest = Some(earliest.map_or(at, |earliest: Instant| earliest.min(at)));
        }
        Err(earliest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Kind;
    use super::*;

    fn batch(id: u64) -> Batch<()> {
        Batch { id, message: Bytes::new(), boards: 0, cost: 0, entries: vec![((), Kind::Note)], memory: None }
    }

    fn queue(batches: u64) -> Queue<()> {
        let queue = Queue::new();
        (0..batches).for_each(|id| queue.offer(batch(id)));
        queue
    }

    /// What a connection is told at once; nothing if it has to wait.
    async fn told(queue: &Queue<()>, server: usize, under_way: &VecDeque<Request>) -> Option<Next> {
        tokio::select! {
            biased;
            next = queue.next(server, under_way, true) => Some(next),
            () = std::future::ready(()) => None,
        }
    }

    async fn take(queue: &Queue<()>, server: usize, under_way: &mut VecDeque<Request>) -> Option<u64> {
        match told(queue, server, under_way).await? {
            Next::Send(request) => {
                under_way.push_back(request);
                under_way.back().map(|request| request.id)
            }
            Next::Overtaken | Next::Over => None,
        }
    }

    #[tokio::test]
    async fn the_oldest_batch_goes_first_and_comes_back_to_its_place() {
        let queue = queue(3);
        let mut sent = VecDeque::new();
        assert_eq!(take(&queue, 0, &mut sent).await, Some(0));
        assert_eq!(take(&queue, 0, &mut sent).await, Some(1));
        assert!(queue.give_back(0, &sent, true).is_none());
        let mut sent = VecDeque::new();
        for id in 0..3 {
            assert_eq!(take(&queue, 1, &mut sent).await, Some(id));
        }
    }

    #[tokio::test]
    async fn a_suspect_is_taken_by_an_idle_connection_alone() {
        let queue = queue(2);
        for _ in 0..SUSPECT {
            let mut sent = VecDeque::new();
            assert_eq!(take(&queue, 0, &mut sent).await, Some(0));
            assert!(queue.give_back(0, &sent, true).is_none());
        }
        let mut busy =
            VecDeque::from([Request { id: 1, message: Bytes::new(), boards: 0, cost: 0, is_suspect: false }]);
        assert_eq!(take(&queue, 0, &mut busy).await, Some(1));
        assert!(take(&queue, 0, &mut busy).await.is_none());
        let mut idle = VecDeque::new();
        assert_eq!(take(&queue, 0, &mut idle).await, Some(0));
        assert!(idle[0].is_suspect);
    }

    #[tokio::test]
    async fn a_batch_that_breaks_stream_after_stream_is_given_up() {
        let queue = queue(1);
        for strikes in 1..=MOST_STRIKES {
            let mut sent = VecDeque::new();
            assert_eq!(take(&queue, 0, &mut sent).await, Some(0));
            let given_up = queue.give_back(0, &sent, true).map(|(strikes, batch)| (strikes, batch.id));
            assert_eq!(given_up, (strikes == MOST_STRIKES).then_some((strikes, 0)));
        }
    }

    #[tokio::test]
    async fn the_queue_is_over_when_all_is_answered_not_when_all_is_taken() {
        let queue = queue(1);
        queue.complete();
        let mut sent = VecDeque::new();
        assert_eq!(take(&queue, 0, &mut sent).await, Some(0));
        assert!(told(&queue, 0, &VecDeque::new()).await.is_none());
        assert!(queue.answered(0).is_some());
        assert!(matches!(told(&queue, 0, &VecDeque::new()).await, Some(Next::Over)));
        queue.over().await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_gets_a_copy_of_what_another_server_does_not_answer() {
        let queue = queue(3);
        let (mut slow, mut same, mut idle, mut third) = Default::default();
        assert_eq!(take(&queue, 0, &mut slow).await, Some(0));
        assert_eq!(take(&queue, 0, &mut slow).await, Some(1));
        // While there is other work, nothing is done twice.
        tokio::time::advance(COPY_AFTER).await;
        assert_eq!(take(&queue, 1, &mut idle).await, Some(2));
        assert!(take(&queue, 1, &mut idle).await.is_none(), "it has something under way");
        assert!(queue.answered(2).is_some());
        idle.clear();
        assert!(take(&queue, 0, &mut same).await.is_none(), "it is another connection of the same server");
        assert_eq!(take(&queue, 1, &mut idle).await, Some(0));
        // A third server waits for the second as long as the second for the first.
        assert_eq!(take(&queue, 2, &mut third).await, Some(1));
        third.clear();
        assert!(take(&queue, 2, &mut third).await.is_none());
        tokio::time::advance(COPY_AFTER).await;
        assert_eq!(take(&queue, 2, &mut third).await, Some(0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_waits_is_woken_when_a_copy_is_due() {
        let queue = queue(1);
        let mut slow = VecDeque::new();
        assert_eq!(take(&queue, 0, &mut slow).await, Some(0));
        let start = Instant::now();
        assert!(matches!(queue.next(1, &VecDeque::new(), true).await, Next::Send(Request { id: 0, .. })));
        assert!(start.elapsed() >= COPY_AFTER);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_answer_counts_and_whoever_is_behind_gets_nothing_new() {
        let queue = queue(2);
        let (mut slow, mut quick): (VecDeque<Request>, VecDeque<Request>) = Default::default();
        assert_eq!(take(&queue, 0, &mut slow).await, Some(0));
        assert_eq!(take(&queue, 0, &mut slow).await, Some(1));
        tokio::time::advance(COPY_AFTER).await;
        assert_eq!(take(&queue, 1, &mut quick).await, Some(0));
        assert!(queue.answered(0).is_some_and(|batch| batch.id == 0));
        assert!(queue.answered(0).is_none());
        queue.offer(batch(2));
        assert!(told(&queue, 0, &slow).await.is_none(), "its oldest was answered by another");
        // What it gives back is only what is still open, and answered batches have no strikes.
        assert!(queue.give_back(0, &slow, true).is_none());
        quick.clear();
        assert_eq!(take(&queue, 1, &mut quick).await, Some(1));
        assert_eq!(take(&queue, 1, &mut quick).await, Some(2));
        assert!(take(&queue, 1, &mut quick).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_without_anything_of_use_is_told_so() {
        let queue = queue(1);
        let mut slow = VecDeque::new();
        assert_eq!(take(&queue, 0, &mut slow).await, Some(0));
        let told = tokio::spawn({
            let queue = std::sync::Arc::new(queue);
            let waiting = queue.clone();
            let told = tokio::spawn(async move { waiting.next(0, &slow, false).await });
            async move {
                tokio::time::advance(COPY_AFTER).await;
                assert!(matches!(queue.next(1, &VecDeque::new(), true).await, Next::Send(_)));
                assert!(queue.answered(0).is_some());
                told.await
            }
        });
        assert!(matches!(told.await, Ok(Ok(Next::Overtaken))));
    }
}
