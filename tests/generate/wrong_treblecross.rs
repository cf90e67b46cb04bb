//! The known wrong methods for Treblecross, written from their descriptions: each answers a board with positions from 1.

/// A wrong method.
pub(crate) type Method = fn(&[u8]) -> Vec<usize>;

/// Every wrong method, with a board on which it is known what it prints.
pub(crate) const METHODS: [(&str, Method, &str, &[usize]); 9] = [
    ("nim-sum alone", nim_sum_alone, "..X", &[1, 2]),
    ("X.X overlooked", |cells| careful(cells, &[[0, 1], [1, 2]]), "..X", &[1]),
    ("XX overlooked", |cells| careful(cells, &[[0, 2]]), "..X", &[2]),
    ("the edge taken for an X", |cells| by_zones(cells, edge_zones, 2), "....", &[1, 2, 3, 4]),
    ("only neighbours forbidden", |cells| by_zones(cells, near_zones, 1), "...", &[2]),
    ("only the first immediate win", first_win, ".XX.", &[1]),
    ("nim moves beside immediate wins", beside, "X.X......", &[2, 7, 8]),
    ("a cell once a pattern", once_a_pattern, "X.XX.", &[2, 2, 5]),
    ("the end as one more X, and no maximum", one_more_x, "XX.X", &[3, 3]),
];

/// Nim-values of runs of which a move takes the cell and `reach` cells on both sides.
fn values(reach: usize, longest: usize) -> Vec<usize> {
    let mut values = vec![0];
    for length in 1..=longest {
        let options = |value| {
            (0..length).any(|at| {
                let (left, right) = (at.saturating_sub(reach), (length - at).saturating_sub(reach + 1));
                values[left] ^ values[right] == value
            })
        };
        let value = (0..).find(|&value| !options(value)).unwrap();
        values.push(value);
    }
    values
}

/// The lengths of the runs between X's, the first and the last at the edges.
fn gaps(cells: &[u8]) -> Vec<usize> {
    cells.split(|&cell| cell == b'X').map(<[u8]>::len).collect()
}

fn zones_taking(cells: &[u8], beside: usize) -> Vec<usize> {
    let gaps = gaps(cells);
    let last = gaps.len() - 1;
    let taken = |at| if at == 0 { 0 } else { beside } + if at == last { 0 } else { beside };
    gaps.iter().enumerate().map(|(at, gap)| gap.saturating_sub(taken(at))).collect()
}

fn zones(cells: &[u8]) -> Vec<usize> {
    zones_taking(cells, 2)
}

fn near_zones(cells: &[u8]) -> Vec<usize> {
    zones_taking(cells, 1)
}

fn edge_zones(cells: &[u8]) -> Vec<usize> {
    match gaps(cells) {
        gaps if gaps.len() == 1 => gaps,
        gaps => gaps.iter().map(|gap| gap.saturating_sub(4)).collect(),
    }
}

fn nim_sum(zones: &[usize], values: &[usize]) -> usize {
    zones.iter().fold(0, |sum, &zone| sum ^ values[zone])
}

fn with_x(cells: &[u8], at: usize) -> Vec<u8> {
    let mut cells = cells.to_vec();
    cells[at] = b'X';
    cells
}

fn free(cells: &[u8]) -> impl Iterator<Item = usize> {
    (0..cells.len()).filter(|&at| cells[at] == b'.')
}

/// The cells that complete a three of which the cells `known` are taken, once a pattern.
fn completions(cells: &[u8], known: &[[usize; 2]]) -> Vec<usize> {
    let completes = |at: usize, three: usize, known: &[usize; 2]| {
        let missing = 3 - known[0] - known[1];
        three + missing == at && known.iter().all(|&place| cells[three + place] == b'X')
    };
    let patterns = |at: usize| {
        let threes = at.saturating_sub(2)..=at.min(cells.len() - 3);
        threes.flat_map(move |three| known.iter().filter(move |known| completes(at, three, known)).map(move |_| at))
    };
    free(cells).flat_map(patterns).collect()
}

const ALL: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

fn from_one(mut positions: Vec<usize>) -> Vec<usize> {
    positions.iter_mut().for_each(|at| *at += 1);
    positions
}

fn once(mut positions: Vec<usize>) -> Vec<usize> {
    positions.dedup();
    positions
}

fn nim_sum_alone(cells: &[u8]) -> Vec<usize> {
    let values = values(2, cells.len());
    from_one(free(cells).filter(|&at| nim_sum(&zones(&with_x(cells, at)), &values) == 0).collect())
}

/// Right but for what it takes for a threat.
fn careful(cells: &[u8], known: &[[usize; 2]]) -> Vec<usize> {
    let wins = once(completions(cells, known));
    if !wins.is_empty() {
        return from_one(wins);
    }
    let values = values(2, cells.len());
    let is_good = |&at: &usize| {
        let after = with_x(cells, at);
        completions(&after, known).is_empty() && nim_sum(&zones(&after), &values) == 0
    };
    from_one(free(cells).filter(is_good).collect())
}

/// Right but for the zones it sees.
fn by_zones(cells: &[u8], zones: fn(&[u8]) -> Vec<usize>, reach: usize) -> Vec<usize> {
    let wins = once(completions(cells, &ALL));
    if !wins.is_empty() {
        return from_one(wins);
    }
    let values = values(reach, cells.len());
    let threats: &[[usize; 2]] = if reach == 2 { &ALL } else { &[[0, 1], [1, 2]] };
    let is_good = |&at: &usize| {
        let after = with_x(cells, at);
        completions(&after, threats).is_empty() && nim_sum(&zones(&after), &values) == 0
    };
    from_one(free(cells).filter(is_good).collect())
}

fn first_win(cells: &[u8]) -> Vec<usize> {
    match completions(cells, &ALL).first() {
        Some(&at) => vec![at + 1],
        None => careful(cells, &ALL),
    }
}

fn beside(cells: &[u8]) -> Vec<usize> {
    let values = values(2, cells.len());
    let wins = completions(cells, &ALL);
    let near = |at: usize| (at.saturating_sub(2)..=at + 2).any(|other| cells.get(other) == Some(&b'X'));
    let is_good = |&at: &usize| wins.contains(&at) || (!near(at) && nim_sum(&zones(&with_x(cells, at)), &values) == 0);
    from_one(free(cells).filter(is_good).collect())
}

fn once_a_pattern(cells: &[u8]) -> Vec<usize> {
    match completions(cells, &ALL) {
        wins if wins.is_empty() => careful(cells, &ALL),
        wins => from_one(wins),
    }
}

/// The end of the board is one more X; runs of 1 to 3 count 1, and longer ones are split without a lower bound; every
/// pattern lists its cell again, after the cell itself.
fn one_more_x(cells: &[u8]) -> Vec<usize> {
    let mut values = vec![0, 1, 1, 1];
    for length in 4..=cells.len() {
        let part = |end: isize| usize::try_from(end).map_or(0, |length| values[length]);
        let options: Vec<usize> =
            (1..=length as isize).map(|at| part(length as isize - at - 2) ^ part(at - 3)).collect();
        values.push((0..).find(|value| !options.contains(value)).unwrap());
    }
    let is_zero = |cells: &[u8]| {
        let (mut before, mut sum) = (-3, 0);
        for at in 0..=cells.len() as isize {
            if cells.get(at as usize).is_none_or(|&cell| cell == b'X') {
                if at - before <= 2 {
                    return false;
                }
                sum ^= values[(at - before - 5).max(0) as usize];
                before = at;
            }
        }
        sum == 0
    };
    let patterns = completions(cells, &ALL);
    let listed = free(cells).flat_map(|at| {
        let again = patterns.iter().filter(|&&other| other == at).count();
        std::iter::repeat_n(at, usize::from(is_zero(&with_x(cells, at))) + again)
    });
    from_one(listed.collect())
}

#[test]
fn each_method_is_wrong_as_it_is_known_to_be() {
    for (name, method, board, printed) in METHODS {
        assert_eq!(method(board.as_bytes()), printed, "{name} on {board}");
    }
    assert_eq!(one_more_x(b"..."), [1]);
    for board in ["...", "....", "..X", "X.XX.", ".....", "......", "..X....X......"] {
        let right = crate::making::answers(
            sprague::judge::Format::LIGHTOJ1229,
            &crate::making::boards(sprague::judge::Format::LIGHTOJ1229, &format!("1\n{board}\n")),
        );
        let found = careful(board.as_bytes(), &ALL).iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(
            right,
            format!("Case 1: {}\n", if found.is_empty() { "0" } else { &found }),
            "what they depart from"
        );
    }
}
