//! `sprague explain`: the reasons of one position, drawn.

use std::ffi::OsStr;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sprague::draw::{self, Style};
use sprague::explain::{Explanation, Wants};
use sprague::games::{Board, Game, treblecross};
use sprague::judge::{self, Format, Next, ReadError, Reader};
use sprague::notation::{self, Letters};
use sprague::units::count;
use sprague::wire::Reason;

use super::exit::{self, Failure};
use super::files::{self, Input, Output};
use super::session::Session;
use super::{format, servers};

/// Show who wins a position, why, and which reply beats a move
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague explain treblecross X.....X..X.......X....X..X
  sprague explain treblecross .......... --move 1 --line
  sprague explain gdoi2016 XL,LR --move 1,1
  sprague explain end-nim 3,1,9,4 --options
  sprague explain -f uva10561 input.txt --case 17 --move 4

Boards: ..X.. (treblecross), rows with commas between them (darkraft), piles with commas between them (end-nim).
Moves: 7, or row,column (darkraft), or left:4 (end-nim).")]
pub(crate) struct Arguments {
    /// treblecross, darkraft, end-nim or a format's name; with -f the judge file (`-`: standard input)
    #[arg(value_name = "GAME")]
    subject: String,
    /// The board
    #[arg(value_name = "BOARD", conflicts_with = "format", required_unless_present = "format")]
    board: Option<String>,
    /// A board that was typed as several arguments
    #[arg(hide = true)]
    more: Vec<String>,
    /// A move played on it, both players' in turn; repeat for several
    #[arg(short, long = "move", value_name = "MOVE")]
    moves: Vec<String>,
    /// Every move with what it leaves
    #[arg(long)]
    options: bool,
    /// Play to the end
    #[arg(long)]
    line: bool,
    /// Take the board out of a judge file in this format
    #[arg(short, long, value_parser = format::parser(), requires = "case")]
    format: Option<Format>,
    /// Which case of the file, from 1
    #[arg(long, value_name = "K", requires = "format", value_parser = clap::value_parser!(u64).range(1..))]
    case: Option<u64>,
    /// Write darkraft cells as this format does: codeforces138d or gdoi2016
    #[arg(long, value_name = "FORMAT", value_parser = format::parser())]
    letters: Option<Format>,
    /// Write the picture to a file, too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON in place of text
    #[arg(long)]
    json: bool,
    /// Colour [default: on a terminal, unless NO_COLOR is set]
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: When,
    #[command(flatten)]
    servers: servers::Arguments,
}

/// When there is colour.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (game, format) = match arguments.format {
        Some(format) => (format.game(), Some(format)),
        None => subject(&arguments.subject)?,
    };
    if let (Some(board), [_, ..]) = (&arguments.board, &*arguments.more) {
        return Err(Failure::new(exit::USAGE, scattered(game, board, &arguments.more)));
    }
    let letters = arguments.letters.or(format).and_then(Format::letters);
    let letters = letters.map_or(Letters::DRAWN, |(backslash, slash)| Letters { backslash, slash });
    let board = match (arguments.format, arguments.case, &arguments.board) {
        (Some(format), Some(case), _) => board_of_file(format, Path::new(&arguments.subject), case)?,
        (_, _, Some(board)) => typed(game, format, board, letters)?,
        _ => return Err(Failure::new(exit::USAGE, "sprague: a board is missing")),
    };
    let moves = arguments.moves.iter().map(|text| notation::read_move(&board, text)).collect::<Result<Vec<_>, _>>();
    let moves = moves.map_err(bad)?;
    let wants = Wants { options: arguments.options, line: arguments.line };
    let told = Session::open(&arguments.servers, "")?.explain(&board, &moves, wants)?;
    let told = told.map_err(|error| {
        let code = if error.reason == Reason::Internal { exit::INTERNAL } else { exit::BAD_INPUT };
        Failure::new(code, format_args!("sprague: {error}"))
    })?;
    if let Some(path) = &arguments.svg {
        let picture = draw::svg::picture(game, &told);
        Output::open(Some(path))?.write_all(&mut picture.as_bytes())?;
    }
    files::print(&shown(arguments, game, &told, letters))
}

fn shown(arguments: &Arguments, game: Game, told: &Explanation, letters: Letters) -> String {
    if arguments.json {
        return format!("{:#}\n", draw::json::value(game, told, letters));
    }
    let colour = match arguments.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| value != OsStr::new(""));
            std::io::stdout().is_terminal() && !refused
        }
    };
    draw::page(game, told, Style { colour, letters })
}

/// The game, by its own name or by that of a format.
fn subject(name: &str) -> Result<(Game, Option<Format>), Failure> {
    if let Some(game) = Game::ALL.into_iter().find(|game| game.name() == name) {
        return Ok((game, None));
    }
    let format = Format::from_name(name);
    format.map(|format| (format.game(), Some(format))).ok_or_else(|| {
        let games = Game::ALL.map(Game::name).join(", ");
        let message = format!("sprague: {name:?} is no game: {games}, or a format's name (see `sprague formats`)");
        Failure::new(exit::USAGE, message)
    })
}

/// What to type instead of a board in several arguments.
fn scattered(game: Game, board: &str, more: &[String]) -> String {
    let (how, between) = match game {
        Game::Treblecross => ("without blanks", ""),
        Game::Darkraft => ("with commas between its rows", ","),
        Game::EndNim => ("with commas between its piles", ","),
    };
    let parts: Vec<&str> = [board].into_iter().chain(more.iter().map(String::as_str)).collect();
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_matches([',', ' '])).collect();
    format!("sprague: a board is one argument, {how}: type {}", parts.join(between))
}

fn typed(game: Game, format: Option<Format>, text: &str, letters: Letters) -> Result<Board, Failure> {
    // The boards of this format are lengths.
    if let (Some(Format::Poj3537), Ok(cells)) = (format, text.parse::<u64>()) {
        if cells > treblecross::MAX_CELLS {
            let (size, most) = (count(cells, "cell"), count(treblecross::MAX_CELLS, "cell"));
            return Err(bad(format!("a board of {size} is over the limit of {most}")));
        }
        let board = treblecross::Board::empty(cells as usize);
        return board.map(Board::Treblecross).map_err(|fault| bad(fault.to_string()));
    }
    notation::board(game, text, letters).map_err(bad)
}

fn bad(message: String) -> Failure {
    Failure::new(exit::BAD_INPUT, format_args!("sprague: {message}"))
}

/// The board of one case of a judge file; faults of the cases before it do not matter if it can be found.
fn board_of_file(format: Format, path: &Path, case: u64) -> Result<Board, Failure> {
    let Input { name, source, .. } = Input::open(path)?;
    let mut reader = Reader::new(format, judge::Options::default(), source);
    let mut cases = 0;
    loop {
        match reader.next_case() {
            Ok(Next::Case(found)) if found.number == case => return Ok(found.board),
            Ok(Next::Case(found)) => cases = found.number,
            Ok(Next::Starved) => {}
            Ok(Next::End) => {
                let message = format!("sprague: there is no case {case} in {name}: it has {cases}");
                return Err(Failure::new(exit::BAD_INPUT, message));
            }
            Err(ReadError::Input(fault)) if !fault.is_last && fault.case.is_none_or(|at| at < case) => {
                cases = fault.case.unwrap_or(cases);
            }
            Err(ReadError::Input(fault)) => {
                return Err(Failure::new(exit::BAD_INPUT, format_args!("{name}:{fault}")));
            }
            Err(ReadError::Io(error)) => {
                return Err(Failure::new(exit::IO, format_args!("sprague: {name} cannot be read: {error}")));
            }
        }
    }
}
