//! The sockets that --listen asks for: names resolved, no address bound twice, IPv4 beside IPv6.

use std::io;
use std::net::SocketAddr;

use anyhow::{Context as _, bail};
use rustix::net::sockopt;
use sprague::server::listen::{Address, Listener};
use tokio::net::{TcpListener, TcpSocket};

/// Connections that wait to be accepted; as many as the standard library has.
const BACKLOG: u32 = 1024;

/// Binds all addresses, in their order. A name is bound at every address that it has on this machine. Unless `anywhere`,
/// only this machine may reach them.
pub(crate) async fn bind(addresses: &[Address], anywhere: bool) -> anyhow::Result<Vec<Listener>> {
    let mut wanted = Vec::new();
    for address in addresses {
        let resolved = match address {
            Address::Tcp(text) => resolve(text).await.with_context(|| format!("cannot listen on {address}"))?,
            Address::Unix(_) => Vec::new(),
        };
        if !anywhere && !resolved.iter().all(|found| found.ip().is_loopback()) {
            bail!(
                "refuses to listen on {address} in the clear: others could read and change what is sent; \
                   give --tls-cert and --tls-key, listen on 127.0.0.1 or unix:/path, or say --insecure if the network \
                   is trusted"
            );
        }
        wanted.push((address, resolved));
    }
    let all: Vec<SocketAddr> = wanted.iter().flat_map(|(_, resolved)| resolved).copied().collect();
    let (mut listeners, mut bound) = (Vec::<Listener>::new(), Vec::<SocketAddr>::new());
    for (at, (address, resolved)) in wanted.iter().enumerate() {
        let context = || format!("cannot listen on {address}");
        if let Address::Unix(_) = address {
            if wanted[..at].iter().all(|(other, _)| other != address) {
                listeners.push(Listener::bind(address).await.map_err(advised).with_context(context)?);
            }
            continue;
        }
        let (mut port, mut absent) = (None, None);
        for &(mut wish) in resolved {
            wish.set_port(port.unwrap_or(wish.port()));
            let is_bound = bound.contains(&wish) || all.iter().any(|other| covers(other, &wish));
            // Port 0 is another one each time.
            if is_bound && wish.port() != 0 {
                continue;
            }
            match listen(wish, all.iter().any(|other| is_twin(&wish, other))) {
                Ok(listener) => {
                    bound.push(wish);
                    port = Some(listener.local_addr().with_context(context)?.port());
                    listeners.push(Listener::tcp(listener).with_context(context)?);
                }
                // A name may mean a protocol that this machine does not speak.
                Err(error) if is_absent(&error) => absent = Some(error),
                Err(error) => return Err(advised(error)).with_context(context),
            }
        }
        if let (None, Some(error)) = (port, absent) {
            return Err(error).with_context(context);
        }
    }
    Ok(listeners)
}

/// The addresses that ADDR:PORT stands for.
pub(crate) async fn resolve(text: &str) -> io::Result<Vec<SocketAddr>> {
    let (host, port) = text.rsplit_once(':').unwrap_or((text, "0"));
    let port = port.parse().map_err(io::Error::other)?;
    // With its zone, as in [fe80::1%eth0], an address is a name to be resolved.
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let mut found = Vec::new();
    for address in tokio::net::lookup_host((host, port)).await? {
        if !found.contains(&address) {
            found.push(address);
        }
    }
    Ok(found)
}

/// Whether a socket at every address of its protocol already has the connections to another.
fn covers(all: &SocketAddr, one: &SocketAddr) -> bool {
    let is_alike = (all.port(), all.is_ipv4()) == (one.port(), one.is_ipv4());
    all.ip().is_unspecified() && !one.ip().is_unspecified() && is_alike
}

/// Whether a socket at every IPv6 address would take the port of an IPv4 one, too.
fn is_twin(wish: &SocketAddr, other: &SocketAddr) -> bool {
    wish.ip().is_unspecified() && wish.is_ipv6() && other.is_ipv4() && wish.port() == other.port() && wish.port() != 0
}

fn listen(address: SocketAddr, only_ipv6: bool) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts again does not wait for the connections of its predecessor to be forgotten.
    socket.set_reuseaddr(true)?;
    if only_ipv6 {
        sockopt::set_ipv6_v6only(&socket, true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Whether this machine has no such address, or does not speak its protocol.
fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable
        || error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
}

/// An error of --listen, with what to do about it.
fn advised(error: io::Error) -> io::Error {
    super::advised(error, "--listen")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses that are bound, `PORT` standing for one that is free.
    async fn bound(addresses: &[&str]) -> Result<Vec<String>, String> {
        let port = TcpListener::bind("0.0.0.0:0").await.expect("binds").local_addr().expect("bound").port().to_string();
        let addresses = addresses.iter().map(|address| address.replace("PORT", &port).parse().expect("an address"));
        let listeners = bind(&addresses.collect::<Vec<_>>(), true).await.map_err(|error| format!("{error:#}"))?;
        Ok(listeners.iter().map(|listener| listener.address().to_string().replace(&port, "PORT")).collect())
    }

    #[tokio::test]
    async fn no_address_is_bound_twice_and_ipv4_stands_beside_ipv6() {
        let has_ipv6 = TcpListener::bind("[::1]:0").await.is_ok();
        for (wanted, expected) in [
            (&["127.0.0.1:PORT", "127.0.0.1:PORT"][..], &["127.0.0.1:PORT"][..]),
            (&["[::]:PORT", "0.0.0.0:PORT"], &["[::]:PORT", "0.0.0.0:PORT"]),
            (&["0.0.0.0:PORT", "[::]:PORT"], &["0.0.0.0:PORT", "[::]:PORT"]),
            (&["[::]:PORT", "127.0.0.1:PORT"], &["[::]:PORT", "127.0.0.1:PORT"]),
            (&["127.0.0.1:PORT", "0.0.0.0:PORT"], &["0.0.0.0:PORT"]),
            (&["[::1]:PORT", "127.0.0.1:PORT"], &["[::1]:PORT", "127.0.0.1:PORT"]),
            (&["[::1%1]:PORT"], &["[::1]:PORT"]),
        ] {
            if has_ipv6 || !wanted.concat().contains('[') {
                assert_eq!(bound(wanted).await.expect("binds"), expected, "{wanted:?}");
            }
        }
        assert_eq!(bound(&["127.0.0.1:0", "127.0.0.1:0"]).await.expect("binds").len(), 2);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let socket = format!("unix:{}/socket", folder.path().display());
        assert_eq!(bound(&[&socket, &socket]).await.expect("binds"), [&*socket]);
        let absent = bound(&["192.0.2.1:PORT"]).await.expect_err("an address of no machine");
        assert!(absent.starts_with("cannot listen on 192.0.2.1:"), "{absent}");
    }
}
