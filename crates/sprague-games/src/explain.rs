//! Why a position is won or lost: reasons that can be checked by hand, moves judged in turn, refutations, play to the end.
//!
//! Everything here follows from a game's theory and its solver; nothing is taken on trust: a reply that is said to beat a
//! move is played, and the position after it is solved.

pub mod reason;
mod turned;

pub use self::reason::{Choice, Left, Listed, Move, Reason};
use self::reason::{Play, Refused};
use crate::for_each_game;
use crate::games::{Board, Game, Outcome};
use crate::theory::{Control, Stopped};

macro_rules! explanations {
    ($($game:ident: $module:ident,)+) => {
        $(pub mod $module;)+

        /// A position: what a board becomes when moves are played on it. A finished game is one too.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Position {
            $(
                #[doc = concat!("Of [`", stringify!($module), "`](crate::games::", stringify!($module), ").")]
                $game($module::Position),
            )+
        }

        impl Position {
            /// The game.
            pub fn game(&self) -> Game {
                match self {
                    $(Position::$game(_) => Game::$game,)+
                }
            }

            /// Cells in a row, where cells are named by row and column.
            pub fn columns(&self) -> Option<u32> {
                match self {
                    $(Position::$game(position) => position.columns(),)+
                }
            }
        }

        /// About what it takes to set a game up, and then to explain each position of it, in the unit of `cost`.
        fn work(board: &Board) -> Work {
            match board {
                $(Board::$game(board) => $module::work(board),)+
            }
        }

        /// Explains the position that the moves lead to, and judges them on the way. Deterministic.
        ///
        /// ```
        /// use sprague_games::explain::{Move, Wants, explain};
        /// use sprague_games::games::{Outcome, treblecross};
        /// use sprague_games::theory::Control;
        ///
        /// let board = treblecross::Board::empty(7)?;
        /// let explanation = explain(&board.into(), &[Move::Cell(0)], Wants::default(), &Control::unlimited())?;
        /// let first = &explanation.moves[0];
        /// assert!(first.was_won && first.reply.is_some(), "the move gave a won position away");
        /// assert_eq!(explanation.outcome, Outcome::FirstPlayerWins); // of the player to move now
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        /// The first move that the rules do not allow, or `Stopped`.
        pub fn explain(board: &Board, moves: &[Move], wants: Wants, control: &Control) -> Result<Explanation, Fault> {
            match board {
                $(Board::$game(board) => $module::explain(board, moves, wants, control),)+
            }
        }
    };
}

for_each_game!(explanations);

/// The most moves of one request, and of a line of play: a game of more is not followed move by move.
pub const MOST_MOVES: usize = 1000;

/// What is wanted beside the outcome, its reason and the winning moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Every move with what it leaves.
    pub options: bool,
    /// Play to the end: the winner's lowest winning move, the loser's lowest move.
    pub line: bool,
}

/// A move that was played, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The move and what it left.
    pub choice: Choice,
    /// Whether the player who made it could have won.
    pub was_won: bool,
    /// The lowest reply that beats a losing move.
    pub reply: Option<Choice>,
}

/// A position explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The moves that led to it, judged in turn.
    pub moves: Vec<Judged>,
    /// The position.
    pub position: Position,
    /// Who wins it: the first player is the one to move now.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
    /// Every winning move, in increasing order, with what it leaves.
    pub winning_moves: Listed<Choice>,
    /// Every move with what it leaves, if it was wanted.
    pub options: Option<Listed<Choice>>,
    /// Play to the end, if it was wanted; `total` is more than there are moves where it was cut at `MOST_MOVES`.
    pub line: Option<Line>,
}

/// A line of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The moves, both players' in turn.
    pub moves: Vec<Move>,
    /// The game was not over after `MOST_MOVES`.
    pub is_cut: bool,
}

/// Why there is no explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A move that the rules do not allow.
    #[error("move {}: {what}", number + 1)]
    BadMove {
        /// Which of the moves, from 0.
        number: u32,
        /// What is wrong with it.
        what: String,
    },
    /// The work is no longer paid for.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// What it takes to explain positions of a game.
struct Work {
    /// Before the first one.
    first: u64,
    /// Of each one.
    each: u64,
}

/// Estimates the work of `explain`, in units of about a nanosecond of one core, in at most one pass over the board.
pub fn cost(board: &Board, moves: usize, wants: Wants) -> u64 {
    let line = if wants.line { MOST_MOVES } else { 0 };
    let positions = (moves + line) as u64 + 4;
    let Work { first, each } = work(board);
    let options = if wants.options { reason::LISTED as u64 / 10 * each.min(20_000) } else { 0 };
    first.saturating_add(positions.saturating_mul(each)).saturating_add(options)
}

fn of(mut game: impl Play + Clone, moves: &[Move], wants: Wants) -> Result<Explanation, Fault> {
    let mut judged = Vec::with_capacity(moves.len());
    for (number, &played) in (0..).zip(moves) {
        let was_won = !game.winning_moves()?.is_empty();
        let left = left(&game, number, played)?;
        game.play(played)?;
        let reply = if left.wins() { None } else { Some(refutation(&game)?) };
        judged.push(Judged { choice: Choice { played, left }, was_won, reply });
    }
    let winning = game.winning_moves()?;
    let outcome = if winning.is_empty() { Outcome::SecondPlayerWins } else { Outcome::FirstPlayerWins };
    let total = winning.len() as u64;
    let winning = choices(&game, winning.into_iter().take(reason::LISTED))?;
    let options = match wants.options {
        true => {
            let Listed { items, total } = game.moves();
            Some(Listed { items: choices(&game, items)?, total })
        }
        false => None,
    };
    Ok(Explanation {
        moves: judged,
        position: game.position(),
        outcome,
        reason: game.reason()?,
        winning_moves: Listed { items: winning, total },
        options,
        line: if wants.line { Some(line(game)?) } else { None },
    })
}

fn left(game: &impl Play, number: u32, played: Move) -> Result<Left, Fault> {
    game.left_by(played).map_err(|refused| match refused {
        Refused::Illegal(what) => Fault::BadMove { number, what },
        Refused::Stopped(stopped) => stopped.into(),
    })
}

fn choices(game: &impl Play, moves: impl IntoIterator<Item = Move>) -> Result<Vec<Choice>, Fault> {
    moves.into_iter().map(|played| Ok(Choice { played, left: left(game, 0, played)? })).collect()
}

/// The lowest move that wins a won position, and what it leaves; the position after it is solved to make sure.
///
/// # Panics
/// The position is lost, or the move does not win: the theory and the solver disagree, and no answer is better than a
/// wrong one.
fn refutation(game: &(impl Play + Clone)) -> Result<Choice, Fault> {
    let played = *game.winning_moves()?.first().expect("a move that does not win leaves a won position");
    let left = left(game, 0, played)?;
    let mut after = game.clone();
    after.play(played)?;
    assert!(left.wins() && after.winning_moves()?.is_empty(), "{played:?} does not win");
    Ok(Choice { played, left })
}

/// Plays on: the winner's lowest winning move, the loser's lowest move.
fn line(mut game: impl Play) -> Result<Line, Fault> {
    let mut moves = Vec::new();
    while moves.len() < MOST_MOVES {
        let winning = game.winning_moves()?.first().copied();
        let Some(played) = winning.or_else(|| game.moves().items.first().copied()) else {
            return Ok(Line { moves, is_cut: false });
        };
        game.play(played)?;
        moves.push(played);
    }
    Ok(Line { is_cut: !game.moves().items.is_empty(), moves })
}
