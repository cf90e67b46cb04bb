//! End-Nim in judge text: piles, as many as a number before them says.

use std::io::Read;
use std::ops::RangeInclusive;

use super::description::Number;
use super::diagnostic::{Diagnostic, Kind, Place, ReadError};
use super::limit::Limit;
use super::text::Text;
use sprague_games::games::end_nim::Board;

/// How many piles are made room for before they are seen; a longer row grows as it is read.
const ROOM: u64 = 1 << 16;

/// Reads the piles of a case that begins at `place`: `count` of them, which `number` stands for.
///
/// `statement` has the limits of a pile, when the file is held to the statement: then there must be piles, and none of 0.
/// Otherwise a pile of 0 is no pile: the row closes up. After a bad pile the others are still read, so that the next case
/// can be.
pub(super) fn read<R: Read>(
    text: &mut Text<R>,
    (number, count): (&Number, u64),
    limit: Limit,
    statement: Option<&RangeInclusive<u64>>,
    place: Place,
) -> Result<Board, ReadError> {
    let least = *number.limits.start();
    if statement.is_some() && count < least {
        let message = format!("{} is {count}: the statement has {least} or more piles", number.name);
        return Err(Diagnostic::new(Kind::Limit, place, message).into());
    }
    let mut first_fault = limit.check(count, "pile", place).err();
    let mut piles = Vec::with_capacity(if first_fault.is_none() { count.min(ROOM) as usize } else { 0 });
    for number in 1..=count {
        let Some(pile) = text.number()? else {
            let missing =
                || Diagnostic::input(text.place(), format!("pile {number} of {count} is missing: the file ends"));
            return Err(first_fault.unwrap_or_else(missing).last().into());
        };
        if first_fault.is_some() {
            continue;
        }
        match (pile, statement) {
            (Ok(pile), Some(limits)) if !limits.contains(&pile) => {
                let (least, most) = (limits.start(), limits.end());
                let message = format!("pile {number} of {count} is {pile}: the statement allows {least} to {most}");
                first_fault = Some(Diagnostic::new(Kind::Limit, text.place(), message));
            }
            (Ok(0), _) => {}
            (Ok(pile), _) => piles.push(pile),
            (Err(found), _) => {
                let message = format!("{found}: expected pile {number} of {count}, 0 to 18446744073709551615");
                first_fault = Some(Diagnostic::input(text.place(), message));
            }
        }
    }
    match first_fault {
        Some(fault) => Err(fault.into()),
        None => Ok(Board::new(piles).map_err(|found| Diagnostic::input(place, found.to_string()))?),
    }
}
