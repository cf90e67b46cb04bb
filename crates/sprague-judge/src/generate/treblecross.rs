//! Treblecross boards: zones chosen so that their nim-sum is what is asked for, patterns that catch wrong methods.

use super::dice::Dice;
use super::order::{Bounds, Order, Span};
use crate::description::BoardWords;
use crate::kind::Kind;
use sprague_games::games::Outcome;
use sprague_games::games::treblecross::{Board, MAX_CELLS, zone_value};
use sprague_games::theory::Control;

/// Zones of lost boards are no longer than this: their nim-values stay small, so a last zone that makes the sum 0 is at hand.
const LONGEST_ZONE: u64 = 4096;

/// Small boards that known wrong methods answer wrongly, the most telling first.
const TRAPS: [&str; 24] = [
    "..X",
    "...",
    "....",
    ".XX.",
    "XX.X",
    "X.XX.",
    "X.X......",
    "X..",
    "......",
    ".X.",
    "X.X",
    "XX..XX",
    ".....",
    "X.X.X",
    "X..X",
    ".X.X..XX.",
    ".........",
    "XX.XX.X.XX",
    "......................",
    "...X...",
    "X......",
    ".XX......",
    "X....X",
    "............",
];

pub(super) const BOUNDS: Bounds =
    Bounds { units: ["cell", "cells"], least: 3, most: MAX_CELLS, probed: 4096, searched: None };

/// Makes boards, all of them or the empty ones, as the format's words have them.
#[derive(Debug)]
pub(super) enum Maker {
    Cells(CellMaker),
    Empty(EmptyMaker),
}

impl Maker {
    pub(super) fn new(words: &BoardWords, span: Span) -> Maker {
        match words {
            BoardWords::Length(_) => Maker::Empty(EmptyMaker::new(span)),
            _ => Maker::Cells(CellMaker::new(span)),
        }
    }

    pub(super) fn lacks(&self, outcome: Outcome) -> Option<String> {
        let Maker::Empty(EmptyMaker { span, lost, won, .. }) = self else { return None };
        match outcome {
            Outcome::SecondPlayerWins => lost.is_empty().then(|| {
                let nearest = "6, 12, 22, 30, 32, 44, 54, 64, 76, 86, 98, 110, 118, 130, 132, 162, 170, 184, 194, ...";
                format!("no empty board of {span} cells is lost; the lost ones are {nearest}")
            }),
            Outcome::FirstPlayerWins => won.is_empty().then(|| format!("every empty board of {span} cells is lost")),
        }
    }

    pub(super) fn board(&self, order: Order, dice: &mut Dice) -> Board {
        match self {
            Maker::Cells(maker) => maker.board(order, dice),
            Maker::Empty(maker) => maker.board(order, dice),
        }
    }
}

/// Makes boards of a span of lengths.
#[derive(Debug)]
pub(super) struct CellMaker {
    span: Span,
    /// The nim-value of a zone, by its length.
    values: Vec<u32>,
    /// The lengths of zones, by their nim-value.
    lengths: Vec<Vec<u64>>,
}

impl CellMaker {
    fn new(span: Span) -> CellMaker {
        let control = Control::unlimited();
        let longest = span.high.min(LONGEST_ZONE) as usize;
        let values: Vec<u32> = (0..=longest).map(|length| zone_value(length, &control).unwrap_or(0)).collect();
        let mut lengths = vec![Vec::new(); values.iter().max().map_or(1, |&most| most as usize + 1)];
        for (length, &value) in values.iter().enumerate().skip(1) {
            lengths[value as usize].push(length as u64);
        }
        CellMaker { span, values, lengths }
    }

    /// A board of the kind; whether it is won or lost as ordered is for whoever solves it.
    fn board(&self, order: Order, dice: &mut Dice) -> Board {
        let Span { low, high } = self.span;
        let is_first_try = order.attempt == 0;
        let cells = match order.kind {
            Kind::Traps => match TRAPS.get(order.turn as usize) {
                Some(trap) if is_first_try && (low..=high).contains(&(trap.len() as u64)) => trap.as_bytes().to_vec(),
                _ if order.lost == Some(true) => self.quiet(dice.between(low, high.min(low + 40)), 6, true, dice),
                _ => self.padded_trap(dice),
            },
            Kind::Edges if is_first_try => edge(self.span.end(order.turn / 8), order.turn % 8),
            Kind::Edges if order.lost == Some(true) => self.quiet(self.span.end(order.turn), 12, true, dice),
            Kind::Edges => edge(self.span.end(order.turn), dice.below(8)),
            Kind::OneWin => self.one_win(order, dice),
            Kind::Dense => self.of_density(order, (30, 66), 3, dice),
            Kind::Sparse => self.of_density(order, (1, 6), LONGEST_ZONE, dice),
            _ => self.of_density(order, (1, 60), 24, dice),
        };
        Board::new(cells.into()).expect("cells of a game that goes on")
    }

    /// A board with so many X in a hundred, or, if it is to be lost and every other time, a quiet one.
    fn of_density(&self, order: Order, percent: (u64, u64), longest_zone: u64, dice: &mut Dice) -> Vec<u8> {
        let length = dice.between(self.span.low, self.span.high);
        if order.lost == Some(true) || dice.chance(1, 2) {
            return self.quiet(length, longest_zone, order.lost == Some(true), dice);
        }
        let percent = dice.between(percent.0, percent.1);
        let mut cells = vec![b'.'; length as usize];
        for at in 0..cells.len() {
            let would_win = at >= 2 && cells[at - 2..at] == *b"XX";
            if !would_win && dice.chance(percent, 100) {
                cells[at] = b'X';
            }
        }
        cells
    }

    /// A board without an immediate win: X's 3 or more apart, zones of at most `longest`. If it is to be lost, the last
    /// zone is one that makes the nim-sum 0.
    fn quiet(&self, length: u64, longest: u64, lost: bool, dice: &mut Dice) -> Vec<u8> {
        // Between two X's a zone takes 4 cells more, and one X goes with it; the last X stands alone.
        const BESIDE: u64 = 5;
        let mut room = length - 1;
        let mut zones = Vec::new();
        let mut sum = 0;
        let longest = longest.min(LONGEST_ZONE);
        loop {
            let most = longest.min(room.saturating_sub(BESIDE));
            // Room for the last zone is kept.
            if most == 0 || (lost && room < 4 * BESIDE) || dice.chance(1, 24) {
                break;
            }
            let zone = dice.between(1, if lost { (most / 2).max(1) } else { most });
            zones.push(zone);
            sum ^= self.values[zone as usize];
            room -= zone + BESIDE;
        }
        if lost {
            while sum != 0 {
                let fitting = self.lengths.get(sum as usize).map_or(&[][..], Vec::as_slice);
                let fitting = &fitting[..fitting.partition_point(|zone| zone + BESIDE <= room)];
                if !fitting.is_empty() {
                    zones.push(*dice.pick(fitting));
                    break;
                }
                // No such zone, or no room for it: one zone fewer, and again. Without any the sum is 0.
                let zone = zones.pop().unwrap_or(0);
                sum ^= self.values[zone as usize];
                room += zone + BESIDE;
            }
        }
        dice.shuffle(&mut zones);
        lay_out(length, &zones, dice)
    }

    /// A pattern of a trap at an end of a quiet board, or alone if the board has no room for more.
    fn padded_trap(&self, dice: &mut Dice) -> Vec<u8> {
        let Span { low, high } = self.span;
        let trap = dice.pick(&TRAPS).as_bytes();
        let length = dice.between(low, high.min(low.saturating_add(60)));
        let Some(rest) = length.checked_sub(trap.len() as u64 + 2).filter(|&rest| rest >= 1) else {
            let fitting = trap.iter().chain([&b'.'; 3]).copied().take(length as usize).collect::<Vec<_>>();
            return if fitting.len() as u64 == length { fitting } else { self.quiet(length, 6, false, dice) };
        };
        let mut cells = trap.to_vec();
        cells.extend_from_slice(b"..");
        cells.extend(self.quiet(rest, 12, false, dice));
        if dice.chance(1, 2) {
            cells.reverse();
        }
        cells
    }

    /// A board that may have exactly one winning move: quiet at first, and then one gap to fill among X's that are apart.
    fn one_win(&self, order: Order, dice: &mut Dice) -> Vec<u8> {
        let length = dice.between(self.span.low, self.span.high);
        if order.turn.is_multiple_of(2) && order.attempt < 40 {
            return self.quiet(length, 12, false, dice);
        }
        let at = dice.between(0, length - 3) as usize;
        let mut cells = vec![b'.'; length as usize];
        cells[at] = b'X';
        cells[at + 2] = b'X';
        let mut left = at.saturating_sub(3 + dice.below(3) as usize);
        while left >= 3 {
            cells[left] = b'X';
            left = left.saturating_sub(3 + dice.below(3) as usize);
        }
        let mut right = at + 5 + dice.below(3) as usize;
        while right < cells.len() {
            cells[right] = b'X';
            right += 3 + dice.below(3) as usize;
        }
        cells
    }
}

/// Cells in which exactly these zones are left, in their order: X's 3 to 5 apart wherever there is no zone.
fn lay_out(length: u64, zones: &[u64], dice: &mut Dice) -> Vec<u8> {
    let mut room = length - 1 - zones.iter().map(|zone| zone + 5).sum::<u64>();
    let left = dice.between(0, room.min(2));
    room -= left;
    // Steps from one X to the next: a zone's, or one of 3 to 5 cells without a zone. What is left over is the right end.
    let mut steps: Vec<u64> = zones.iter().map(|zone| zone + 5).collect();
    while room > 2 {
        let step = dice.between(3, room.min(5));
        steps.push(step);
        room -= step;
    }
    dice.shuffle(&mut steps);
    let mut cells = vec![b'.'; length as usize];
    let mut at = left as usize;
    cells[at] = b'X';
    for step in steps {
        at += step as usize;
        cells[at] = b'X';
    }
    cells
}

/// A board at the edge of what there is.
fn edge(length: u64, which: u64) -> Vec<u8> {
    let length = length as usize;
    let repeated = |pattern: &[u8]| pattern.iter().copied().cycle().take(length).collect::<Vec<u8>>();
    let mut cells = vec![b'.'; length];
    match which {
        0 => {}
        1 => cells[0] = b'X',
        2 => cells[length - 1] = b'X',
        3 => (cells[0], cells[length - 1]) = (b'X', b'X'),
        4 => cells[length / 2] = b'X',
        5 => cells = repeated(b"XX."),
        6 => cells = repeated(b"X."),
        _ => cells = repeated(b"X.."),
    }
    cells
}

/// Makes empty boards of a span of lengths.
#[derive(Debug)]
pub(super) struct EmptyMaker {
    span: Span,
    /// The lengths that are lost, and those that the rule of three has wrong or nearly so.
    lost: Vec<u64>,
    won: Vec<u64>,
    traps: Vec<u64>,
}

impl EmptyMaker {
    fn new(span: Span) -> EmptyMaker {
        let control = Control::unlimited();
        let is_lost = |length: &u64| zone_value(*length as usize, &control) == Ok(0);
        let (lost, won): (Vec<u64>, Vec<u64>) = (span.low..=span.high).partition(is_lost);
        let mut traps: Vec<u64> = Vec::new();
        // 22 and 32 are lost, 3 and 9 are not; then a length on either side of every lost one.
        traps.extend(lost.iter().filter(|length| *length % 3 != 0));
        traps.extend(won.iter().filter(|length| *length % 3 == 0).take(traps.len().max(4)));
        traps.extend(lost.iter().filter(|length| *length % 3 == 0));
        EmptyMaker { span, lost, won, traps }
    }

    fn board(&self, order: Order, dice: &mut Dice) -> Board {
        let is_first_try = order.attempt == 0;
        let length = match (order.kind, order.lost) {
            (Kind::Traps, _) if is_first_try && (order.turn as usize) < self.traps.len() => {
                self.traps[order.turn as usize]
            }
            (Kind::Edges, _) if is_first_try => self.span.end(order.turn),
            (_, Some(true)) => *dice.pick(&self.lost),
            (_, Some(false)) => *dice.pick(&self.won),
            (Kind::Traps, None) if !self.traps.is_empty() => *dice.pick(&self.traps),
            (_, None) => dice.between(self.span.low, self.span.high),
        };
        Board::empty(length as usize).expect("3 cells or more")
    }
}
