//! The file of a Unix socket: made where nobody listens, and removed by the server that made it alone.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::escape;

/// The mode of a Unix socket: its owner and group may connect.
const SOCKET_MODE: u32 = 0o660;

/// A socket's file, removed when dropped unless another file has taken its place. To be dropped before its listener: as
/// long as that is open, the system gives the inode's number to no other file.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    inode: Inode,
}

/// What tells a file from every other that is there at the same time.
type Inode = (u64, u64);

impl SocketFile {
    /// Binds a socket. A file that nobody listens on any more is replaced.
    ///
    /// # Errors
    /// What the system says; a path that is in use or is no socket.
    pub(super) async fn bind(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
        remove_stale(path).await?;
        let listener = UnixListener::bind(path)?;
        let file = SocketFile { path: path.to_owned(), inode: inode(path)? };
        fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))?;
        Ok((listener, file))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if inode(&self.path).is_ok_and(|found| found == self.inode) {
            let _gone_already = fs::remove_file(&self.path);
        }
    }
}

fn inode(path: &Path) -> io::Result<Inode> {
    fs::symlink_metadata(path).map(|about| (about.dev(), about.ino()))
}

/// Removes a socket file that nobody answers on.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        let message = format!("{} exists and is no socket", escape::path(&path));
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    match UnixStream::connect(path).await {
        Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens on this socket")),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_is_removed_by_its_own_server_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("socket");
        let (first_listener, first) = SocketFile::bind(&path).await.expect("binds");
        let taken = SocketFile::bind(&path).await.expect_err("it is in use");
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        fs::remove_file(&path).expect("removes");
        let (second_listener, second) = SocketFile::bind(&path).await.expect("binds");
        drop((first, first_listener));
        UnixStream::connect(&path).await.expect("the successor's socket is there");
        drop((second, second_listener));
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_socket_that_nobody_listens_on_is_replaced_and_another_file_is_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("socket");
        drop(std::os::unix::net::UnixListener::bind(&path).expect("binds"));
        drop(SocketFile::bind(&path).await.expect("nobody listens there"));
        fs::write(&path, "text").expect("writes");
        assert_eq!(SocketFile::bind(&path).await.expect_err("a file").kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).expect("is there"), "text");
    }
}
