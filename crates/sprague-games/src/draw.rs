//! Explanations for eyes: sentences, pictures in the terminal and as SVG, JSON for programs.

mod marks;
mod fold;
pub mod words;
mod terminal;
pub mod svg;
#[cfg(feature = "json")]
pub mod json;

use std::fmt::Write as _;

use crate::explain::{Explanation, Judged, Position};
use crate::for_each_game;
use crate::games::Game;
#[cfg(feature = "json")]
use crate::notation::Letters;

pub use self::fold::fold;
pub use self::terminal::Style;

/// A game's own words for what every game has.
struct Words {
    /// Of a game that is over, in a sentence.
    over: &'static str,
    /// What the last move does.
    last_move: &'static str,
    /// A part of a position.
    part: &'static str,
}

macro_rules! drawings {
    ($($game:ident: $module:ident,)+) => {
        $(mod $module;)+

        fn words(position: &Position) -> Words {
            match position {
                $(Position::$game(_) => $module::WORDS,)+
            }
        }

        /// The size of a position in words.
        fn size(position: &Position) -> String {
            match position {
                $(Position::$game(position) => $module::size(position),)+
            }
        }

        /// The picture in the terminal, with an empty line behind it; empty of what is too large to look at.
        fn terminal_of(explanation: &Explanation, style: Style) -> String {
            match &explanation.position {
                $(Position::$game(position) => $module::terminal(explanation, position, style),)+
            }
        }

        /// Draws the position as SVG, unless it is too large to look at.
        fn svg_of(canvas: &mut svg::Canvas, explanation: &Explanation) {
            match &explanation.position {
                $(Position::$game(position) => $module::svg(canvas, explanation, position),)+
            }
        }

        #[cfg(feature = "json")]
        fn json_of(position: &Position, letters: Letters) -> serde_json::Value {
            match position {
                $(Position::$game(position) => $module::json(position, letters),)+
            }
        }
    };
}

for_each_game!(drawings);

/// An explanation as a page of text.
///
/// ```
/// use sprague_games::draw::{Style, page};
/// use sprague_games::explain::{Wants, explain};
/// use sprague_games::games::{Board, Game, treblecross};
/// use sprague_games::notation::Letters;
/// use sprague_games::theory::Control;
///
/// let board = Board::from(treblecross::Board::empty(7)?);
/// let explanation = explain(&board, &[], Wants::default(), &Control::unlimited())?;
/// let style = Style { colour: false, letters: Letters::DRAWN, width: Some(100) };
/// assert!(page(Game::Treblecross, &explanation, style).starts_with("treblecross, 7 cells: the player to move wins."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn page(game: Game, explanation: &Explanation, style: Style) -> String {
    let mut head = String::new();
    let at = &explanation.position;
    for (judged, number) in explanation.moves.iter().zip(1..) {
        let _infallible = writeln!(head, "{}", words::judged(at, judged, number));
    }
    if let Some(lost) = explanation.moves.iter().position(is_mistake) {
        let mistake = &explanation.moves[lost];
        let _infallible = writeln!(head, "\n{}", words::mistake(at, mistake, lost + 1));
    }
    if !explanation.moves.is_empty() {
        head.push('\n');
    }
    let _infallible = writeln!(head, "{}\n", words::headline(game, explanation));
    let mut rest = words::reason(explanation);
    rest += &words::winning_moves(at, explanation);
    if let Some(options) = &explanation.options {
        rest += &words::options(at, options);
    }
    if let Some(line) = &explanation.line {
        rest += &words::line(at, explanation, line);
    }
    [fold(&head, style.width), terminal_of(explanation, style), fold(&rest, style.width)].concat()
}

/// A move that gave a won position away.
fn is_mistake(judged: &Judged) -> bool {
    judged.was_won && judged.reply.is_some()
}
