//! End-Nim in judge text: n, then n piles.

use std::io::Read;

use super::limit::Limit;
use super::text::{self, ParseError, Place, Stop, Text};
use sprague_games::games::Outcome;
use sprague_games::games::end_nim::Board;

/// How many piles are made room for before they are seen; a longer row grows as it is read.
const ROOM: u64 = 1 << 16;

/// The statement's largest pile.
pub(super) const LARGEST_PILE: u64 = 1_000_000_000;

/// Reads a row of piles and where it begins; none at the end of the text.
///
/// `largest_pile` is the statement's, when the file is held to it: then there must be piles, and none of 0. Otherwise
/// a pile of 0 is no pile: the row closes up. After a bad pile the others are still read, so that the next case can be.
pub(super) fn read<R: Read>(
    text: &mut Text<R>,
    limit: Limit,
    largest_pile: Option<u64>,
) -> Result<Option<(Place, Board)>, Stop> {
    let Some(count) = text.number()? else { return Ok(None) };
    let place = text.place();
    let fault = |message, is_last| ParseError { place, message, is_last };
    let count = count.map_err(|found| fault(format!("{found}: expected n, the number of piles"), true))?;
    if let (0, Some(_)) = (count, largest_pile) {
        return Err(fault("n is 0: the statement has 1 or more piles (--strict)".into(), false).into());
    }
    let mut first_fault = limit.check(count, "pile").err().map(|message| fault(message, false));
    let mut piles = Vec::with_capacity(if first_fault.is_none() { count.min(ROOM) as usize } else { 0 });
    for number in 1..=count {
        let Some(pile) = text.number()? else {
            let missing = || {
                let message = format!("pile {number} of {count} is missing: the file ends");
                ParseError { place: text.place(), message, is_last: true }
            };
            return Err(first_fault.map_or_else(missing, |fault| ParseError { is_last: true, ..fault }).into());
        };
        if first_fault.is_some() {
            continue;
        }
        match (pile, largest_pile) {
            (Ok(pile), Some(largest)) if pile == 0 || pile > largest => {
                let message =
                    format!("pile {number} of {count} is {pile}: the statement allows 1 to {largest} (--strict)");
                first_fault = Some(ParseError { place: text.place(), message, is_last: false });
            }
            (Ok(0), _) => {}
            (Ok(pile), _) => piles.push(pile),
            (Err(found), _) => {
                let message = format!("{found}: expected pile {number} of {count}, 0 to 18446744073709551615");
                first_fault = Some(ParseError { place: text.place(), message, is_last: false });
            }
        }
    }
    match first_fault {
        Some(fault) => Err(fault.into()),
        None => Ok(Some((place, Board::new(piles).map_err(|found| fault(found.to_string(), false))?))),
    }
}

/// n, and a line of n piles.
pub(super) fn write_row(board: &Board, out: &mut Vec<u8>) {
    text::write_numbers([board.piles().len() as u64], out);
    out.push(b'\n');
    text::write_numbers(board.piles().iter().copied(), out);
    out.push(b'\n');
}

/// `1` or `0`: whether the first player wins.
pub(super) fn write(outcome: Outcome, out: &mut Vec<u8>) {
    out.extend_from_slice(match outcome {
        Outcome::FirstPlayerWins => b"1\n",
        Outcome::SecondPlayerWins => b"0\n",
    });
}
