//! The fast way through one colour: all right edges of a rectangle at once, option sets as planes of bits.
//!
//! For fixed top, bottom and left edges the right edges are the lanes of vectors. The two parts right of an `X` are
//! then two contiguous vectors, the two parts left of it two constants; a row kill is two contiguous vectors. Column
//! kills need values of the same line, so they are put in last, from left to right.
//!
//! A rectangle whose first or last row or column has no cell has the value of a smaller one: the turned board's empty
//! corners cost nothing. Option sets are filled as far as the neighbours' values suggest, and further when a set turns
//! out to be full, so that no bound on values is assumed but the one that is proved: a value is at most the number of
//! moves of the longest play, hence below 2048, the cells of a colour.

use super::diamond::{Diamond, Values, bits};
use super::sieve::{Options, Sieve};
use super::table::{Table, after, sums};
use crate::theory::{Control, Stopped};
use crate::wide::wide;
use std::fmt;
use std::ops::Range;

/// The nim-values of every rectangle of turned rows and columns of one colour: of every part that play can leave.
#[derive(Clone)]
pub struct Rectangles(Tables);

impl fmt::Debug for Rectangles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rectangles").finish_non_exhaustive()
    }
}

#[derive(Clone)]
enum Tables {
    /// Of up to 32 columns.
    Narrow(Table<1>),
    /// Of up to 64.
    Broad(Table<2>),
}

impl Rectangles {
    /// The nim-value of a rectangle, which may be empty, within the colour's rows and columns.
    pub fn value(&self, rows: &Range<usize>, columns: &Range<usize>) -> u16 {
        match &self.0 {
            Tables::Narrow(table) => table.value(table.line(rows.start, rows.end, columns.start), columns.end),
            Tables::Broad(table) => table.value(table.line(rows.start, rows.end, columns.start), columns.end),
        }
    }
}

/// Solves one colour.
pub(super) fn values(diamond: &Diamond, control: &Control) -> Result<Values, Stopped> {
    let rectangles = rectangles(diamond, control)?;
    Ok(diamond.read_off(|rows, columns| rectangles.value(&rows, &columns)))
}

/// Solves every rectangle of one colour.
pub(super) fn rectangles(diamond: &Diamond, control: &Control) -> Result<Rectangles, Stopped> {
    if diamond.columns <= 32 {
        table_by(diamond, control, between_narrow).map(Tables::Narrow).map(Rectangles)
    } else {
        table_by(diamond, control, between_broad).map(Tables::Broad).map(Rectangles)
    }
}

fn table_by<const STEPS: usize>(
    diamond: &Diamond,
    control: &Control,
    between: impl Fn(&mut Sweep<'_, STEPS>, usize, usize),
) -> Result<Table<STEPS>, Stopped> {
    let mut sweep = Sweep::new(diamond);
    for bottom in 1..=diamond.rows {
        for top in (0..bottom).rev() {
            between(&mut sweep, top, bottom);
            control.spend(std::mem::take(&mut sweep.work))?;
        }
    }
    Ok(sweep.table)
}

wide! {
    /// Finds the values of all rectangles of rows `top..bottom`, when those of fewer rows among them are known, on up
    /// to 32 columns.
    fn between_narrow / between_narrow_portable(sweep: &mut Sweep<'_, 1>, top: usize, bottom: usize) {
        sweep.between(top, bottom);
    }
}

wide! {
    /// The same on up to 64 columns.
    fn between_broad / between_broad_portable(sweep: &mut Sweep<'_, 2>, top: usize, bottom: usize) {
        sweep.between(top, bottom);
    }
}

/// The table and room to work in.
struct Sweep<'a, const STEPS: usize> {
    diamond: &'a Diamond,
    /// For each turned column, the rows whose cell there kills both, as bits.
    crosses: Vec<u64>,
    table: Table<STEPS>,
    /// For each `X` between top and bottom, rightmost first: the lane, in all of `split`, of what is left of it.
    places: Vec<u32>,
    /// For each of them, the nim-sum of the two parts right of it, and as a constant of the two left of it.
    crossed: Options<STEPS>,
    /// For each column, how many of them are right of it.
    right_of: [usize; 65],
    /// For each row between top and bottom, what a kill of it leaves in each lane.
    split: Options<STEPS>,
    /// The same of the rows that a cell kills, lanes without such a cell kept out.
    killed: Options<STEPS>,
    sieve: Sieve<STEPS>,
    /// Work done and not yet paid for.
    work: u64,
}

impl<'a, const STEPS: usize> Sweep<'a, STEPS> {
    fn new(diamond: &'a Diamond) -> Sweep<'a, STEPS> {
        let column = |column: usize| {
            let row = |row: usize| (diamond.kills_both[row] >> column & 1) << row;
            (0..diamond.rows).map(row).fold(0, |all, row| all | row)
        };
        let crosses: Vec<u64> = (0..diamond.columns).map(column).collect();
        let count = crosses.iter().map(|rows| rows.count_ones() as usize).sum();
        Sweep {
            diamond,
            crosses,
            table: Table::new(diamond.rows, diamond.columns),
            places: Vec::with_capacity(count),
            crossed: Options::new(count),
            right_of: [0; 65],
            split: Options::new(diamond.rows),
            killed: Options::new(diamond.rows),
            sieve: Sieve::new(),
            work: 0,
        }
    }

    #[inline(always)]
    fn between(&mut self, top: usize, bottom: usize) {
        let any = self.diamond.cells[top..bottom].iter().fold(0, |all, row| all | row);
        let last = 64 - any.leading_zeros() as usize;
        self.right_parts(top, bottom);
        self.work += 50 + 8 * self.diamond.columns as u64 + 4 * self.places.len() as u64;
        for left in (0..self.diamond.columns).rev() {
            let (first_row, last_row) = (self.diamond.cells[top] >> left, self.diamond.cells[bottom - 1] >> left);
            let table = &mut self.table;
            let line = table.line(top, bottom, left);
            let right = table.line(top, bottom, left + 1);
            let (lower, upper) = (table.line(top + 1, bottom, left), table.line(top, bottom - 1, left));
            // A rectangle whose first row has no cell is worth what the rows below are, and so on.
            let equal = [(any >> left & 1, right), (first_row, lower), (last_row, upper)];
            if let Some((_, equal)) = equal.into_iter().find(|(cells, _)| *cells == 0) {
                table.copy(equal, line);
                continue;
            }
            let guess = table.most[lower].max(table.most[upper]).max(table.most[right]);
            let (no_first, no_last) = (first_row.trailing_zeros() as usize, last_row.trailing_zeros() as usize);
            table.copy(lower, line);
            if no_first < no_last {
                let mut values = [0; 64];
                for right in no_first..no_last {
                    values[right - no_first] = table.value(upper, left + right + 1);
                }
                table.write(line, left + no_first + 1, &values[..no_last - no_first]);
            }
            let first = left + no_first.max(no_last) + 1;
            if table.high.is_empty() {
                self.fill_line::<false>(top..bottom, left, first, last, guess);
            } else {
                self.fill_line::<true>(top..bottom, left, first, last, guess);
            }
        }
    }

    /// Fills `places`, `right_of` and the lines of `crossed`.
    #[inline(always)]
    fn right_parts(&mut self, top: usize, bottom: usize) {
        let table = &self.table;
        self.places.clear();
        for column in (0..self.diamond.columns).rev() {
            self.right_of[column] = self.places.len();
            let mut rows = self.crosses[column] & bits(top..bottom);
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let (upper, lower) = (table.line(top, row, column + 1), table.line(row + 1, bottom, column + 1));
                let at = self.places.len();
                self.crossed.low[at] = after(column, &sums(&table.low, upper, lower));
                if !table.high.is_empty() {
                    self.crossed.high[at] = sums(&table.high, upper, lower);
                }
                // What is left of an `X` ends before its column, so its lane is one lower.
                self.places.push(((row - top) * STEPS * 32 + column).saturating_sub(1) as u32);
            }
        }
    }

    /// Finds the values of a line from the right edge `first` on; from `last` on they are equal.
    ///
    /// Assumes that those before are there, and all values below 128 without `HIGH`.
    #[inline(always)]
    fn fill_line<const HIGH: bool>(&mut self, rows: Range<usize>, left: usize, first: usize, last: usize, guess: u16) {
        let table = &mut self.table;
        let (split, mut kills) = (rows.len(), 0);
        for (at, row) in rows.clone().enumerate() {
            let (upper, lower) = (table.line(rows.start, row, left), table.line(row + 1, rows.end, left));
            let low = sums(&table.low, upper, lower);
            self.split.low[at] = low;
            if HIGH {
                self.split.high[at] = sums(&table.high, upper, lower);
            }
            let killing = self.diamond.kills_row[row] >> left;
            if killing != 0 {
                self.killed.low[kills] = after(left + killing.trailing_zeros() as usize, &low);
                if HIGH {
                    self.killed.high[kills] = self.split.high[at];
                }
                kills += 1;
            }
        }
        let (crosses, at_edge) = (self.right_of[left], self.crosses[left] & bits(rows.clone()));
        let lanes = self.split.low.as_flattened().as_flattened();
        for (constant, &lane) in self.crossed.low_constants.iter_mut().zip(&self.places[..crosses]) {
            *constant = lanes[lane as usize];
        }
        if HIGH {
            let lanes = self.split.high.as_flattened().as_flattened();
            for (constant, &lane) in self.crossed.high_constants.iter_mut().zip(&self.places[..crosses]) {
                *constant = lanes[lane as usize];
            }
        }
        // Nothing is left of an `X` at the left edge.
        let with_edge = crosses + at_edge.count_ones() as usize;
        self.crossed.low_constants[crosses..with_edge].fill(0);
        self.crossed.high_constants[crosses..with_edge].fill(0);
        let options = [(&self.crossed, with_edge), (&self.killed, kills)];
        let steps = (first - 1) / 32..(last - 1) / 32 + 1;
        let sieve = &mut self.sieve;
        sieve.clear();
        sieve.fill::<HIGH>(options, steps.clone(), usize::from(guess) / 32);

        // Column kills: what is left of the column is a value of this line, what is right of it a line that is there.
        let whole = table.line(rows.start, rows.end, 0);
        let line = whole + left;
        let killing = self.diamond.kills_column[rows].iter().fold(0, |all, row| all | row);
        let mut values = [0; 65];
        for (right, value) in values.iter_mut().enumerate().take(first).skip(left) {
            *value = table.value(line, right);
            if killing >> right & 1 != 0 {
                put::<HIGH, STEPS>(table, sieve, whole + right + 1, *value, steps.clone(), 0);
            }
        }
        for right in first..=last {
            values[right] = loop {
                if let Some(value) = sieve.mex(right - 1) {
                    break value;
                }
                let set = sieve.known();
                sieve.fill::<HIGH>(options, steps.clone(), set);
                for column in (left..right).filter(|column| killing >> column & 1 != 0) {
                    put::<HIGH, STEPS>(table, sieve, whole + column + 1, values[column], steps.clone(), set);
                }
            };
            if right < last && killing >> right & 1 != 0 {
                put::<HIGH, STEPS>(table, sieve, whole + right + 1, values[right], right / 32..steps.end, 0);
            }
        }

        let vectors = (steps.len() * (with_edge + kills)) as u64;
        self.work += 100 + 4 * split as u64 + 8 * (last - first) as u64 + vectors * (1 + sieve.known() as u64) * 3 / 2;
        let equal = values[last];
        values[last + 1..].fill(equal);
        let most = values[left..].iter().copied().max().unwrap_or(0);
        table.most[line] = most;
        if most >= 128 {
            table.keep_high();
        }
        let columns = table.columns;
        table.write(line, first, &values[first..=columns]);
    }
}

/// Puts a column kill into the filled sets from `set` on: `value` is worth what is left of it, the line what is right.
#[inline(always)]
fn put<const HIGH: bool, const STEPS: usize>(
    table: &Table<STEPS>,
    sieve: &mut Sieve<STEPS>,
    line: usize,
    value: u16,
    steps: Range<usize>,
    set: usize,
) {
    for step in steps {
        let low = &table.low[line][step];
        let high = if HIGH { &table.high[line][step] } else { low };
        sieve.put::<HIGH>(low, high, value, step, set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::darkraft::plain;

    /// A reproducible board, nine cells in ten an `X`.
    fn rich_in_crosses(cells: usize) -> Vec<u8> {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 20
        };
        (0..cells).map(|_| if next() % 10 > 0 { b'X' } else { br"\/"[(next() % 2) as usize] }).collect()
    }

    #[test]
    fn portable_and_wide_kernels_and_the_plain_way_agree() {
        // The last two take two steps of lanes, the last of all has values past seven bits.
        for (columns, rows) in [(3, 5), (20, 20), (31, 33), (33, 36), (44, 44)] {
            let diamond = Diamond::new(columns, &rich_in_crosses(rows * columns), 0);
            let control = Control::unlimited();
            let expected = plain::values(&diamond, &control);
            assert_eq!(values(&diamond, &control), expected, "{rows} x {columns}");
            let portable = if diamond.columns <= 32 {
                table_by(&diamond, &control, between_narrow_portable).map(Tables::Narrow).map(Rectangles)
            } else {
                table_by(&diamond, &control, between_broad_portable).map(Tables::Broad).map(Rectangles)
            };
            let portable = portable.map(|found| diamond.read_off(|rows, columns| found.value(&rows, &columns)));
            assert_eq!(portable, expected, "{rows} x {columns}");
        }
    }

    #[test]
    fn the_largest_of_those_boards_reaches_the_high_bits() {
        let diamond = Diamond::new(44, &rich_in_crosses(44 * 44), 0);
        let mut sweep = Sweep::<2>::new(&diamond);
        for bottom in 1..=diamond.rows {
            for top in (0..bottom).rev() {
                between_broad(&mut sweep, top, bottom);
            }
        }
        assert!(!sweep.table.high.is_empty());
    }
}
