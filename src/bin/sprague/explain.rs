//! `sprague explain`: the reasons of one position, drawn.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sprague::draw::{self, Style};
use sprague::escape;
use sprague::explain::{Explanation, Wants};
use sprague::games::{Board, Game, treblecross};
use sprague::judge::{self, Format, Next, ReadError, Reader};
use sprague::message::count;
use sprague::notation::{self, Letters, argument};
use sprague::units::number_within;
use sprague::wire::Reason;

use super::exit::{self, Failure};
use super::files::{self, Input, Output};
use super::session::Session;
use super::{advice, format, screen, servers};

/// Show who wins a position, why, and which reply beats a move
#[derive(Debug, Args)]
#[command(
    override_usage = "\
sprague explain [OPTIONS] <GAME> <BOARD>
       sprague explain [OPTIONS] --format <FORMAT> --case <K> <FILE>",
    after_help = "\
Examples:
  sprague explain treblecross X.....X..X.......X....X..X
  sprague explain treblecross .......... --move 1 --line
  sprague explain gdoi2016 XL,LR --move 1,1
  sprague explain end-nim 3,1,9,4 --options
  sprague explain -f uva10561 input.txt --case 17 --move 4

Boards: ..X.. (treblecross), rows with commas between them (darkraft), piles with commas between them (end-nim).
A \\ of a board is taken away by shells: quote it, as in 'X/,\\X'.
Moves: 7, or row,column (darkraft), or left:4 (end-nim)."
)]
pub(crate) struct Arguments {
    /// treblecross, darkraft, end-nim or a format's name; with -f the judge file (`-`: standard input)
    #[arg(value_name = "GAME|FILE")]
    subject: PathBuf,
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
    #[arg(long, value_name = "K", value_parser = number_within::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    case: Option<u64>,
    /// Write darkraft cells as this format does
    #[arg(long, value_name = "FORMAT", value_parser = format::with_letters())]
    letters: Option<Format>,
    /// Write the picture to a file, too; `-`: to standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON in place of text
    #[arg(long)]
    json: bool,
    /// Colour [default: on a terminal that has it, never with NO_COLOR, always with CLICOLOR_FORCE]
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
        None => subject(&arguments.subject.to_string_lossy())?,
    };
    let usage = |message: String| Failure::new(exit::USAGE, format_args!("sprague: {message}"));
    if arguments.case.is_some() && arguments.format.is_none() {
        return Err(usage("--case is for a judge file: sprague explain -f FORMAT FILE --case K".into()));
    }
    if arguments.letters.is_some() && game != Game::Darkraft {
        return Err(usage(format!("--letters is for darkraft: {} has no letters", game.name())));
    }
    let picture_only = arguments.svg.as_deref().is_some_and(files::is_standard_output);
    if picture_only && arguments.json {
        return Err(usage("--json and --svg - cannot share standard output: name a file for the picture".into()));
    }
    if let (Some(board), [_, ..]) = (&arguments.board, &*arguments.more) {
        return Err(Failure::new(exit::USAGE, scattered(game, board, &arguments.more)));
    }
    let letters = arguments.letters.or(format).and_then(Format::letters);
    let letters = letters.map_or(Letters::DRAWN, |(backslash, slash)| Letters { backslash, slash });
    let board = match (arguments.format, arguments.case, &arguments.board) {
        (Some(format), Some(case), _) => board_of_file(format, &arguments.subject, case)?,
        (_, _, Some(board)) => typed(game, format, board, letters)?,
        _ => return Err(Failure::new(exit::USAGE, "sprague: a board is missing")),
    };
    if let (Some(_), Some(svg)) = (arguments.format, &arguments.svg)
        && files::would_replace(svg, &arguments.subject)
    {
        return Err(usage(format!(
            "the picture would replace the judge file {}: name another",
            escape::path(&arguments.subject)
        )));
    }
    if let Some(svg) = arguments.svg.as_deref().filter(|svg| !picture_only && files::is_same_file(svg, Path::new("-")))
    {
        return Err(usage(format!("the picture would replace the text in {}: name another file", escape::path(&svg))));
    }
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
    if picture_only {
        return Ok(());
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
        When::Auto => screen::has_colour(&std::io::stdout()),
    };
    draw::page(game, told, Style { colour, letters, width: screen::columns() })
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
    let (how, between) = notation::between(game);
    let parts: Vec<&str> = [board].into_iter().chain(more.iter().map(String::as_str)).collect();
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_matches([',', ' '])).collect();
    format!("sprague: a board is one argument, {how}: type {}", argument(&parts.join(between)))
}

fn typed(game: Game, format: Option<Format>, text: &str, letters: Letters) -> Result<Board, Failure> {
    if format.is_some_and(Format::has_lengths)
        && let Ok(cells) = text.parse::<u64>()
    {
        if cells > treblecross::MAX_CELLS {
            let (size, most) = (count(cells, "cell"), count(treblecross::MAX_CELLS, "cell"));
            return Err(bad(format!("a board of {size} is over the limit of {most}")));
        }
        let board = treblecross::Board::empty(cells as usize);
        return board.map(Board::Treblecross).map_err(|fault| bad(fault.to_string()));
    }
    notation::board(game, text, letters).map_err(|message| match game {
        _ if Path::new(text).is_file() => {
            let file = argument(text);
            bad(format!("{message}; that is a file: type sprague explain -f FORMAT {file} --case K"))
        }
        Game::Treblecross if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let format = Format::ALL.into_iter().find(|format| format.has_lengths());
            let advice = format
                .map(|format| format!("; for the empty board of {text} cells type sprague explain {format} {text}"));
            bad(format!("{message}{}", advice.unwrap_or_default()))
        }
        _ => bad(message),
    })
}

fn bad(message: String) -> Failure {
    Failure::new(exit::BAD_INPUT, format_args!("sprague: {message}"))
}

/// The board of one case of a judge file; faults of the cases before it do not matter if it can be found.
fn board_of_file(format: Format, path: &Path, case: u64) -> Result<Board, Failure> {
    let Input { name, source, .. } = Input::text(path)?;
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
                return Err(Failure::new(exit::BAD_INPUT, advice::line(&name, *fault)));
            }
            Err(ReadError::Io(error)) => {
                return Err(exit::unread(&error, &name));
            }
        }
    }
}
