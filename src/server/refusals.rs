//! What a server refuses, counted by reason, and logged at most once a second and reason.

use std::fmt::{self, Display, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metrics::Counter;
use tokio::runtime::Handle;
use tokio::time::Instant;
use tonic::Code;

use super::refusal::{Refusal, What};
use super::status::CODES;
use crate::escape;
use crate::message;

/// Refusals of one reason are summed up over this time.
const PERIOD: Duration = Duration::from_secs(1);

/// Characters at most of what a peer says that are kept for the log.
const LONGEST_TEXT: usize = 200;

/// Calls that may have a log line of their own, a second. An operator wants to see each stream, and to keep the disk.
const LINES: u32 = 20;

/// Events of one kind that the log does not have yet.
#[derive(Default)]
struct Unsaid {
    count: u64,
    /// About the first of them: who, and what was wrong.
    first: String,
    /// A task logs what is here and what comes in the next second.
    is_watched: bool,
}

/// What is summed up.
enum Kind {
    Refused(What),
    /// Calls that ended and have no log line of their own.
    Ended,
    /// Warnings of libraries.
    Library,
}

/// The events of one kind.
struct Row {
    kind: Kind,
    /// A refusal's reason, or a call's status code.
    reason: &'static str,
    counter: Counter,
    unsaid: Mutex<Unsaid>,
}

impl Row {
    fn unsaid(&self) -> MutexGuard<'_, Unsaid> {
        self.unsaid.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(kind: Kind, reason: &'static str, counter: Counter) -> Arc<Row> {
        Arc::new(Row { kind, reason, counter, unsaid: Mutex::default() })
    }

    /// Counts an event and keeps `who` if it is the first since the last log line.
    fn note(self: &Arc<Row>, who: impl Display) {
        self.counter.increment(1);
        let mut unsaid = self.unsaid();
        unsaid.count += 1;
        if unsaid.count == 1 {
            unsaid.first = printable(who);
        }
        if !unsaid.is_watched
            && let Ok(runtime) = Handle::try_current()
        {
            unsaid.is_watched = true;
            runtime.spawn(self.clone().watch());
        }
    }

    /// Logs what there was since the last time. Guarantees that nobody waits for the log meanwhile.
    fn say(&self) {
        let (count, first) = {
            let mut unsaid = self.unsaid();
            (std::mem::take(&mut unsaid.count), std::mem::take(&mut unsaid.first))
        };
        if count == 0 {
            return;
        }
        // An empty field is left out.
        let (first, reason) = ((!first.is_empty()).then(|| tracing::field::display(first)), self.reason);
        match self.kind {
            Kind::Refused(what) => tracing::warn!(first, "refused {count} {}: {reason}", what.name(count)),
            Kind::Ended => tracing::info!(first, "ended {count} {}: {reason}", What::Call.name(count)),
            Kind::Library => tracing::warn!(first, "{} of libraries", message::count(count, "warning")),
        }
    }

    /// Logs once a period until a period has nothing to log.
    async fn watch(self: Arc<Row>) {
        loop {
            self.say();
            tokio::time::sleep(PERIOD).await;
            let mut unsaid = self.unsaid();
            if unsaid.count == 0 {
                unsaid.is_watched = false;
                return;
            }
        }
    }
}

/// The refusals of one server, and what else has no log line of its own.
pub(super) struct Refusals {
    refused: Vec<Arc<Row>>,
    /// By status code.
    ended: Vec<Arc<Row>>,
    library: Arc<Row>,
    /// When the second began, and how many lines it had.
    lines: Mutex<(Instant, u32)>,
}

impl Refusals {
    /// Nothing refused yet; `counter` makes the counter of what is refused and the reason, the metric's labels.
    pub(super) fn new(counter: impl Fn(&'static str, &'static str) -> Counter) -> Refusals {
        let refused = |refusal: &Refusal| {
            let (what, reason) = refusal.parts();
            Row::new(Kind::Refused(what), reason, counter(what.label(), reason))
        };
        // Metrics have them by method and code.
        let ended = |code: &&'static str| Row::new(Kind::Ended, code, Counter::noop());
        Refusals {
            refused: Refusal::ALL.iter().map(refused).collect(),
            ended: CODES.iter().map(ended).collect(),
            library: Row::new(Kind::Library, "", Counter::noop()),
            lines: Mutex::new((Instant::now(), 0)),
        }
    }

    /// Whether there may be another log line about a single call in this second. The line counts as written.
    pub(super) fn may_have_a_line(&self) -> bool {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.0.elapsed() >= PERIOD {
            *lines = (Instant::now(), 0);
        }
        lines.1 += 1;
        lines.1 <= LINES
    }

    /// Counts a refusal. The log has it within a second, in one line with others of its kind; of `who`, a peer and what
    /// is wrong with it, only that of the first, cut and escaped. Never logs itself: it may be called where logging is
    /// under way.
    pub(super) fn note(&self, refusal: Refusal, who: impl Display) {
        self.refused[refusal as usize].note(who);
    }

    /// As `note`, for a call that was not refused and ended with this code.
    pub(super) fn note_end(&self, code: Code, who: impl Display) {
        self.ended[code as usize].note(who);
    }

    /// As `note`, for a warning of a library.
    pub(super) fn note_library(&self, what: impl Display) {
        self.library.note(what);
    }

    /// Logs what is counted and not logged yet, before a server ends.
    pub(super) fn say_all(&self) {
        self.refused.iter().chain(&self.ended).chain([&self.library]).for_each(|row| row.say());
    }
}

/// What a peer says, for a log: of printable characters, and not long.
pub(super) fn printable(text: impl Display) -> String {
    let mut kept = Printable { text: String::new(), left: LONGEST_TEXT };
    // An error: the text was cut.
    if write!(kept, "{text}").is_err() {
        kept.text.push_str("...");
    }
    kept.text
}

struct Printable {
    text: String,
    left: usize,
}

impl fmt::Write for Printable {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            if escape::is_hidden(character) {
                self.text.extend(character.escape_default());
            } else {
                self.text.push(character);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use metrics::CounterFn;

    struct Count(AtomicU64);

    impl CounterFn for Count {
        fn increment(&self, value: u64) {
            self.0.fetch_add(value, Ordering::Relaxed);
        }

        fn absolute(&self, value: u64) {
            self.0.store(value, Ordering::Relaxed);
        }
    }

    /// Where log lines go.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Lines {
        fn take(&self) -> Vec<String> {
            let text = String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap();
            text.lines().map(str::to_owned).collect()
        }
    }

    fn logging() -> (Lines, tracing::subscriber::DefaultGuard) {
        let lines = Lines::default();
        let writer = lines.clone();
        let logs = tracing_subscriber::fmt().without_time().with_target(false).with_ansi(false);
        (lines, tracing::subscriber::set_default(logs.with_writer(move || writer.clone()).finish()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_refusals_is_one_line_a_second_and_reason_and_all_are_counted() {
        let (lines, _logging) = logging();
        let counts = Arc::new(Count(AtomicU64::new(0)));
        let refusals = Refusals::new(|_, reason| match reason {
            "TOKEN_MISSING" => Counter::from_arc(counts.clone()),
            _ => Counter::noop(),
        });
        let second = async || {
            for number in 0..1000 {
                refusals.note(Refusal::TokenMissing, format_args!("peer {number}"));
                refusals.note(Refusal::Connections, "");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        for _ in 0..5 {
            second().await;
        }
        tokio::time::sleep(PERIOD * 2).await;
        let logged = lines.take();
        let of = |reason: &str| logged.iter().filter(|line| line.contains(reason)).cloned().collect::<Vec<_>>();
        let (tokens, connections) = (of(": TOKEN_MISSING"), of(": NO_ROOM"));
        assert_eq!(tokens[0], " WARN refused 1 call: TOKEN_MISSING first=peer 0");
        assert_eq!(connections[0], " WARN refused 1 connection: NO_ROOM_CONNECTIONS");
        assert!((5..=7).contains(&tokens.len()) && (5..=7).contains(&connections.len()), "{logged:#?}");
        let sum = |lines: &[String]| -> u64 {
            lines.iter().map(|line| line.split(' ').nth(3).unwrap().parse::<u64>().unwrap()).sum()
        };
        assert_eq!((sum(&tokens), sum(&connections)), (5000, 5000));
        assert_eq!(counts.0.load(Ordering::Relaxed), 5000);
        // After a pause the next one is told at once.
        refusals.note(Refusal::TokenMissing, "late");
        tokio::task::yield_now().await;
        assert_eq!(lines.take(), [" WARN refused 1 call: TOKEN_MISSING first=late"]);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_have_lines_of_their_own_within_bounds() {
        let refusals = Refusals::new(|_, _| Counter::noop());
        for _ in 0..3 {
            let lines = (0..1000).filter(|_| refusals.may_have_a_line()).count();
            assert_eq!(lines, LINES as usize);
            tokio::time::sleep(PERIOD).await;
        }
    }

    #[test]
    fn what_is_not_logged_yet_is_logged_at_the_end() {
        let (lines, _logging) = logging();
        let refusals = Refusals::new(|_, _| Counter::noop());
        for number in 0..3 {
            refusals.note(Refusal::TlsHandshake, number);
        }
        assert_eq!(lines.take(), [""; 0]);
        refusals.say_all();
        refusals.say_all();
        assert_eq!(lines.take(), [" WARN refused 3 TLS handshakes: HANDSHAKE first=0"]);
    }

    #[test]
    fn what_a_peer_says_is_cut_and_escaped() {
        for (said, logged) in [
            ("/sprague.v1.SpragueService/Solve", "/sprague.v1.SpragueService/Solve"),
            ("a\nb\u{1b}[31m", "a\\nb\\u{1b}[31m"),
            ("Stra\u{df}e \u{202e}", "Stra\u{df}e \\u{202e}"),
            ("\"a\\b\"", "\"a\\b\""),
        ] {
            assert_eq!(printable(said), logged);
        }
        assert_eq!(printable("a".repeat(LONGEST_TEXT)), "a".repeat(LONGEST_TEXT));
        assert_eq!(printable("a".repeat(4000)), format!("{}...", "a".repeat(LONGEST_TEXT)));
    }
}
