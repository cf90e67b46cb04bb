//! Judge files that test: boards of stated kinds and outcomes, the same bytes for the same seed everywhere.

mod dice;
mod order;

use std::io::{self, Read};
use std::sync::Arc;

use self::dice::Dice;
use self::order::{Bounds, Order, Span};
use super::description::BoardWords;
use super::format::Format;
use super::writer;
use sprague_games::for_each_game;
use sprague_games::games::{self, Board, Game, Outcome};
use sprague_games::theory::Control;

pub use super::kind::Kind;

/// A file hands out its text in pieces of about this size.
const PIECE: usize = 64 * 1024;
/// Boards made for one place before it is given up; what is asked for and can be had comes far sooner.
const MOST_ATTEMPTS: u64 = 4000;

macro_rules! makers {
    ($($game:ident: $module:ident,)+) => {
        $(mod $module;)+

        /// Makes the boards of a file.
        #[derive(Debug)]
        enum Maker {
            $($game($module::Maker),)+
        }

        impl Maker {
            /// Of a game's boards in a format's words.
            fn new(game: Game, words: &BoardWords, span: Span) -> Maker {
                match game {
                    $(Game::$game => Maker::$game($module::Maker::new(words, span)),)+
                }
            }

            /// Why there is no board of an outcome, if there is none.
            fn lacks(&self, outcome: Outcome) -> Option<String> {
                match self {
                    $(Maker::$game(maker) => maker.lacks(outcome),)+
                }
            }

            /// A board of the kind; whether it is won or lost as ordered is for whoever solves it.
            fn board(&self, order: Order, dice: &mut Dice) -> Board {
                match self {
                    $(Maker::$game(maker) => maker.board(order, dice).into(),)+
                }
            }
        }

        fn bounds(game: Game) -> Bounds {
            match game {
                $(Game::$game => $module::BOUNDS,)+
            }
        }
    };
}

for_each_game!(makers);

impl Kind {
    /// The kinds that a format has.
    pub fn of(format: Format) -> Vec<Kind> {
        format.0.kinds.to_vec()
    }
}

/// Who is to win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wish {
    /// The first player, always.
    First,
    /// The second player, always.
    Second,
    /// Both by turns, but traps and edges as they come.
    #[default]
    Mixed,
}

/// What is asked for.
///
/// ```
/// use std::io::Read as _;
///
/// use sprague_judge::Format;
/// use sprague_judge::generate::{Recipe, Wish};
///
/// let recipe = Recipe {
///     format: Format::POJ3537,
///     kinds: vec![],
///     cases: Some(5),
///     sizes: Some((3, 50)),
///     seed: 1,
///     wish: Wish::First,
///     strict: true,
/// };
/// let mut text = String::new();
/// recipe.file()?.reader().read_to_string(&mut text)?;
/// assert_eq!(text.lines().count(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The words it is written in.
    pub format: Format,
    /// The kinds of boards; none: all that the format has.
    pub kinds: Vec<Kind>,
    /// How many cases a file has, and in a set each kind; none: as many as the statement allows, or a good number.
    pub cases: Option<u64>,
    /// The smallest and the largest board: cells, rows and columns each, or piles; none: all that the statement allows.
    pub sizes: Option<(u64, u64)>,
    /// What all choices follow from.
    pub seed: u64,
    /// Who is to win.
    pub wish: Wish,
    /// Refuse what the statement does not allow.
    pub strict: bool,
}

/// Why something cannot be had, and what could.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

/// A file that can be written, as often as one likes.
#[derive(Debug, Clone)]
pub struct TestFile {
    name: String,
    order: Arc<Orders>,
    kinds: Vec<Kind>,
    first: u64,
    cases: u64,
}

/// What all files of a set share.
#[derive(Debug)]
struct Orders {
    format: Format,
    maker: Maker,
    dice: Dice,
    wish: Wish,
}

impl Recipe {
    /// One file with cases of all kinds by turns.
    ///
    /// # Errors
    /// What cannot be had.
    pub fn file(&self) -> Result<TestFile, Refusal> {
        let kinds = self.kinds(false)?;
        let cases = self.cases.unwrap_or(self.format.0.most_cases().unwrap_or(60));
        let order = Arc::new(self.orders(&kinds)?);
        match self.format.0.most_cases() {
            Some(1) if cases != 1 => Err(Refusal(format!(
                "a {} file holds one case; -d FOLDER writes {cases} of each kind, a file each",
                self.format
            ))),
            Some(most) if self.strict && cases > most => Err(Refusal(format!(
                "the statement of {} allows {most} cases a file (--strict), not {cases}; -d FOLDER writes several files",
                self.format
            ))),
            // Where a file is one case, seeds go through the kinds.
            most => {
                let first = if most == Some(1) { self.seed } else { 0 };
                Ok(TestFile { name: self.format.name().into(), order, kinds, first, cases })
            }
        }
    }

    /// A numbered set: a file a kind, or several where a file may not hold them all.
    ///
    /// # Errors
    /// What cannot be had.
    pub fn set(&self) -> Result<Vec<TestFile>, Refusal> {
        let kinds = self.kinds(true)?;
        let (default, room) = match self.format.0.most_cases() {
            Some(1) => (10, 1),
            Some(most) => (most, if self.strict { most } else { u64::MAX }),
            None => (60, u64::MAX),
        };
        let cases = self.cases.unwrap_or(default);
        let order = Arc::new(self.orders(&kinds)?);
        let files = kinds.len() as u64 * cases.div_ceil(room);
        let digits = files.to_string().len().max(2);
        let starts = kinds.iter().flat_map(|&kind| (0..cases.div_ceil(room)).map(move |part| (kind, part * room)));
        let file = |(number, (kind, first)): (u64, (Kind, u64))| TestFile {
            name: format!("{number:0digits$}-{kind}"),
            order: order.clone(),
            kinds: vec![kind],
            first,
            cases: room.min(cases - first),
        };
        Ok((1..).zip(starts).map(file).collect())
    }

    /// The kinds asked for, or all that make sense.
    fn kinds(&self, is_set: bool) -> Result<Vec<Kind>, Refusal> {
        let of_format = Kind::of(self.format);
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        if self.kinds.is_empty() {
            let (_, span) = self.span()?;
            let makes_sense = |kind: &Kind| match kind {
                // Validators object to a blank line, and one file of all kinds is better without.
                Kind::BlankEnd => is_set && !self.strict,
                Kind::OneWin => self.one_win_fault(span).is_none(),
                _ => true,
            };
            return Ok(of_format.into_iter().filter(makes_sense).collect());
        }
        if let Some(kind) = self.kinds.iter().find(|kind| !of_format.contains(kind)) {
            let (format, names) = (self.format, names(&of_format));
            return Err(Refusal(format!("{format} has no boards of kind {kind}; its kinds are {names}")));
        }
        if self.strict && self.kinds.contains(&Kind::BlankEnd) {
            return Err(Refusal("a blank line at the end is not in the statement's layout (--strict)".into()));
        }
        Ok(self.kinds.clone())
    }

    fn one_win_fault(&self, span: Span) -> Option<String> {
        if self.wish == Wish::Second {
            return Some("a lost board has no winning move: leave out --outcome second or one-win".into());
        }
        let most = bounds(self.format.game()).searched.filter(|&most| span.low > most)?;
        Some(format!("grids with one winning move are searched for, which takes too long beyond {most} x {most}"))
    }

    /// The sizes asked for, checked, with the word for what they count.
    fn span(&self) -> Result<(&'static str, Span), Refusal> {
        let game = self.format.game();
        let Bounds { units, least, most, .. } = bounds(game);
        let statement = *self.format.0.sizes().end();
        let (low, high) = self.sizes.unwrap_or((least, statement));
        let unit = units[usize::from(high > 1)];
        let name = game.name();
        match () {
            () if low > high => Err(format!("--size {low}..{high} is empty: write the smaller size first")),
            () if low < least || high > most => {
                Err(format!("{name} boards have {least} to {most} {unit}, not {low}..{high}"))
            }
            () if self.strict && high > statement => {
                Err(format!("the statement of {} allows up to {statement} {unit} (--strict), not {high}", self.format))
            }
            () => Ok((unit, Span { low, high })),
        }
        .map_err(Refusal)
    }

    /// Everything that a file needs to be written, once it is known that it can be.
    fn orders(&self, kinds: &[Kind]) -> Result<Orders, Refusal> {
        let (unit, span) = self.span()?;
        if kinds.contains(&Kind::OneWin)
            && let Some(fault) = self.one_win_fault(span)
        {
            return Err(Refusal(fault));
        }
        let game = self.format.game();
        let maker = Maker::new(game, self.format.0.board(), span);
        let wish = match (self.wish, maker.lacks(Outcome::FirstPlayerWins), maker.lacks(Outcome::SecondPlayerWins)) {
            (Wish::First, Some(fault), _) | (Wish::Second, _, Some(fault)) => return Err(Refusal(fault)),
            // What there is of one outcome only is mixed as well as can be.
            (Wish::Mixed, _, Some(_)) => Wish::First,
            (Wish::Mixed, Some(_), _) => Wish::Second,
            (wish, ..) => wish,
        };
        let orders = Orders { format: self.format, maker, dice: Dice::new(self.seed), wish };
        let is_probed = span.high <= bounds(game).probed;
        for &kind in kinds.iter().filter(|_| is_probed) {
            let in_vain = (0..2).any(|turn| orders.board(kind, turn).is_none());
            if in_vain {
                return Err(Refusal(format!("no {kind} board of {span} {unit} with that outcome was found")));
            }
        }
        Ok(orders)
    }
}

impl Orders {
    /// The board of a kind and turn; none if it was looked for in vain.
    fn board(&self, kind: Kind, turn: u64) -> Option<Board> {
        let lost = match (self.wish, kind) {
            (_, Kind::OneWin) | (Wish::First, _) => Some(false),
            (Wish::Second, _) => Some(true),
            (Wish::Mixed, Kind::Traps | Kind::Edges) => None,
            (Wish::Mixed, _) => Some(turn.is_multiple_of(2)),
        };
        let dice = self.dice.apart(kind as u64).apart(turn);
        (0..MOST_ATTEMPTS).find_map(|attempt| {
            let order = Order { kind, turn, attempt, lost };
            let dice = &mut dice.apart(attempt);
            let board = self.maker.board(order, dice);
            if lost.is_none() {
                return Some(board);
            }
            let solution = games::solve(&board, &Control::unlimited()).ok()?;
            let is_right = lost == Some(solution.outcome() == Outcome::SecondPlayerWins);
            (is_right && (kind != Kind::OneWin || solution.winning_moves() == 1)).then_some(board)
        })
    }
}

impl TestFile {
    /// The file's name in its set, without an ending: `01-traps`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many cases it has.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// The file's text, made as it is read; every reader reads the same.
    pub fn reader(&self) -> impl Read + Send + use<> {
        Source { file: self.clone(), made: None, piece: Vec::with_capacity(2 * PIECE), taken: 0 }
    }
}

/// A file's text in the making, in flat memory.
struct Source {
    file: TestFile,
    /// Cases that are made; none while the heading is not.
    made: Option<u64>,
    piece: Vec<u8>,
    taken: usize,
}

impl Source {
    /// Makes the next piece; at the end of the file, nothing.
    fn make(&mut self) -> io::Result<()> {
        let TestFile { order, kinds, first, cases, .. } = &self.file;
        self.piece.clear();
        self.taken = 0;
        if self.made.is_none() {
            writer::write_heading(order.format, *cases, &mut self.piece);
        }
        let mut made = self.made.unwrap_or(0);
        let was_done = self.made == Some(*cases);
        while made < *cases && self.piece.len() < PIECE {
            let number = first + made;
            let (kind, turn) = (kinds[(number % kinds.len() as u64) as usize], number / kinds.len() as u64);
            let board = order.board(kind, turn).ok_or_else(|| {
                io::Error::other(format!("no {kind} board of these sizes with that outcome was found; widen --size"))
            })?;
            writer::write_board(order.format, &board, &mut self.piece);
            made += 1;
        }
        if made == *cases && !was_done && kinds.contains(&Kind::BlankEnd) {
            self.piece.push(b'\n');
        }
        self.made = Some(made);
        Ok(())
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.piece.len() {
            self.make()?;
        }
        let mut rest = &self.piece[self.taken..];
        let read = rest.read(buffer)?;
        self.taken += read;
        Ok(read)
    }
}
