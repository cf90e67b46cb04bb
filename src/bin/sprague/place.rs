//! Paths that name an open descriptor, /dev/stdout, /dev/fd/N, /proc/PID/fd/N and links to these; what other paths lead to.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

/// As many links are followed as Linux follows.
const MOST_LINKS: usize = 40;

/// An open descriptor of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorName {
    /// None: this process.
    process: Option<u32>,
    number: u32,
}

impl DescriptorName {
    /// Standard input.
    pub const STDIN: DescriptorName = DescriptorName { process: None, number: 0 };
    /// Standard output.
    pub const STDOUT: DescriptorName = DescriptorName { process: None, number: 1 };
    /// Standard error.
    pub const STDERR: DescriptorName = DescriptorName { process: None, number: 2 };

    /// The descriptor that a path leads to.
    pub fn of(path: &Path) -> Option<DescriptorName> {
        match Place::of(path) {
            Ok(Place::Descriptor(descriptor)) => Some(descriptor),
            _ => None,
        }
    }

    /// What a path names without a further link.
    fn named(path: &Path) -> Option<DescriptorName> {
        let number: u32 = path.file_name()?.to_str()?.parse().ok()?;
        let folder = fs::canonicalize(path.parent()?).ok()?;
        let mut names = folder.strip_prefix("/proc").ok()?.iter().filter_map(|name| name.to_str());
        let process: u32 = names.next()?.parse().ok()?;
        match (names.next(), names.next(), names.next()) {
            (Some("fd"), None, None) => {}
            (Some("task"), Some(_), Some("fd")) if names.next().is_none() => {}
            _ => return None,
        }
        // The number of this process, by the namespace that /proc is of.
        let own = fs::canonicalize("/proc/self").ok()?;
        let is_own = own.file_name().and_then(|name| name.to_str()?.parse().ok()) == Some(process);
        Some(DescriptorName { process: (!is_own).then_some(process), number })
    }

    /// The descriptor itself, not its file opened again: offset and O_APPEND are those of whoever opened it.
    ///
    /// # Errors
    /// It is not open, not for writing, or another's that is not to be had.
    pub fn writable(self) -> io::Result<File> {
        let file = match self.duplicate() {
            Ok(duplicate) => File::from(duplicate),
            // An old system, or a container that forbids it.
            Err(error) if is_any(&error, [Errno::PERM, Errno::NOSYS]) => self.reopen().map_err(|_| error)?,
            Err(error) if is_any(&error, [Errno::BADF, Errno::SRCH]) => return Err(io::Error::other("it is not open")),
            Err(error) => return Err(error),
        };
        if rustix::fs::fcntl_getfl(&file)?.intersection(OFlags::RWMODE) == OFlags::RDONLY {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is open for reading only"));
        }
        Ok(file)
    }

    fn duplicate(self) -> io::Result<OwnedFd> {
        match self {
            DescriptorName::STDIN => io::stdin().as_fd().try_clone_to_owned(),
            DescriptorName::STDOUT => io::stdout().as_fd().try_clone_to_owned(),
            DescriptorName::STDERR => io::stderr().as_fd().try_clone_to_owned(),
            // What a parent left open is not closed on exec; this process has its own files.
            _ if self.process.is_none() && self.flags().contains(OFlags::CLOEXEC) => Err(Errno::BADF.into()),
            _ => self.fetch(),
        }
    }

    #[cfg(target_os = "linux")]
    fn fetch(self) -> io::Result<OwnedFd> {
        use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

        let process = self.process.map_or(Some(getpid()), |process| Pid::from_raw(process.cast_signed()));
        let process = pidfd_open(process.ok_or(Errno::SRCH)?, PidfdFlags::empty())?;
        Ok(pidfd_getfd(process, self.number.cast_signed(), PidfdGetfdFlags::empty())?)
    }

    #[cfg(not(target_os = "linux"))]
    fn fetch(self) -> io::Result<OwnedFd> {
        Err(Errno::NOSYS.into())
    }

    /// The file behind it, opened again, where that is no other: a pipe, a device, a file that is appended to.
    fn reopen(self) -> io::Result<File> {
        let path = format!("{}/fd/{}", self.folder(), self.number);
        let is_appended_to = self.flags().contains(OFlags::APPEND);
        if fs::metadata(&path)?.is_file() && !is_appended_to {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut options = OpenOptions::new();
        let options = if is_appended_to { options.append(true) } else { options.write(true) };
        options.open(path)
    }

    /// How it was opened; nothing where the system does not say so.
    fn flags(self) -> OFlags {
        let about = fs::read_to_string(format!("{}/fdinfo/{}", self.folder(), self.number)).unwrap_or_default();
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
        OFlags::from_bits_retain(flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or(0))
    }

    fn folder(self) -> String {
        self.process.map_or("/proc/self".into(), |process| format!("/proc/{process}"))
    }
}

fn is_any(error: &io::Error, codes: [Errno; 2]) -> bool {
    codes.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()))
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An open descriptor.
    Descriptor(DescriptorName),
    /// A path that is no link, whether or not something is there.
    Path(PathBuf),
}

impl Place {
    /// Follows a chain of links to its end.
    ///
    /// # Errors
    /// There are too many.
    pub fn of(path: &Path) -> io::Result<Place> {
        let standard = [DescriptorName::STDIN, DescriptorName::STDOUT, DescriptorName::STDERR];
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            // By these names whether or not there is a /proc.
            let names = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].map(Path::new);
            let descriptor =
                names.iter().zip(standard).find_map(|(name, descriptor)| (path == *name).then_some(descriptor));
            if let Some(descriptor) = descriptor.or_else(|| DescriptorName::named(&path)) {
                return Ok(Place::Descriptor(descriptor));
            }
            match fs::read_link(&path) {
                Ok(link) => path = path.parent().map_or(link.clone(), |folder| folder.join(&link)),
                // Not a link, or nothing there.
                Err(_) => return Ok(Place::Path(path)),
            }
        }
        Err(io::Error::other("too many symbolic links"))
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Seek as _, Write as _};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::symlink;

    #[test]
    fn descriptors_are_known_by_each_of_their_names() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let link = folder.path().join("link");
        symlink("/dev/stdout", &link).expect("links");
        let own = format!("/proc/{}/fd/1", std::process::id());
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "/dev/../dev/fd/1", &own]
        {
            assert_eq!(DescriptorName::of(Path::new(name)), Some(DescriptorName::STDOUT), "{name}");
        }
        assert_eq!(DescriptorName::of(&link), Some(DescriptorName::STDOUT));
        assert_eq!(DescriptorName::of(Path::new("/dev/stderr")), Some(DescriptorName::STDERR));
        assert_eq!(DescriptorName::of(Path::new("/proc/1/fd/7")), Some(DescriptorName { process: Some(1), number: 7 }));
        for name in ["/dev/null", "/proc/self/fd", "/proc/self/fd/x", "/dev/fd", "1", "/proc/self/fdinfo/1"] {
            assert_eq!(DescriptorName::of(Path::new(name)), None, "{name}");
        }
    }

    /// The name of a file's descriptor, as a parent would have left it.
    fn name(file: &File) -> String {
        rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty()).expect("a descriptor");
        format!("/dev/fd/{}", file.as_raw_fd())
    }

    fn refusal(name: &str) -> String {
        let descriptor = DescriptorName::of(Path::new(name)).expect("a descriptor");
        descriptor.writable().expect_err("not to be written").to_string()
    }

    #[test]
    fn what_is_written_goes_behind_what_was_written_before() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"before\n").expect("writes");
        let mut again = DescriptorName::of(Path::new(&name(&file))).expect("a descriptor").writable().expect("is open");
        again.write_all(b"answers\n").expect("writes");
        file.write_all(b"after\n").expect("writes");
        file.rewind().expect("a file");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("reads");
        assert_eq!(text, "before\nanswers\nafter\n");
    }

    #[test]
    fn what_is_not_open_for_writing_is_refused() {
        assert_eq!(refusal(&name(&File::open("/dev/zero").expect("opens"))), "it is open for reading only");
        assert_eq!(refusal("/dev/fd/999999"), "it is not open");
        // One that this process opened for itself is nobody else's to write to.
        let own = tempfile::tempfile().expect("a file");
        assert_eq!(refusal(&format!("/dev/fd/{}", own.as_raw_fd())), "it is not open");
    }
    #[test]
    fn only_what_has_no_offset_is_opened_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("log");
        let reopen = |file: &File| DescriptorName::of(Path::new(&name(file))).expect("a descriptor").reopen();
        assert!(reopen(&File::create(&path).expect("a file")).is_err());
        let mut log = OpenOptions::new().append(true).open(&path).expect("a file");
        log.write_all(b"before\n").expect("writes");
        reopen(&log).expect("opens").write_all(b"answers\n").expect("writes");
        log.write_all(b"after\n").expect("writes");
        assert_eq!(fs::read_to_string(&path).expect("reads"), "before\nanswers\nafter\n");
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let writer = File::from(OwnedFd::from(writer));
        reopen(&writer).expect("opens").write_all(b"answers\n").expect("writes");
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("reads");
        assert_eq!(text, "answers\n");
    }
}
