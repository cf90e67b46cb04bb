//! One darkraft colour turned by 45 degrees: waves run along rows and columns there, so what is left are rectangles.

use std::ops::Range;
use std::slice;

use crate::theory::{Control, Stopped};

/// Turned rows and columns that are left to play in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

/// The nim-value of every rectangle of one colour: of every part that any play can leave.
#[derive(Clone)]
pub(super) struct Turned {
    rows: usize,
    columns: usize,
    /// The cell of each turned place, and its place on the board.
    cells: Vec<Option<(u8, u32)>>,
    values: Vec<u16>,
}

/// Where a cell of the board lies: its colour (row + column even: 0), its turned row and column.
///
/// Along `/` the sum of row and column changes by nothing and so the turned row stays; along `\` the turned column does.
pub(super) fn place(columns: usize, at: usize) -> (usize, usize, usize) {
    let (row, column) = (at / columns, at % columns);
    let colour = (row + column) % 2;
    // Of two neighbouring diagonals one has this colour: the first of them is 0 or 1 by parity.
    let odd = (colour + columns - 1) % 2;
    (colour, (row + column - colour) / 2, (row + columns - 1 - column - odd) / 2)
}

/// What the work of `Turned::new` for both colours is at most, in the units of `Control`.
pub(super) fn cost(rows: usize, columns: usize) -> u64 {
    // Both turned sides have about half of rows + columns; a rectangle is on average a third of each side.
    let side = (rows + columns).div_ceil(2) as u64;
    let rectangles = (side * (side + 1) / 2).pow(2);
    2 * rectangles * (30 + 8 * side + side * side / 4)
}

impl Turned {
    /// Solves a colour of a board of whole rows, from the smallest rectangles up.
    pub(super) fn new(board_columns: usize, board: &[u8], colour: usize, control: &Control) -> Result<Turned, Stopped> {
        let places: Vec<(usize, usize, usize)> = (0..board.len())
            .filter_map(|at| {
                let (its_colour, row, column) = place(board_columns, at);
                (its_colour == colour).then_some((row, column, at))
            })
            .collect();
        let rows = places.iter().map(|(row, ..)| row + 1).max().unwrap_or(0);
        let columns = places.iter().map(|(_, column, _)| column + 1).max().unwrap_or(0);
        let mut turned = Turned {
            rows,
            columns,
            cells: vec![None; rows * columns],
            values: vec![0; triangle(rows) * triangle(columns)],
        };
        for (row, column, at) in places {
            turned.cells[row * columns + column] = Some((board[at], at as u32));
        }
        let mut seen = Vec::new();
        for tall in 1..=rows {
            for wide in 1..=columns {
                for (top, left) in (0..=rows - tall).flat_map(|top| (0..=columns - wide).map(move |left| (top, left))) {
                    let rectangle = Rectangle { rows: top..top + tall, columns: left..left + wide };
                    seen.clear();
                    turned.options(&rectangle, &mut seen);
                    control.spend(20 + 2 * (tall * wide) as u64 + 4 * seen.len() as u64)?;
                    let at = turned.index(&rectangle.rows, &rectangle.columns);
                    turned.values[at] = least_absent(&mut seen);
                }
            }
        }
        Ok(turned)
    }

    /// The whole colour.
    pub(super) fn whole(&self) -> Rectangle {
        Rectangle { rows: 0..self.rows, columns: 0..self.columns }
    }

    /// A rectangle's nim-value.
    pub(super) fn value(&self, rectangle: &Rectangle) -> u16 {
        self.at(&rectangle.rows, &rectangle.columns)
    }

    /// The cells of a rectangle, as places on the board, in increasing order.
    pub(super) fn cells_of(&self, rectangle: &Rectangle) -> Vec<u32> {
        let rows = rectangle.rows.clone();
        let row = |row: usize| &self.cells[row * self.columns..][rectangle.columns.clone()];
        let mut cells: Vec<u32> = rows.flat_map(row).flatten().map(|(_, at)| *at).collect();
        cells.sort_unstable();
        cells
    }

    /// What is left of a rectangle when the cell of that turned row and column is chosen: the parts that have cells.
    pub(super) fn split(&self, rectangle: &Rectangle, row: usize, column: usize) -> Vec<Rectangle> {
        let Some((cell, _)) = self.cells[row * self.columns + column] else { return vec![rectangle.clone()] };
        let Rectangle { rows, columns } = rectangle;
        let rows: &[_] = if cell == b'\\' { slice::from_ref(rows) } else { &[rows.start..row, row + 1..rows.end] };
        let columns: &[_] =
            if cell == b'/' { slice::from_ref(columns) } else { &[columns.start..column, column + 1..columns.end] };
        let parts = rows.iter().flat_map(|rows| {
            columns.iter().map(move |columns| Rectangle { rows: rows.clone(), columns: columns.clone() })
        });
        parts.filter(|part| !self.cells_of(part).is_empty()).collect()
    }

    /// The nim-values of a rectangle's options; cells that kill the same row or column alone are one option.
    fn options(&self, rectangle: &Rectangle, out: &mut Vec<u16>) {
        let Rectangle { rows, columns } = rectangle;
        let mut columns_killed = 0u128;
        for row in rows.clone() {
            let (above, below) = (rows.start..row, row + 1..rows.end);
            let mut row_killed = false;
            for column in columns.clone() {
                let (left, right) = (columns.start..column, column + 1..columns.end);
                match self.cells[row * self.columns + column] {
                    None => {}
                    Some((b'/', _)) if row_killed => {}
                    Some((b'/', _)) => {
                        row_killed = true;
                        out.push(self.at(&above, columns) ^ self.at(&below, columns));
                    }
                    Some((b'\\', _)) if columns_killed >> column & 1 == 1 => {}
                    Some((b'\\', _)) => {
                        columns_killed |= 1 << column;
                        out.push(self.at(rows, &left) ^ self.at(rows, &right));
                    }
                    Some(_) => {
                        let upper = self.at(&above, &left) ^ self.at(&above, &right);
                        out.push(upper ^ self.at(&below, &left) ^ self.at(&below, &right));
                    }
                }
            }
        }
    }

    fn at(&self, rows: &Range<usize>, columns: &Range<usize>) -> u16 {
        if rows.is_empty() || columns.is_empty() { 0 } else { self.values[self.index(rows, columns)] }
    }

    /// Ranges that are not empty are numbered by their ends, then their starts.
    fn index(&self, rows: &Range<usize>, columns: &Range<usize>) -> usize {
        let number = |range: &Range<usize>| triangle(range.end - 1) + range.start;
        number(rows) * triangle(self.columns) + number(columns)
    }
}

/// How many ranges that are not empty lie in `0..side`.
fn triangle(side: usize) -> usize {
    side * (side + 1) / 2
}

/// The mex of some values, which are left in another order.
fn least_absent(values: &mut [u16]) -> u16 {
    values.sort_unstable();
    values.iter().fold(0, |mex, &value| if value == mex { mex + 1 } else { mex })
}
