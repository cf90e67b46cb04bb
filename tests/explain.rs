//! Explanations held against a search of the whole game, from the rules alone: every small board, every move.

use std::collections::HashMap;

use sprague::explain::reason::{Cells, Part};
use sprague::explain::{self, Choice, Explanation, Fault, Left, Move, Position, Reason, Wants};
use sprague::games::end_nim::{self, End};
use sprague::games::{self, Board, Outcome, darkraft, treblecross};
use sprague::theory::{Control, StopFlag, Stopped, mex, nim_sum};

/// A position as the rules see it. Nothing here knows a theorem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum State {
    Strip(Vec<u8>),
    Grid(usize, Vec<u8>),
    Row(Vec<u64>),
}

impl State {
    /// Every move and what it leads to; none when the game is over, and whoever is to move has lost.
    fn moves(&self) -> Vec<(Move, State)> {
        match self {
            State::Strip(cells) if cells.windows(3).any(|three| three == b"XXX") => Vec::new(),
            State::Strip(cells) => {
                let empty = (0..cells.len()).filter(|&at| cells[at] == b'.');
                empty.map(|at| (Move::Cell(at as u32), State::Strip(with(cells, at, b'X')))).collect()
            }
            State::Grid(columns, cells) => {
                let active = (0..cells.len()).filter(|&at| cells[at] != b'.');
                active.map(|at| (Move::Cell(at as u32), State::Grid(*columns, wave(*columns, cells, at)))).collect()
            }
            State::Row(piles) => {
                let ends = [(End::Left, 0), (End::Right, piles.len().wrapping_sub(1))];
                let ends = ends.into_iter().take(piles.len().min(2));
                let taken = ends.flat_map(|(end, at)| (1..=piles[at]).map(move |take| (end, at, take)));
                let after = |at: usize, take| {
                    let mut after = with(piles, at, piles[at] - take);
                    after.retain(|&pile| pile > 0);
                    State::Row(after)
                };
                taken.map(|(end, at, take)| (Move::End(end_nim::Move { end, take }), after(at, take))).collect()
            }
        }
    }

    fn after(&self, played: Move) -> Option<State> {
        self.moves().into_iter().find(|(other, _)| *other == played).map(|(_, after)| after)
    }
}

fn with<T: Clone>(all: &[T], at: usize, one: T) -> Vec<T> {
    let mut all = all.to_vec();
    all[at] = one;
    all
}

fn wave(columns: usize, cells: &[u8], at: usize) -> Vec<u8> {
    let mut after = with(cells, at, b'.');
    let ways: &[(isize, isize)] = match cells[at] {
        b'\\' => &[(1, 1), (-1, -1)],
        b'/' => &[(1, -1), (-1, 1)],
        _ => &[(1, 1), (-1, -1), (1, -1), (-1, 1)],
    };
    let rows = (cells.len() / columns) as isize;
    for (down, right) in ways {
        let (mut row, mut column) = ((at / columns) as isize + down, (at % columns) as isize + right);
        while (0..rows).contains(&row) && (0..columns as isize).contains(&column) {
            let place = row as usize * columns + column as usize;
            if after[place] == b'.' {
                break;
            }
            after[place] = b'.';
            (row, column) = (row + down, column + right);
        }
    }
    after
}

/// What a search finds: nim-values of the game in which the player without a move loses.
#[derive(Default)]
struct Search(HashMap<State, u32>);

impl Search {
    fn value(&mut self, state: &State) -> u32 {
        if let Some(&value) = self.0.get(state) {
            return value;
        }
        let options: Vec<u32> = state.moves().iter().map(|(_, after)| self.value(after)).collect();
        let value = mex(options);
        self.0.insert(state.clone(), value);
        value
    }

    fn is_won(&mut self, state: &State) -> bool {
        self.value(state) != 0
    }
}

fn state_of(board: &Board) -> State {
    match board {
        Board::Treblecross(strip) => State::Strip(strip.cells().to_vec()),
        Board::Darkraft(grid) => State::Grid(grid.columns() as usize, grid.cells().to_vec()),
        Board::EndNim(row) => State::Row(row.piles().to_vec()),
    }
}

fn state_at(position: &Position) -> State {
    match position {
        Position::Treblecross(position) => State::Strip(position.cells.to_vec()),
        Position::Darkraft(position) => State::Grid(position.columns as usize, position.cells.to_vec()),
        Position::EndNim(position) => State::Row(position.piles.clone()),
    }
}

const ALL: Wants = Wants { options: true, line: true };

fn explained(board: &Board, moves: &[Move], wants: Wants) -> Explanation {
    explain::explain(board, moves, wants, &Control::unlimited()).unwrap_or_else(|fault| panic!("{board:?}: {fault}"))
}

/// Checks everything that is said of the position behind some moves.
fn check(board: &Board, moves: &[Move], search: &mut Search) {
    let told = explained(board, moves, ALL);
    let mut state = state_of(board);
    for (&played, judged) in moves.iter().zip(&told.moves) {
        assert_eq!(judged.choice.played, played);
        assert_eq!(judged.was_won, search.is_won(&state));
        state = state.after(played).expect("legal");
        assert_eq!(judged.choice.left.wins(), !search.is_won(&state), "{board:?} {moves:?}");
        assert_eq!(judged.reply.is_none(), judged.choice.left.wins());
        if let Some(reply) = &judged.reply {
            let beaten = state.after(reply.played).expect("a legal reply");
            assert!(!search.is_won(&beaten) && reply.left.wins(), "{board:?} {moves:?}: {reply:?} beats nothing");
        }
    }
    assert_eq!(state_at(&told.position), state);
    let right: Vec<(Move, bool)> =
        state.moves().into_iter().map(|(played, after)| (played, !search.is_won(&after))).collect();
    let options = told.options.as_ref().expect("asked for");
    let found: Vec<(Move, bool)> = options.items.iter().map(|choice| (choice.played, choice.left.wins())).collect();
    assert_eq!(found, right, "{board:?} {moves:?}");
    assert_eq!(options.total, right.len() as u64);
    let winning: Vec<Move> = told.winning_moves.items.iter().map(|choice| choice.played).collect();
    let mut right: Vec<Move> = right.iter().filter(|(_, wins)| *wins).map(|(played, _)| *played).collect();
    if let (State::Row(piles), [_, ..]) = (&state, &right[..])
        && piles.len() == 1
    {
        right.truncate(1);
    }
    assert_eq!(winning, right, "{board:?} {moves:?}");
    assert_eq!(told.outcome == Outcome::FirstPlayerWins, search.is_won(&state));
    check_reason(&told, &state, search);
    check_line(&told, state, search);
}

fn check_reason(told: &Explanation, state: &State, search: &mut Search) {
    match (&told.reason, state) {
        (Reason::Over, _) => assert!(state.moves().is_empty()),
        (Reason::ImmediateWin { cells }, _) => {
            let three = |at: &u32| state.after(Move::Cell(*at)).is_some_and(|after| after.moves().is_empty());
            assert!(cells.total > 0 && cells.items.iter().all(three));
        }
        (Reason::Zones { zones, deadly, nim_sum }, State::Strip(cells)) => {
            let mut seen: Vec<u32> = zones.items.iter().flat_map(|zone| zone.cells.iter()).collect();
            seen.extend(&deadly.items);
            seen.sort_unstable();
            assert!(seen.iter().all(|&at| cells[at as usize] == b'.') && seen.is_sorted_by(|one, two| one < two));
            assert_eq!(seen.len(), cells.iter().filter(|&&cell| cell == b'.').count());
            for &at in &deadly.items {
                let after = state.after(Move::Cell(at)).expect("an empty cell");
                assert!(after.moves().iter().any(|(_, over)| over.moves().is_empty()), "{cells:?}: {at} is not deadly");
            }
            assert_eq!(sum(&zones.items), *nim_sum);
        }
        (Reason::Colours { colours }, _) => {
            assert!(colours.iter().all(|colour| sum(&colour.parts) == colour.value));
            assert_eq!(colours[0].value ^ colours[1].value, search.value(state));
        }
        (Reason::Thresholds { left, right }, State::Row(piles)) => {
            for (at, threshold) in [(0, left), (piles.len() - 1, right)] {
                assert_eq!(threshold.pile, piles[at]);
                let mut lost = with(piles, at, threshold.value);
                lost.retain(|&pile| pile > 0);
                assert!(!search.is_won(&State::Row(lost)), "{piles:?} {threshold:?}");
                if let explain::reason::Rule::Stretch { x, far, near, .. } = threshold.rule {
                    // What loses on either side of the piles between the ends.
                    let inside = &piles[1..piles.len() - 1];
                    let (before, behind) = if at == 0 { (far, near) } else { (near, far) };
                    assert_eq!(x, piles[piles.len() - 1 - at]);
                    for row in [[&[before], inside].concat(), [inside, &[behind]].concat()] {
                        let row = row.into_iter().filter(|&pile| pile > 0).collect();
                        assert!(!search.is_won(&State::Row(row)), "{piles:?} {threshold:?}");
                    }
                }
            }
        }
        (Reason::OnePile, State::Row(piles)) => assert_eq!(piles.len(), 1),
        (reason, _) => panic!("{reason:?} for {state:?}"),
    }
    for choice in told.options.iter().flat_map(|options| &options.items) {
        check_left(choice, state, search);
    }
}

fn sum(parts: &[Part]) -> u32 {
    nim_sum(parts.iter().map(|part| part.value))
}

/// The parts that a darkraft move leaves are what is left of it, their nim-sum is right; an exposed reply is the lowest.
fn check_left(choice: &Choice, state: &State, search: &mut Search) {
    if let Left::Exposed { reply } = choice.left {
        let mut replies = state.after(choice.played).expect("legal").moves().into_iter();
        assert_eq!(replies.find(|(_, over)| over.moves().is_empty()).expect("one").0, Move::Cell(reply), "{state:?}");
    }
    if let (State::Grid(columns, _), Left::Parts { parts, nim_sum }) = (state, &choice.left) {
        let after = state.after(choice.played).expect("legal");
        assert_eq!(search.value(&after), *nim_sum);
        let State::Grid(_, left) = after else { panic!("a grid stays one") };
        for part in parts {
            let Cells::List(cells) = &part.cells else { panic!("a list") };
            let alone = (0..left.len()).map(|at| if cells.contains(&(at as u32)) { left[at] } else { b'.' }).collect();
            assert_eq!(search.value(&State::Grid(*columns, alone)), part.value);
        }
    }
}

fn check_line(told: &Explanation, mut state: State, search: &mut Search) {
    let line = told.line.as_ref().expect("asked for");
    assert!(!line.is_cut);
    for &played in &line.moves {
        let was_won = search.is_won(&state);
        state = state.after(played).expect("a legal move");
        assert!(!was_won || !search.is_won(&state), "the winner gives it away");
    }
    assert!(state.moves().is_empty(), "the game goes on");
    assert_eq!(line.moves.len() % 2 == 1, told.outcome == Outcome::FirstPlayerWins);
}

/// The position itself, every position a move behind it, and some way down a play that a seed picks.
fn check_all_around(board: &Board, seed: usize, search: &mut Search) {
    check(board, &[], search);
    let mut state = state_of(board);
    for (played, _) in state.moves() {
        check(board, &[played], search);
    }
    let mut moves = Vec::new();
    for step in 0.. {
        let options = state.moves();
        if options.is_empty() || step == 4 {
            break;
        }
        let (played, after) = options[(seed * 7919 + step * 31) % options.len()].clone();
        moves.push(played);
        state = after;
    }
    check(board, &moves, search);
}

#[test]
fn every_small_treblecross_board_is_explained_as_a_search_finds_it() {
    let mut search = Search::default();
    for cells in 3..=9u32 {
        for bits in 0..1usize << cells {
            let text: Vec<u8> = (0..cells).map(|at| if bits >> at & 1 == 1 { b'X' } else { b'.' }).collect();
            if let Ok(board) = treblecross::Board::new(text.into()) {
                check_all_around(&Board::Treblecross(board), bits, &mut search);
            }
        }
    }
    for cells in [12, 13] {
        let board = Board::Treblecross(treblecross::Board::empty(cells).unwrap());
        check_all_around(&board, cells, &mut search);
    }
}

#[test]
fn every_small_darkraft_board_is_explained_as_a_search_finds_it() {
    let mut search = Search::default();
    for (rows, columns, step) in
        [(1, 1, 1), (1, 4, 1), (4, 1, 1), (2, 2, 1), (2, 3, 1), (3, 2, 1), (3, 3, 97), (4, 3, 5003)]
    {
        let count = 3usize.pow(rows * columns);
        for code in (0..count).step_by(step) {
            let cells: Vec<u8> = (0..rows * columns).map(|at| br"\/X"[code / 3usize.pow(at) % 3]).collect();
            let board = darkraft::Board::new(columns, cells.into()).unwrap();
            check_all_around(&Board::Darkraft(board), code, &mut search);
        }
    }
}

#[test]
fn every_small_end_nim_row_is_explained_as_a_search_finds_it() {
    let mut search = Search::default();
    for (piles, most) in [(0, 1), (1, 6), (2, 5), (3, 4), (4, 4), (5, 3), (6, 2)] {
        for code in 0..u64::pow(most, piles) {
            let row = (0..piles).map(|at| code / u64::pow(most, at) % most + 1).collect();
            check_all_around(&Board::EndNim(end_nim::Board::new(row).unwrap()), code as usize, &mut search);
        }
    }
}

/// Boards past any search, in no order.
fn larger() -> Vec<Board> {
    let mut state = 9u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut boards = Vec::new();
    for size in [30, 200, 3000] {
        let mut cells = vec![b'.'; size];
        for _ in 0..size / 12 {
            let at = next(size as u64 - 4) as usize;
            if !cells[at.saturating_sub(3)..(at + 4).min(size)].contains(&b'X') {
                cells[at] = b'X';
            }
        }
        boards.push(Board::Treblecross(treblecross::Board::new(cells.into()).unwrap()));
        let piles = (0..size).map(|_| next(9) + 1).collect();
        boards.push(Board::EndNim(end_nim::Board::new(piles).unwrap()));
    }
    for (rows, columns) in [(7, 11), (20, 20), (1, 40), (13, 6)] {
        let cells: Vec<u8> = (0..rows * columns).map(|_| br"\/XX"[next(4) as usize]).collect();
        boards.push(Board::Darkraft(darkraft::Board::new(columns, cells.into()).unwrap()));
    }
    boards
}

#[test]
fn larger_boards_are_explained_as_their_solver_solves_them() {
    for board in larger() {
        let told = explained(&board, &[], ALL);
        let solution = games::solve(&board, &Control::unlimited()).unwrap();
        assert_eq!(told.outcome, solution.outcome());
        let winning: Vec<Move> = told.winning_moves.items.iter().map(|choice| choice.played).collect();
        let options = told.options.as_ref().unwrap().items.iter();
        let among_options: Vec<Move> =
            options.filter(|choice| choice.left.wins()).map(|choice| choice.played).collect();
        assert_eq!(winning, among_options);
        let right: Vec<Move> = match &solution {
            games::Solution::EndNim(solution) => solution.winning_ends.iter().copied().map(Move::End).collect(),
            games::Solution::Treblecross(solution) => solution.winning_cells.iter().copied().map(Move::Cell).collect(),
            games::Solution::Darkraft(solution) => {
                let Reason::Colours { colours } = &told.reason else { panic!("colours") };
                assert_eq!(colours[0].value ^ colours[1].value, solution.nim_value);
                solution.winning_cells.iter().copied().map(Move::Cell).collect()
            }
        };
        assert_eq!(winning, right);
        let line = told.line.unwrap();
        let mut state = state_of(&board);
        for &played in &line.moves {
            state = state.after(played).expect("a legal move");
        }
        let is_won = told.outcome == Outcome::FirstPlayerWins;
        assert!(line.is_cut || state.moves().is_empty() && (line.moves.len() % 2 == 1) == is_won);
    }
}

#[test]
fn a_move_that_the_rules_do_not_allow_is_named() {
    let strip = Board::Treblecross(treblecross::Board::new(".XX..".into()).unwrap());
    let grid = Board::Darkraft(darkraft::Board::new(2, r"X\X".repeat(2).into()).unwrap());
    let (row, left) = (end_nim::Board::new(vec![3, 1]), |take| Move::End(end_nim::Move { end: End::Left, take }));
    let row = Board::EndNim(row.unwrap());
    for (board, moves, number, what) in [
        (&strip, &[Move::Cell(5)][..], 0, "cell 6 is not on the board of 5 cells"),
        (&strip, &[Move::Cell(u32::MAX)], 0, "cell 4294967296 is not on the board of 5 cells"),
        (&strip, &[Move::Cell(4), Move::Cell(1)], 1, "cell 2 is taken"),
        (&strip, &[Move::Cell(0), Move::Cell(4)], 1, "the game is over: there is XXX on the board"),
        (&strip, &[left(1)], 0, "a move in treblecross is a cell"),
        (&grid, &[Move::Cell(6)], 0, "cell 4,1 is not on the board of 3 rows and 2 columns"),
        (&grid, &[Move::Cell(0), Move::Cell(0)], 1, "cell 1,1 is inactive"),
        (&grid, &[left(1)], 0, "a move in darkraft is a cell"),
        (&row, &[left(0)], 0, "a move takes one stone or more"),
        (&row, &[left(4)], 0, "4 stones cannot be taken: the pile at the left end has 3"),
        (&row, &[left(3), left(2)], 1, "2 stones cannot be taken: the pile at the left end has 1"),
        (&row, &[left(3), left(1), left(1)], 2, "the game is over: there is no stone left"),
        (&row, &[Move::Cell(0)], 0, "a move in end-nim takes stones from an end, as left:4"),
    ] {
        let found = explain::explain(board, moves, Wants::default(), &Control::unlimited()).unwrap_err();
        assert_eq!(found, Fault::BadMove { number, what: what.into() });
    }
}

#[test]
fn the_work_is_paid_for_within_the_estimate_and_a_flag_stops_it() {
    for board in larger() {
        let cost = explain::cost(&board, 0, ALL);
        let paid = Control::new(cost, StopFlag::default());
        assert!(explain::explain(&board, &[], ALL, &paid).is_ok(), "{board:?}");
        let poor = Control::new(10, StopFlag::default());
        let stopped = explain::explain(&board, &[], ALL, &poor).unwrap_err();
        assert_eq!(stopped, Fault::Stopped(Stopped::OverBudget));
        let flag = StopFlag::default();
        flag.stop();
        let stopped = explain::explain(&board, &[], ALL, &Control::new(u64::MAX, flag)).unwrap_err();
        assert_eq!(stopped, Fault::Stopped(Stopped::Cancelled));
    }
}

#[test]
fn huge_piles_and_long_lines_are_cut_and_say_so() {
    let row = Board::EndNim(end_nim::Board::new(vec![u64::MAX, 7, u64::MAX]).unwrap());
    let told = explained(&row, &[], ALL);
    let options = told.options.unwrap();
    assert_eq!((options.items.len(), options.total), (explain::reason::LISTED, u64::MAX));
    let line = told.line.unwrap();
    assert_eq!((line.moves.len(), line.is_cut), (explain::MOST_MOVES, true));
}
