//! The plain way through one colour: each rectangle from smaller ones, one at a time, bottom-up.

use super::diamond::{Diamond, Values, bits};
use crate::theory::{Control, Stopped};
use std::ops::Range;

/// A nim-value for each rectangle of turned rows and columns.
struct Table {
    columns: usize,
    rows: usize,
    values: Vec<u16>,
}

impl Table {
    fn at(&self, rows: Range<usize>, columns: Range<usize>) -> usize {
        let side = self.columns + 1;
        ((rows.start * (self.rows + 1) + rows.end) * side + columns.start) * side + columns.end
    }

    fn value(&self, rows: Range<usize>, columns: Range<usize>) -> u16 {
        self.values[self.at(rows, columns)]
    }
}

/// Solves one colour: every rectangle, by height and then width, as the mex of its options.
pub(super) fn values(diamond: &Diamond, control: &Control) -> Result<Values, Stopped> {
    let (height, width) = (diamond.rows, diamond.columns);
    let size = (height + 1) * (height + 1) * (width + 1) * (width + 1);
    control.spend(size as u64)?;
    let mut table = Table { columns: width, rows: height, values: vec![0; size] };
    // Options of value 2048 and more cannot be: no value passes the number of a colour's cells.
    let mut seen = [0u64; 2048 / 64];
    for rows in (1..=height).flat_map(|tall| (0..=height - tall).map(move |top| top..top + tall)) {
        let killing_columns = diamond.kills_column[rows.clone()].iter().fold(0, |all, row| all | row);
        for columns in (1..=width).flat_map(|wide| (0..=width - wide).map(move |left| left..left + wide)) {
            seen.fill(0);
            let inside = bits(columns.clone());
            let mut options = 1;
            let mut put = |value: u16| {
                seen[usize::from(value / 64)] |= 1 << (value % 64);
                options += 1;
            };
            for column in ones(killing_columns & inside) {
                let (left, right) = (columns.start..column, column + 1..columns.end);
                put(table.value(rows.clone(), left) ^ table.value(rows.clone(), right));
            }
            for row in rows.clone() {
                let (above, below) = (rows.start..row, row + 1..rows.end);
                if diamond.kills_row[row] & inside != 0 {
                    put(table.value(above.clone(), columns.clone()) ^ table.value(below.clone(), columns.clone()));
                }
                for column in ones(diamond.kills_both[row] & inside) {
                    let (left, right) = (columns.start..column, column + 1..columns.end);
                    let upper = table.value(above.clone(), left.clone()) ^ table.value(above.clone(), right.clone());
                    let lower = table.value(below.clone(), left) ^ table.value(below.clone(), right);
                    put(upper ^ lower);
                }
            }
            let full = seen.iter().take_while(|&&word| word == u64::MAX).count();
            let at = table.at(rows.clone(), columns);
            table.values[at] = (full as u32 * 64 + seen[full].trailing_ones()) as u16;
            control.spend(20 + 2 * options)?;
        }
    }
    Ok(diamond.read_off(|rows, columns| table.value(rows, columns)))
}

/// The places of the ones in a word, from the lowest.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (at < 64).then_some(at)
    })
}
