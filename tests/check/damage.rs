//! Ways in which answer files go wrong, each with what a contestant should be told.

use sprague::judge::Format;

/// A damaged answer file and the case it is damaged in; none for what stands behind the last.
type Damaged = Option<(String, Option<u64>)>;

pub struct Damage {
    pub name: &'static str,
    /// Damages the answers to an input, if they can be damaged so.
    pub make: fn(Format, &str, &str) -> Damaged,
    pub says: &'static str,
    pub is_presentation: bool,
}

const fn wrong(name: &'static str, make: fn(Format, &str, &str) -> Damaged, says: &'static str) -> Damage {
    Damage { name, make, says, is_presentation: false }
}

const fn layout(name: &'static str, make: fn(Format, &str, &str) -> Damaged, says: &'static str) -> Damage {
    Damage { name, make, says, is_presentation: true }
}

pub const ALL: &[Damage] = &[
    wrong(
        "cut short",
        |format, _, right| {
            let cases = cases(format, right);
            let kept = cases.len() - 1;
            Some((cases[..kept].concat(), Some(kept as u64 + 1)))
        },
        "no answer: the file ends",
    ),
    wrong(
        "a win said to be a loss",
        |format, _, right| edit(format, right, |answer, number| is_won(format, answer).then(|| lost(format, number))),
        "the first player wins with",
    ),
    wrong(
        "a loss said to be a win",
        |format, _, right| {
            let won = |format: Format| match format.name() {
                "poj3537" | "luogu-p2599" => Some("1\n"),
                "codeforces138d" | "gdoi2016" => Some("WIN\n"),
                _ => None,
            };
            edit(format, right, |answer, _| won(format).filter(|_| !is_won(format, answer)).map(str::to_owned))
        },
        "the first player loses: ",
    ),
    wrong(
        "a loss said to be a win, with a move",
        |format, input, right| {
            let boards: Vec<&str> = input.split_whitespace().skip(1).collect();
            edit(format, right, |answer, number| {
                if is_won(format, answer) || !lists(format) {
                    return None;
                }
                let empty = boards[number - 1].find('.')? + 1;
                Some(listing(format, number, &empty.to_string()))
            })
        },
        " loses: the reply ",
    ),
    wrong(
        "a winning move missing",
        |format, _, right| {
            edit(format, right, |answer, number| {
                let positions = positions(format, answer)?;
                (positions.len() > 1).then(|| listing(format, number, &positions[1..].join(" ")))
            })
        },
        " is missing: it wins, it ",
    ),
    wrong(
        "a losing move listed",
        |format, input, right| {
            let boards: Vec<&str> = input.split_whitespace().skip(1).collect();
            edit(format, right, |answer, number| {
                let positions = positions(format, answer)?;
                let board = boards[number - 1].as_bytes();
                let losing =
                    (1..=board.len()).find(|at| board[at - 1] == b'.' && !positions.contains(&&*at.to_string()))?;
                Some(listing(format, number, &format!("{losing} {}", positions.join(" "))))
            })
        },
        " loses: the reply ",
    ),
    wrong(
        "a taken cell listed",
        |format, input, right| {
            let boards: Vec<&str> = input.split_whitespace().skip(1).collect();
            edit(format, right, |answer, number| {
                let positions = positions(format, answer)?;
                let taken = boards[number - 1].find('X')? + 1;
                Some(listing(format, number, &format!("{} {taken}", positions.join(" "))))
            })
        },
        " is taken",
    ),
    wrong(
        "counted from 0",
        |format, _, right| {
            edit(format, right, |answer, number| {
                let positions = positions(format, answer)?;
                let from_0: Vec<String> =
                    positions.iter().map(|at| (at.parse::<u64>().unwrap() - 1).to_string()).collect();
                // A lone 0 means something else to LightOJ.
                (from_0[0] == "0" && from_0.len() > 1).then(|| listing(format, number, &from_0.join(" ")))
            })
        },
        "position 0 is not on the board",
    ),
    wrong(
        "a word that is no answer",
        |format, _, right| edit(format, right, |_, _| Some("maybe\n".into())),
        "\"maybe\" is no answer",
    ),
    wrong(
        "text behind the last answer",
        |format, _, right| (!lists(format)).then(|| (format!("{right}done\n"), None)),
        "found \"done\" behind the answer of the last case",
    ),
    wrong(
        "an answer too many",
        |format, _, right| Some((right.to_owned() + cases(format, right).last()?, None)),
        "behind the answer of the last case",
    ),
    wrong(
        "an answer left out",
        |format, _, right| {
            let cases = cases(format, right);
            (format == Format::LIGHTOJ1229 && cases.len() > 3)
                .then(|| ([&cases[..1], &cases[2..]].concat().concat(), Some(2)))
        },
        "no answer: the one of case 3 stands in its place",
    ),
    layout(
        "no empty line after LOSING",
        |format, _, right| {
            // One behind which something follows.
            edit(format, right, |answer, _| (answer == "LOSING\n\n").then(|| "LOSING\n".into()))
        },
        "the empty line after LOSING is missing",
    ),
    layout(
        "positions in another order",
        |format, _, right| {
            edit(format, right, |answer, number| {
                let mut positions = positions(format, answer)?;
                positions.reverse();
                (positions.len() > 1).then(|| listing(format, number, &positions.join(" ")))
            })
        },
        "positions are not in increasing order",
    ),
    layout(
        "a position twice",
        |format, _, right| {
            edit(format, right, |answer, number| {
                let positions = positions(format, answer)?;
                Some(listing(format, number, &format!("{} {}", positions[0], positions.join(" "))))
            })
        },
        "is listed twice",
    ),
    layout(
        "a blank at the end of a line",
        |format, _, right| edit(format, right, |answer, _| Some(answer.replacen('\n', " \n", 1))),
        "there are blanks at the end of a line",
    ),
    layout(
        "no newline at the end",
        |format, _, right| {
            let cases = cases(format, right).len() as u64;
            Some((right.trim_end_matches('\n').to_owned(), Some(cases)))
        },
        "the newline at the end of the last line is missing",
    ),
    layout("CR LF", |_, _, right| Some((right.replace('\n', "\r\n"), Some(1))), "lines end in CR LF"),
    layout(
        "small letters",
        |_, _, right| {
            let small = right.to_lowercase();
            (small != right).then_some((small, Some(1)))
        },
        "in other letters",
    ),
    layout(
        "empty lines at the end",
        |_, _, right| Some((format!("{right}\n\n"), None)),
        "there are empty lines or blanks behind the last answer",
    ),
    layout(
        "an empty line before an answer",
        |_, _, right| Some((format!("\n{right}"), Some(1))),
        "there is white space before the answer",
    ),
];

fn lists(format: Format) -> bool {
    [Format::UVA10561, Format::LIGHTOJ1229].contains(&format)
}

/// The answers case by case, line ends and all.
pub fn cases(format: Format, right: &str) -> Vec<String> {
    let lines: Vec<&str> = right.split_inclusive('\n').collect();
    lines.chunks(if format == Format::UVA10561 { 2 } else { 1 }).map(|chunk| chunk.concat()).collect()
}

/// Edits the first case that can be.
fn edit(format: Format, right: &str, edit: impl Fn(&str, usize) -> Option<String>) -> Damaged {
    let mut cases = cases(format, right);
    let (at, edited) = cases.iter().enumerate().find_map(|(at, answer)| Some((at, edit(answer, at + 1)?)))?;
    cases[at] = edited;
    Some((cases.concat(), Some(at as u64 + 1)))
}

fn is_won(format: Format, answer: &str) -> bool {
    match format.name() {
        "uva10561" => answer.starts_with("WINNING"),
        "lightoj1229" => !answer.ends_with(": 0\n"),
        "codeforces138d" | "gdoi2016" => answer == "WIN\n",
        "poj3537" | "luogu-p2599" => answer == "1\n",
        name => panic!("{name} needs its won answers here"),
    }
}

fn lost(format: Format, number: usize) -> String {
    match format.name() {
        "uva10561" => "LOSING\n\n".into(),
        "lightoj1229" => format!("Case {number}: 0\n"),
        "codeforces138d" | "gdoi2016" => "LOSE\n".into(),
        "poj3537" => "2\n".into(),
        "luogu-p2599" => "0\n".into(),
        name => panic!("{name} needs its lost answers here"),
    }
}

/// The positions of a won case, in formats that list them.
fn positions(format: Format, answer: &str) -> Option<Vec<&str>> {
    if !lists(format) || !is_won(format, answer) {
        return None;
    }
    Some(answer.split_whitespace().skip(if format == Format::UVA10561 { 1 } else { 2 }).collect())
}

fn listing(format: Format, number: usize, positions: &str) -> String {
    match format.name() {
        "lightoj1229" => format!("Case {number}: {positions}\n"),
        _ => format!("WINNING\n{positions}\n"),
    }
}
