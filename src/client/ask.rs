//! Single questions, asked until somebody answers: a server's facts, a board, an explanation.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Instant;

use super::call;
use super::fault::{Error, Fault};
use super::patience::{Backoff, Patience};
use super::target::Link;
use crate::units::show_duration;
use crate::wire::facts::ServerFacts;

/// A server that has not answered a single question for this long may hang, and another one is asked, too. Most questions
/// take milliseconds; a hard board may take longer than this, and is then solved by two servers.
const ASK_ANOTHER_AFTER: Duration = Duration::from_secs(2);

/// Asks for a server's facts until it tells them.
pub(super) async fn facts(name: &str, link: Link, patience: &Patience) -> Result<ServerFacts, Error> {
    let mut pauses = Pauses::new(patience);
    loop {
        match call::facts(name.into(), link.clone()).await {
            Ok(facts) => return Ok(facts),
            Err(fault) => tokio::time::sleep(pauses.after(fault)?).await,
        }
    }
}

/// Asks the servers from number `first` on, by `ask`, until one answers: the next one after a fault that passes, or when
/// the others take long. Returns the number of the server, and its answer; whoever is still asked is not waited for.
pub(super) async fn in_turn<R, F: Future<Output = Result<R, Fault>>>(
    servers: usize,
    first: usize,
    ask: impl Fn(usize) -> F,
    patience: &Patience,
) -> Result<(usize, R), Error> {
    let mut pauses = Pauses::new(patience);
    let mut free: VecDeque<usize> = (first..servers).chain(0..first).collect();
    let mut asked = FuturesUnordered::new();
    let mut next_at = Instant::now();
    loop {
        if Instant::now() >= next_at
            && let Some(number) = free.pop_front()
        {
            // An answer may take long: what is wrong with a connection in the meantime, pings find out.
            patience.rose();
            let answer = ask(number);
            asked.push(async move { (number, answer.await) });
            next_at = Instant::now() + ASK_ANOTHER_AFTER;
        }
        tokio::select! {
            biased;
            Some((number, answer)) = asked.next() => {
                patience.fell();
                match answer {
                    Ok(answer) => return Ok((number, answer)),
                    Err(fault) => next_at = Instant::now() + pauses.after(fault)?,
                }
                free.push_back(number);
            }
            () = tokio::time::sleep_until(next_at), if !free.is_empty() => {}
        }
    }
}

/// The pauses between attempts.
struct Pauses<'a> {
    backoff: Backoff,
    patience: &'a Patience,
    /// The last fault that was told: the same again is no news.
    told: String,
}

impl<'a> Pauses<'a> {
    fn new(patience: &'a Patience) -> Pauses<'a> {
        Pauses { backoff: Backoff::new(), patience, told: String::new() }
    }

    /// How long to wait after a fault that passes.
    fn after(&mut self, fault: Fault) -> Result<Duration, Error> {
        match fault {
            Fault::Lasting(error) => Err(error),
            Fault::Passing { what, after, .. } => {
                if what == self.told {
                    tracing::debug!("{what}");
                } else {
                    tracing::warn!("{what}; trying for {}", show_duration(self.patience.limit()));
                    self.told.clone_from(&what);
                }
                self.patience.note(&what);
                Ok(self.backoff.pause(after))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server does: after so many seconds it answers, or fails for now.
    type Act = (u64, bool);

    /// Asks servers that act like this every time. Returns who answered, after how many seconds, and who was asked.
    async fn ask(first: usize, acts: &[Act]) -> (Option<usize>, u64, Vec<usize>) {
        let asked = std::cell::RefCell::new(Vec::new());
        let patience = Patience::new(Duration::from_secs(20), 0);
        let start = Instant::now();
        let act = |number: usize| {
            asked.borrow_mut().push(number);
            let (seconds, answers) = acts[number];
            async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                if answers { Ok(()) } else { Err(Fault::unfit("s", "not now")) }
            }
        };
        let answered = tokio::select! {
            answer = in_turn(acts.len(), first, act, &patience) => answer.ok().map(|(number, ())| number),
            _ = patience.ended() => None,
        };
        (answered, start.elapsed().as_secs(), asked.take())
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_server_is_asked_when_one_hangs_or_fails_and_the_first_answer_counts() {
        let hangs = 1_000_000;
        assert_eq!(ask(0, &[(1, true), (0, true)]).await, (Some(0), 1, vec![0]));
        assert_eq!(ask(1, &[(1, true), (0, true)]).await, (Some(1), 0, vec![1]));
        assert_eq!(ask(0, &[(hangs, true), (1, true)]).await, (Some(1), 3, vec![0, 1]));
        assert_eq!(ask(0, &[(3, true), (hangs, true)]).await, (Some(0), 3, vec![0, 1]));
        assert_eq!(ask(0, &[(hangs, true), (hangs, true), (0, true)]).await, (Some(2), 4, vec![0, 1, 2]));
        assert_eq!(ask(0, &[(0, false), (0, true)]).await, (Some(1), 0, vec![0, 1]));
        assert_eq!(ask(0, &[(9, true)]).await, (Some(0), 9, vec![0]));
        let (answered, _, asked) = ask(0, &[(0, false), (0, false)]).await;
        assert_eq!((answered, &asked[..4]), (None, &[0, 1, 0, 1][..]));
    }
}
