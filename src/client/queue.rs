//! Batches that wait for a lane: every lane takes the oldest, and brings back what it could not get answered.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::batch::Batch;

/// A batch with this many strikes travels alone: if its stream breaks again, no other batch is to blame.
const SUSPECT: u32 = 2;

impl<T> Batch<T> {
    pub(super) fn is_suspect(&self) -> bool {
        self.strikes >= SUSPECT
    }
}

#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Notify,
}

// Invariant: a batch is in `waiting` or with exactly one lane, and counted in `unanswered` from `offer` to `answered`.
#[derive(Debug)]
struct State<T> {
    waiting: BTreeMap<u64, Batch<T>>,
    unanswered: usize,
    complete: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Queue<T> {
        let state = State { waiting: BTreeMap::new(), unanswered: 0, complete: false };
        Queue { state: Mutex::new(state), changed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new batch.
    pub(super) fn offer(&self, batch: Batch<T>) {
        let mut state = self.state();
        state.unanswered += 1;
        state.waiting.insert(batch.id, batch);
        self.changed.notify_waiters();
    }

    /// No more batches will be offered.
    pub(super) fn complete(&self) {
        self.state().complete = true;
        self.changed.notify_waiters();
    }

    /// Batches that a lane could not get answered.
    pub(super) fn bring_back(&self, batches: impl IntoIterator<Item = Batch<T>>) {
        self.state().waiting.extend(batches.into_iter().map(|batch| (batch.id, batch)));
        self.changed.notify_waiters();
    }

    /// A batch that was taken is answered.
    pub(super) fn answered(&self) {
        let mut state = self.state();
        state.unanswered -= 1;
        if state.complete && state.unanswered == 0 {
            self.changed.notify_waiters();
        }
    }

    /// Takes the oldest batch, or waits for one; none when every batch is answered and no more will come.
    /// A lane with others under way does not get a suspect.
    pub(super) async fn take(&self, is_busy: bool) -> Option<Batch<T>> {
        self.wait_for(|state| {
            let id = state.waiting.iter().find(|(_, batch)| !(is_busy && batch.is_suspect())).map(|(&id, _)| id);
            match id {
                Some(id) => Some(state.waiting.remove(&id)),
                None => state.is_over().then_some(None),
            }
        })
        .await
    }

    /// Waits until every batch is answered and no more will come.
    pub(super) async fn over(&self) {
        self.wait_for(|state| state.is_over().then_some(())).await;
    }

    async fn wait_for<R>(&self, mut found: impl FnMut(&mut State<T>) -> Option<R>) -> R {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(result) = found(&mut self.state()) {
                return result;
            }
            changed.await;
        }
    }
}

impl<T> State<T> {
    fn is_over(&self) -> bool {
        self.complete && self.unanswered == 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Kind;
    use super::*;

    fn batch(id: u64, strikes: u32) -> Batch<()> {
        let entries = vec![((), Kind::Note)];
        Batch { id, message: bytes::Bytes::new(), boards: 0, cost: 0, entries, strikes, memory: None }
    }

    async fn id(queue: &Queue<()>, is_busy: bool) -> Option<u64> {
        queue.take(is_busy).await.map(|batch| batch.id)
    }

    #[tokio::test]
    async fn the_oldest_batch_goes_first_and_comes_back_to_its_place() {
        let queue = Queue::new();
        (0..3).for_each(|id| queue.offer(batch(id, 0)));
        assert_eq!(id(&queue, false).await, Some(0));
        assert_eq!(id(&queue, false).await, Some(1));
        queue.bring_back([batch(0, 1), batch(1, 0)]);
        assert_eq!(id(&queue, true).await, Some(0));
        assert_eq!(id(&queue, true).await, Some(1));
        assert_eq!(id(&queue, true).await, Some(2));
    }

    #[tokio::test]
    async fn a_suspect_is_taken_by_an_idle_lane_alone() {
        let queue = Queue::new();
        queue.offer(batch(0, SUSPECT));
        queue.offer(batch(1, 0));
        assert_eq!(id(&queue, true).await, Some(1));
        assert_eq!(id(&queue, false).await, Some(0));
    }

    #[tokio::test]
    async fn the_queue_is_over_when_all_is_answered_not_when_all_is_taken() {
        let queue = Queue::new();
        queue.offer(batch(0, 0));
        queue.complete();
        let taken = queue.take(false).await;
        assert!(taken.is_some());
        let mut second = std::pin::pin!(queue.take(false));
        tokio::select! {
            biased;
            _ = second.as_mut() => panic!("one batch is still under way"),
            () = std::future::ready(()) => {}
        }
        queue.answered();
        assert!(second.await.is_none());
        queue.over().await;
    }
}
