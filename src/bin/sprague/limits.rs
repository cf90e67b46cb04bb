//! What the system lets this process have: threads and descriptors, asked for before anything depends on them.

use std::fs::{self, File};
use std::io;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::exit::{self, Failure};

/// Address space of a process without further threads, and of each thread: the allocator takes it by 32 MiB and more.
const PROCESS_SPACE: u64 = 256 << 20;
const THREAD_SPACE: u64 = 128 << 20;
/// Threads that ended are still counted for a moment, seldom as long as this.
const ENDING: Duration = Duration::from_millis(100);

/// The address space that this process may take.
fn space() -> u64 {
    let space = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current.unwrap_or(u64::MAX));
    space.into_iter().fold(u64::MAX, u64::min)
}

/// Whether so many threads can be started, by starting them.
pub(crate) fn allow_threads(threads: usize) -> bool {
    if space() < PROCESS_SPACE + THREAD_SPACE * threads as u64 {
        return false;
    }
    let gate = Mutex::new(());
    let are_started = thread::scope(|scope| {
        let closed = gate.lock();
        let pass = || drop(gate.lock());
        let are_started = (0..threads).all(|_| thread::Builder::new().spawn_scoped(scope, pass).is_ok());
        drop(closed);
        are_started
    });
    let begun = Instant::now();
    while fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1) && begun.elapsed() < ENDING {
        thread::yield_now();
    }
    are_started
}

/// Makes sure that so many more descriptors can be opened.
pub(crate) fn need_descriptors(number: usize) -> Result<(), Failure> {
    let opened: io::Result<Vec<File>> = (0..number).map(|_| File::open("/dev/null")).collect();
    match opened {
        Err(error) if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
            let message = format_args!("sprague: the limit of open files (ulimit -n) is {limit}: set it to 32 or more");
            Err(Failure::new(exit::INTERNAL, message))
        }
        _ => Ok(()),
    }
}
