//! The Unix socket's file of a server: whose it is, and who removes it.

use super::command::run;
use super::spragued::Server;

#[test]
fn a_server_that_stops_leaves_its_successors_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listen = format!("unix:{}", path.display());
    let first = Server::start(&listen);
    std::fs::remove_file(&path).unwrap();
    let second = Server::start(&listen);
    first.drain();
    let info = run(&["info", "--retry-for", "1s", "--server", &listen], "");
    assert_eq!(info.code, Some(0), "{}", info.err);
    second.drain();
    assert!(!path.exists());
}
