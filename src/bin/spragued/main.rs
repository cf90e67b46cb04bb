//! The server's binary: arguments, sockets, signals.

mod allocator;
mod log;
mod sockets;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::CommandFactory as _;
use rustix::io::Errno;
use sprague::cli::spragued::{self, Arguments, LogFormat};
use sprague::cli::{environment, limits, screen};
use sprague::escape;
use sprague::server::Server;
use sprague::server::credentials::Unusable;
use sprague::server::meters::Meters;
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::server::{events, exposition};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;
use tracing_subscriber::filter::{FilterExt as _, LevelFilter};
use tracing_subscriber::{EnvFilter, prelude::*};

use log::Log;

/// Memory that is not needed any more goes back to the system this often while no boards are asked for.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(2);

/// How often it is looked at how much memory clients hold.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Descriptors of the runtime, of signals, and of files that are read, with a few for connections.
const DESCRIPTORS: usize = 24;

/// Threads besides those that solve and those of the runtime: the log's, and two that look names up or write to files.
const OTHER_THREADS: usize = 3;

/// Exit code of a wrong command line.
const USAGE: u8 = 2;
/// Exit code of a process that cannot have what it needs, and of a fault of ours.
const INTERNAL: u8 = 70;
/// Exit code of a file that cannot be read, or a socket that cannot be opened.
const IO: u8 = 74;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let (arguments, matches) = match environment::parse::<Arguments>(&words) {
        Ok(parsed) => parsed,
        Err(error) => return answer(&environment::name_variable(error, &Arguments::command(), &words)),
    };
    if arguments.print_config {
        return print(&spragued::print_config(&matches));
    }
    let settings = arguments.settings();
    let meters = Arc::new(if arguments.metrics_listen.is_some() { Meters::running() } else { Meters::default() });
    let log = match has_room(&arguments, &settings).and_then(|()| Ok(Log::start(meters.clone())?)) {
        Ok(log) => log,
        Err(error) => {
            log::say(&format!("spragued: {error:#}\n"));
            return ExitCode::from(INTERNAL);
        }
    };
    // A fault of ours is data, too: no code, and no reader of standard error that has stopped, changes what happens then.
    let served = catch_unwind(AssertUnwindSafe(|| run(&arguments, settings, meters, &log)));
    let code = match served {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => fail(&error, &log),
        Err(_panic) => ExitCode::from(INTERNAL),
    };
    log.finish();
    code
}

/// Makes sure that the system lets the server have what it needs, before anything depends on it.
fn has_room(arguments: &Arguments, settings: &Settings) -> anyhow::Result<()> {
    limits::need_descriptors(DESCRIPTORS + arguments.listen.len())?;
    let threads = settings.threads() + runtime_threads() + OTHER_THREADS;
    limits::need_threads(threads).context("too few threads for --workers")
}

/// Threads of the runtime: as many as there are cores.
fn runtime_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Prints the help or the version that was asked for, or says what is wrong with the command line.
fn answer(error: &clap::Error) -> ExitCode {
    let text = screen::render(error);
    if !error.use_stderr() {
        return print(&text);
    }
    log::say(&text);
    ExitCode::from(USAGE)
}

/// Prints what was asked for.
fn print(text: &str) -> ExitCode {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // A reader that has seen enough (`| head`) is no fault.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            log::say(&format!("spragued: cannot write to standard output: {error}\n"));
            ExitCode::from(IO)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Says why the server does not start.
fn fail(error: &anyhow::Error, log: &Log) -> ExitCode {
    let limit = error.chain().find_map(|cause| limit_met(cause.downcast_ref()?));
    let advice = limit.map(|flag| format!("; raise the limit, ulimit {flag}")).unwrap_or_default();
    log.line(&format!("{}\n", escape::text(&format!("spragued: {error:#}{advice}"))));
    let is_unread = matches!(error.downcast_ref(), Some(Unusable::Unread { .. }));
    match error.is::<io::Error>() {
        _ if limit.is_some() => ExitCode::from(INTERNAL),
        is_io if is_io || is_unread => ExitCode::from(IO),
        _ => ExitCode::from(USAGE),
    }
}

/// The limit that an error of the system comes from, as `ulimit` names it.
fn limit_met(error: &io::Error) -> Option<&'static str> {
    match Errno::from_raw_os_error(error.raw_os_error()?) {
        Errno::MFILE => Some("-n"),
        Errno::NOMEM => Some("-v"),
        Errno::AGAIN => Some("-u"),
        _ => None,
    }
}

fn run(arguments: &Arguments, settings: Settings, meters: Arc<Meters>, log: &Arc<Log>) -> anyhow::Result<()> {
    start_logging(arguments, meters.clone(), log.clone())?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(runtime_threads()).enable_all().on_thread_park(allocator::at_rest).build()?;
    let served = runtime.block_on(serve(arguments, settings, meters));
    // Whatever is still solving was told to stop; nobody waits for it.
    runtime.shutdown_background();
    served
}

fn start_logging(arguments: &Arguments, meters: Arc<Meters>, log: Arc<Log>) -> anyhow::Result<()> {
    let mut filter = EnvFilter::try_new(&arguments.log).with_context(|| format!("--log {}", arguments.log))?;
    if filter.max_level_hint() != Some(LevelFilter::OFF) {
        // That lines are dropped is told whichever are wanted.
        filter = filter.add_directive("spragued::log=warn".parse()?);
    }
    let lines = tracing_subscriber::fmt::layer().log_internal_errors(false).with_writer(log);
    let lines = match arguments.log_format {
        LogFormat::Text => lines.with_ansi(screen::has_colour(&io::stderr())).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let filter = filter.and(events::may_be_logged());
    tracing_subscriber::registry().with(lines.with_filter(filter)).with(events::layer(meters)).init();
    std::panic::set_hook(Box::new(|panic| {
        let (what, place) = (panic.payload_as_str().unwrap_or("a panic"), panic.location());
        tracing::error!(place = place.map(display), "a fault of this program: {what}");
    }));
    Ok(())
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

/// Shows the meters where somebody is to see them.
async fn show(meters: Arc<Meters>, listen: &str) -> anyhow::Result<()> {
    let context = || format!("cannot serve metrics on {listen}");
    let addresses = sockets::resolve(listen).await.with_context(context)?;
    let bound = TcpListener::bind(&*addresses).await;
    let listener = bound.map_err(|error| advised(error, "--metrics-listen")).with_context(context)?;
    tracing::info!(address = %listener.local_addr().with_context(context)?, "metrics");
    tokio::spawn(exposition::serve(listener, meters));
    Ok(())
}

async fn serve(arguments: &Arguments, settings: Settings, meters: Arc<Meters>) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut signalled = async || tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} };

    let access = arguments.access()?;
    let listeners = sockets::bind(&arguments.listen, access.tls.is_some() || arguments.insecure).await?;
    let names: Vec<String> = listeners.iter().map(|listener| listener.address().to_string()).collect();
    if let Some(listen) = &arguments.metrics_listen {
        show(meters.clone(), listen).await?;
    }
    let memory = settings.limits.memory_bytes;
    let server = Server::watched(settings, Arc::new(Games::ready()), listeners, access, meters)?;
    let names = names.join(", ");
    tracing::info!(version = env!("CARGO_PKG_VERSION"), listening = %names, "started");
    // Whoever started us may have closed our output since, or not read it: no reason not to serve.
    tokio::task::spawn_blocking(move || {
        let _closed = writeln!(io::stdout(), "spragued listening on {names}");
    });

    let give_back = || {
        allocator::give_back();
        allocator::give_back_at_rest();
        server.on_each_worker(allocator::give_back);
    };
    let mut at_rest = tokio::time::interval(GIVE_BACK_EVERY);
    let mut look = tokio::time::interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Clients hold so much that what the allocator keeps for later would count.
    let mut is_short = false;
    loop {
        tokio::select! {
            () = signalled() => break,
            _ = at_rest.tick() => if server.is_idle() {
                give_back();
            },
            _ = look.tick() => {
                let was_short = is_short;
                is_short = server.memory_used() > memory / if was_short { 8 } else { 4 };
                if is_short != was_short {
                    allocator::purge_at_once(is_short);
                    give_back();
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
