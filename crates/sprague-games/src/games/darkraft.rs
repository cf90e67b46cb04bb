//! Darkraft: a grid of cells, each sending waves along one diagonal or both; who can choose no cell loses.
//!
//! **Rules.** All cells are active at first. A move chooses an active cell; the cell goes out, and a wave runs from it
//! along its diagonals (`\`: through down-right and up-left, `/`: through down-left and up-right, `X`: all four ways),
//! putting out every active cell until it meets an inactive cell or the border. The player without a move loses. The
//! game is problem D, "World of Darkraft", of Codeforces Beta Round 99; judges differ on the letters, so cells are
//! drawn here as they act.
//!
//! **Method.** Waves keep the parity of row + column, so the board is a sum of two games, one a *colour*. Turned by 45
//! degrees, a move cuts a row, a column or both out of a rectangle of active cells and leaves two or four rectangles
//! that never meet again: by Sprague's and Grundy's theorem the rectangle's nim-value is the mex, over its cells, of
//! the nim-sum of what is left, and the board's is the nim-sum of both colours. Cells of one row that kill just the
//! row are one option, and so are those of a column; only the `X` are options of their own.
//!
//! **Cost.** With `n` rows and columns, about `n^4 / 4` rectangles a colour, of which `n^4 / 7` hold different cells, each
//! with up to `n^2 / 2` options.

mod diamond;
mod plain;
mod sieve;
mod table;
mod sweep;
#[cfg(test)]
mod search;

use crate::theory::{Control, Stopped};
use bytes::Bytes;
use diamond::{Diamond, Values};

pub use self::{diamond::place, sweep::Rectangles};

/// The most rows of a board that is solved: a turned row of 64 columns is a word, and a board of 64 x 64 takes up to a
/// few seconds and 20 MB.
pub const MAX_ROWS: u32 = 64;

/// The most columns of a board that is solved, for the same reason.
pub const MAX_COLUMNS: u32 = 64;

/// The game's name on the wire and the command line.
pub const NAME: &str = "darkraft";

/// What a board is called in a sentence.
pub const A_BOARD: &str = "a darkraft board";

size! {
    /// Rows.
    rows: "row", MAX_ROWS;
    /// Columns.
    columns: "column", MAX_COLUMNS;
}

/// A position: every cell active, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    // Invariant: at least one cell, whole rows of `columns` cells, and each cell is `\`, `/` or `X`.
    columns: u32,
    cells: Bytes,
}

/// Why something is no darkraft board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no cell.
    #[error("the board has no cells")]
    Empty,
    /// The last row is not whole, or rows have no cells.
    #[error("{} do not make whole rows of {columns}", crate::message::count(*cells as u64, "cell"))]
    Ragged {
        /// Cells on the board.
        cells: usize,
        /// Cells in a row.
        columns: u32,
    },
    /// A cell is none of the three kinds.
    #[error("{}", crate::message::cell(u64::from(*at) + 1, &[*byte], 0, &['\\', '/', 'X']))]
    BadCell {
        /// The cell's place, row by row, from 0.
        at: u32,
        /// What is there.
        byte: u8,
    },
}

impl Board {
    /// A board of whole rows of `columns` cells, each `\`, `/` or `X`.
    ///
    /// A board may be larger than `solve` takes; then its `cost` passes every budget.
    ///
    /// # Errors
    /// The first fault: no cells, a row that is not whole, or the first cell of another kind.
    pub fn new(columns: u32, cells: Bytes) -> Result<Board, Fault> {
        if cells.is_empty() {
            return Err(Fault::Empty);
        }
        if columns == 0 || !cells.len().is_multiple_of(columns as usize) {
            return Err(Fault::Ragged { cells: cells.len(), columns });
        }
        if let Some(at) = cells.iter().position(|cell| !matches!(cell, b'\\' | b'/' | b'X')) {
            return Err(Fault::BadCell { at: u32::try_from(at).unwrap_or(u32::MAX), byte: cells[at] });
        }
        Ok(Board { columns, cells })
    }

    /// Cells in a row.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Rows.
    pub fn rows(&self) -> u32 {
        u32::try_from(self.cells.len() / self.columns as usize).unwrap_or(u32::MAX)
    }

    /// The cells, row by row.
    pub fn cells(&self) -> &Bytes {
        &self.cells
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        Size { rows: self.cells.len() as u64 / u64::from(self.columns), columns: self.columns.into() }
    }

    /// Whether the board is small enough to be solved.
    fn fits(&self) -> bool {
        self.rows() <= MAX_ROWS && self.columns <= MAX_COLUMNS
    }
}

/// An answer: every winning first move, and the board's nim-value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The cells that win when chosen first, in increasing order (row * columns + column).
    pub winning_cells: Vec<u32>,
    /// The nim-value of the board; the first player wins iff it is not 0.
    pub nim_value: u32,
}

impl Solution {
    /// How many first moves win.
    pub fn winning_moves(&self) -> usize {
        self.winning_cells.len()
    }

    /// The cells that win when chosen first.
    pub fn winning_cells(&self) -> &[u32] {
        &self.winning_cells
    }
}

/// Estimates the work of `solve`, in units of about a nanosecond, from the board's size and how many `X` there are.
///
/// The estimate is an upper bound fitted to what `solve` spends, at most about twice as much on boards of a millisecond
/// and more. A board past `MAX_ROWS` or `MAX_COLUMNS` costs more than anybody has.
pub fn cost(board: &Board) -> u64 {
    if !board.fits() {
        return u64::MAX;
    }
    let (rows, columns) = (u64::from(board.rows()), u64::from(board.columns));
    let crosses = board.cells.iter().filter(|&&cell| cell == b'X').count() as u64;
    // A turned colour is about `side` rows and columns, a band of cells `width` across; its lines are of one vector of
    // 32 lanes or two, and option sets grow with the width.
    let (side, width) = ((rows + columns).div_ceil(2), rows.min(columns));
    let vectors = if side > 32 { 2 } else { 1 };
    let lines = side * side * width;
    2000 + 25 * side.pow(3) + 10 * side * lines + vectors * crosses * lines * (80 + width) / 128
}

/// Solves a board.
///
/// ```
/// use sprague_games::games::darkraft::{Board, solve};
/// use sprague_games::theory::Control;
///
/// let grid = Board::new(2, br"/XX/".as_slice().into())?; // two rows of two cells
/// let solution = solve(&grid, &Control::unlimited())?;
/// assert_eq!((solution.nim_value, solution.winning_cells), (1, vec![0, 1, 2, 3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `Stopped` when `control` says that the answer is no longer paid for; `OverBudget` for a board past `MAX_ROWS` or
/// `MAX_COLUMNS`, whatever the budget.
pub fn solve(board: &Board, control: &Control) -> Result<Solution, Stopped> {
    colours(board, control, sweep::values).map(read_off)
}

/// Solves a board the obvious way, one rectangle at a time: what `solve` is compared with.
///
/// # Errors
/// Those of `solve`.
pub fn plain(board: &Board, control: &Control) -> Result<Solution, Stopped> {
    colours(board, control, plain::values).map(read_off)
}

/// The nim-values of all that play on a board can leave, of each colour, at the cost of `solve`.
///
/// # Errors
/// Those of `solve`.
pub fn rectangles(board: &Board, control: &Control) -> Result<[Rectangles; 2], Stopped> {
    colours(board, control, sweep::rectangles)
}

/// What is known of both colours, found out by the given method.
fn colours<T>(
    board: &Board,
    control: &Control,
    colour: impl Fn(&Diamond, &Control) -> Result<T, Stopped>,
) -> Result<[T; 2], Stopped> {
    if !board.fits() {
        return Err(Stopped::OverBudget);
    }
    let of = |parity| colour(&Diamond::new(board.columns as usize, &board.cells, parity), control);
    Ok([of(0)?, of(1)?])
}

fn read_off([even, odd]: [Values; 2]) -> Solution {
    // A move wins iff it leaves its colour worth what the other is.
    let wins = |colour: &Values, other: &Values| -> Vec<u32> {
        colour.after.iter().filter(|(_, after)| *after == other.total).map(|(at, _)| *at).collect()
    };
    let mut winning_cells = [wins(&even, &odd), wins(&odd, &even)].concat();
    winning_cells.sort_unstable();
    Solution { winning_cells, nim_value: u32::from(even.total ^ odd.total) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::StopFlag;
    use proptest::prelude::*;
    use search::Search;

    fn board(columns: usize, cells: impl Into<Bytes>) -> Board {
        Board::new(columns as u32, cells.into()).unwrap()
    }

    fn solved(board: &Board) -> Solution {
        solve(board, &Control::unlimited()).unwrap()
    }

    fn check_against_plain(board: &Board) {
        assert_eq!(solved(board), plain(board, &Control::unlimited()).unwrap(), "{board:?}");
    }

    fn check_against_search(columns: usize, boards: impl Iterator<Item = Vec<u8>>) {
        let mut search = Search::new(columns);
        for cells in boards {
            let nim_value = search.value(&cells);
            let winning = search.options(&cells).into_iter().filter(|(_, value)| *value == 0).map(|(at, _)| at);
            let expected = Solution { winning_cells: winning.collect(), nim_value };
            let board = board(columns, cells);
            assert_eq!(solved(&board), expected, "{board:?}");
            check_against_plain(&board);
        }
    }

    /// Every board of so many cells.
    fn every(cells: u32) -> impl Iterator<Item = Vec<u8>> {
        (0..3u32.pow(cells)).map(move |code| (0..cells).map(|at| br"\/X"[(code / 3u32.pow(at) % 3) as usize]).collect())
    }

    /// A reproducible board whose cells are `X` so many times in a hundred.
    fn random(cells: usize, crosses: u64, seed: u64) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> 11
        };
        (0..cells).map(|_| if next() % 100 < crosses { b'X' } else { br"\/"[(next() % 2) as usize] }).collect()
    }

    #[test]
    fn every_small_board_is_solved_as_a_search_of_its_game_tree_does() {
        for (rows, columns) in [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2), (1, 6), (6, 1)] {
            check_against_search(columns, every((rows * columns) as u32));
        }
    }

    #[test]
    fn random_larger_boards_are_solved_as_a_search_of_their_game_tree_does() {
        for (rows, columns, boards) in
            [(4, 4, 40), (3, 4, 100), (3, 5, 50), (1, 14, 50), (14, 1, 50), (2, 8, 40), (7, 2, 40)]
        {
            let boards = (0..boards).map(|seed| random(rows * columns, [33, 90, 10, 66][seed as usize % 4], seed));
            check_against_search(columns, boards);
        }
    }

    #[test]
    fn a_board_of_one_diagonal_letter_is_won_iff_rows_and_columns_add_up_to_an_even_number() {
        for letter in [b'\\', b'/'] {
            for (rows, columns) in (1..=12).flat_map(|rows| (1..=12).map(move |columns| (rows, columns))) {
                let won = solved(&board(columns, vec![letter; rows * columns])).nim_value != 0;
                assert_eq!(won, (rows + columns) % 2 == 0, "{rows} x {columns}");
            }
        }
    }

    #[test]
    fn a_board_of_crosses_is_lost_when_a_side_is_even_and_at_7_by_11() {
        for rows in 1..=13 {
            for columns in rows..=13 {
                let lost = solved(&board(columns, vec![b'X'; rows * columns])).nim_value == 0;
                let expected = rows % 2 == 0 || columns % 2 == 0 || (rows, columns) == (7, 11);
                assert_eq!(lost, expected, "{rows} x {columns}");
            }
        }
    }

    #[test]
    fn published_samples_have_their_published_answers() {
        // Codeforces 138D, in cells that act as its letters do.
        for (columns, cells, won) in [(2, &br"\//\"[..], false), (2, br"////", true), (3, br"///X\/\\/", true)] {
            assert_eq!(solved(&board(columns, cells.to_vec())).nim_value != 0, won, "{}", cells.escape_ascii());
        }
    }

    #[test]
    fn the_values_behind_an_answer_are_those_of_each_colour_alone() {
        // The even colour is the cells 0 and 3 on one diagonal, killed together by 0; the odd one two lone cells.
        let values = colours(&board(2, &br"\X/X"[..]), &Control::unlimited(), sweep::values).unwrap();
        let colour = |cells: [u32; 2]| Values { total: 1, after: cells.map(|at| (at, 0)).to_vec() };
        assert_eq!(values, [colour([0, 3]), colour([1, 2])]);
        assert_eq!(solved(&board(2, &br"\X/X"[..])), Solution { winning_cells: vec![], nim_value: 0 });
    }

    #[test]
    fn what_is_no_board_is_refused_with_the_reason() {
        let fault = |columns, cells: &'static [u8]| Board::new(columns, Bytes::from_static(cells)).unwrap_err();
        for (columns, cells, expected, message) in [
            (3, &b""[..], Fault::Empty, "the board has no cells"),
            (0, b"", Fault::Empty, "the board has no cells"),
            (0, b"XX", Fault::Ragged { cells: 2, columns: 0 }, "2 cells do not make whole rows of 0"),
            (2, b"XXX", Fault::Ragged { cells: 3, columns: 2 }, "3 cells do not make whole rows of 2"),
            (3, b"XX", Fault::Ragged { cells: 2, columns: 3 }, "2 cells do not make whole rows of 3"),
            (2, b"X/LR", Fault::BadCell { at: 2, byte: b'L' }, r"cell 3 is 'L': a cell is '\', '/' or 'X'"),
            (1, b"x", Fault::BadCell { at: 0, byte: b'x' }, r"cell 1 is 'x': use 'X'"),
            (1, b"\xff", Fault::BadCell { at: 0, byte: 0xff }, r"cell 1 is the byte 0xFF: a cell is '\', '/' or 'X'"),
        ] {
            let fault = fault(columns, cells);
            assert_eq!(fault, expected);
            assert_eq!(fault.to_string(), message);
        }
    }

    #[test]
    fn a_board_past_the_limits_is_over_every_budget() {
        for (rows, columns, fits) in [(64, 1, true), (1, 64, true), (65, 1, false), (1, 65, false), (1, 100_000, false)]
        {
            let board = board(columns, vec![b'X'; rows * columns]);
            assert_eq!(cost(&board) < u64::MAX, fits, "{rows} x {columns}");
            assert_eq!(solve(&board, &Control::unlimited()).is_ok(), fits, "{rows} x {columns}");
        }
    }

    #[test]
    fn what_is_spent_stays_within_the_cost_and_is_the_same_each_time() {
        for (rows, columns) in [(1, 1), (1, 2), (2, 2), (4, 4), (8, 8), (20, 20), (1, 64), (31, 17)] {
            for crosses in [0, 33, 90, 100] {
                let board = board(columns, random(rows * columns, crosses, 5));
                let spends = |budget| solve(&board, &Control::new(budget, StopFlag::default()));
                assert!(spends(cost(&board)).is_ok(), "{rows} x {columns}, {crosses} % X");
                // The least budget that is enough, about.
                let (mut less, mut enough) = (0, cost(&board));
                while enough - less > 8 + enough / 256 {
                    let middle = less.midpoint(enough);
                    match spends(middle) {
                        Ok(_) => enough = middle,
                        Err(stopped) => {
                            assert_eq!(stopped, Stopped::OverBudget);
                            less = middle;
                        }
                    }
                }
                assert!(enough > 100 && spends(enough).is_ok(), "{rows} x {columns}, {crosses} % X");
            }
        }
    }

    #[test]
    fn a_set_flag_stops_the_solve() {
        let flag = StopFlag::default();
        flag.stop();
        let control = Control::new(u64::MAX, flag);
        assert_eq!(solve(&board(1, &b"X"[..]), &control), Err(Stopped::Cancelled));
    }

    /// Any board of up to 12 rows and columns.
    fn any_board() -> impl Strategy<Value = Board> {
        (1..=12usize, 1..=12usize, 0..=100u64, any::<u64>())
            .prop_map(|(rows, columns, crosses, seed)| board(columns, random(rows * columns, crosses, seed)))
    }

    proptest! {
        #[test]
        fn any_board_is_solved_as_the_plain_way_does(board in any_board()) {
            check_against_plain(&board);
        }

        #[test]
        fn a_mirror_image_has_the_mirrored_answer(original in any_board()) {
            let columns = original.columns as usize;
            let mirrored = original.cells.chunks(columns).flat_map(|row| row.iter().rev()).map(|cell| match cell {
                b'\\' => b'/',
                b'/' => b'\\',
                _ => b'X',
            });
            let mut answer = solved(&board(columns, mirrored.collect::<Vec<u8>>()));
            for cell in &mut answer.winning_cells {
                let (row, column) = (*cell / original.columns, *cell % original.columns);
                *cell = row * original.columns + original.columns - 1 - column;
            }
            answer.winning_cells.sort_unstable();
            prop_assert_eq!(answer, solved(&original));
        }

        #[test]
        fn rows_and_columns_may_change_places(original in any_board()) {
            let (rows, columns) = (original.rows() as usize, original.columns as usize);
            let cells: Vec<u8> = (0..rows * columns).map(|at| original.cells[at % rows * columns + at / rows]).collect();
            let mut answer = solved(&board(rows, cells));
            for cell in &mut answer.winning_cells {
                *cell = *cell % original.rows() * original.columns + *cell / original.rows();
            }
            answer.winning_cells.sort_unstable();
            prop_assert_eq!(answer, solved(&original));
        }
    }
}
