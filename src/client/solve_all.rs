//! A stream of boards into a stream of solutions: one board at a time over the batches below.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use tokio_stream::Stream;

use super::pool::{Answers, Boards};
use super::{Answered, Client, Error};
use crate::games::{Answer, Board, Solution};
use crate::wire::{BoardError, Reason};

/// While fewer batches than this are under way, boards are sent as soon as their source is pending; beyond it they wait
/// for company, so that a source a little slower than the servers does not cost a message a board.
const SMALL_BATCHES: u64 = 16;

/// Batches that are filled, or unpacked, before other tasks get their turn: about a millisecond.
const BATCHES_A_POLL: usize = 4;

/// The solutions of a stream of boards, in their order. Made by [`Client::solve_all`] and [`Client::outcomes`], which say
/// what it does.
#[must_use = "boards are taken while this is polled"]
pub struct SolveAll<S, A = Solution> {
    /// None behind the last board.
    boards: Option<Pin<Box<S>>>,
    /// None when every board is sent.
    sending: Option<Boards<()>>,
    /// None when the run is over. Dropping it ends the run.
    answers: Option<Answers<()>>,
    /// What is left of the last batch.
    ready: vec::IntoIter<Answered<()>>,
    convert: fn(Answer) -> Result<A, Error>,
    /// Dropped last: it may hold the server.
    client: Client,
}

impl<S, A> SolveAll<S, A> {
    pub(super) fn new(
        client: Client,
        boards: S,
        outcome_only: bool,
        convert: fn(Answer) -> Result<A, Error>,
    ) -> SolveAll<S, A> {
        let (sending, answers) = client.pool().solve(outcome_only);
        SolveAll {
            boards: Some(Box::pin(boards)),
            sending: Some(sending),
            answers: Some(answers),
            ready: Vec::new().into_iter(),
            convert,
            client,
        }
    }

    fn end(&mut self) {
        (self.boards, self.sending, self.answers) = (None, None, None);
    }
}

impl<S: Stream<Item: Into<Board>>, A> SolveAll<S, A> {
    /// Takes boards until a batch is full, or for as long as there are any. Pending: there is nothing to do until the
    /// source, the memory or an answer wakes the task.
    fn poll_feed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (Some(sending), Some(answers)) = (&mut self.sending, &self.answers) else { return Poll::Pending };
        loop {
            if ready!(sending.poll_sent(cx)).is_err() {
                // The run is over before its time; its answers say why.
                self.sending = None;
                return Poll::Ready(());
            }
            let Some(boards) = &mut self.boards else {
                sending.complete();
                self.sending = None;
                return Poll::Ready(());
            };
            match boards.as_mut().poll_next(cx) {
                Poll::Ready(Some(board)) => {
                    let batches = sending.batches();
                    sending.start_push(board.into(), ());
                    if sending.batches() > batches {
                        return sending.poll_sent(cx).map(|_closed| ());
                    }
                }
                Poll::Ready(None) => {
                    self.boards = None;
                    sending.start_flush();
                }
                Poll::Pending => {
                    if sending.batches() - answers.batches() < SMALL_BATCHES {
                        sending.start_flush();
                        // Closed: an answer says so.
                        let _closed = ready!(sending.poll_sent(cx));
                    }
                    return Poll::Pending;
                }
            }
        }
    }
}

impl<S: Stream<Item: Into<Board>>, A> Stream for SolveAll<S, A> {
    type Item = Result<A, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<A, Error>>> {
        let this = self.get_mut();
        for _ in 0..BATCHES_A_POLL {
            if let Some(entry) = this.ready.next() {
                let lost = || Err(BoardError::new(Reason::Internal, "the answer was lost on its way"));
                let answer = entry.answer.unwrap_or_else(lost);
                return Poll::Ready(Some(answer.map_err(Error::from).and_then(this.convert)));
            }
            let Some(answers) = &mut this.answers else { return Poll::Ready(None) };
            match answers.poll(cx) {
                Poll::Ready(Ok(Some(answered))) => this.ready = answered.into_iter(),
                Poll::Ready(Ok(None)) => {
                    this.end();
                    return Poll::Ready(None);
                }
                Poll::Ready(Err(failure)) => {
                    this.end();
                    return Poll::Ready(Some(Err(failure.error.into())));
                }
                Poll::Pending => ready!(this.poll_feed(cx)),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S, A> fmt::Debug for SolveAll<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_over = self.answers.is_none();
        f.debug_struct("SolveAll").field("client", &self.client).field("is_over", &is_over).finish_non_exhaustive()
    }
}
