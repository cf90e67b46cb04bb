//! What Prometheus has of every process, under its standard names: memory and descriptors.

use std::fs;

use metrics::Gauge;
use rustix::process::{Resource, getrlimit};

/// What each metric means.
pub(super) const HELP: [(&str, &str); 3] = [
    ("process_resident_memory_bytes", "Resident memory size in bytes."),
    ("process_open_fds", "Number of open file descriptors."),
    ("process_max_fds", "Maximum number of open file descriptors."),
];

/// This process's gauges.
pub(super) struct Process([Gauge; HELP.len()]);

impl Process {
    /// `None` where the system does not tell (it has no `/proc`). `gauge` makes one by its name.
    pub(super) fn new(gauge: impl Fn(&'static str) -> Gauge) -> Option<Process> {
        resident_bytes().map(|_| Process(HELP.map(|(name, _)| gauge(name))))
    }

    /// Sets them to what is so now.
    pub(super) fn look(&self) {
        let [resident, open, most] = &self.0;
        let set = |gauge: &Gauge, value: Option<u64>| value.map_or((), |value| gauge.set(value as f64));
        set(resident, resident_bytes());
        set(open, open_descriptors());
        set(most, Some(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)));
    }
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn open_descriptors() -> Option<u64> {
    // One is the folder's own.
    Some(fs::read_dir("/proc/self/fd").ok()?.count() as u64 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_and_descriptors_are_those_of_this_process() {
        let resident = resident_bytes().unwrap();
        assert!((1 << 20..1 << 36).contains(&resident), "{resident}");
        // Other tests open and close some meanwhile.
        let files: Vec<_> = (0..100).map(|_| fs::File::open("/dev/null").unwrap()).collect();
        let with_files = open_descriptors().unwrap();
        assert!(with_files > 100, "{with_files}");
        drop(files);
    }
}
