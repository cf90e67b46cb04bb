//! The allocator, and how memory goes back to the system once it is not needed any more.

use std::cell::Cell;
use std::ffi::c_long;
use std::sync::atomic::{AtomicU64, Ordering};

use mimalloc::MiMalloc;

/// Faster than the system's where one thread frees what another made, as answers are on their way.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How often the threads of the runtime were asked to give memory back.
static ASKED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// How often this thread had been asked when it last did.
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Gives what this thread keeps, and what is free of the whole process, back to the system: left alone, the allocator does
/// so only while others are allocating.
pub(crate) fn give_back() {
    #[allow(unsafe_code)]
    // SAFETY: takes no pointers, and may be called at any time from any thread.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}

/// The number of mimalloc's option `purge_delay`, which its crate does not name: how long pages that are free are kept, in
/// milliseconds.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// How long pages that are free are kept where memory is not short, in milliseconds; the allocator's own choice. Pages that
/// go back at once cost a bulk run a seventh of its speed.
const USUAL_DELAY: c_long = 10;

/// Whether pages that become free go back to the system at once, or wait for somebody who needs them.
pub(crate) fn purge_at_once(at_once: bool) {
    #[allow(unsafe_code)]
    // SAFETY: takes no pointers, and may be called at any time from any thread.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, if at_once { 0 } else { USUAL_DELAY });
    }
}

/// Has each thread of the runtime give memory back when it next has nothing to do.
pub(crate) fn give_back_at_rest() {
    ASKED.fetch_add(1, Ordering::Relaxed);
    // Threads that sleep already are woken.
    for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
        tokio::spawn(tokio::task::yield_now());
    }
}

/// To be called by a thread of the runtime that has nothing to do.
pub(crate) fn at_rest() {
    let asked = ASKED.load(Ordering::Relaxed);
    if DONE.replace(asked) != asked {
        give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_of_that_number_is_the_delay() {
        #[allow(unsafe_code)]
        // SAFETY: takes no pointers, and may be called at any time from any thread.
        let delay = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        assert_eq!(delay, USUAL_DELAY);
    }
}
