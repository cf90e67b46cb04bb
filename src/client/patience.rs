//! How long to try again, and how often: one clock for all lanes, one growing pause for each.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::fault::Error;

/// The first pause; a restart of a server behind a socket takes about this long.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Longer pauses would only be felt as a late recovery.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Even who is in a hurry waits this long for the first attempt: a connection and an answer take less.
const FIRST_ATTEMPT: Duration = Duration::from_secs(1);

/// The pauses between one lane's attempts: doubled each time, and spread, so that the clients of a server that comes
/// back do not all arrive at once.
#[derive(Debug)]
pub(super) struct Backoff {
    next: Duration,
}

impl Backoff {
    pub(super) fn new() -> Backoff {
        Backoff { next: SHORTEST_PAUSE }
    }

    /// The pause before the next attempt: between a half and the whole of the step, but no less than was asked for.
    pub(super) fn pause(&mut self, at_least: Option<Duration>) -> Duration {
        let step = self.next;
        self.next = (step * 2).min(LONGEST_PAUSE);
        // The standard library's hasher keys are its only source of chance, and enough for this.
        let chance = RandomState::new().hash_one(step) as u32;
        let spread = step.mul_f64(0.5 + f64::from(chance) / f64::from(u32::MAX) / 2.0);
        at_least.unwrap_or_default() + if at_least.is_some() { spread / 4 } else { spread }
    }

    /// Starts over, after progress.
    pub(super) fn reset(&mut self) {
        self.next = SHORTEST_PAUSE;
    }
}

/// The clock over all lanes. It runs while not one of them has a working stream, and only an answered batch sets it back:
/// a server that accepts streams and loses them does not buy itself time.
#[derive(Debug)]
pub(super) struct Patience {
    limit: Duration,
    lanes: Mutex<Lanes>,
    changed: Notify,
}

#[derive(Debug)]
struct Lanes {
    up: usize,
    stuck_since: Option<Instant>,
    last_fault: String,
}

impl Patience {
    /// `up` of the lanes start in good hope.
    pub(super) fn new(limit: Duration, up: usize) -> Patience {
        let stuck_since = (up == 0).then(Instant::now);
        let lanes = Lanes { up, stuck_since, last_fault: String::new() };
        Patience { limit, lanes: Mutex::new(lanes), changed: Notify::new() }
    }

    /// How long no server may be there.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A lane lost its stream.
    pub(super) fn fell(&self) {
        let mut lanes = self.lanes();
        lanes.up -= 1;
        if lanes.up == 0 {
            lanes.stuck_since.get_or_insert_with(Instant::now);
        }
        self.changed.notify_waiters();
    }

    /// A lane found its server again.
    pub(super) fn rose(&self) {
        self.lanes().up += 1;
        self.changed.notify_waiters();
    }

    /// What the last attempt came to.
    pub(super) fn note(&self, fault: &str) {
        self.lanes().last_fault = fault.into();
        self.changed.notify_waiters();
    }

    /// A batch was answered.
    pub(super) fn answered(&self) {
        self.lanes().stuck_since = None;
    }

    /// Waits until patience runs out, which may be never; a limit that no clock can reach is none.
    pub(super) async fn ended(&self) -> Error {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let end = {
                let lanes = self.lanes();
                let least = if lanes.last_fault.is_empty() { FIRST_ATTEMPT } else { Duration::ZERO };
                lanes.stuck_since.filter(|_| lanes.up == 0).and_then(|since| since.checked_add(self.limit.max(least)))
            };
            match end {
                None => changed.await,
                Some(end) => {
                    if tokio::time::timeout_at(end, changed).await.is_err() {
                        return Error::Unreachable { tried: self.limit, last: self.lanes().last_fault.clone() };
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_to_a_limit_and_are_never_shorter_than_asked() {
        let mut backoff = Backoff::new();
        for step in [50, 100, 200, 400, 800, 1600, 2000, 2000].map(Duration::from_millis) {
            let pause = backoff.pause(None);
            assert!(step / 2 <= pause && pause <= step, "{pause:?} of {step:?}");
        }
        assert!(backoff.pause(Some(Duration::from_secs(7))) >= Duration::from_secs(7));
        backoff.reset();
        assert!(backoff.pause(None) <= SHORTEST_PAUSE);
    }

    async fn ends_after(patience: &Patience) -> Option<Duration> {
        let start = Instant::now();
        tokio::time::timeout(Duration::from_secs(1000), patience.ended()).await.ok().map(|_| start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_runs_only_while_no_lane_is_up() {
        let limit = Duration::from_secs(30);
        let patience = Patience::new(limit, 2);
        patience.fell();
        assert_eq!(ends_after(&patience).await, None);
        patience.fell();
        assert_eq!(ends_after(&patience).await, Some(limit));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_second_attempt_there_is_still_a_first() {
        let patience = Patience::new(Duration::ZERO, 0);
        assert_eq!(ends_after(&patience).await, Some(FIRST_ATTEMPT));
        let patience = Patience::new(Duration::ZERO, 0);
        patience.note("refused");
        assert_eq!(ends_after(&patience).await, Some(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_that_no_clock_reaches_is_none() {
        let patience = Patience::new(Duration::MAX, 0);
        assert_eq!(ends_after(&patience).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn only_an_answer_sets_the_clock_back() {
        let patience = Patience::new(Duration::from_secs(30), 1);
        patience.fell();
        tokio::time::advance(Duration::from_secs(20)).await;
        patience.rose();
        patience.fell();
        assert_eq!(ends_after(&patience).await, Some(Duration::from_secs(10)));
        patience.rose();
        patience.answered();
        patience.fell();
        assert_eq!(ends_after(&patience).await, Some(Duration::from_secs(30)));
    }
}
