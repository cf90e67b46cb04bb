//! Random boards for the benches and the examples: the same ones in every run.
#![allow(dead_code, reason = "none of them needs all")]

use sprague::games::{Board, darkraft, end_nim, treblecross};

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    /// The one start: runs are compared with each other.
    pub fn new() -> Random {
        Random::seeded(1)
    }

    /// Another start for each seed.
    pub fn seeded(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (self.0 >> 11) % (high - low + 1)
    }

    /// A strip whose X's are `low` to `high` cells apart.
    pub fn strip(&mut self, cells: usize, low: u64, high: u64) -> Vec<u8> {
        let mut strip = vec![b'.'; cells];
        let mut at = self.between(0, 20) as usize;
        while at < cells {
            strip[at] = b'X';
            at += self.between(low, high) as usize;
        }
        strip
    }

    /// A Treblecross board likewise.
    pub fn treblecross(&mut self, cells: usize, low: u64, high: u64) -> treblecross::Board {
        treblecross::Board::new(self.strip(cells, low, high).into()).expect("X's apart are no three in a row")
    }

    /// A grid of cells that are `X` so many times in a hundred, and the other two alike.
    pub fn darkraft(&mut self, rows: u32, columns: u32, crosses: u64) -> darkraft::Board {
        let cell = |_| if self.between(1, 100) <= crosses { b'X' } else { br"\/"[self.between(0, 1) as usize] };
        let cells: Vec<u8> = (0..rows * columns).map(cell).collect();
        darkraft::Board::new(columns, cells.into()).expect("a full grid")
    }

    /// A row of piles up to `most`.
    pub fn end_nim(&mut self, piles: usize, most: u64) -> end_nim::Board {
        end_nim::Board::new((0..piles).map(|_| self.between(1, most)).collect()).expect("no empty pile")
    }
}

/// A judge file for UVa 10561: boards of 200 cells with X's 3 to 40 cells apart.
pub fn uva10561(boards: usize) -> Vec<u8> {
    let mut random = Random::new();
    let mut text = format!("{boards}\n").into_bytes();
    for _ in 0..boards {
        text.extend(random.strip(200, 3, 40));
        text.push(b'\n');
    }
    text
}

/// The boards of that file.
pub fn uva10561_boards(boards: usize) -> Vec<Board> {
    let mut random = Random::new();
    (0..boards).map(|_| Board::Treblecross(random.treblecross(200, 3, 40))).collect()
}
