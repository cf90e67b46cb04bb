//! A question for an explanation, put together step by step.

use std::pin::Pin;

use super::{Client, Error};
use crate::explain::{Explanation, Move, Wants};
use crate::games::Board;

/// A question for an explanation; nothing is asked until it is awaited. Made by [`Client::explain`].
#[derive(Debug, Clone)]
#[must_use = "nothing is asked until it is awaited"]
pub struct Explain {
    client: Client,
    board: Board,
    moves: Vec<Move>,
    wants: Wants,
}

impl Explain {
    pub(super) fn new(client: Client, board: Board) -> Explain {
        Explain { client, board, moves: Vec::new(), wants: Wants::default() }
    }

    /// Plays these moves first, after those that were given before; each is judged. At most
    /// [`MOST_MOVES`](crate::explain::MOST_MOVES).
    pub fn moves(mut self, moves: &[Move]) -> Explain {
        self.moves.extend_from_slice(moves);
        self
    }

    /// Also lists every move with what it leaves.
    pub fn options(mut self) -> Explain {
        self.wants.options = true;
        self
    }

    /// Also plays to the end.
    pub fn line(mut self) -> Explain {
        self.wants.line = true;
        self
    }
}

impl IntoFuture for Explain {
    /// [`Error::Board`] for a board or a move at fault; [`Error::Call`] if no server answers.
    type Output = Result<Explanation, Error>;
    /// Cancel-safe: dropping it resets the call, and the server stops.
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let pool = self.client.pool();
            pool.admit(&self.board)?;
            Ok(pool.explain(&self.board, &self.moves, self.wants).await??)
        })
    }
}
