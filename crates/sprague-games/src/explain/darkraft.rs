//! Darkraft in play: two colours that never meet, each falling into parts with nim-values of their own.

use bytes::Bytes;

use super::reason::{Cells, Colour, Left, Listed, Move, Part, Play, Reason, Refused};
use super::turned::{Rectangle, Turned};
use super::{Explanation, Fault, Wants, Work, of};
use crate::games::darkraft::{self, Board, place};
use crate::message::count;
use crate::theory::{Control, Stopped};

/// A grid in which an inactive cell is `.`; the game is over if there is no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Cells in a row.
    pub columns: u32,
    /// Row by row, one byte a cell.
    pub cells: Bytes,
}

impl Position {
    pub(super) fn columns(&self) -> Option<u32> {
        Some(self.columns)
    }
}

pub(super) fn work(board: &Board) -> Work {
    let cells = board.cells().len() as u64;
    Work { first: darkraft::cost(board), each: 1000 + 4 * cells.saturating_mul(cells) }
}

pub(super) fn explain(board: &Board, moves: &[Move], wants: Wants, control: &Control) -> Result<Explanation, Fault> {
    let colours = colours(board, control)?;
    of(Grid::new(board, &colours, control), moves, wants)
}

/// A grid in play.
#[derive(Clone)]
struct Grid<'c> {
    columns: usize,
    /// An inactive cell is `.`.
    cells: Vec<u8>,
    colours: &'c [Turned; 2],
    /// What is left of each colour. Every cell of a part is active, and no active cell is elsewhere.
    parts: [Vec<Rectangle>; 2],
    control: &'c Control,
}

/// The colours of a board, with the nim-values of all that play can leave.
fn colours(board: &Board, control: &Control) -> Result<[Turned; 2], Stopped> {
    let [even, odd] = darkraft::rectangles(board, control)?;
    let colour = |colour, values| Turned::new(board.columns() as usize, board.cells(), colour, values);
    Ok([colour(0, even), colour(1, odd)])
}

impl<'c> Grid<'c> {
    /// The board before any move.
    fn new(board: &Board, colours: &'c [Turned; 2], control: &'c Control) -> Grid<'c> {
        let whole = |colour: &Turned| {
            let whole = colour.whole();
            if colour.cells_of(&whole).is_empty() { Vec::new() } else { vec![whole] }
        };
        let parts = [whole(&colours[0]), whole(&colours[1])];
        Grid { columns: board.columns() as usize, cells: board.cells().to_vec(), colours, parts, control }
    }

    fn value(&self, colour: usize) -> u32 {
        self.parts[colour].iter().fold(0, |sum, part| sum ^ u32::from(self.colours[colour].value(part)))
    }

    /// The part that an active cell lies in, as its colour and place in the list, and the cell's turned place.
    fn find(&self, at: usize) -> Option<(usize, usize, usize, usize)> {
        let (colour, row, column) = place(self.columns, at);
        let holds = |part: &Rectangle| part.rows.contains(&row) && part.columns.contains(&column);
        let part = self.parts[colour].iter().position(holds)?;
        Some((colour, part, row, column))
    }

    fn part(&self, colour: usize, rectangle: &Rectangle) -> Part {
        let turned = &self.colours[colour];
        Part { cells: Cells::List(turned.cells_of(rectangle)), value: turned.value(rectangle).into() }
    }

    /// Parts as they are told: by their first cell.
    fn told(&self, colour: usize, rectangles: &[Rectangle]) -> Vec<Part> {
        let mut parts: Vec<Part> = rectangles.iter().map(|rectangle| self.part(colour, rectangle)).collect();
        parts.sort_by_key(|part| part.cells.iter().next());
        parts
    }

    /// The whole position's nim-sum after a move at an active cell.
    fn sum_after(&self, at: usize) -> u32 {
        let Some((colour, part, row, column)) = self.find(at) else { return 0 };
        let (turned, part) = (&self.colours[colour], &self.parts[colour][part]);
        let left =
            turned.split(part, row, column).iter().fold(turned.value(part), |sum, left| sum ^ turned.value(left));
        self.value(0) ^ self.value(1) ^ u32::from(left)
    }

    fn active(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.cells).filter(|(_, cell)| **cell != b'.').map(|(at, _)| at)
    }

    /// What a pass over all cells costs: each looks at the cells of what it leaves.
    fn pass(&self) -> u64 {
        100 + 2 * (self.cells.len() * self.cells.len()) as u64
    }
}

impl Play for Grid<'_> {
    fn left_by(&self, played: Move) -> Result<Left, Refused> {
        let Move::Cell(cell) = played else {
            return Err(Refused::Illegal("a move in darkraft is a cell".into()));
        };
        let at = cell as usize;
        if at >= self.cells.len() {
            let (rows, columns) = (self.cells.len() / self.columns, self.columns);
            let named = format!("{},{}", at / columns + 1, at % columns + 1);
            return Err(Refused::Illegal(format!(
                "cell {named} is not on the board of {} and {}",
                count(rows as u64, "row"),
                count(columns as u64, "column")
            )));
        }
        let Some((colour, part, row, column)) = self.find(at) else {
            let over = if self.active().next().is_none() { ": the game is over" } else { "" };
            let named = format!("{},{}", at / self.columns + 1, at % self.columns + 1);
            return Err(Refused::Illegal(format!("cell {named} is inactive{over}")));
        };
        self.control.spend(100 + 4 * self.cells.len() as u64)?;
        let rectangles = self.colours[colour].split(&self.parts[colour][part], row, column);
        let is_last = self.parts[0].len() + self.parts[1].len() == 1 && rectangles.is_empty();
        if is_last {
            return Ok(Left::Over);
        }
        Ok(Left::Parts { parts: self.told(colour, &rectangles), nim_sum: self.sum_after(at) })
    }

    fn play(&mut self, played: Move) -> Result<(), Stopped> {
        self.control.spend(100 + 8 * self.cells.len() as u64)?;
        if let Move::Cell(cell) = played
            && let Some((colour, part, row, column)) = self.find(cell as usize)
        {
            let before = self.parts[colour].swap_remove(part);
            let after = self.colours[colour].split(&before, row, column);
            for at in self.colours[colour].cells_of(&before) {
                self.cells[at as usize] |= 0x80;
            }
            for at in after.iter().flat_map(|part| self.colours[colour].cells_of(part)) {
                self.cells[at as usize] &= 0x7f;
            }
            for cell in self.cells.iter_mut().filter(|cell| **cell >= 0x80) {
                *cell = b'.';
            }
            self.parts[colour].extend(after);
        }
        Ok(())
    }

    fn winning_moves(&self) -> Result<Vec<Move>, Stopped> {
        self.control.spend(self.pass())?;
        Ok(self.active().filter(|&at| self.sum_after(at as usize) == 0).map(Move::Cell).collect())
    }

    fn moves(&self) -> Listed<Move> {
        Listed::of(self.active().map(Move::Cell).collect())
    }

    fn reason(&self) -> Result<Reason, Stopped> {
        if self.active().next().is_none() {
            return Ok(Reason::Over);
        }
        let colour = |colour| Colour { parts: self.told(colour, &self.parts[colour]), value: self.value(colour) };
        Ok(Reason::Colours { colours: [colour(0), colour(1)] })
    }

    fn position(&self) -> super::Position {
        let cells = Bytes::copy_from_slice(&self.cells);
        super::Position::Darkraft(Position { columns: self.columns as u32, cells })
    }
}
