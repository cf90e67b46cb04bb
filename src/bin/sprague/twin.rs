//! The file in which answers are made, beside the one whose place it is to take: without a name as long as it is not whole, so
//! that a process that is killed leaves nothing behind.

use std::fs::{File, Permissions};
use std::io::{self, Seek as _, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat};
use tempfile::{Builder, NamedTempFile, TempPath};

/// The mode of a new file. The system takes the umask off.
const MODE: u32 = 0o666;

/// A file in the making; it goes when it is dropped.
#[derive(Debug)]
pub(super) enum Twin {
    /// Not in the folder yet, where the system and the file system have that.
    Unnamed {
        file: File,
        folder: PathBuf,
    },
    Named(NamedTempFile),
}

impl Twin {
    /// Begins a file in a folder.
    pub(super) fn new_in(folder: &Path) -> io::Result<Twin> {
        match unnamed(folder) {
            Some(file) => Ok(Twin::Unnamed { file, folder: folder.to_owned() }),
            None => names().tempfile_in(folder).map(Twin::Named),
        }
    }

    pub(super) fn as_file(&self) -> &File {
        match self {
            Twin::Unnamed { file, .. } => file,
            Twin::Named(file) => file.as_file(),
        }
    }

    /// Puts the whole file in a place.
    ///
    /// # Errors
    /// The system's, and the file.
    pub(super) fn persist(self, target: &Path) -> Result<(), (io::Error, File)> {
        let (file, name) = self.named()?;
        name.persist(target).map_err(|refused| (refused.error, file))
    }

    fn named(self) -> Result<(File, TempPath), (io::Error, File)> {
        let (file, folder) = match self {
            Twin::Unnamed { file, folder } => (file, folder),
            Twin::Named(file) => return Ok(file.into_parts()),
        };
        let from = format!("/proc/self/fd/{}", file.as_raw_fd());
        let linked = names().make_in(&folder, |path| Ok(linkat(CWD, &from, CWD, path, AtFlags::SYMLINK_FOLLOW)?));
        match linked {
            Ok(linked) => Ok((file, linked.into_temp_path())),
            // A system that has unnamed files and gives them no names.
            Err(_) => copy(&file, &folder).map_err(|error| (error, file)),
        }
    }
}

fn copy(mut file: &File, folder: &Path) -> io::Result<(File, TempPath)> {
    let mut copy = names().tempfile_in(folder)?;
    copy.as_file().set_permissions(file.metadata()?.permissions())?;
    file.rewind()?;
    io::copy(&mut file, &mut copy)?;
    Ok(copy.into_parts())
}

impl Write for Twin {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.as_file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn names() -> Builder<'static, 'static> {
    let mut names = Builder::new();
    names.prefix(".sprague-").permissions(Permissions::from_mode(MODE));
    names
}

#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::from_raw_mode(MODE)).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}
