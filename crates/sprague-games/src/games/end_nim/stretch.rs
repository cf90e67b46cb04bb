//! All that a stretch of piles means to the piles around it, in a few numbers: what makes a row linear.
//!
//! The rule for `l` (see `end_nim.rs`) takes `l` and `r` of the shorter stretch, and the one for `r` needs another
//! stretch's: together they seem to need every stretch of the row. They do not. A stretch acts on what is put beside
//! it through its thresholds and one of three tilts alone, or if it is lost through an interval of one or two steps.
//!
//! **Proof.** `append` below says how the numbers change when a pile comes on the right; `prepend` is its mirror image.
//! One finite check shows that the two commute: a pile on the left and a pile on the right may be put in either order
//! (a test goes through it; only the order of at most four numbers and their differences up to a few matter, so small
//! numbers stand for all). Hence, by induction on its length, a stretch has the same numbers whether it is built from
//! the left or from the right. Built from the left its last step is `append`, which gives the `l` of the rule; built
//! from the right its last step is `prepend`, which gives the `r` of the rule. So both are the stretch's thresholds.

use std::cmp::Ordering;

/// Which threshold of a won stretch counts as the greater one when a pile beside it is compared with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tilt {
    /// The left one, which is not below the right one.
    Left,
    /// Neither; they are equal.
    Even,
    /// The right one, which is not below the left one.
    Right,
}

/// What a stretch of at least one pile means to the piles around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// The mover wins: the piles that, put on its left or right, make the mover lose, and how they compare.
    Won { left: u64, right: u64, tilt: Tilt },
    /// The mover loses. A pile on one side makes a stretch whose threshold on that side is the number nearest to the
    /// pile from `low` to `low + width`; the width is 1 or 2.
    Lost { low: u64, width: u64 },
}

impl Stretch {
    /// A stretch of one pile.
    pub(super) fn of(pile: u64) -> Stretch {
        Stretch::Won { left: pile, right: pile, tilt: Tilt::Even }
    }

    /// The stretch with a pile put on its right.
    #[inline]
    pub(super) fn append(self, pile: u64) -> Stretch {
        match self {
            Stretch::Won { left, right, tilt } => match pile.cmp(&right) {
                Ordering::Equal => match tilt {
                    Tilt::Left => Stretch::Lost { low: right - 1, width: 1 },
                    Tilt::Even => Stretch::Lost { low: right - 1, width: 2 },
                    Tilt::Right => Stretch::Lost { low: right, width: 1 },
                },
                Ordering::Less => Stretch::Won {
                    left: if pile < left { pile } else { pile + 1 },
                    right: if tilt == Tilt::Left { right - 1 } else { right },
                    tilt: Tilt::Right,
                },
                Ordering::Greater => Stretch::Won {
                    left: if pile > left { pile } else { pile - 1 },
                    right: if tilt == Tilt::Right { right + 1 } else { right },
                    tilt: Tilt::Left,
                },
            },
            Stretch::Lost { low, width } => {
                let (right, tilt) = if pile <= low {
                    (low, Tilt::Right)
                } else if pile - low >= width {
                    (low + width, Tilt::Left)
                } else {
                    (pile, Tilt::Even)
                };
                Stretch::Won { left: pile, right, tilt }
            }
        }
    }

    /// The thresholds, 0 and 0 for a lost stretch.
    pub(super) fn thresholds(self) -> (u64, u64) {
        match self {
            Stretch::Won { left, right, .. } => (left, right),
            Stretch::Lost { .. } => (0, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain::grow;
    use super::*;

    impl Stretch {
        /// The stretch turned round.
        fn mirrored(self) -> Stretch {
            match self {
                Stretch::Won { left, right, tilt } => {
                    let tilt = match tilt {
                        Tilt::Left => Tilt::Right,
                        Tilt::Even => Tilt::Even,
                        Tilt::Right => Tilt::Left,
                    };
                    Stretch::Won { left: right, right: left, tilt }
                }
                lost => lost,
            }
        }

        fn prepend(self, pile: u64) -> Stretch {
            self.mirrored().append(pile).mirrored()
        }

        /// Every stretch there may be with numbers up to `most`.
        fn all(most: u64) -> Vec<Stretch> {
            let mut all = Vec::new();
            for left in 1..=most {
                for right in 1..=most {
                    let tilts = match left.cmp(&right) {
                        Ordering::Less => &[Tilt::Right][..],
                        Ordering::Equal => &[Tilt::Left, Tilt::Even, Tilt::Right],
                        Ordering::Greater => &[Tilt::Left],
                    };
                    all.extend(tilts.iter().map(|&tilt| Stretch::Won { left, right, tilt }));
                }
            }
            all.extend((0..most).flat_map(|low| [1, 2].map(|width| Stretch::Lost { low, width })));
            all
        }
    }

    /// The check of the proof: at most four numbers, so a gap of 4 stands for every larger one.
    const MOST: u64 = 20;

    #[test]
    fn piles_on_both_sides_may_be_put_in_either_order() {
        for stretch in Stretch::all(MOST) {
            for first in 1..=MOST {
                let prepended = stretch.prepend(first);
                for last in 1..=MOST {
                    let both = prepended.append(last);
                    assert_eq!(both, stretch.append(last).prepend(first), "{first} {stretch:?} {last}");
                }
            }
        }
        for first in 1..=MOST {
            for last in 1..=MOST {
                assert_eq!(Stretch::of(first).append(last), Stretch::of(last).prepend(first), "{first} {last}");
            }
        }
    }

    #[test]
    fn a_pile_on_the_right_gives_the_left_threshold_of_the_rule() {
        for stretch in Stretch::all(MOST) {
            for pile in 1..=MOST {
                let ((left, right), longer) = (stretch.thresholds(), stretch.append(pile));
                assert_eq!(longer.thresholds().0, grow(pile, left, right), "{stretch:?} {pile}");
                assert!(Stretch::all(MOST + 1).contains(&longer), "{stretch:?} {pile} {longer:?}");
            }
        }
    }
}
