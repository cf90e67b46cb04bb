//! Where answers go: a file that appears whole or not at all, or a descriptor, pipe or device that is written straight.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use crate::twin::Twin;

use crate::descriptor::Descriptor;
use crate::place::Place;
use sprague::escape;

/// A file of answers in the making.
#[derive(Debug)]
pub struct AnswerFile {
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Written beside the target, and put in its place at the end; removed when dropped before. `old` is open for writing:
    /// what no other file may take the place of, as a mount point, is written in place.
    Beside { twin: Twin, target: PathBuf, old: Option<File> },
    /// Written elsewhere, where no file can be made beside the target, and copied into it at the end.
    Elsewhere { copy: File, old: File },
    /// A descriptor that was open before, a pipe or a device.
    Straight(Descriptor<File>),
}

impl AnswerFile {
    /// Begins a file. The target stays as it is until `commit`.
    ///
    /// # Errors
    /// The target cannot be written, or no file can be made beside it.
    pub fn create(path: &Path) -> io::Result<AnswerFile> {
        let target = match Place::of(path)? {
            Place::Descriptor(descriptor) => {
                return Ok(AnswerFile { way: Way::Straight(Descriptor(descriptor.writable()?)) });
            }
            Place::Path(target) => target,
        };
        // What may not be written may not be replaced either.
        let (old, permissions) = match fs::metadata(&target) {
            Ok(found) if found.is_file() => {
                (Some(OpenOptions::new().write(true).open(&target)?), Some(found.permissions()))
            }
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(&target)?;
                return Ok(AnswerFile { way: Way::Straight(Descriptor(file)) });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
            Err(error) => return Err(error),
        };
        if old.is_none() && target.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let way = match (Twin::new_in(folder), old) {
            (Ok(twin), old) => {
                if let Some(permissions) = permissions {
                    twin.as_file().set_permissions(permissions)?;
                }
                Way::Beside { twin, target, old }
            }
            (Err(error), Some(old)) if !is_full(&error) => Way::Elsewhere { copy: tempfile::tempfile()?, old },
            (Err(error), _) => {
                let message = format!("no file can be made in {}: {}", escape::path(&folder), error.kind());
                return Err(io::Error::new(error.kind(), message));
            }
        };
        Ok(AnswerFile { way })
    }

    /// Whether the target does not change before `commit`.
    pub fn is_whole(&self) -> bool {
        !matches!(self.way, Way::Straight(_))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// The system's; the target is then what it was, unless it was being written in place.
    pub fn commit(self) -> io::Result<()> {
        match self.way {
            Way::Straight(_) => Ok(()),
            Way::Elsewhere { copy, old } => write_in_place(copy, old),
            Way::Beside { twin, target, old } => {
                // A rename may reach the disk before what is renamed.
                twin.as_file().sync_all()?;
                match (twin.persist(&target), old) {
                    (Ok(()), _) => Ok(()),
                    (Err((error, written)), Some(old)) if !is_full(&error) => write_in_place(written, old),
                    (Err((error, _)), _) => Err(error),
                }
            }
        }
    }
}

/// What is in a file is not given up for a text that may not fit.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Replaces what is in a file.
fn write_in_place(mut text: File, mut file: File) -> io::Result<()> {
    text.rewind()?;
    file.set_len(0)?;
    io::copy(&mut text, &mut file)?;
    file.sync_all()
}

impl Write for AnswerFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.way {
            Way::Beside { twin, .. } => twin.write(bytes),
            Way::Elsewhere { copy, .. } => copy.write(bytes),
            Way::Straight(descriptor) => descriptor.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
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
