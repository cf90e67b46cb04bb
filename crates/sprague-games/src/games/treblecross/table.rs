//! The Grundy table of 0.007 that all solves share: it grows on demand, and nobody who reads it takes a lock.
//!
//! A level holds g(0), g(1), ... in one piece, and is there whole or not at all: 4096 of them, and then four levels for
//! each doubling. A reader takes the smallest level that covers its board, so small boards never wait while a long one's
//! level grows, and nobody waits for more than a quarter beyond what it needs. All levels together take 13 MB.

use super::growth::{self, Growth};
use crate::theory::{Control, Stopped};
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
use std::time::Duration;

/// The largest heap in the table.
pub(super) const LARGEST_HEAP: usize = 1_000_002;
/// Values in level 0.
const FIRST_LEVEL: usize = 4096;
/// Levels for each doubling.
const FINE: usize = 4;
/// Enough levels for `LARGEST_HEAP`.
const LEVELS: usize = 8 * FINE + 1;
/// How long a solve sleeps while another one grows the table: short beside the growth, long beside a look at its flag.
const NAP: Duration = Duration::from_millis(1);

static TABLE: Table = Table::new();

/// The values of all heaps up to `heap`, and perhaps more: grown first if no solve has needed them before.
///
/// Assumes `heap <= LARGEST_HEAP`. Spends nothing: `work` says what the caller is to pay, whoever grows the table.
///
/// # Errors
/// `Cancelled` when the control's flag is set during the growth, whose progress is kept for the next solve.
#[inline]
pub(super) fn covering(heap: usize, control: &Control) -> Result<&'static [u16], Stopped> {
    TABLE.covering(heap, control)
}

/// The work of growing a table from nothing until it covers `heap`, in the units of `Control`; whole levels.
///
/// Level 0 is free: it takes a millisecond or two once in a process.
pub(super) fn work(heap: usize) -> u64 {
    let level = level_of(heap);
    if level == 0 { 0 } else { growth::work(level_values(level)) }
}

/// The smallest level that covers `heap`.
const fn level_of(heap: usize) -> usize {
    let pieces = heap / (FIRST_LEVEL / FINE);
    if pieces < FINE {
        return 0;
    }
    let doublings = (pieces / FINE).ilog2();
    FINE * doublings as usize + (pieces >> doublings) + 1 - FINE
}

/// How many values a level holds.
const fn level_values(level: usize) -> usize {
    let values = ((FINE + level % FINE) * (FIRST_LEVEL / FINE)) << (level / FINE);
    if values < LARGEST_HEAP + 1 { values } else { LARGEST_HEAP + 1 }
}

struct Table {
    levels: [OnceLock<Box<[u16]>>; LEVELS],
    growth: Mutex<Growth>,
}

impl Table {
    const fn new() -> Table {
        Table { levels: [const { OnceLock::new() }; LEVELS], growth: Mutex::new(Growth::new()) }
    }

    #[inline]
    fn covering(&self, heap: usize, control: &Control) -> Result<&[u16], Stopped> {
        let level = level_of(heap);
        match self.levels[level].get() {
            Some(values) => Ok(values),
            None => self.grow_to(level, control),
        }
    }

    /// Grows the table a step at a time, giving up the lock in between: whoever comes next goes on from there.
    #[cold]
    fn grow_to(&self, level: usize, control: &Control) -> Result<&[u16], Stopped> {
        loop {
            if let Some(values) = self.levels[level].get() {
                return Ok(values);
            }
            control.spend(0)?;
            match self.try_growth() {
                Some(mut growth) => self.step(&mut growth),
                None => std::thread::sleep(NAP),
            }
        }
    }

    /// One step of growth, and the levels that it completes.
    fn step(&self, growth: &mut Growth) {
        growth.step();
        for (level, slot) in self.levels.iter().enumerate() {
            if slot.get().is_none()
                && let Some(values) = growth.values().get(..level_values(level))
            {
                slot.get_or_init(|| values.into());
            }
        }
    }

    /// The growth, unless another solve is at it.
    fn try_growth(&self) -> Option<MutexGuard<'_, Growth>> {
        match self.growth.try_lock() {
            Ok(growth) => Some(growth),
            Err(TryLockError::Poisoned(poisoned)) => {
                // A panic may have left it between two states; the levels that are there stay.
                let mut growth = poisoned.into_inner();
                *growth = Growth::new();
                self.growth.clear_poison();
                Some(growth)
            }
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::treblecross::plain;
    use crate::theory::StopFlag;

    fn stopped() -> Control {
        let flag = StopFlag::default();
        flag.stop();
        Control::new(u64::MAX, flag)
    }

    fn is_plain(values: &[u16]) -> bool {
        values.iter().map(|&value| u32::from(value)).eq(plain::values(values.len() - 1))
    }

    #[test]
    fn every_heap_has_the_smallest_level_that_covers_it() {
        for (heap, level, values) in [
            (0, 0, 4096),
            (4095, 0, 4096),
            (4096, 1, 5120),
            (5120, 2, 6144),
            (8191, 4, 8192),
            (8192, 5, 10_240),
            (100_002, 19, 114_688),
            (524_287, 28, 524_288),
            (917_503, 31, 917_504),
            (917_504, 32, LARGEST_HEAP + 1),
            (LARGEST_HEAP, LEVELS - 1, LARGEST_HEAP + 1),
        ] {
            assert_eq!((level_of(heap), level_values(level_of(heap))), (level, values), "heap {heap}");
        }
    }

    #[test]
    fn work_is_free_on_the_first_level_and_grows_with_the_level() {
        assert_eq!(work(4095), 0);
        let works: Vec<u64> = (0..LEVELS).map(|level| work(level_values(level) - 1)).collect();
        assert!(works.is_sorted_by(|less, more| less < more), "{works:?}");
        assert_eq!(work(4096), work(5119));
    }

    #[test]
    fn a_stopped_growth_keeps_its_progress_for_the_next_solve() {
        let table = Table::new();
        let flag = StopFlag::default();
        std::thread::scope(|scope| {
            let solve = scope.spawn(|| table.covering(20_000, &Control::new(u64::MAX, flag.clone())).is_err());
            while table.levels[0].get().is_none() {
                std::thread::yield_now();
            }
            flag.stop();
            // It may have been done before it looked.
            let was_stopped = solve.join().unwrap();
            assert_eq!(was_stopped, table.levels[level_of(20_000)].get().is_none());
        });
        let known = table.growth.lock().unwrap().values().len();
        assert!(known >= 4096);
        assert_eq!(
            table.covering(20_000, &stopped()).err(),
            table.levels[level_of(20_000)].get().is_none().then_some(Stopped::Cancelled)
        );
        assert_eq!(table.growth.lock().unwrap().values().len(), known);
        let values = table.covering(20_000, &Control::unlimited()).unwrap();
        assert!(values.len() > 20_000 && is_plain(values));
    }

    #[test]
    fn who_waits_for_a_growth_looks_at_its_own_flag_and_readers_do_not_wait() {
        let table = Table::new();
        table.covering(100, &Control::unlimited()).unwrap();
        let _growing = table.growth.lock().unwrap();
        assert_eq!(table.covering(4096, &stopped()), Err(Stopped::Cancelled));
        assert!(table.covering(4095, &stopped()).is_ok());
        let flag = StopFlag::default();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| table.covering(4096, &Control::new(u64::MAX, flag.clone())).map(<[u16]>::len));
            flag.stop();
            assert_eq!(waits.join().unwrap(), Err(Stopped::Cancelled));
        });
    }

    #[test]
    fn many_solves_at_once_grow_one_table_and_all_read_the_same() {
        let table = Table::new();
        std::thread::scope(|scope| {
            for solve in 0..12 {
                let table = &table;
                scope.spawn(move || {
                    for heap in [1 << (8 + solve % 7), 1 << 13, 5000 + 1000 * solve] {
                        let values = table.covering(heap, &Control::unlimited()).unwrap();
                        assert_eq!(values.len(), level_values(level_of(heap)));
                    }
                });
            }
        });
        let values = table.covering(16_000, &Control::unlimited()).unwrap();
        assert!(is_plain(values));
        for level in table.levels.iter().filter_map(OnceLock::get) {
            assert!(level.iter().zip(values).all(|(one, other)| one == other));
        }
    }

    #[test]
    fn a_panic_during_a_growth_costs_no_later_solve() {
        let table = Table::new();
        table.covering(100, &Control::unlimited()).unwrap();
        let panicked = std::thread::scope(|scope| {
            let growth = scope.spawn(|| {
                let _growing = table.growth.lock().unwrap();
                panic!("during a growth");
            });
            growth.join().is_err()
        });
        assert!(panicked && table.growth.is_poisoned());
        assert!(is_plain(table.covering(5000, &Control::unlimited()).unwrap()));
        assert!(!table.growth.is_poisoned());
    }
}
