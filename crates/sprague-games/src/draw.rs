//! Explanations for eyes: sentences, pictures in the terminal and as SVG, JSON for programs.

mod marks;
mod fold;
pub mod words;
mod terminal;
pub mod svg;
#[cfg(feature = "json")]
pub mod json;

use std::fmt::Write as _;

use crate::explain::{Explanation, Judged};
use crate::games::Game;

pub use self::fold::fold;
pub use self::terminal::Style;

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
    let columns = marks::columns(&explanation.position);
    for (judged, number) in explanation.moves.iter().zip(1..) {
        let _infallible = writeln!(head, "{}", words::judged(columns, judged, number));
    }
    if let Some(lost) = explanation.moves.iter().position(is_mistake) {
        let mistake = &explanation.moves[lost];
        let _infallible = writeln!(head, "\n{}", words::mistake(columns, mistake, lost + 1));
    }
    if !explanation.moves.is_empty() {
        head.push('\n');
    }
    let _infallible = writeln!(head, "{}\n", words::headline(game, explanation));
    let mut rest = words::reason(explanation);
    rest += &words::winning_moves(columns, explanation);
    if let Some(options) = &explanation.options {
        rest += &words::options(columns, options);
    }
    if let Some(line) = &explanation.line {
        rest += &words::line(columns, explanation, line);
    }
    [fold(&head, style.width), terminal::picture(explanation, style), fold(&rest, style.width)].concat()
}

/// A move that gave a won position away.
fn is_mistake(judged: &Judged) -> bool {
    judged.was_won && judged.reply.is_some()
}
