//! Treblecross: two players put an X into an empty cell of a strip in turn; whoever makes three adjacent X's wins.
//!
//! One-dimensional tic-tac-toe in which both write X (Winning Ways, chapter 4; UVa 10561). If some move makes an XXX,
//! the winning moves are exactly the moves that do: after any other one the opponent does it. Otherwise no two X's are
//! within distance 2 of each other, a move within distance 2 of an X loses at once, and the *zones*, the runs of cells
//! that are 3 or more away from every X, are games apart: an X in cell i of a zone of L leaves zones of max(0, i - 2) and
//! max(0, L - i - 3) cells. That is the octal game 0.007 (three tokens go, and what is left of the heap may be split)
//! with a heap of L + 2 tokens for a zone of L. By the theorem of Sprague and Grundy the first player wins iff the
//! nim-sum of the zones is not 0, and a move wins iff it makes that sum 0.
//!
//! A board takes O(n) once the Grundy table of 0.007 covers its longest zone. The table grows on demand; it has no known
//! period, so it has a largest heap.

use crate::message;
use crate::message::count;
use crate::theory::{Control, Stopped};
use bytes::Bytes;
use thiserror::Error;

mod words;
mod pairs;
pub mod growth;
mod table;
pub mod plain;
mod scan;

/// The longest board that is solved: at this size the Grundy table takes about 10 s from nothing, and a board 1 ms.
pub const MAX_CELLS: u64 = table::LARGEST_HEAP as u64 - 2;

/// The game's name on the wire and the command line.
pub const NAME: &str = "treblecross";

/// What a board is called in a sentence.
pub const A_BOARD: &str = "a Treblecross board";

size! {
    /// Cells.
    cells: "cell", MAX_CELLS;
}

/// A strip of cells, some with an X: a position in which the game goes on.
///
/// ```text
/// ..X.....   cell 0 is the leftmost
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    // Invariant: 3 or more bytes, each `.` or `X`, and nowhere XXX.
    cells: Bytes,
    // Invariant: no zone is longer, and it depends on the cells alone.
    zone_bound: usize,
}

/// Why cells are no board. Cells count from 0 here and from 1 in the messages, which are for people.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// Fewer than 3 cells.
    #[error("a board of {}: no move can ever make three in a row", count(*cells as u64, "cell"))]
    TooShort {
        /// How many there are.
        cells: usize,
    },
    /// A cell is neither `.` nor `X`.
    #[error("{}", message::cell(u64::from(*at) + 1, &[*byte], 0, &CELLS))]
    BadCell {
        /// The first such cell.
        at: u32,
        /// What it is.
        byte: u8,
    },
    /// There is an XXX.
    #[error("the game is already over: XXX at cells {}, {} and {}", u64::from(*at) + 1, u64::from(*at) + 2, u64::from(*at) + 3)]
    AlreadyWon {
        /// The first cell of the first one.
        at: u32,
    },
}

/// What a cell can be.
pub const CELLS: [char; 2] = ['.', 'X'];

impl Board {
    /// Takes cells as they are written, without a copy: `.` empty, `X` taken.
    ///
    /// # Errors
    /// The first bad cell; else too short a board; else the first XXX.
    pub fn new(cells: Bytes) -> Result<Board, Fault> {
        match words::zone_bound(&cells) {
            Some(zone_bound) if cells.len() >= 3 => Ok(Board { cells, zone_bound }),
            _ => Err(Board::fault(&cells)),
        }
    }

    /// The empty board of so many cells.
    ///
    /// # Errors
    /// Fewer than 3 cells.
    pub fn empty(cells: usize) -> Result<Board, Fault> {
        static DOTS: [u8; 4096] = [b'.'; 4096];
        if cells < 3 {
            return Err(Fault::TooShort { cells });
        }
        let dots = DOTS.get(..cells).map_or_else(|| vec![b'.'; cells].into(), Bytes::from_static);
        Ok(Board { cells: dots, zone_bound: cells })
    }

    /// The cells, from left to right.
    pub fn cells(&self) -> &Bytes {
        &self.cells
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        Size { cells: self.cells.len() as u64 }
    }

    /// What is wrong with cells that are no board.
    #[cold]
    fn fault(cells: &[u8]) -> Fault {
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        if let Some(at) = cells.iter().position(|cell| !b".X".contains(cell)) {
            Fault::BadCell { at: index(at), byte: cells[at] }
        } else if let Some(at) = cells.windows(3).position(|three| three == b"XXX") {
            Fault::AlreadyWon { at: index(at) }
        } else {
            Fault::TooShort { cells: cells.len() }
        }
    }
}

/// What a board is worth in a sum of boards in which the first XXX on any of them wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A nim-heap of this size: boards add by xor. (It is not the mex over the moves on this board alone.)
    Nimber(u32),
    /// A move wins at once, so the board wins any sum it is part of and has no nimber.
    ImmediateWin,
}

/// Who wins, how, and what the board is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Every first move that wins, as cells from 0 in increasing order; none iff the second player wins.
    pub winning_cells: Vec<u32>,
    /// What the board is worth in a sum.
    pub value: Value,
}

impl Solution {
    /// How many first moves win.
    pub fn winning_moves(&self) -> usize {
        self.winning_cells.len()
    }

    /// Every first cell that wins.
    pub fn winning_cells(&self) -> &[u32] {
        &self.winning_cells
    }
}

/// About how many nanoseconds of one core a solve takes, in O(1): the Grundy table up to the longest zone counts whole,
/// grown already or not. `u64::MAX` for a board of more than `MAX_CELLS`.
pub fn cost(board: &Board) -> u64 {
    if board.cells.len() as u64 > MAX_CELLS {
        return u64::MAX;
    }
    // Measured: 150 ns at 200 cells, 0.5 ms at 1,000,000.
    50 + board.cells.len() as u64 / 2 + table::work(board.zone_bound + 2)
}

/// Solves a board exactly.
///
/// # Errors
/// As `Control::spend`: `OverBudget` before any work when `cost(board)` is over the budget or the board has more than
/// `MAX_CELLS`; `Cancelled` also while the table grows.
pub fn solve(board: &Board, control: &Control) -> Result<Solution, Stopped> {
    if board.cells.len() as u64 > MAX_CELLS {
        return Err(Stopped::OverBudget);
    }
    control.spend(cost(board))?;
    let table = table::covering(board.zone_bound + 2, control)?;
    let (winning_cells, sum) = scan::solve(&board.cells, table);
    Ok(Solution { winning_cells, value: sum.map_or(Value::ImmediateWin, Value::Nimber) })
}

/// A run of cells that are 3 or more away from every X. On a board without an immediate win each is a game of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// The first cell, from 0.
    pub start: u32,
    /// How many cells; at least 1.
    pub length: u32,
}

/// The zones of a board, from left to right.
pub fn zones(board: &Board) -> Vec<Zone> {
    scan::zones(&board.cells).into_iter().map(|[start, end]| Zone { start, length: end - start }).collect()
}

/// The nim-value of a zone of `length` cells, and of the empty board of as many: g(length + 2) of 0.007.
///
/// # Errors
/// As `solve` for that empty board.
pub fn zone_value(length: usize, control: &Control) -> Result<u32, Stopped> {
    if length as u64 > MAX_CELLS {
        return Err(Stopped::OverBudget);
    }
    control.spend(table::work(length + 2))?;
    Ok(table::covering(length + 2, control)?[length + 2].into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::{StopFlag, nim_sum};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn board(cells: &str) -> Board {
        Board::new(Bytes::copy_from_slice(cells.as_bytes())).unwrap()
    }

    fn answer(board: &Board) -> (Vec<u32>, Option<u32>) {
        let solution = solve(board, &Control::unlimited()).unwrap();
        let nimber = match solution.value {
            Value::Nimber(nimber) => Some(nimber),
            Value::ImmediateWin => None,
        };
        (solution.winning_cells, nimber)
    }

    fn has_three(xs: u32) -> bool {
        xs & xs >> 1 & xs >> 2 != 0
    }

    fn written(xs: u32, cells: u32) -> String {
        (0..cells).map(|cell| if xs >> cell & 1 == 1 { 'X' } else { '.' }).collect()
    }

    /// The winning moves (as bits) on every board of so many cells (X's as bits), by a search from the rules alone.
    fn searched(cells: u32) -> Vec<u32> {
        let mut wins = vec![0; 1 << cells];
        // A move makes a larger number, so the boards after it are searched before.
        for xs in (0..1u32 << cells).rev().filter(|&xs| !has_three(xs)) {
            for cell in (0..cells).filter(|cell| xs >> cell & 1 == 0) {
                let after = xs | 1 << cell;
                if has_three(after) || wins[after as usize] == 0 {
                    wins[xs as usize] |= 1 << cell;
                }
            }
        }
        wins
    }

    #[test]
    fn every_small_board_equals_a_search_of_the_whole_game() {
        let values = plain::values(14);
        for cells in 3..=12 {
            let searched = searched(cells);
            for xs in (0..1u32 << cells).filter(|&xs| !has_three(xs)) {
                let text = written(xs, cells);
                let (moves, nimber) = answer(&board(&text));
                let bits = moves.iter().fold(0, |bits, cell| bits | 1 << cell);
                assert_eq!(bits, searched[xs as usize], "{text}");
                assert_eq!((moves, nimber), plain::solve(text.as_bytes(), &values), "{text}");
            }
        }
    }

    #[test]
    fn boards_side_by_side_and_nim_heaps_add_by_xor() {
        /// Whether the mover wins the sum of boards (bits of X's, cells) and a nim-heap.
        type Sum = [(u32, u32); 2];
        fn wins(sum: &mut Sum, heap: u32, known: &mut HashMap<(Sum, u32), bool>) -> bool {
            if let Some(&wins) = known.get(&(*sum, heap)) {
                return wins;
            }
            let mut won = (0..heap).any(|less| !wins(sum, less, known));
            for at in 0..sum.len() {
                let (xs, cells) = sum[at];
                for cell in (0..cells).filter(|cell| xs >> cell & 1 == 0) {
                    sum[at].0 = xs | 1 << cell;
                    won |= has_three(sum[at].0) || !wins(sum, heap, known);
                }
                sum[at].0 = xs;
            }
            known.insert((*sum, heap), won);
            won
        }
        let quiet: Vec<((u32, u32), u32)> = (3..=7)
            .flat_map(|cells| (0..1u32 << cells).map(move |xs| (xs, cells)))
            .filter(|&(xs, _)| !has_three(xs))
            .filter_map(|(xs, cells)| Some(((xs, cells), answer(&board(&written(xs, cells))).1?)))
            .collect();
        let (mut known, mut lost, mut won) = (HashMap::new(), 0, 0);
        for (place, &(one, value)) in quiet.iter().enumerate() {
            for &(other, other_value) in &quiet[place..] {
                for heap in 0..=3 {
                    let wins = wins(&mut [one, other], heap, &mut known);
                    assert_eq!(wins, value ^ other_value ^ heap != 0, "{one:?} + {other:?} + *{heap}");
                    *(if wins { &mut won } else { &mut lost }) += 1;
                }
            }
        }
        assert!(won > 2000 && lost > 300, "{won} won, {lost} lost");
    }

    #[test]
    fn boards_that_known_wrong_methods_get_wrong() {
        for (cells, moves, nimber) in [
            ("..X", &[][..], Some(0)),
            ("....", &[1, 2], Some(2)),
            ("...", &[0, 1, 2], Some(1)),
            (".....", &[2], Some(2)),
            (".XX.", &[0, 3], None),
            ("X.XX.", &[1, 4], None),
            ("XX.X", &[2], None),
            ("......", &[], Some(0)),
        ] {
            assert_eq!(answer(&board(cells)), (moves.to_vec(), nimber), "{cells}");
        }
    }

    #[test]
    fn the_first_player_loses_these_empty_boards_and_no_others() {
        // Up to 200 from a published list of this judge problem; beyond, with no other up to 10^8, OEIS A395248 agrees.
        let lost = [
            6, 12, 22, 30, 32, 44, 54, 64, 76, 86, 98, 110, 118, 130, 132, 162, 170, 184, 194, 202, 282, 290, 302, 356,
            1046, 2502, 2752, 2912, 3052, 3076, 7250, 7356, 7866, 16168,
        ];
        let found: Vec<usize> =
            (3..=20_000).filter(|&cells| answer(&Board::empty(cells).unwrap()).0.is_empty()).collect();
        assert_eq!(found, lost);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_board_or_a_fault(cells in prop::collection::vec(prop::sample::select(b".X..x".to_vec()), 0..80)) {
            let is_board = cells.len() >= 3 && !cells.contains(&b'x') && !cells.windows(3).any(|three| three == b"XXX");
            prop_assert_eq!(Board::new(cells.into()).is_ok(), is_board);
        }
    }

    #[test]
    fn faults_say_what_is_wrong_and_where() {
        for (cells, fault, message) in [
            (&b""[..], Fault::TooShort { cells: 0 }, "a board of 0 cells: no move can ever make three in a row"),
            (b".", Fault::TooShort { cells: 1 }, "a board of 1 cell: no move can ever make three in a row"),
            (b"XX", Fault::TooShort { cells: 2 }, "a board of 2 cells: no move can ever make three in a row"),
            (b"..x", Fault::BadCell { at: 2, byte: b'x' }, "cell 3 is 'x': use 'X'"),
            (b"O..", Fault::BadCell { at: 0, byte: b'O' }, "cell 1 is 'O': a cell is '.' or 'X'"),
            (b".X *", Fault::BadCell { at: 2, byte: b' ' }, "cell 3 is ' ': a cell is '.' or 'X'"),
            (b"XXX\xd0", Fault::BadCell { at: 3, byte: 0xd0 }, "cell 4 is the byte 0xD0: a cell is '.' or 'X'"),
            (b"\n", Fault::BadCell { at: 0, byte: b'\n' }, "cell 1 is '\\n': a cell is '.' or 'X'"),
            (b".XXXX", Fault::AlreadyWon { at: 1 }, "the game is already over: XXX at cells 2, 3 and 4"),
        ] {
            let found = Board::new(Bytes::from_static(cells)).unwrap_err();
            assert_eq!(found.to_string(), message);
            assert_eq!(found, fault);
        }
        assert_eq!(Board::empty(2), Err(Fault::TooShort { cells: 2 }));
    }

    #[test]
    fn faults_are_found_in_every_word_and_across_words() {
        for at in [0, 1, 61, 62, 63, 64, 126, 190, 195] {
            let mut cells = vec![b'.'; 200];
            cells[at..at + 3].fill(b'X');
            assert_eq!(Board::new(cells.clone().into()), Err(Fault::AlreadyWon { at: at as u32 }));
            cells[at + 1] = b'\0';
            assert_eq!(Board::new(cells.into()), Err(Fault::BadCell { at: at as u32 + 1, byte: 0 }));
        }
    }

    #[test]
    fn an_empty_board_is_the_board_of_as_many_dots() {
        for cells in [3, 64, 4096, 4097] {
            let written = board(&".".repeat(cells));
            assert_eq!(Board::empty(cells), Ok(written));
        }
    }

    #[test]
    fn a_solve_over_budget_is_refused_before_and_after_the_table_grew() {
        let board = Board::empty(30_000).unwrap();
        let cost = cost(&board);
        for _ in 0..2 {
            assert_eq!(solve(&board, &Control::new(cost - 1, StopFlag::default())), Err(Stopped::OverBudget));
            assert!(solve(&board, &Control::new(cost, StopFlag::default())).is_ok());
        }
        let stopped = StopFlag::default();
        stopped.stop();
        assert_eq!(solve(&board, &Control::new(cost, stopped)), Err(Stopped::Cancelled));
    }

    #[test]
    fn a_board_past_the_largest_is_a_board_but_never_paid_for() {
        let board = Board::empty(MAX_CELLS as usize + 1).unwrap();
        assert_eq!(cost(&board), u64::MAX);
        assert_eq!(solve(&board, &Control::unlimited()), Err(Stopped::OverBudget));
        assert_eq!(zone_value(MAX_CELLS as usize + 1, &Control::unlimited()), Err(Stopped::OverBudget));
    }

    #[test]
    fn a_long_board_of_short_zones_does_not_pay_for_the_table() {
        let long = board(&"..........X".repeat(80_000));
        assert!(cost(&long) < cost(&Board::empty(20_000).unwrap()));
        assert!(cost(&Board::empty(880_000).unwrap()) > 1000 * cost(&long));
    }

    #[test]
    fn the_nim_sum_of_the_zones_is_the_value() {
        for (cells, expected) in
            [("..X", &[][..]), ("....", &[(0, 4)]), ("..X......X....", &[(5, 2), (12, 2)]), ("X..X", &[])]
        {
            let zones: Vec<(u32, u32)> = zones(&board(cells)).iter().map(|zone| (zone.start, zone.length)).collect();
            assert_eq!(zones, expected, "{cells}");
            let values =
                expected.iter().map(|&(_, length)| zone_value(length as usize, &Control::unlimited()).unwrap());
            assert_eq!(answer(&board(cells)).1, Some(nim_sum(values)), "{cells}");
        }
    }
}
