//! What cannot be had is refused at once, with the reason and what could be had.

use sprague::generate::{Kind, Recipe, Wish};
use sprague::judge::Format;

use crate::making::recipe;

#[test]
fn refusals_as_a_table() {
    let second = |format, sizes| Recipe { wish: Wish::Second, sizes: Some(sizes), ..recipe(format) };
    let of_kind = |format, kind| Recipe { kinds: vec![kind], ..recipe(format) };
    let sized = |format, sizes| Recipe { sizes: Some(sizes), ..recipe(format) };
    let strict = |recipe: Recipe| Recipe { strict: true, ..recipe };
    let many = |format, cases| Recipe { cases: Some(cases), ..recipe(format) };
    for (recipe, message) in [
        (second(Format::LUOGU_P2599, (1, 1)), "a row of one pile is won"),
        (second(Format::GDOI2016, (1, 1)), "the 1 x 1 grid is won, and so is every 1 x odd one"),
        (second(Format::GDOI2016, (41, 41)), "let --size have an even number, as in 40..41"),
        (second(Format::POJ3537, (7, 11)), "no empty board of 7 to 11 cells is lost; the lost ones are 6, 12, 22"),
        (Recipe { wish: Wish::First, ..sized(Format::POJ3537, (6, 6)) }, "every empty board of 6 cells is lost"),
        (
            of_kind(Format::POJ3537, Kind::Dense),
            "poj3537 has no boards of kind dense; its kinds are traps, edges, random",
        ),
        (of_kind(Format::UVA10561, Kind::Staircase), "no boards of kind staircase"),
        (of_kind(Format::CODEFORCES138D, Kind::BlankEnd), "no boards of kind blank-end"),
        (strict(of_kind(Format::GDOI2016, Kind::BlankEnd)), "not in the statement's layout"),
        (Recipe { kinds: vec![Kind::OneWin], ..second(Format::UVA10561, (3, 9)) }, "a lost board has no winning move"),
        (Recipe { kinds: vec![Kind::OneWin], ..sized(Format::GDOI2016, (40, 50)) }, "takes too long beyond 24 x 24"),
        (sized(Format::UVA10561, (2, 9)), "treblecross boards have 3 to 1000000 cells, not 2..9"),
        (sized(Format::GDOI2016, (1, 65)), "darkraft boards have 1 to 64 rows and columns"),
        (sized(Format::LUOGU_P2599, (9, 3)), "--size 9..3 is empty: write the smaller size first"),
        (strict(sized(Format::UVA10561, (3, 201))), "the statement of uva10561 allows up to 200 cells"),
        (strict(many(Format::LUOGU_P2599, 11)), "the statement of luogu-p2599 allows 10 cases a file"),
        (many(Format::CODEFORCES138D, 2), "a codeforces138d file holds one case; -d FOLDER writes 2 of each kind"),
    ] {
        let refusal = recipe.file().map(|file| file.cases()).expect_err(message).to_string();
        assert!(refusal.contains(message), "{refusal}");
    }
}

#[test]
fn every_size_that_a_lost_grid_cannot_have_is_known() {
    // Grids of one row or column are lost iff the other side is even, whatever the letters; of all others up to 3 x 3,
    // some are lost: by every grid.
    use sprague::games::darkraft::{Board, solve};
    use sprague::theory::Control;
    for (rows, columns) in (1..=3).flat_map(|rows| (1..=3).map(move |columns| (rows, columns))) {
        let count: u32 = rows * columns;
        let any_lost = (0..3u32.pow(count)).any(|number| {
            let cells: Vec<u8> = (0..count).map(|at| b"/\\X"[(number / 3u32.pow(at) % 3) as usize]).collect();
            let board = Board::new(columns, cells.into()).unwrap();
            solve(&board, &Control::unlimited()).unwrap().winning_cells.is_empty()
        });
        assert_eq!(any_lost, !(rows.min(columns) == 1 && count % 2 == 1), "{rows} x {columns}");
    }
}

#[test]
fn strict_sets_are_cut_into_files_that_the_statement_allows() {
    let set = Recipe { cases: Some(25), strict: true, ..recipe(Format::LUOGU_P2599) }.set().unwrap();
    let names: Vec<&str> = set.iter().map(|file| file.name()).take(4).collect();
    assert_eq!(names, ["01-traps", "02-traps", "03-traps", "04-edges"]);
    let cases: Vec<u64> = set.iter().map(|file| file.cases()).take(4).collect();
    assert_eq!(cases, [10, 10, 5, 10]);
    assert!(
        !Recipe { strict: true, ..recipe(Format::GDOI2016) }
            .set()
            .unwrap()
            .iter()
            .any(|file| file.name().ends_with("blank-end"))
    );
    let single = recipe(Format::CODEFORCES138D).set().unwrap();
    assert!(single.iter().all(|file| file.cases() == 1) && single.len() == 60);
}
