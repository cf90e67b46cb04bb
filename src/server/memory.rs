//! How much memory this process may have: the least of the machine's, its control groups' and its own limits.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

/// Half of the memory that this process may have, in bytes: the other half is for the program itself, the tables of the
/// games, and everything else on the machine.
pub(super) fn default_budget() -> u64 {
    available(Path::new("/")).unwrap_or(u64::MAX).min(address_space()).min(MOST) / 2
}

/// Where nothing says how much there is, no more than this is counted on.
const MOST: u64 = 1 << 40;

/// The process's own limits on its address space.
fn address_space() -> u64 {
    [Resource::As, Resource::Data].into_iter().filter_map(|limit| getrlimit(limit).current).min().unwrap_or(u64::MAX)
}

/// The least of the machine's memory and the limits of the control groups that this process is in, version 1 or 2, as
/// the files under `root` say.
fn available(root: &Path) -> Option<u64> {
    let read = |path: &Path| fs::read_to_string(root.join(path)).ok();
    let machine = read(Path::new("proc/meminfo")).and_then(|text| {
        let kib = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().strip_suffix("kB")?.trim();
        Some(kib.parse::<u64>().ok()? * 1024)
    });
    let groups = read(Path::new("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        // A limit of any group above holds too. In a container the group itself may be mounted as the root.
        let above = Path::new(path.trim_start_matches('/')).ancestors();
        above.filter_map(|group| read(&Path::new(mount).join(group).join(file))?.trim().parse().ok()).collect()
    });
    limits.chain(machine).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_machine_and_control_groups_counts() {
        let machine = ("proc/meminfo", "MemTotal:       16000000 kB\nMemFree: 1 kB\n");
        type Files<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Files<'_>, Option<u64>); 6] = [
            (&[], None),
            (&[machine], Some(16_384_000_000)),
            (
                &[machine, ("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/memory.max", "536870912\n")],
                Some(536_870_912),
            ),
            (
                &[
                    machine,
                    ("proc/self/cgroup", "0::/a/b\n"),
                    ("sys/fs/cgroup/a/memory.max", "1000\n"),
                    ("sys/fs/cgroup/a/b/memory.max", "max\n"),
                ],
                Some(1000),
            ),
            (
                &[
                    machine,
                    ("proc/self/cgroup", "5:cpu:/x\n4:memory:/docker/1\n0::/\n"),
                    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000\n"),
                ],
                Some(2000),
            ),
            (
                &[
                    machine,
                    ("proc/self/cgroup", "4:memory:/\n"),
                    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ],
                Some(16_384_000_000),
            ),
        ];
        for (files, expected) in cases {
            let root = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = root.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            assert_eq!(available(root.path()), expected, "{files:?}");
        }
    }
}
