//! Explanations on the wire: the request and the answer of the `Explain` call, both ways.

use prost::Message as _;

use super::error::{BoardError, Reason as ErrorReason};
use super::v1;
use super::v1::explanation::Reason as ReasonMessage;
use crate::explain::reason::{Case, Cells, Colour, Part, Rule, Threshold};
use crate::explain::{Choice, Explanation, Judged, Left, Line, Listed, MOST_MOVES, Move, Reason, Wants};
use crate::games::Board;
use crate::message::count;

/// Packs a request.
pub fn request(board: Board, moves: &[Move], wants: Wants) -> v1::ExplainRequest {
    v1::ExplainRequest {
        board: Some(board.into()),
        moves: moves.iter().copied().map(Into::into).collect(),
        options: wants.options,
        line: wants.line,
    }
}

/// What a request consists of: the board, if any, the moves, and what is wanted.
///
/// # Errors
/// More moves than are followed, or one that is none.
pub fn parts(request: v1::ExplainRequest) -> Result<(Option<v1::Board>, Vec<Move>, Wants), BoardError> {
    if request.moves.len() > MOST_MOVES {
        return Err(too_many_moves(request.moves.len()));
    }
    let wants = Wants { options: request.options, line: request.line };
    let moves: Result<Vec<Move>, BoardError> = (0..)
        .zip(request.moves)
        .map(|(number, message)| {
            let nothing = || BoardError {
                offset: Some(number),
                ..BoardError::new(ErrorReason::BadMove, format!("move {}: no cell and no end is set", number + 1))
            };
            moved(message).ok_or_else(nothing)
        })
        .collect();
    Ok((request.board, moves?, wants))
}

pub(super) fn too_many_moves(moves: usize) -> BoardError {
    let message = format!("{moves} moves are more than the {MOST_MOVES} that are followed");
    BoardError { offset: Some(MOST_MOVES as u32), ..BoardError::new(ErrorReason::BadMove, message) }
}

/// Packs an answer; one that is longer than `message_bytes` is an error in its place.
pub fn response(result: Result<Explanation, BoardError>, message_bytes: u64) -> v1::ExplainResponse {
    use v1::explain_response::Result as Packed;
    let packed = match result {
        Ok(explanation) => Packed::Explanation(explanation.into()),
        Err(error) => Packed::Error(error.into()),
    };
    let response = v1::ExplainResponse { result: Some(packed) };
    let length = response.encoded_len() as u64;
    if length <= message_bytes {
        return response;
    }
    let message = format!("the explanation takes {}, more than message_bytes = {message_bytes}", count(length, "byte"));
    v1::ExplainResponse { result: Some(Packed::Error(BoardError::new(ErrorReason::TooLong, message).into())) }
}

/// Unpacks the answer to a request for what is wanted.
///
/// # Errors
/// The server's error; `Internal` where the message says nothing that this version understands.
pub fn explained(response: v1::ExplainResponse, wants: Wants) -> Result<Explanation, BoardError> {
    use v1::explain_response::Result as Packed;
    match response.result {
        Some(Packed::Explanation(explanation)) => unpack(explanation, wants)
            .ok_or_else(|| BoardError::new(ErrorReason::Internal, "the server's answer makes no sense to this client")),
        Some(Packed::Error(error)) => Err(error.into()),
        None => Err(BoardError::new(ErrorReason::Internal, "the server sent an empty result")),
    }
}

impl From<Move> for v1::Move {
    fn from(played: Move) -> v1::Move {
        let packed = match played {
            Move::Cell(cell) => v1::r#move::Move::Cell(cell),
            Move::End(end) => v1::r#move::Move::End(end.into()),
        };
        v1::Move { r#move: Some(packed) }
    }
}

fn moved(message: v1::Move) -> Option<Move> {
    match message.r#move? {
        v1::r#move::Move::Cell(cell) => Some(Move::Cell(cell)),
        v1::r#move::Move::End(end) => Some(Move::End(end.try_into().ok()?)),
    }
}

impl From<Explanation> for v1::Explanation {
    fn from(told: Explanation) -> v1::Explanation {
        let (options, options_total) = told.options.map_or((Vec::new(), 0), |list| (pack(list.items), list.total));
        let line = told.line.unwrap_or(Line { moves: Vec::new(), is_cut: false });
        v1::Explanation {
            moves: pack(told.moves),
            position: Some(told.position.into()),
            outcome: v1::Outcome::from(told.outcome).into(),
            reason: Some(told.reason.into()),
            winning_moves: pack(told.winning_moves.items),
            winning_moves_total: told.winning_moves.total,
            options,
            options_total,
            line: pack(line.moves),
            line_is_cut: line.is_cut,
        }
    }
}

/// Lists come empty where they were not asked for, and where the game is over.
fn unpack(message: v1::Explanation, wants: Wants) -> Option<Explanation> {
    let outcome = super::outcome(message.outcome())?;
    let options = Listed { items: all(message.options, choice)?, total: message.options_total };
    let line = Line { moves: all(message.line, moved)?, is_cut: message.line_is_cut };
    Some(Explanation {
        moves: all(message.moves, judged)?,
        position: super::unpack_position(message.position?)?,
        outcome,
        reason: reason(message.reason?)?,
        winning_moves: Listed { items: all(message.winning_moves, choice)?, total: message.winning_moves_total },
        options: wants.options.then_some(options),
        line: wants.line.then_some(line),
    })
}

fn pack<T, M: From<T>>(items: Vec<T>) -> Vec<M> {
    items.into_iter().map(M::from).collect()
}

fn all<M, T>(messages: Vec<M>, unpack: impl Fn(M) -> Option<T>) -> Option<Vec<T>> {
    messages.into_iter().map(unpack).collect()
}

impl From<Judged> for v1::JudgedMove {
    fn from(judged: Judged) -> v1::JudgedMove {
        v1::JudgedMove {
            choice: Some(judged.choice.into()),
            was_won: judged.was_won,
            reply: judged.reply.map(Into::into),
        }
    }
}

fn judged(message: v1::JudgedMove) -> Option<Judged> {
    let reply = match message.reply {
        Some(reply) => Some(choice(reply)?),
        None => None,
    };
    Some(Judged { choice: choice(message.choice?)?, was_won: message.was_won, reply })
}

impl From<Choice> for v1::Choice {
    fn from(choice: Choice) -> v1::Choice {
        let wins = choice.left.wins();
        let left = match choice.left {
            Left::Over => v1::choice::Left::Over(v1::GameOver {}),
            Left::Exposed { reply } => v1::choice::Left::Exposed(reply),
            Left::Parts { parts, nim_sum } => v1::choice::Left::Parts(v1::PartsLeft { parts: pack(parts), nim_sum }),
            Left::Stones { stones, threshold } => v1::choice::Left::Stones(v1::StonesLeft { stones, threshold }),
        };
        v1::Choice { r#move: Some(choice.played.into()), wins, left: Some(left) }
    }
}

fn choice(message: v1::Choice) -> Option<Choice> {
    let left = match message.left? {
        v1::choice::Left::Over(_) => Left::Over,
        v1::choice::Left::Exposed(reply) => Left::Exposed { reply },
        v1::choice::Left::Parts(left) => Left::Parts { parts: all(left.parts, part)?, nim_sum: left.nim_sum },
        v1::choice::Left::Stones(left) => Left::Stones { stones: left.stones, threshold: left.threshold },
    };
    let choice = Choice { played: moved(message.r#move?)?, left };
    (choice.left.wins() == message.wins).then_some(choice)
}

impl From<Part> for v1::Part {
    fn from(part: Part) -> v1::Part {
        let mut message = v1::Part { nim_value: part.value, ..Default::default() };
        match part.cells {
            Cells::Run { start, length } => (message.start, message.length) = (start, length),
            Cells::List(cells) => message.part_cells = cells,
        }
        message
    }
}

fn part(message: v1::Part) -> Option<Part> {
    let cells = match message.length {
        0 => Cells::List(message.part_cells),
        length => {
            message.start.checked_add(length)?;
            Cells::Run { start: message.start, length }
        }
    };
    Some(Part { cells, value: message.nim_value })
}

impl From<Reason> for ReasonMessage {
    fn from(reason: Reason) -> ReasonMessage {
        match reason {
            Reason::Over => ReasonMessage::Over(v1::GameOver {}),
            Reason::ImmediateWin { cells } => {
                ReasonMessage::ImmediateWin(v1::ImmediateWin { winning_cells: cells.items, total: cells.total })
            }
            Reason::Zones { zones, deadly, nim_sum } => ReasonMessage::Zones(v1::Zones {
                zones_total: zones.total,
                zones: pack(zones.items),
                deadly_cells_total: deadly.total,
                deadly_cells: deadly.items,
                nim_sum,
            }),
            Reason::Colours { colours: [even, odd] } => {
                let [even, odd] =
                    [even, odd].map(|colour| Some(v1::Colour { parts: pack(colour.parts), nim_value: colour.value }));
                ReasonMessage::Colours(v1::Colours { even, odd })
            }
            Reason::Thresholds { left, right } => {
                ReasonMessage::Thresholds(v1::Thresholds { left: Some(left.into()), right: Some(right.into()) })
            }
            Reason::OnePile => ReasonMessage::OnePile(v1::OnePile {}),
        }
    }
}

fn reason(message: ReasonMessage) -> Option<Reason> {
    Some(match message {
        ReasonMessage::Over(_) => Reason::Over,
        ReasonMessage::ImmediateWin(win) => {
            Reason::ImmediateWin { cells: Listed { items: win.winning_cells, total: win.total } }
        }
        ReasonMessage::Zones(zones) => Reason::Zones {
            zones: Listed { items: all(zones.zones, part)?, total: zones.zones_total },
            deadly: Listed { items: zones.deadly_cells, total: zones.deadly_cells_total },
            nim_sum: zones.nim_sum,
        },
        ReasonMessage::Colours(colours) => {
            let colour = |colour: v1::Colour| Some(Colour { parts: all(colour.parts, part)?, value: colour.nim_value });
            Reason::Colours { colours: [colour(colours.even?)?, colour(colours.odd?)?] }
        }
        ReasonMessage::Thresholds(both) => {
            Reason::Thresholds { left: threshold(both.left?)?, right: threshold(both.right?)? }
        }
        ReasonMessage::OnePile(_) => Reason::OnePile,
    })
}

impl From<Threshold> for v1::Threshold {
    fn from(threshold: Threshold) -> v1::Threshold {
        let mut message = v1::Threshold { value: threshold.value, pile: threshold.pile, ..Default::default() };
        let rule = match threshold.rule {
            Rule::Equal => v1::ThresholdRule::Equal,
            Rule::Stretch { x, far, near, case } => {
                (message.x, message.far, message.near) = (x, far, near);
                match case {
                    Case::Tie => v1::ThresholdRule::Tie,
                    Case::Outside => v1::ThresholdRule::Outside,
                    Case::Less => v1::ThresholdRule::Less,
                    Case::More => v1::ThresholdRule::More,
                }
            }
        };
        message.set_rule(rule);
        message
    }
}

fn threshold(message: v1::Threshold) -> Option<Threshold> {
    let v1::Threshold { value, pile, x, far, near, .. } = message;
    let stretch = |case| Rule::Stretch { x, far, near, case };
    let rule = match message.rule() {
        v1::ThresholdRule::Unspecified => return None,
        v1::ThresholdRule::Equal => Rule::Equal,
        v1::ThresholdRule::Tie => stretch(Case::Tie),
        v1::ThresholdRule::Outside => stretch(Case::Outside),
        v1::ThresholdRule::Less => stretch(Case::Less),
        v1::ThresholdRule::More => stretch(Case::More),
    };
    Some(Threshold { value, pile, rule })
}
