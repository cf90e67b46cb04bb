//! The nim-values of one colour's rectangles, laid out for vectors.

use super::sieve::{Lanes, Line, OUTSIDE, both};

/// The nim-values of all rectangles, as lines: one for each top, bottom and left edge.
///
/// The lane of a right edge is the column before it, so that an empty rectangle has no lane to its right edge; lanes of
/// rectangles that would end before they begin are 0, as empty ones are worth.
#[derive(Clone)]
pub(super) struct Table<const STEPS: usize> {
    /// Turned columns.
    pub(super) columns: usize,
    /// The low seven bits of each value.
    pub(super) low: Vec<Line<STEPS>>,
    /// The bits above, in the same places; empty as long as all of them are 0.
    pub(super) high: Vec<Line<STEPS>>,
    /// The largest value of each line.
    pub(super) most: Vec<u16>,
}

impl<const STEPS: usize> Table<STEPS> {
    /// All values 0, as they are for empty rectangles.
    pub(super) fn new(rows: usize, columns: usize) -> Table<STEPS> {
        let lines = (rows + 1) * (rows + 2) / 2 * (columns + 1);
        Table { columns, low: vec![[[0; 32]; STEPS]; lines], high: Vec::new(), most: vec![0; lines] }
    }

    /// The line of the rectangles of rows `top..bottom` from column `left` on.
    #[inline(always)]
    pub(super) fn line(&self, top: usize, bottom: usize, left: usize) -> usize {
        (bottom * (bottom + 1) / 2 + top) * (self.columns + 1) + left
    }

    /// A value of a line, 0 for an empty rectangle.
    #[inline(always)]
    pub(super) fn value(&self, line: usize, right: usize) -> u16 {
        if right == 0 {
            return 0;
        }
        let low = u16::from(self.low[line].as_flattened()[right - 1]);
        low | self.high.get(line).map_or(0, |high| u16::from(high.as_flattened()[right - 1]) << 7)
    }

    /// Writes the values of a line from the right edge `first` on.
    #[inline(always)]
    pub(super) fn write(&mut self, line: usize, first: usize, values: &[u16]) {
        for (lane, value) in self.low[line].as_flattened_mut()[first - 1..].iter_mut().zip(values) {
            *lane = (value & 0x7f) as u8;
        }
        if !self.high.is_empty() {
            for (lane, value) in self.high[line].as_flattened_mut()[first - 1..].iter_mut().zip(values) {
                *lane = (value >> 7) as u8;
            }
        }
    }

    /// Makes room for high bits, all of them 0 so far.
    #[cold]
    pub(super) fn keep_high(&mut self) {
        self.high.resize(self.low.len(), [[0; 32]; STEPS]);
    }

    /// Copies a line.
    #[inline(always)]
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        self.low[to] = self.low[from];
        self.most[to] = self.most[from];
        if !self.high.is_empty() {
            self.high[to] = self.high[from];
        }
    }
}

/// The nim-sums of two lines, of their low bits or of their high ones.
#[inline(always)]
pub(super) fn sums<const STEPS: usize>(of: &[Line<STEPS>], one: usize, other: usize) -> Line<STEPS> {
    let (one, other) = (&of[one], &of[other]);
    let mut to = [[0; 32]; STEPS];
    for step in 0..STEPS {
        to[step] = both(&one[step], &other[step], |one, other| one ^ other);
    }
    to
}

/// Keeps out the rectangles that end before `column` or with it.
#[inline(always)]
pub(super) fn after<const STEPS: usize>(column: usize, line: &Line<STEPS>) -> Line<STEPS> {
    let mut to = [[0; 32]; STEPS];
    for step in 0..STEPS {
        to[step] = both(&line[step], up_to(column, step), |lane, outside| lane | outside);
    }
    to
}

/// `OUTSIDE` for 64 lanes, then 0 for 64: a window of it marks the lanes before any place.
static EDGE: [u8; 128] = {
    let mut edge = [0; 128];
    let mut lane = 0;
    while lane < 64 {
        edge[lane] = OUTSIDE;
        lane += 1;
    }
    edge
};

/// Marks the rectangles of a line that end before `column` or with it.
#[inline(always)]
fn up_to(column: usize, step: usize) -> &'static Lanes {
    EDGE[64 - column + 32 * step..].first_chunk().expect("a column is below 64")
}
