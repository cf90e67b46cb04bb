//! Boards gathered into batches, and what becomes of a batch.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use crate::games::{self, Answer, Board, Game, Sizes};
use crate::message::count;
use crate::wire::bulk::{self, Packing};
use crate::wire::facts::ServerFacts;
use crate::wire::{self, BoardError, Reason, v1};

/// Work in one batch, in the unit of `games::cost` (about a nanosecond). A batch is answered as a whole, so heavy boards
/// travel in small company: answers flow, lanes share evenly, and little is done twice when a server is lost.
const BATCH_COST: u64 = 10_000_000;

/// What an entry takes of memory beside its bytes on the wire: its tag, its answer, its share of vectors.
const ENTRY_BYTES: usize = 128;

/// A message limit for a server that names none: what gRPC programs accept unless told otherwise.
const COMMON_MESSAGE_BYTES: u64 = 4 << 20;

/// What every server of a run takes: the least of what each one said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) sizes: Sizes,
    pub(super) message_bytes: usize,
    pub(super) boards_per_batch: usize,
    pub(super) batch_bytes: usize,
    pub(super) batches_in_flight: usize,
}

impl Terms {
    /// A limit of 0 is one that the server does not know.
    pub(super) fn of(facts: &ServerFacts) -> Terms {
        let at_most = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        let known = |limit: u64, otherwise: u64| at_most(if limit == 0 { otherwise } else { limit });
        let limits = &facts.limits;
        Terms {
            sizes: facts.sizes,
            message_bytes: known(limits.message_bytes, COMMON_MESSAGE_BYTES),
            boards_per_batch: known(limits.boards_per_batch.into(), u64::MAX),
            batch_bytes: known(facts.recommended_batch_bytes, 64 * 1024),
            batches_in_flight: known(limits.batches_in_flight.into(), u64::MAX),
        }
    }

    /// The least of both, limit by limit.
    pub(super) fn and(&self, other: &Terms) -> Terms {
        Terms {
            sizes: self.sizes.least(other.sizes),
            message_bytes: self.message_bytes.min(other.message_bytes),
            boards_per_batch: self.boards_per_batch.min(other.boards_per_batch),
            batch_bytes: self.batch_bytes.min(other.batch_bytes),
            batches_in_flight: self.batches_in_flight.min(other.batches_in_flight),
        }
    }

    /// Whether a board of so many bytes on the wire fits a message.
    pub(super) fn admit(&self, bytes: usize) -> Result<(), BoardError> {
        if bytes <= self.message_bytes {
            return Ok(());
        }
        let message = format!(
            "the board takes {} on the wire, more than the server's limit of {} a message",
            count(bytes as u64, "byte"),
            count(self.message_bytes as u64, "byte")
        );
        Err(BoardError::new(Reason::TooManyCells, message))
    }

    /// Whether a server with these limits takes everything that is sent under ours.
    pub(super) fn are_met_by(&self, other: &Terms) -> bool {
        let least = self.and(other);
        (least.sizes, least.message_bytes, least.boards_per_batch)
            == (self.sizes, self.message_bytes, self.boards_per_batch)
    }
}

/// What one entry of a batch is: a board that was sent, or something that only keeps its place.
#[derive(Debug)]
pub(super) enum Kind {
    Sent(Game),
    Unsendable(BoardError),
    Note,
}

/// Boards on their way, with the caller's tags. The message is encoded once, however often it is sent.
#[derive(Debug)]
pub(super) struct Batch<T> {
    pub(super) id: u64,
    pub(super) message: Bytes,
    pub(super) boards: usize,
    pub(super) cost: u64,
    pub(super) entries: Vec<(T, Kind)>,
    /// The batch's part of the memory that a run may take; given back when its answers are handed out.
    pub(super) memory: Option<OwnedSemaphorePermit>,
}

/// An entry that came through, in its place.
#[derive(Debug)]
pub struct Answered<T> {
    /// What the caller gave along.
    pub tag: T,
    /// The answer, or the server's word on this board; none for a note.
    pub answer: Option<Result<Answer, BoardError>>,
}

/// A batch that came through.
#[derive(Debug)]
pub(super) struct Done<T> {
    pub(super) id: u64,
    pub(super) answered: Vec<Answered<T>>,
    pub(super) memory: Option<OwnedSemaphorePermit>,
}

impl<T> Done<T> {
    /// The answers, for the caller to hold from now on: the batch's memory is free for another.
    pub(super) fn hand_out(self) -> Vec<Answered<T>> {
        drop(self.memory);
        self.answered
    }
}

impl<T> Batch<T> {
    /// What the batch and its answers take of memory, about.
    pub(super) fn weight(&self) -> usize {
        self.message.len() + ENTRY_BYTES * self.entries.len()
    }

    /// Takes the results apart, one a board that was sent, joins them to the entries, and counts those that are errors of
    /// the server's.
    pub(super) fn done(self, results: Vec<v1::BoardResult>) -> (Done<T>, u64) {
        let mut failed = 0;
        let mut results = results.into_iter().inspect(|result| failed += u64::from(bulk::is_error(result)));
        let answered = self.entries.into_iter().map(|(tag, kind)| Answered {
            tag,
            answer: match kind {
                Kind::Sent(game) => results.next().map(|result| wire::answer(game, result)),
                Kind::Unsendable(error) => Some(Err(error)),
                Kind::Note => None,
            },
        });
        let answered = answered.collect();
        (Done { id: self.id, answered, memory: self.memory }, failed)
    }

    /// The caller's tags, in order.
    pub(super) fn into_tags(self) -> Vec<T> {
        self.entries.into_iter().map(|(tag, _)| tag).collect()
    }
}

/// Fills batches up to the terms of the servers.
#[derive(Debug)]
pub(super) struct Filler<T> {
    terms: Terms,
    outcome_only: bool,
    next_id: u64,
    packing: Packing,
    cost: u64,
    entries: Vec<(T, Kind)>,
}

impl<T> Filler<T> {
    pub(super) fn new(terms: Terms, outcome_only: bool) -> Filler<T> {
        Filler { terms, outcome_only, next_id: 0, packing: Packing::default(), cost: 0, entries: Vec::new() }
    }

    /// Adds a board. Returns the batch before it where the board does not fit, for the caller to send first; whether the
    /// batch is now full is `is_full`'s to say.
    pub(super) fn push(&mut self, board: Board, tag: T) -> Option<Batch<T>> {
        let most = Packing::most(&board);
        if let Err(error) = self.terms.admit(most) {
            self.entries.push((tag, Kind::Unsendable(error)));
            return None;
        }
        let before = if self.packing.bytes() + most > self.terms.message_bytes { self.take() } else { None };
        self.cost = self.cost.saturating_add(games::cost(&board));
        self.entries.push((tag, Kind::Sent(board.game())));
        self.packing.push(&board);
        before
    }

    /// Adds an entry without a board.
    pub(super) fn note(&mut self, tag: T) {
        self.entries.push((tag, Kind::Note));
    }

    /// Whether the batch should be sent now.
    pub(super) fn is_full(&self) -> bool {
        self.packing.bytes() >= self.terms.batch_bytes
            || self.entries.len() >= self.terms.boards_per_batch
            || self.entries.len() * ENTRY_BYTES >= self.terms.batch_bytes * 4
            || self.cost >= BATCH_COST
    }

    /// Batches taken so far.
    pub(super) fn batches(&self) -> u64 {
        self.next_id
    }

    /// The batch so far, if anything is in it.
    pub(super) fn take(&mut self) -> Option<Batch<T>> {
        if self.entries.is_empty() {
            return None;
        }
        let id = self.next_id;
        self.next_id += 1;
        let boards = self.packing.boards();
        let capacity = self.entries.len();
        Some(Batch {
            id,
            boards,
            message: self.packing.finish(id, self.outcome_only),
            cost: std::mem::take(&mut self.cost),
            entries: std::mem::replace(&mut self.entries, Vec::with_capacity(capacity)),
            memory: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{end_nim, treblecross};

    fn terms() -> Terms {
        Terms {
            sizes: Sizes::default(),
            message_bytes: 1000,
            boards_per_batch: 7,
            batch_bytes: 200,
            batches_in_flight: 4,
        }
    }

    fn row(cells: usize) -> Board {
        Board::Treblecross(treblecross::Board::new(vec![b'.'; cells].into()).expect("an empty board"))
    }

    /// Pushes boards of these sizes and returns the number of entries of each batch and its bytes.
    fn fill(terms: Terms, boards: impl IntoIterator<Item = Board>) -> Vec<(usize, usize)> {
        let mut filler = Filler::new(terms, false);
        let mut batches = Vec::new();
        for (number, board) in boards.into_iter().enumerate() {
            batches.extend(filler.push(board, number));
            if filler.is_full() {
                batches.extend(filler.take());
            }
        }
        batches.extend(filler.take());
        batches.iter().map(|batch| (batch.entries.len(), batch.message.len())).collect()
    }

    #[test]
    fn a_batch_closes_at_its_bytes_its_count_or_its_cost() {
        let counts = |boards: Vec<Board>| fill(terms(), boards).iter().map(|batch| batch.0).collect::<Vec<_>>();
        assert_eq!(counts(vec![row(3); 20]), [7, 7, 6]);
        assert_eq!(counts(vec![row(100); 5]), [2, 2, 1]);
        let heavy = Board::EndNim(end_nim::Board::new(vec![1_000_000_007; 90]).expect("no empty pile"));
        assert_eq!(counts(vec![heavy; 3]), [1, 1, 1]);
    }

    #[test]
    fn no_message_is_longer_than_the_limit() {
        for cells in [50, 150, 400, 700, 960] {
            let batches = fill(terms(), vec![row(cells); 20]);
            assert!(batches.iter().all(|&(_, bytes)| bytes <= 1000), "{cells}: {batches:?}");
            assert_eq!(batches.iter().map(|batch| batch.0).sum::<usize>(), 20);
        }
    }

    #[test]
    fn a_board_that_fits_no_message_is_answered_here() {
        let mut filler = Filler::new(terms(), false);
        assert!(filler.push(row(1000), 'a').is_none());
        let batch = filler.take().expect("one entry");
        assert_eq!(batch.boards, 0);
        let (done, failed) = batch.done(Vec::new());
        assert_eq!(failed, 0);
        let Some(Err(error)) = &done.answered[0].answer else { panic!("{done:?}") };
        assert!(error.message.contains("limit of 1000 bytes"), "{error}");
    }

    #[test]
    fn the_terms_are_the_least_of_what_each_server_takes() {
        let small = Terms { message_bytes: 10, ..terms() };
        let few = Terms { boards_per_batch: 2, ..terms() };
        let both = small.and(&few);
        assert_eq!((both.message_bytes, both.boards_per_batch), (10, 2));
        assert!(both.are_met_by(&small) && both.are_met_by(&few));
        assert!(!small.are_met_by(&Terms { message_bytes: 9, ..terms() }));
    }
}
