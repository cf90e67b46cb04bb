//! Where answers go: a file that appears whole or not at all, or a pipe or device that is written straight.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// As many links are followed as Linux follows.
const MOST_LINKS: usize = 40;

/// A file of answers in the making.
#[derive(Debug)]
pub struct AnswerFile {
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Written beside the target, and put in its place at the end; removed when dropped before.
    Beside { twin: NamedTempFile, target: PathBuf },
    /// A pipe or a device.
    Straight(File),
}

impl AnswerFile {
    /// Begins a file. The target stays as it is until `commit`.
    ///
    /// # Errors
    /// The target cannot be written, or no file can be made beside it.
    pub fn create(path: &Path) -> io::Result<AnswerFile> {
        let target = follow(path)?;
        // By its own name: what /dev/stdout stands for has no path of its own.
        let permissions = match fs::metadata(path) {
            Ok(found) if found.is_file() => {
                // What may not be written may not be replaced either.
                OpenOptions::new().write(true).open(&target)?;
                Some(found.permissions())
            }
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(AnswerFile { way: Way::Straight(file) });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let twin = tempfile::Builder::new()
            .prefix(".sprague-")
            // The system takes the umask off, as for any new file.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .map_err(|error| {
                io::Error::new(error.kind(), format!("no file can be made in {}: {error}", folder.display()))
            })?;
        if let Some(permissions) = permissions {
            twin.as_file().set_permissions(permissions)?;
        }
        Ok(AnswerFile { way: Way::Beside { twin, target } })
    }

    /// Whether the target does not change before `commit`.
    pub fn is_whole(&self) -> bool {
        matches!(self.way, Way::Beside { .. })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// The system's; the target is then what it was.
    pub fn commit(self) -> io::Result<()> {
        match self.way {
            Way::Straight(_) => Ok(()),
            Way::Beside { twin, target } => {
                // A rename may reach the disk before what is renamed.
                twin.as_file().sync_all()?;
                twin.persist(target).map(drop).map_err(|error| error.error)
            }
        }
    }
}

impl Write for AnswerFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.way {
            Way::Beside { twin, .. } => twin.write(bytes),
            Way::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a chain of links ends, whether or not something is there.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().map_or(link.clone(), |folder| folder.join(&link)),
            // Not a link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn write(path: &Path, text: &str) -> AnswerFile {
        let mut file = AnswerFile::create(path).expect("can be made");
        file.write_all(text.as_bytes()).expect("can be written");
        file
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_seen_before_the_commit_and_nothing_is_left_without_one() {
        let folder = folder();
        let path = folder.path().join("answers");
        fs::write(&path, "old").expect("writes");
        drop(write(&path, "half"));
        assert_eq!(fs::read_to_string(&path).expect("reads"), "old");
        assert_eq!(names(folder.path()), ["answers"]);
        write(&path, "new").commit().expect("commits");
        assert_eq!(fs::read_to_string(&path).expect("reads"), "new");
        assert_eq!(names(folder.path()), ["answers"]);
    }

    #[test]
    fn the_mode_of_the_old_file_is_kept() {
        let folder = folder();
        let path = folder.path().join("answers");
        fs::write(&path, "old").expect("writes");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("changes the mode");
        write(&path, "new").commit().expect("commits");
        assert_eq!(fs::metadata(&path).expect("is there").permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn links_stay_and_what_they_point_to_is_written() {
        let folder = folder();
        fs::create_dir(folder.path().join("deep")).expect("makes a folder");
        symlink("deep/b", folder.path().join("a")).expect("links");
        symlink("c", folder.path().join("deep/b")).expect("links");
        for text in ["absent before", "there before"] {
            write(&folder.path().join("a"), text).commit().expect("commits");
            assert_eq!(fs::read_to_string(folder.path().join("deep/c")).expect("reads"), text);
            assert!(folder.path().join("a").is_symlink() && folder.path().join("deep/b").is_symlink());
        }
        symlink("round", folder.path().join("round")).expect("links");
        assert!(AnswerFile::create(&folder.path().join("round")).is_err());
    }

    #[test]
    fn a_device_is_written_straight() {
        let file = write(Path::new("/dev/null"), "gone");
        assert!(!file.is_whole());
        file.commit().expect("commits");
        assert!(AnswerFile::create(Path::new("/")).is_err());
        assert!(AnswerFile::create(Path::new("/no/such/folder/answers")).is_err());
    }
}
