//! The server's binary: arguments, sockets, signals.

mod allocator;
mod arguments;
#[path = "../sprague/environment.rs"]
mod environment;
mod log;
mod sockets;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{CommandFactory as _, FromArgMatches as _};
use sprague::escape;
use sprague::server::Server;
use sprague::server::credentials::Unusable;
use sprague::server::exposition;
use sprague::server::meters::Meters;
use sprague::server::workers::Games;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use arguments::Arguments;
use log::Log;

/// This often memory that is not needed goes back to the system, and dropped log lines are told.
const UPKEEP: Duration = Duration::from_secs(2);

/// Exit code of a wrong command line.
const USAGE: u8 = 2;
/// Exit code of a process that cannot have threads.
const INTERNAL: u8 = 70;
/// Exit code of a file that cannot be read, or a socket that cannot be opened.
const IO: u8 = 74;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let command = environment::without_empty(Arguments::command());
    let parsed = command.try_get_matches_from(&words);
    let parsed = parsed.and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    let (arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return answer(&environment::name_variable(error, &Arguments::command(), &words)),
    };
    if arguments.print_config {
        return print(&arguments::print_config(&matches));
    }
    let mut log = match Log::start(&arguments) {
        Ok(log) => log,
        Err(error) => {
            log::say(escape::text(&format!("spragued: {error:#}")));
            return ExitCode::from(USAGE);
        }
    };
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().enable_all().on_thread_park(allocator::at_rest).build() {
            Ok(runtime) => runtime,
            Err(error) => {
                log::say(format_args!("spragued: no threads can be started: {error}"));
                return ExitCode::from(INTERNAL);
            }
        };
    let served = runtime.block_on(serve(&arguments, &mut log));
    // Whatever is still solving was told to stop; nobody waits for it.
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::say(escape::text(&format!("spragued: {error:#}")));
            let is_unread = matches!(error.downcast_ref(), Some(Unusable::Unread { .. }));
            ExitCode::from(if is_unread || error.is::<io::Error>() { IO } else { USAGE })
        }
    }
}

/// What clap says of a command line: help and the version on standard output, what is wrong on standard error.
fn answer(error: &clap::Error) -> ExitCode {
    let text = error.render();
    let show = |colour: bool| if colour { text.ansi().to_string() } else { text.to_string() };
    if !error.use_stderr() {
        return print(&show(log::has_colour(&io::stdout())));
    }
    log::say(show(log::has_colour(&io::stderr())).trim_end());
    ExitCode::from(USAGE)
}

/// Prints what was asked for.
fn print(text: &str) -> ExitCode {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::say(format_args!("spragued: cannot write to standard output: {error}"));
            ExitCode::from(IO)
        }
    }
}

/// An error of a socket, with what to do about it.
fn advised(error: io::Error, flag: &str) -> io::Error {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let advice = format!("stop what listens there, or choose another address with {flag}");
            io::Error::new(error.kind(), format!("{error}; {advice}"))
        }
        _ => error,
    }
}

/// Meters that run if somebody is to see them.
async fn metered(listen: Option<&str>) -> anyhow::Result<Arc<Meters>> {
    let Some(listen) = listen else { return Ok(Arc::default()) };
    let context = || format!("cannot serve metrics on {listen}");
    let addresses = sockets::resolve(listen).await.with_context(context)?;
    let bound = TcpListener::bind(&*addresses).await;
    let listener = bound.map_err(|error| advised(error, "--metrics-listen")).with_context(context)?;
    tracing::info!(address = %listener.local_addr().with_context(context)?, "metrics");
    let meters = Arc::new(Meters::running());
    tokio::spawn(exposition::serve(listener, meters.clone()));
    Ok(meters)
}

async fn serve(arguments: &Arguments, log: &mut Log) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut signalled = async || tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} };

    let access = arguments.access()?;
    let listeners = sockets::bind(&arguments.listen, access.tls.is_some() || arguments.insecure).await?;
    let names: Vec<String> = listeners.iter().map(|listener| listener.address().to_string()).collect();
    let meters = metered(arguments.metrics_listen.as_deref()).await?;
    let server = Server::watched(arguments.settings(), Arc::new(Games::ready()), listeners, access, meters)?;
    let names = names.join(", ");
    tracing::info!(version = env!("CARGO_PKG_VERSION"), listening = %names, "started");
    // Whoever started us may have closed our output since: no reason not to serve.
    let _closed = writeln!(io::stdout(), "spragued listening on {names}");

    let mut every = tokio::time::interval(UPKEEP);
    loop {
        tokio::select! {
            () = signalled() => break,
            _ = every.tick() => {
                log.tell_dropped();
                if server.is_idle() {
                    allocator::give_back();
                    allocator::give_back_at_rest();
                    server.on_each_worker(allocator::give_back);
                }
            }
            _ = hangup.recv() => match server.reload() {
                Ok(()) => tracing::info!("read certificates, keys and tokens again"),
                Err(error) => tracing::error!(%error, "what was in force before stays in force"),
            },
        }
    }
    let times = &arguments.times;
    tracing::info!(delay = ?times.drain_delay, timeout = ?times.drain_timeout, "draining; a second signal cuts at once");
    server.announce_drain().await;
    let drained = async {
        tokio::time::sleep(times.drain_delay).await;
        server.drain(times.drain_timeout).await;
    };
    tokio::select! { () = drained => {}, () = signalled() => tracing::warn!("second signal: cut") }
    tracing::info!("stopped");
    Ok(())
}
