//! A wire between client and server that breaks: connections are cut after so many bytes of answers.

use std::sync::Arc;
use std::sync::Mutex;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// A relay on a free port.
pub struct Relay {
    pub address: String,
    _runtime: Runtime,
}

impl Relay {
    /// Relays to `target`. The first connection is cut after so many bytes from the server as `cuts` says first, and so
    /// on; further ones last. A cut is a reset, as of a machine that lost its power and came back.
    pub fn new(target: &str, cuts: &[usize]) -> Relay {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let target = target.to_owned();
        let cuts = Arc::new(Mutex::new(cuts.iter().rev().copied().collect::<Vec<_>>()));
        runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let cut = cuts.lock().unwrap().pop().unwrap_or(usize::MAX);
                let Ok(server) = TcpStream::connect(&target).await else { continue };
                tokio::spawn(relay(client, server, cut));
            }
        });
        Relay { address, _runtime: runtime }
    }
}

async fn relay(client: TcpStream, server: TcpStream, mut left: usize) {
    // Whoever closes, closes with a reset.
    client.set_zero_linger().unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let upload = async { drop(tokio::io::copy(&mut from_client, &mut to_server).await) };
    let download = async {
        let mut buffer = vec![0; 4096];
        while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
            if read > left || to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
            left -= read;
        }
    };
    tokio::select! { () = upload => {}, () = download => {} }
}
