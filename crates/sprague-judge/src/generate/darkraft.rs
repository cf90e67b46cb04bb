//! Darkraft grids: lost ones are mirror images, then changed cell by cell as long as they stay lost.

use super::dice::Dice;
use super::order::{Bounds, Order, Span};
use crate::description::BoardWords;
use crate::kind::Kind;
use sprague_games::games::Outcome;
use sprague_games::games::darkraft::{Board, MAX_COLUMNS, MAX_ROWS, cost, solve};
use sprague_games::theory::Control;

/// Grids with sides up to this are searched for; beyond it a search would take minutes.
const LARGEST_SEARCHED: u64 = 24;

/// Work that one lost grid may take, in about nanoseconds, to be made less even.
const WORK: u64 = 1_000_000;

/// Small grids that known wrong methods answer wrongly, the most telling first; rows apart by blanks.
///
/// The first four: letters of the other judge (two), waves that run on through cells that are out (two, as they are
/// written in either judge's letters).
const TRAPS: [&str; 8] = [
    r"X/ /\",
    r"X\ \/",
    r"/// /// /\\",
    r"\\\ \\\ /\/",
    "XXXXXXXXXXX XXXXXXXXXXX XXXXXXXXXXX XXXXXXXXXXX XXXXXXXXXXX XXXXXXXXXXX XXXXXXXXXXX",
    r"// //",
    "XXX XXX XXX",
    r"/\ X/",
];

pub(super) const BOUNDS: Bounds = Bounds {
    units: ["row and column", "rows and columns"],
    least: 1,
    most: if MAX_ROWS < MAX_COLUMNS { MAX_ROWS } else { MAX_COLUMNS } as u64,
    probed: LARGEST_SEARCHED,
    searched: Some(LARGEST_SEARCHED),
};

/// Makes grids with sides of a span of lengths.
#[derive(Debug)]
pub(super) struct Maker {
    span: Span,
}

/// How often X's, and among the others which letter, stand in a grid.
#[derive(Debug, Clone, Copy)]
struct Mix {
    x_percent: u64,
    slash_percent: u64,
}

impl Mix {
    fn of(kind: Kind, dice: &mut Dice) -> Mix {
        let x_percent = match kind {
            Kind::Dense => dice.between(75, 97),
            Kind::Sparse => dice.between(0, 8),
            _ => *dice.pick(&[33, 33, 50, 15]),
        };
        Mix { x_percent, slash_percent: *dice.pick(&[50, 50, 85, 15]) }
    }

    fn cell(self, dice: &mut Dice) -> u8 {
        match (dice.chance(self.x_percent, 100), dice.chance(self.slash_percent, 100)) {
            (true, _) => b'X',
            (false, true) => b'/',
            (false, false) => b'\\',
        }
    }

    fn cells(self, count: u64, dice: &mut Dice) -> Vec<u8> {
        (0..count).map(|_| self.cell(dice)).collect()
    }
}

impl Maker {
    pub(super) fn new(_words: &BoardWords, span: Span) -> Maker {
        Maker { span }
    }

    pub(super) fn lacks(&self, outcome: Outcome) -> Option<String> {
        let Span { low, high } = self.span;
        match outcome {
            Outcome::FirstPlayerWins => None,
            Outcome::SecondPlayerWins if high == 1 => {
                Some("the 1 x 1 grid is won, and so is every 1 x odd one; for lost grids let --size reach 2".into())
            }
            Outcome::SecondPlayerWins => (low == high && low % 2 == 1 && low > LARGEST_SEARCHED).then(|| {
                let other = low - 1;
                format!(
                    "lost grids with both sides odd are searched for, which takes too long at {low} rows and columns; \
                     let --size have an even number, as in {other}..{low}"
                )
            }),
        }
    }

    /// A grid of the kind; whether it is won or lost as ordered is for whoever solves it.
    pub(super) fn board(&self, order: Order, dice: &mut Dice) -> Board {
        let Span { low, high } = self.span;
        let is_first_try = order.attempt == 0;
        let known = match order.kind {
            Kind::Traps if is_first_try => TRAPS.get(order.turn as usize).map(|rows| grid_of(rows)),
            Kind::Edges if is_first_try => Some(self.edge(order.turn)),
            _ => None,
        };
        let fits = |grid: &Board| {
            let (rows, columns) = (u64::from(grid.rows()), u64::from(grid.columns()));
            (low..=high).contains(&rows) && (low..=high).contains(&columns)
        };
        if let Some(grid) = known.filter(fits) {
            return grid;
        }
        // Small grids of some kinds are all won or all lost; then any letters will do.
        let mix = Mix::of(if order.attempt < 200 { order.kind } else { Kind::Random }, dice);
        let is_searched = order.kind == Kind::OneWin;
        let high = if is_searched { high.min(LARGEST_SEARCHED) } else { high };
        let high = if order.kind == Kind::Traps { high.min(low.max(9)) } else { high };
        let mut side = || dice.between(low, high);
        let (mut rows, mut columns) = (side(), side());
        if order.lost != Some(true) {
            let grid = grid(columns, mix.cells(rows * columns, dice));
            return if order.kind == Kind::Traps { reflected_differs(grid, mix, dice) } else { grid };
        }
        // Both sides odd: such a grid is searched for if it is small, or if there are no others.
        let has_even = low < high || low.is_multiple_of(2);
        if rows % 2 == 1 && columns % 2 == 1 && (order.attempt >= 8 || rows * columns > 100) && has_even {
            if rows < high { rows += 1 } else { rows -= 1 }
        }
        if rows % 2 == 1 && columns % 2 == 1 {
            return grid(columns, mix.cells(rows * columns, dice));
        }
        if columns % 2 == 1 {
            // Turned by a quarter, and back at the end: rows are even.
            std::mem::swap(&mut rows, &mut columns);
            return uneven(turned(&mirrored(rows, columns, mix, dice)), mix, dice);
        }
        uneven(mirrored(rows, columns, mix, dice), mix, dice)
    }

    /// A grid at the edge of what there is.
    fn edge(&self, turn: u64) -> Board {
        let Span { low, high } = self.span;
        let (rows, columns) = match turn / 3 % 4 {
            0 => (low, low),
            1 => (high, high),
            2 => (low, high),
            _ => (high, low),
        };
        let inwards = turn / 12 % (high - low + 1);
        let (rows, columns) = (rows.max(low + inwards).min(high), columns);
        grid(columns, vec![[b'X', b'/', b'\\'][(turn % 3) as usize]; (rows * columns) as usize])
    }
}

fn grid(columns: u64, cells: Vec<u8>) -> Board {
    Board::new(columns as u32, cells.into()).expect("whole rows of cells")
}

fn grid_of(rows: &str) -> Board {
    let columns = rows.find(' ').unwrap_or(rows.len());
    grid(columns as u64, rows.replace(' ', "").into())
}

/// A grid whose right half is the mirror image of its left. With an even number of columns the image of a cell has the
/// other colour, so both colours are the same game, and the grid is lost.
fn mirrored(rows: u64, columns: u64, mix: Mix, dice: &mut Dice) -> Board {
    let mut cells = Vec::with_capacity((rows * columns) as usize);
    for _ in 0..rows {
        let half = mix.cells(columns / 2, dice);
        cells.extend_from_slice(&half);
        cells.extend(half.iter().rev().map(|&cell| reflect(cell)));
    }
    grid(columns, cells)
}

/// A cell as a mirror shows it.
fn reflect(cell: u8) -> u8 {
    match cell {
        b'/' => b'\\',
        b'\\' => b'/',
        other => other,
    }
}

/// The grid reflected in its main diagonal, in which every kind of cell is its own image.
fn turned(board: &Board) -> Board {
    let (rows, columns) = (board.rows() as usize, board.columns() as usize);
    let cells = (0..columns * rows).map(|at| board.cells()[at % rows * columns + at / rows]).collect();
    grid(rows as u64, cells)
}

/// Changes cells of a lost grid here and there as long as it stays lost and the work is little, so that it has no symmetry
/// that would hide an error made twice.
fn uneven(board: Board, mix: Mix, dice: &mut Dice) -> Board {
    let mut board = board;
    for _ in 0..(WORK / cost(&board).max(1)).min(8) {
        let mut cells = board.cells().to_vec();
        for _ in 0..dice.between(1, 2) {
            let at = dice.below(cells.len() as u64) as usize;
            cells[at] = mix.cell(dice);
        }
        let changed = grid(board.columns().into(), cells);
        if is_lost(&changed) {
            board = changed;
        }
    }
    board
}

/// A grid that is won in one judge's letters and lost in the other's, if a few changes lead to one.
fn reflected_differs(board: Board, mix: Mix, dice: &mut Dice) -> Board {
    let (mut board, count) = (board, 40);
    for _ in 0..count {
        let other = grid(board.columns().into(), board.cells().iter().map(|&cell| reflect(cell)).collect());
        if cost(&board) > WORK || is_lost(&board) != is_lost(&other) {
            break;
        }
        board = grid(board.columns().into(), mix.cells(board.cells().len() as u64, dice));
    }
    board
}

fn is_lost(board: &Board) -> bool {
    solve(board, &Control::unlimited()).is_ok_and(|solution| solution.nim_value == 0)
}
