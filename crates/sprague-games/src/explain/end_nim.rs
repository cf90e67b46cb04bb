//! End-Nim in play: the thresholds at both ends, and the rule that gives each.

use super::reason::{Case, LISTED, Left, Listed, Move, Play, Reason, Refused, Rule, Threshold};
use super::{Explanation, Fault, Wants, Work, of};
use crate::games::end_nim::{self, Board, End, Thresholds};
use crate::message::count;
use crate::theory::{Control, Stopped};

/// The piles that are left; the game is over if there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Stones, left to right.
    pub piles: Vec<u64>,
}

impl Position {
    pub(super) fn columns(&self) -> Option<u32> {
        None
    }
}

pub(super) fn work(board: &Board) -> Work {
    Work { first: 0, each: 2000 + 4 * end_nim::cost(board) + 8 * board.piles().len() as u64 }
}

pub(super) fn explain(board: &Board, moves: &[Move], wants: Wants, control: &Control) -> Result<Explanation, Fault> {
    of(Row::new(board, control), moves, wants)
}

/// A row in play.
#[derive(Clone)]
struct Row<'c> {
    piles: Vec<u64>,
    /// The first pile that is left.
    first: usize,
    control: &'c Control,
}

impl<'c> Row<'c> {
    /// The row before any move.
    fn new(board: &Board, control: &'c Control) -> Row<'c> {
        Row { piles: board.piles().to_vec(), first: 0, control }
    }

    fn piles(&self) -> &[u64] {
        &self.piles[self.first..]
    }

    /// A board of what is left, with other piles at its ends: at least one pile, and none of 0.
    fn board(&self, piles: Vec<u64>) -> Result<Board, Stopped> {
        self.control.spend(50 + piles.len() as u64)?;
        Ok(Board::new(piles).expect("no pile is 0"))
    }

    /// The thresholds of both ends; a single pile has 0 for both: what is left when it is gone is lost.
    fn thresholds(&self) -> Result<Thresholds, Stopped> {
        let board = self.board(self.piles().to_vec())?;
        Ok(end_nim::thresholds(&board, self.control)?.unwrap_or(Thresholds { left: 0, right: 0 }))
    }

    /// What loses on the left of the piles between the ends, and what on their right.
    fn between(&self) -> Result<(u64, u64), Stopped> {
        let piles = self.piles();
        let inside = &piles[1..piles.len() - 1];
        // The size of the pile whose place is asked for does not matter.
        let left = self.board([&[1], inside].concat())?;
        let right = self.board([inside, &[1]].concat())?;
        let left = end_nim::thresholds(&left, self.control)?.map_or(0, |found| found.left);
        let right = end_nim::thresholds(&right, self.control)?.map_or(0, |found| found.right);
        Ok((left, right))
    }

    /// The pile at an end of a row that has one.
    fn pile(&self, end: End) -> u64 {
        let piles = self.piles();
        match end {
            End::Left => piles[0],
            End::Right => piles[piles.len() - 1],
        }
    }
}

/// How the far end pile lies to what loses on both sides of the stretch.
fn case(x: u64, far: u64, near: u64) -> Case {
    if x == near {
        Case::Tie
    } else if x < far.min(near) || x > far.max(near) {
        Case::Outside
    } else if near < far {
        Case::Less
    } else {
        Case::More
    }
}

impl Play for Row<'_> {
    fn left_by(&self, played: Move) -> Result<Left, Refused> {
        let Move::End(end_nim::Move { end, take }) = played else {
            return Err(Refused::Illegal("a move in end-nim takes stones from an end, as left:4".into()));
        };
        if self.piles().is_empty() {
            return Err(Refused::Illegal("the game is over: there is no stone left".into()));
        }
        let (pile, name) = (self.pile(end), if end == End::Left { "left" } else { "right" });
        if take == 0 {
            return Err(Refused::Illegal("a move takes one stone or more".into()));
        }
        if take > pile {
            let message = format!("{} cannot be taken: the pile at the {name} end has {pile}", count(take, "stone"));
            return Err(Refused::Illegal(message));
        }
        if self.piles().len() == 1 && take == pile {
            return Ok(Left::Over);
        }
        let Thresholds { left, right } = self.thresholds()?;
        Ok(Left::Stones { stones: pile - take, threshold: if end == End::Left { left } else { right } })
    }

    fn play(&mut self, played: Move) -> Result<(), Stopped> {
        let Move::End(end_nim::Move { end, take }) = played else { return Ok(()) };
        let (at, is_left) = match end {
            End::Left => (self.first, true),
            End::Right => (self.piles.len() - 1, false),
        };
        self.piles[at] -= take;
        if self.piles[at] == 0 && is_left {
            self.first += 1;
        } else if self.piles[at] == 0 {
            self.piles.pop();
        }
        Ok(())
    }

    fn winning_moves(&self) -> Result<Vec<Move>, Stopped> {
        let board = self.board(self.piles().to_vec())?;
        Ok(end_nim::solve(&board, self.control)?.winning_ends.into_iter().map(Move::End).collect())
    }

    fn moves(&self) -> Listed<Move> {
        let at_end =
            |end, pile: u64| (1..=pile.min(LISTED as u64 / 2)).map(move |take| Move::End(end_nim::Move { end, take }));
        match *self.piles() {
            [] => Listed::of(Vec::new()),
            [only] => Listed { items: at_end(End::Left, only).collect(), total: only },
            [first, .., last] => Listed {
                items: at_end(End::Left, first).chain(at_end(End::Right, last)).collect(),
                total: first.saturating_add(last),
            },
        }
    }

    fn reason(&self) -> Result<Reason, Stopped> {
        let (first, last) = match *self.piles() {
            [] => return Ok(Reason::Over),
            [_] => return Ok(Reason::OnePile),
            [first, .., last] => (first, last),
        };
        let Thresholds { left, right } = self.thresholds()?;
        let (left_rule, right_rule) = if self.piles().len() == 2 {
            (Rule::Equal, Rule::Equal)
        } else {
            let (on_left, on_right) = self.between()?;
            let rule = |x, far, near| Rule::Stretch { x, far, near, case: case(x, far, near) };
            (rule(last, on_left, on_right), rule(first, on_right, on_left))
        };
        Ok(Reason::Thresholds {
            left: Threshold { value: left, pile: first, rule: left_rule },
            right: Threshold { value: right, pile: last, rule: right_rule },
        })
    }

    fn position(&self) -> super::Position {
        super::Position::EndNim(Position { piles: self.piles().to_vec() })
    }
}
