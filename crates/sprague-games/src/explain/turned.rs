//! One darkraft colour turned by 45 degrees: waves run along rows and columns there, so what is left are rectangles.

use std::ops::Range;
use std::slice;

use crate::games::darkraft::{Rectangles, place};

/// Turned rows and columns that are left to play in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

/// The cells of one colour, and the nim-value of every part that any play can leave.
#[derive(Clone)]
pub(super) struct Turned {
    rows: usize,
    columns: usize,
    /// The cell of each turned place, and its place on the board.
    cells: Vec<Option<(u8, u32)>>,
    values: Rectangles,
}

impl Turned {
    /// A colour of a board of whole rows, with the values of its rectangles.
    pub(super) fn new(board_columns: usize, board: &[u8], colour: usize, values: Rectangles) -> Turned {
        let places: Vec<(usize, usize, usize)> = (0..board.len())
            .filter_map(|at| {
                let (its_colour, row, column) = place(board_columns, at);
                (its_colour == colour).then_some((row, column, at))
            })
            .collect();
        let rows = places.iter().map(|(row, ..)| row + 1).max().unwrap_or(0);
        let columns = places.iter().map(|(_, column, _)| column + 1).max().unwrap_or(0);
        let mut turned = Turned { rows, columns, cells: vec![None; rows * columns], values };
        for (row, column, at) in places {
            turned.cells[row * columns + column] = Some((board[at], at as u32));
        }
        turned
    }

    /// The whole colour.
    pub(super) fn whole(&self) -> Rectangle {
        Rectangle { rows: 0..self.rows, columns: 0..self.columns }
    }

    /// A rectangle's nim-value.
    pub(super) fn value(&self, rectangle: &Rectangle) -> u16 {
        self.values.value(&rectangle.rows, &rectangle.columns)
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
}
