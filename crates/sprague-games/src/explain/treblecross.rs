//! Treblecross in play: immediate wins, the cells that lose at once, the zones with their nim-values.

use bytes::Bytes;

use super::reason::{Cells, Left, Listed, Move, Part, Play, Reason, Refused};
use super::{Explanation, Fault, Wants, Work, of};
use crate::games::treblecross::{self, Board, Value, Zone};
use crate::message::count;
use crate::theory::{Control, Stopped, nim_sum};

/// A strip with `.` and `X`; the game is over if there is an XXX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// One byte a cell.
    pub cells: Bytes,
}

impl Position {
    pub(super) fn columns(&self) -> Option<u32> {
        None
    }
}

pub(super) fn work(board: &Board) -> Work {
    Work { first: treblecross::cost(board), each: 2000 + 8 * board.cells().len() as u64 }
}

pub(super) fn explain(board: &Board, moves: &[Move], wants: Wants, control: &Control) -> Result<Explanation, Fault> {
    of(Strip::new(board, control)?, moves, wants)
}

/// A strip in play.
#[derive(Clone)]
struct Strip<'c> {
    cells: Vec<u8>,
    /// The cells of the XXX that ended the game, if it is over.
    is_over: bool,
    winning_cells: Vec<u32>,
    /// No move makes an XXX: the zones decide.
    is_quiet: bool,
    zones: Vec<(Zone, u32)>,
    control: &'c Control,
}

impl<'c> Strip<'c> {
    /// The board before any move.
    fn new(board: &Board, control: &'c Control) -> Result<Strip<'c>, Stopped> {
        // Grows the table to the longest zone there will be; from here on its values are for the taking.
        treblecross::solve(board, control)?;
        let mut strip = Strip {
            cells: board.cells().to_vec(),
            is_over: false,
            winning_cells: Vec::new(),
            is_quiet: false,
            zones: Vec::new(),
            control,
        };
        strip.look()?;
        Ok(strip)
    }

    /// Solves the position as it is now.
    fn look(&mut self) -> Result<(), Stopped> {
        // Two copies, two passes over cells.
        self.control.spend(200 + 2 * self.cells.len() as u64)?;
        (self.winning_cells, self.zones, self.is_quiet) = (Vec::new(), Vec::new(), false);
        self.is_over = self.cells.windows(3).any(|three| three == b"XXX");
        if self.is_over {
            return Ok(());
        }
        let board = Board::new(Bytes::copy_from_slice(&self.cells)).expect("no XXX, and as long as before");
        let paid = Control::unlimited();
        let solution = treblecross::solve(&board, &paid)?;
        self.winning_cells = solution.winning_cells;
        self.is_quiet = matches!(solution.value, Value::Nimber(_));
        for zone in treblecross::zones(&board) {
            self.zones.push((zone, treblecross::zone_value(zone.length as usize, &paid)?));
        }
        Ok(())
    }

    fn sum(&self) -> u32 {
        nim_sum(self.zones.iter().map(|(_, value)| *value))
    }

    fn is_x(&self, at: usize) -> bool {
        self.cells.get(at) == Some(&b'X')
    }

    /// Whether an X at `at` completes three.
    fn completes(&self, at: usize) -> bool {
        let left = |by: usize| at.checked_sub(by).is_some_and(|at| self.is_x(at));
        let right = |by: usize| self.is_x(at + by);
        left(1) && (left(2) || right(1)) || right(1) && right(2)
    }

    /// The lowest cell with which the opponent completes three after a move at `at` that did not, if there is one.
    fn exposes(&self, at: usize) -> Option<u32> {
        // Elsewhere nothing changed: what was there to complete still is.
        let winning = if self.is_quiet { &[][..] } else { &self.winning_cells[..] };
        let standing = winning.iter().copied().find(|&cell| cell as usize != at);
        let near = at.saturating_sub(2)..(at + 3).min(self.cells.len());
        let with = |cell: usize| if cell == at { true } else { self.is_x(cell) };
        let completes = |cell: usize| {
            (cell.saturating_sub(2)..=cell).any(|from| {
                let three = from..from + 3;
                three.end <= self.cells.len() && three.clone().filter(|&other| other != cell).all(with)
            })
        };
        let made = near.filter(|&cell| cell != at && !self.is_x(cell)).find(|&cell| completes(cell));
        standing.into_iter().chain(made.map(|cell| cell as u32)).min()
    }

    fn part(&self, start: u32, length: u32) -> Result<Option<Part>, Stopped> {
        if length == 0 {
            return Ok(None);
        }
        let value = treblecross::zone_value(length as usize, &Control::unlimited())?;
        Ok(Some(Part { cells: Cells::Run { start, length }, value }))
    }
}

impl Play for Strip<'_> {
    fn left_by(&self, played: Move) -> Result<Left, Refused> {
        let Move::Cell(cell) = played else {
            return Err(Refused::Illegal("a move in treblecross is a cell".into()));
        };
        let at = cell as usize;
        if self.is_over {
            return Err(Refused::Illegal("the game is over: there is XXX on the board".into()));
        }
        if at >= self.cells.len() {
            let message = format!(
                "cell {} is not on the board of {}",
                u64::from(cell) + 1,
                count(self.cells.len() as u64, "cell")
            );
            return Err(Refused::Illegal(message));
        }
        if self.is_x(at) {
            return Err(Refused::Illegal(format!("cell {} is taken", at + 1)));
        }
        self.control.spend(50)?;
        if self.completes(at) {
            return Ok(Left::Over);
        }
        if let Some(reply) = self.exposes(at) {
            return Ok(Left::Exposed { reply });
        }
        let after = self.zones.partition_point(|(zone, _)| zone.start <= cell);
        let (Zone { start, length }, value) = self.zones[after - 1];
        let inside = cell - start;
        let left = self.part(start, inside.saturating_sub(2))?;
        let right_length = (length - inside).saturating_sub(3);
        let right = self.part(start + length - right_length, right_length)?;
        let parts: Vec<Part> = left.into_iter().chain(right).collect();
        let nim_sum = parts.iter().fold(self.sum() ^ value, |sum, part| sum ^ part.value);
        Ok(Left::Parts { parts, nim_sum })
    }

    fn play(&mut self, played: Move) -> Result<(), Stopped> {
        if let Move::Cell(cell) = played {
            self.cells[cell as usize] = b'X';
        }
        self.look()
    }

    fn winning_moves(&self) -> Result<Vec<Move>, Stopped> {
        Ok(self.winning_cells.iter().map(|&cell| Move::Cell(cell)).collect())
    }

    fn moves(&self) -> Listed<Move> {
        if self.is_over {
            return Listed::of(Vec::new());
        }
        let empty = (0..).zip(&self.cells).filter(|(_, cell)| **cell == b'.').map(|(at, _)| Move::Cell(at));
        Listed::of(empty.collect())
    }

    fn reason(&self) -> Result<Reason, Stopped> {
        if self.is_over {
            return Ok(Reason::Over);
        }
        if !self.is_quiet {
            return Ok(Reason::ImmediateWin { cells: Listed::of(self.winning_cells.clone()) });
        }
        let mut deadly = Vec::new();
        let mut from = 0;
        let ends = self.zones.iter().map(|(zone, _)| (zone.start, zone.start + zone.length));
        for (start, end) in ends.chain([(self.cells.len() as u32, 0)]) {
            deadly.extend((from..start).filter(|&cell| !self.is_x(cell as usize)));
            from = end;
        }
        let part = |(zone, value): &(Zone, u32)| Part {
            cells: Cells::Run { start: zone.start, length: zone.length },
            value: *value,
        };
        Ok(Reason::Zones {
            zones: Listed::of(self.zones.iter().map(part).collect()),
            deadly: Listed::of(deadly),
            nim_sum: self.sum(),
        })
    }

    fn position(&self) -> super::Position {
        super::Position::Treblecross(Position { cells: Bytes::copy_from_slice(&self.cells) })
    }
}
