//! One colour of a darkraft board, turned by 45 degrees: waves run along rows and columns there.

use std::ops::Range;

/// The cells of one colour, turned by 45 degrees.
///
/// ```text
///     board        colour of row + column even       turned
///   a b c d            a . c .                     . a .      the row is (row + column) / 2,
///   e f g h            . f . h                     c f i      the column grows with row - column
///   i j k l            i . k .                     h k .
/// ```
///
/// A wave along down-left and up-right (`/`) runs along a turned row, one along down-right and up-left (`\`) along a
/// turned column. The cells of a turned row are adjacent, and so are those of a column: the missing corners lie
/// outside, so a wave ends there as it does at an edge.
pub(super) struct Diamond {
    /// Turned rows, at most 64.
    pub(super) rows: usize,
    /// Turned columns, at most 64.
    pub(super) columns: usize,
    /// For each turned row, the columns with a cell, as bits.
    pub(super) cells: Vec<u64>,
    /// For each turned row, the columns whose cell kills the row alone, as bits.
    pub(super) kills_row: Vec<u64>,
    /// For each turned row, the columns whose cell kills its column alone, as bits.
    pub(super) kills_column: Vec<u64>,
    /// For each turned row, the columns whose cell kills both, as bits.
    pub(super) kills_both: Vec<u64>,
    /// Turned row and column of each cell, in the board's order, with its place on the board.
    places: Vec<Place>,
}

struct Place {
    row: usize,
    column: usize,
    at: u32,
}

/// What is known of a colour once it is solved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Values {
    /// The colour's nim-value.
    pub(super) total: u16,
    /// For each cell of the colour, in the board's order: its place on the board, and the colour's nim-value after a
    /// move there.
    pub(super) after: Vec<(u32, u16)>,
}

impl Diamond {
    /// Turns the cells of one colour (0: row + column even, 1: odd).
    ///
    /// Assumes whole rows of `columns` cells, each `\`, `/` or `X`, on a board of at most 64 rows and 64 columns.
    pub(super) fn new(columns: usize, cells: &[u8], colour: usize) -> Diamond {
        let places: Vec<Place> = (0..cells.len())
            .filter_map(|at| {
                let (its_colour, row, column) = place(columns, at);
                (its_colour == colour).then_some(Place { row, column, at: at as u32 })
            })
            .collect();
        let rows = places.iter().map(|place| place.row + 1).max().unwrap_or(0);
        let mut diamond = Diamond {
            rows,
            columns: places.iter().map(|place| place.column + 1).max().unwrap_or(0),
            cells: vec![0; rows],
            kills_row: vec![0; rows],
            kills_column: vec![0; rows],
            kills_both: vec![0; rows],
            places,
        };
        for place in &diamond.places {
            let effect = match cells[place.at as usize] {
                b'/' => &mut diamond.kills_row,
                b'\\' => &mut diamond.kills_column,
                _ => &mut diamond.kills_both,
            };
            effect[place.row] |= 1 << place.column;
            diamond.cells[place.row] |= 1 << place.column;
        }
        diamond
    }

    /// Reads the colour off a finished table: `value(rows, columns)` is the nim-value of a turned rectangle.
    pub(super) fn read_off(&self, value: impl Fn(Range<usize>, Range<usize>) -> u16) -> Values {
        let (rows, columns) = (0..self.rows, 0..self.columns);
        let after = self.places.iter().map(|place| {
            let (above, below) = (0..place.row, place.row + 1..self.rows);
            let (left, right) = (0..place.column, place.column + 1..self.columns);
            let bit = 1 << place.column;
            let parts: &[_] = if self.kills_row[place.row] & bit != 0 {
                &[(&above, &columns), (&below, &columns)]
            } else if self.kills_column[place.row] & bit != 0 {
                &[(&rows, &left), (&rows, &right)]
            } else {
                &[(&above, &left), (&above, &right), (&below, &left), (&below, &right)]
            };
            let value = |(rows, columns): &(&Range<usize>, &Range<usize>)| value((*rows).clone(), (*columns).clone());
            (place.at, parts.iter().map(value).fold(0, |sum, part| sum ^ part))
        });
        Values { total: value(rows.clone(), columns.clone()), after: after.collect() }
    }
}

/// Where the cell `at` of a board of so many columns lies: its colour (0: row + column even, 1: odd), its turned row and
/// column.
///
/// Along `/` the sum of row and column stays, and so does the turned row; along `\` the turned column does.
pub fn place(columns: usize, at: usize) -> (usize, usize, usize) {
    let (row, column) = (at / columns, at % columns);
    let colour = (row + column) % 2;
    // Of two neighbouring diagonals one has this colour: the first of them is 0 or 1 by parity.
    let odd = (colour + columns - 1) % 2;
    (colour, (row + column - colour) / 2, (row + columns - 1 - column - odd) / 2)
}

/// The bits of the columns of a range.
pub(super) fn bits(columns: Range<usize>) -> u64 {
    let below = |column: usize| if column >= 64 { u64::MAX } else { (1 << column) - 1 };
    below(columns.end) & !below(columns.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_above_is_right() {
        // `c` alone kills its row, `k` alone its column.
        let diamond = Diamond::new(4, br"XX/XXXXXXX\X", 0);
        assert_eq!((diamond.rows, diamond.columns), (3, 3));
        assert_eq!(diamond.cells, [0b010, 0b111, 0b011]);
        assert_eq!(diamond.kills_row, [0, 0b001, 0]);
        assert_eq!(diamond.kills_column, [0, 0, 0b010]);
        let places: Vec<_> = diamond.places.iter().map(|place| (place.at, place.row, place.column)).collect();
        assert_eq!(places, [(0, 0, 1), (2, 1, 0), (5, 1, 1), (7, 2, 0), (8, 1, 2), (10, 2, 1)]);
    }

    #[test]
    fn a_colour_without_cells_has_no_rows() {
        let diamond = Diamond::new(1, b"X", 1);
        assert_eq!((diamond.rows, diamond.columns), (0, 0));
    }

    #[test]
    fn the_largest_boards_turn_into_64_rows_and_columns() {
        for colour in 0..2 {
            let diamond = Diamond::new(64, &[b'X'; 64 * 64], colour);
            assert!(diamond.rows <= 64 && diamond.columns <= 64, "{} x {}", diamond.rows, diamond.columns);
            assert_eq!(diamond.cells.iter().map(|row| row.count_ones()).sum::<u32>(), 2048);
        }
    }

    #[test]
    fn bits_of_a_range_stop_at_its_end() {
        assert_eq!(bits(0..64), u64::MAX);
        assert_eq!(bits(2..5), 0b11100);
        assert_eq!(bits(64..64), 0);
        assert_eq!(bits(3..3), 0);
    }
}
