//! The slowest way: a search of the whole game tree from the rules alone, for tests.

use crate::theory::mex;
use std::collections::HashMap;

/// What a move leaves, from the rules alone; an inactive cell is `#`.
fn after(columns: usize, cells: &[u8], at: usize) -> Vec<u8> {
    let directions: &[(isize, isize)] = match cells[at] {
        b'\\' => &[(1, 1), (-1, -1)],
        b'/' => &[(1, -1), (-1, 1)],
        _ => &[(1, 1), (-1, -1), (1, -1), (-1, 1)],
    };
    let rows = cells.len() / columns;
    let mut left = cells.to_vec();
    left[at] = b'#';
    for (down, right) in directions {
        let (mut row, mut column) = ((at / columns) as isize + down, (at % columns) as isize + right);
        while (0..rows as isize).contains(&row) && (0..columns as isize).contains(&column) {
            let cell = &mut left[row as usize * columns + column as usize];
            if *cell == b'#' {
                break;
            }
            *cell = b'#';
            (row, column) = (row + down, column + right);
        }
    }
    left
}

/// Nim-values by a search of the whole game tree.
pub(super) struct Search {
    columns: usize,
    known: HashMap<Vec<u8>, u32>,
}

impl Search {
    pub(super) fn new(columns: usize) -> Search {
        Search { columns, known: HashMap::new() }
    }

    /// The nim-value of a position.
    pub(super) fn value(&mut self, cells: &[u8]) -> u32 {
        if let Some(&value) = self.known.get(cells) {
            return value;
        }
        let options: Vec<u32> = self.options(cells).into_iter().map(|(_, value)| value).collect();
        let value = mex(options);
        self.known.insert(cells.to_vec(), value);
        value
    }

    /// Each move and the nim-value of what it leaves.
    pub(super) fn options(&mut self, cells: &[u8]) -> Vec<(u32, u32)> {
        let active = (0..cells.len()).filter(|&at| cells[at] != b'#');
        active.map(|at| (at as u32, self.value(&after(self.columns, cells, at)))).collect()
    }
}
