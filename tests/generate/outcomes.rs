//! Who wins the boards of generated files, and that their judges would take them.

use sprague::games::{self, Game, Outcome, Solution};
use sprague::generate::{Kind, Recipe, Wish};
use sprague::judge::{self, Format};
use sprague::theory::Control;

use crate::making::{boards, outcome, recipe, text};

#[test]
fn every_board_has_the_outcome_that_was_asked_for() {
    for (wish, expected) in [(Wish::First, Outcome::FirstPlayerWins), (Wish::Second, Outcome::SecondPlayerWins)] {
        for format in Format::ALL {
            for file in (Recipe { wish, ..recipe(format) }).set().unwrap() {
                for board in boards(format, &text(&file)) {
                    assert_eq!(outcome(&board), expected, "{format} {}: {board:?}", file.name());
                }
            }
        }
    }
}

#[test]
fn small_and_narrow_sizes_have_both_outcomes_too() {
    for (format, sizes) in [
        (Format::UVA10561, (3, 3)),
        (Format::UVA10561, (4, 4)),
        (Format::LIGHTOJ1229, (5, 9)),
        (Format::POJ3537, (11, 13)),
        (Format::GDOI2016, (1, 2)),
        (Format::GDOI2016, (3, 3)),
        (Format::GDOI2016, (5, 5)),
        (Format::GDOI2016, (7, 8)),
        (Format::LUOGU_P2599, (1, 2)),
        (Format::LUOGU_P2599, (2, 2)),
        (Format::LUOGU_P2599, (3, 3)),
    ] {
        for (wish, expected) in [(Wish::First, Outcome::FirstPlayerWins), (Wish::Second, Outcome::SecondPlayerWins)] {
            let file = (Recipe { wish, sizes: Some(sizes), cases: Some(60), ..recipe(format) }).file().unwrap();
            let boards = boards(format, &text(&file));
            assert!(boards.iter().all(|board| outcome(board) == expected), "{format} {sizes:?} {wish:?}");
        }
    }
}

#[test]
fn mixed_files_have_a_good_share_of_both() {
    for format in Format::ALL.into_iter().filter(|&format| format != Format::CODEFORCES138D) {
        let file = (Recipe { cases: Some(120), ..recipe(format) }).file().unwrap();
        let boards = boards(format, &text(&file));
        let lost = boards.iter().filter(|board| outcome(board) == Outcome::SecondPlayerWins).count();
        assert!((30..90).contains(&lost), "{format}: {lost} of 120 are lost");
    }
}

#[test]
fn boards_with_one_winning_move_have_one() {
    for format in Format::ALL.into_iter().filter(|&format| Kind::of(format).contains(&Kind::OneWin)) {
        let kinds = vec![Kind::OneWin];
        for file in (Recipe { kinds, cases: Some(20), ..recipe(format) }).set().unwrap() {
            for board in boards(format, &text(&file)) {
                let moves = match games::solve(&board, &Control::unlimited()).unwrap() {
                    Solution::Treblecross(solution) => solution.winning_cells.len(),
                    Solution::Darkraft(solution) => solution.winning_cells.len(),
                    Solution::EndNim(solution) => solution.winning_ends.len(),
                };
                assert_eq!(moves, 1, "{format}: {board:?}");
            }
        }
    }
}

#[test]
fn default_sets_are_what_the_statement_has() {
    for format in Format::ALL {
        for file in recipe(format).set().unwrap() {
            let mut faults = Vec::new();
            let text = text(&file);
            let cases = judge::validate(format, text.as_bytes(), &mut |fault| faults.push(fault.to_string())).unwrap();
            assert_eq!(cases, file.cases());
            match file.name().ends_with("blank-end") {
                true => assert!(faults.len() == 1 && faults[0].ends_with("a blank line: the statement has none")),
                false => assert_eq!(faults, [] as [&str; 0], "{format} {}", file.name()),
            }
        }
    }
}

#[test]
fn sizes_are_kept_to_and_large_boards_are_made() {
    for (format, sizes) in [
        (Format::UVA10561, (50, 60)),
        (Format::LIGHTOJ1229, (30_000, 40_000)),
        (Format::POJ3537, (2500, 3000)),
        (Format::GDOI2016, (5, 7)),
        (Format::GDOI2016, (30, 32)),
        (Format::LUOGU_P2599, (20_000, 30_000)),
    ] {
        let file = (Recipe { sizes: Some(sizes), cases: Some(20), ..recipe(format) }).file().unwrap();
        for board in boards(format, &text(&file)) {
            let within = |size: u64| (sizes.0..=sizes.1).contains(&size);
            let is_within = match &board {
                games::Board::Treblecross(board) => within(board.cells().len() as u64),
                games::Board::Darkraft(board) => within(board.rows().into()) && within(board.columns().into()),
                games::Board::EndNim(board) => within(board.piles().len() as u64),
            };
            assert!(is_within, "{format} {sizes:?}: {}", board.game().name());
        }
    }
    assert_eq!(Game::ALL.len(), 3, "a new game needs its sizes here");
}
