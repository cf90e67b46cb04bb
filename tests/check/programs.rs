//! Wrong programs that contestants are known to write, as small functions, and what shows that they are wrong.

use sprague::judge::Format;

use super::support::files;

pub struct Program {
    pub name: &'static str,
    pub format: Format,
    /// An input, and what the program prints.
    pub run: fn() -> (String, String),
    pub says: &'static str,
    pub is_presentation: bool,
}

const fn wrong(name: &'static str, format: Format, run: fn() -> (String, String), says: &'static str) -> Program {
    Program { name, format, run, says, is_presentation: false }
}

pub const ALL: &[Program] = &[
    wrong(
        "no look at moves that win or lose at once",
        Format::UVA10561,
        || every(|cells| moves(cells, Sight { pair: false, gap: false, ..RIGHT })),
        " loses: the reply ",
    ),
    wrong(
        "X.X overlooked",
        Format::UVA10561,
        || every(|cells| moves(cells, Sight { gap: false, ..RIGHT })),
        "loses: the reply",
    ),
    wrong(
        "XX overlooked",
        Format::UVA10561,
        || every(|cells| moves(cells, Sight { pair: false, ..RIGHT })),
        "loses: the reply",
    ),
    wrong(
        "the edge taken for an X",
        Format::UVA10561,
        || every(|cells| moves(cells, Sight { edge: true, ..RIGHT })),
        "loses: the reply",
    ),
    wrong(
        "only the neighbours of an X forbidden",
        Format::UVA10561,
        || every(|cells| moves(cells, Sight { reach: 1, ..RIGHT })),
        "is missing: it wins",
    ),
    wrong(
        "only the first immediate win listed",
        Format::UVA10561,
        || {
            every(|cells| {
                let (at_once, all) = (at_once(cells, RIGHT), moves(cells, RIGHT));
                if at_once.is_empty() { all } else { at_once[..1].to_vec() }
            })
        },
        "is missing: it wins, it makes XXX",
    ),
    wrong(
        "nim moves listed beside immediate wins",
        Format::UVA10561,
        || {
            every(|cells| {
                let mut all = at_once(cells, RIGHT);
                all.extend(by_zones(cells, Sight { pair: false, gap: false, ..RIGHT }));
                all.sort_unstable();
                all.dedup();
                all
            })
        },
        "loses: the reply",
    ),
    Program {
        name: "a cell listed once a pattern",
        format: Format::UVA10561,
        run: || {
            every(|cells| if at_once(cells, RIGHT).is_empty() { moves(cells, RIGHT) } else { once_a_pattern(cells) })
        },
        says: "is listed twice",
        is_presentation: true,
    },
    Program {
        name: "no empty line after LOSING",
        format: Format::UVA10561,
        run: || {
            let (input, printed) = every(|cells| moves(cells, RIGHT));
            (input, printed.replace("LOSING\n\n", "LOSING\n"))
        },
        says: "the empty line after LOSING is missing",
        is_presentation: true,
    },
    wrong(
        "an empty board is lost iff 3 divides its length",
        Format::POJ3537,
        || {
            let (_, input, _) = files(Format::POJ3537).remove(0);
            let answer = |cells: &str| if cells.parse::<u32>().unwrap() % 3 == 0 { "2\n" } else { "1\n" };
            let printed = input.split_whitespace().map(answer).collect();
            (input, printed)
        },
        "printed 2, right is 1; the first player wins with 1",
    ),
    wrong(
        "end-nim, ties put with the wrong side",
        Format::LUOGU_P2599,
        || rows(first_wins_by_loose_ties),
        "the first player loses: with the other piles",
    ),
    wrong(
        "the first player always wins",
        Format::LUOGU_P2599,
        || rows(|_| true),
        "the first player loses: with the other piles",
    ),
    wrong(
        "the other judge's letters",
        Format::CODEFORCES138D,
        || ("2 2\nXL\nLR\n".into(), "WIN\n".into()),
        "both have nim-value 1",
    ),
    wrong(
        "waves that run on through inactive cells",
        Format::CODEFORCES138D,
        || {
            // This judge's L is a slash.
            let cells = b"LLLLLLLRR".map(|letter| if letter == b'L' { b'/' } else { b'\\' }).to_vec();
            ("3 3\nLLL\nLLL\nLRR\n".into(), if runs_on(3, cells) { "WIN\n".into() } else { "LOSE\n".into() })
        },
        "the first player wins with",
    ),
    wrong(
        "all X is won iff both sides are odd",
        Format::GDOI2016,
        || (format!("7 11\n{}", "XXXXXXXXXXX\n".repeat(7)), "WIN\n".into()),
        "both have nim-value 2",
    ),
    wrong(
        "a trailing blank line taken for a case",
        Format::GDOI2016,
        || ("1 1\nX\n\n".into(), "WIN\nLOSE\n".into()),
        "found \"LOSE\" behind the answer of the last case",
    ),
];

/// What a program looks at.
#[derive(Clone, Copy)]
struct Sight {
    /// It knows that XX is won by a third.
    pair: bool,
    /// It knows that X.X is.
    gap: bool,
    /// Cells so near to an X are no one's.
    reach: usize,
    /// The board's edge counts as an X.
    edge: bool,
}

const RIGHT: Sight = Sight { pair: true, gap: true, reach: 2, edge: false };

/// Every board of the file with every board of 3 to 11 cells, answered by a program.
fn every(program: impl Fn(&[u8]) -> Vec<usize>) -> (String, String) {
    let (_, input, _) = files(Format::UVA10561).into_iter().find(|(name, ..)| name.contains("every-board")).unwrap();
    let answer = |cells: &str| {
        let positions: Vec<String> = program(cells.as_bytes()).iter().map(|at| (at + 1).to_string()).collect();
        if positions.is_empty() { "LOSING\n\n".into() } else { format!("WINNING\n{}\n", positions.join(" ")) }
    };
    let printed = input.split_whitespace().skip(1).map(answer).collect();
    (input, printed)
}

fn with_x(cells: &[u8], at: usize) -> Vec<u8> {
    let mut after = cells.to_vec();
    after[at] = b'X';
    after
}

fn empty(cells: &[u8]) -> impl Iterator<Item = usize> {
    (0..cells.len()).filter(|&at| cells[at] == b'.')
}

/// Cells that make three out of the patterns that are seen.
fn at_once(cells: &[u8], sight: Sight) -> Vec<usize> {
    let makes = |at: usize| {
        let windows = at.saturating_sub(2)..=at.min(cells.len() - 3);
        windows.into_iter().any(|from| {
            let others: Vec<usize> = (from..from + 3).filter(|&other| other != at).collect();
            let seen = if others[1] - others[0] == 1 { sight.pair } else { sight.gap };
            seen && others.iter().all(|&other| cells[other] == b'X')
        })
    };
    empty(cells).filter(|&at| makes(at)).collect()
}

fn once_a_pattern(cells: &[u8]) -> Vec<usize> {
    let windows =
        (0..cells.len() - 2).filter(|&from| cells[from..from + 3].iter().filter(|&&cell| cell == b'X').count() == 2);
    let mut found: Vec<usize> = windows.map(|from| (from..from + 3).find(|&at| cells[at] == b'.').unwrap()).collect();
    found.sort_unstable();
    found
}

fn moves(cells: &[u8], sight: Sight) -> Vec<usize> {
    let at_once = at_once(cells, sight);
    if at_once.is_empty() { by_zones(cells, sight) } else { at_once }
}

/// Moves that leave nothing to win at once, as far as is seen, and zones with a nim-sum of 0.
fn by_zones(cells: &[u8], sight: Sight) -> Vec<usize> {
    let is_good = |after: &[u8]| at_once(after, sight).is_empty() && zone_sum(after, sight) == 0;
    empty(cells).filter(|&at| is_good(&with_x(cells, at))).collect()
}

fn zone_sum(cells: &[u8], sight: Sight) -> usize {
    let Sight { reach, edge, .. } = sight;
    let is_free = |at: usize| {
        let near = at.saturating_sub(reach)..(at + reach + 1).min(cells.len());
        !cells[near].contains(&b'X') && !(edge && (at < reach || at + reach >= cells.len()))
    };
    let free: Vec<bool> = (0..cells.len()).map(is_free).collect();
    free.split(|&free| !free).fold(0, |sum, zone| sum ^ value(zone.len(), reach))
}

/// The nim-value of a zone.
fn value(length: usize, reach: usize) -> usize {
    let mut values = vec![0; length + 1];
    for length in 1..=length {
        let left = |at: usize| values[at.saturating_sub(reach)] ^ values[(length - 1 - at).saturating_sub(reach)];
        let options: Vec<usize> = (0..length).map(left).collect();
        values[length] = (0..).find(|value| !options.contains(value)).unwrap();
    }
    values[length]
}

/// Every row of the files, answered by a program.
fn rows(program: impl Fn(&[u64]) -> bool) -> (String, String) {
    let name = "second-player-wins";
    let (_, input, _) = files(Format::LUOGU_P2599).into_iter().find(|(file, ..)| file.contains(name)).unwrap();
    let mut numbers = input.split_whitespace().map(|number| number.parse::<u64>().unwrap());
    let cases = numbers.next().unwrap();
    let mut printed = String::new();
    for _ in 0..cases {
        let piles = numbers.next().unwrap();
        let piles: Vec<u64> = numbers.by_ref().take(piles as usize).collect();
        printed += if program(&piles) { "1\n" } else { "0\n" };
    }
    // The row that the mistake is known by.
    (format!("{}\n4 1 1 2 2\n{}", cases + 1, input.split_once('\n').unwrap().1), {
        let first = if program(&[1, 1, 2, 2]) { "1\n" } else { "0\n" };
        first.to_owned() + &printed
    })
}

/// The thresholds with the tie between the pile and the nearer threshold missed.
fn first_wins_by_loose_ties(piles: &[u64]) -> bool {
    let grow = |x: u64, far: u64, near: u64| {
        if x < far.min(near) || x > far.max(near) {
            x
        } else if far > near {
            x.saturating_sub(1)
        } else {
            x + 1
        }
    };
    let count = piles.len();
    if count == 1 {
        return true;
    }
    let (mut left, mut right) = (piles.to_vec(), piles.to_vec());
    for length in 1..count - 1 {
        for at in 0..count - length {
            let wider = grow(piles[at + length], left[at], right[at]);
            right[at] = grow(piles[at], right[at + 1], left[at + 1]);
            left[at] = wider;
        }
    }
    left[1] != piles[0]
}

/// Whether the mover wins when waves go through inactive cells.
fn runs_on(columns: usize, cells: Vec<u8>) -> bool {
    let active = (0..cells.len()).filter(|&at| cells[at] != b'.').collect::<Vec<_>>();
    active.into_iter().any(|at| {
        let (row, column) = (at / columns, at % columns);
        let is_hit = |other: usize| {
            let (its_row, its_column) = (other / columns, other % columns);
            let (down, right) = (row.abs_diff(its_row), column.abs_diff(its_column));
            let same_way = (row < its_row) == (column < its_column);
            down == right && (down == 0 || if cells[at] == b'\\' { same_way } else { !same_way })
        };
        let after = (0..cells.len()).map(|other| if is_hit(other) { b'.' } else { cells[other] }).collect();
        !runs_on(columns, after)
    })
}
