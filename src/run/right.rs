//! The right answers of a file, case by case, with as many of those that follow in sight as somebody wants.

use std::collections::VecDeque;
use std::sync::Arc;

use super::error::Error;
use super::feed::{Meter, Read};
use crate::client::{Answered, Answers};
use crate::games::{Answer, Board};

/// Batches that are waited for to see further; boards of which this is not enough are large.
const MOST_BATCHES: usize = 16;

/// What came through for an entry of the input, with its board.
pub(super) type Entry = Answered<Read<Board>>;

/// The entries that are to come.
pub(super) struct Right {
    source: Answers<Read<Board>>,
    meter: Arc<Meter>,
    held: VecDeque<Entry>,
    /// How the entries end behind those that are held, if that is known.
    end: Option<Result<(), Error>>,
}

impl Right {
    pub(super) fn new(source: Answers<Read<Board>>, meter: Arc<Meter>) -> Right {
        Right { source, meter, held: VecDeque::new(), end: None }
    }

    /// Waits for the next entry; none behind the last.
    pub(super) async fn next(&mut self) -> Result<Option<Entry>, Error> {
        while self.held.is_empty() && self.end.is_none() {
            self.wait().await;
        }
        match self.held.pop_front() {
            Some(entry) => Ok(Some(entry)),
            None => self.end.replace(Ok(())).unwrap_or(Ok(())).map(|()| None),
        }
    }

    /// The answers of the next cases, up to `most` with their boards, and whether no case follows behind them. Waits for
    /// those that are on their way.
    pub(super) async fn ahead(&mut self, most: usize) -> (Vec<(&Board, &Answer)>, bool) {
        for _ in 0..MOST_BATCHES {
            if self.held.len() > most || self.end.is_some() {
                break;
            }
            self.wait().await;
        }
        let answers = self.held.iter().map_while(|entry| match (&entry.tag, &entry.answer) {
            (Ok(case), Some(Ok(answer))) => Some((&case.kept, answer)),
            _ => None,
        });
        let answers: Vec<_> = answers.take(most).collect();
        let is_end = answers.len() == self.held.len() && matches!(self.end, Some(Ok(())));
        (answers, is_end)
    }

    async fn wait(&mut self) {
        match self.source.wait().await {
            Ok(Some(answered)) => {
                self.meter.add_cases(answered.len() as u64);
                self.held.extend(answered);
            }
            Ok(None) => self.end = Some(Ok(())),
            Err(error) => self.end = Some(Err(error.into())),
        }
    }
}
