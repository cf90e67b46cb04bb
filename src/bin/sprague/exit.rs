//! Exit codes, and the word that goes with each.

use std::fmt::Display;
use std::process::ExitCode;

use sprague::cli::limits::TooLow;
use sprague::client::fault;
use sprague::judge::diagnostic::Kind;
use sprague::run;

use super::{advice, messages};

/// `check` or `validate` found faults.
pub(crate) const FAULTS: u8 = 1;
/// A wrong command line.
pub(crate) const USAGE: u8 = 2;
/// The input is bad.
pub(crate) const BAD_INPUT: u8 = 65;
/// No server answered, or not in time.
pub(crate) const NO_SERVER: u8 = 69;
/// A fault of this program or of a server.
pub(crate) const INTERNAL: u8 = 70;
/// A file cannot be read or written.
pub(crate) const IO: u8 = 74;
/// The server does not let us in, or is not the one it should be.
pub(crate) const NOT_ALLOWED: u8 = 77;

/// How a command ended, when not well.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: u8, message: impl Display) -> Failure {
        Failure { code, message: message.to_string() }
    }

    /// A failure that says nothing: everything was said, or nobody listens.
    pub(crate) fn silent(code: u8) -> Failure {
        Failure { code, message: String::new() }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// Whether another file may fare better.
    pub(crate) fn is_of_one_file(&self) -> bool {
        matches!(self.code, BAD_INPUT | IO)
    }

    /// Says the message, if there is one.
    pub(crate) fn say(&self) {
        if !self.message.is_empty() {
            messages::say(&self.message);
        }
    }

    /// Says the message, and hands the code to the system.
    pub(crate) fn report(self) -> ExitCode {
        self.say();
        ExitCode::from(self.code)
    }
}

impl From<TooLow> for Failure {
    fn from(limit: TooLow) -> Failure {
        Failure::new(INTERNAL, format_args!("sprague: {limit}"))
    }
}

impl From<fault::Error> for Failure {
    fn from(error: fault::Error) -> Failure {
        let code = code_of(&error);
        let advice = match error {
            fault::Error::Unreachable { .. } => "; is spragued running there? (--retry-for waits longer)",
            fault::Error::NotAllowed { ref message, .. } if message.contains("bearer token") => {
                "; --token-file names it"
            }
            fault::Error::NotAllowed { ref message, .. } if message.contains("UnsupportedCertificate") => {
                "; is its certificate one for clients? Make it with extendedKeyUsage=clientAuth"
            }
            fault::Error::Untrusted { ref what, .. } if what.contains("CaUsedAsEndEntity") => {
                "; it is an authority's own: make the server's with basicConstraints=CA:FALSE"
            }
            fault::Error::Untrusted { ref what, .. } if what.contains("extended key usage") => {
                "; make the server's certificate with extendedKeyUsage=serverAuth"
            }
            // Which authority signed it does not matter here.
            fault::Error::Untrusted { ref what, .. }
                if ["expired", "not valid yet", "not valid for name"].iter().any(|fault| what.contains(fault)) =>
            {
                ""
            }
            fault::Error::Untrusted { .. } => "; --ca names the authority that signed its certificate",
            fault::Error::TimedOut(_) => "; give it longer with --timeout",
            _ => "",
        };
        Failure::new(code, format_args!("sprague: {error}{advice}"))
    }
}

/// The code of a failed run.
fn code_of(error: &fault::Error) -> u8 {
    match error {
        fault::Error::Unreachable { .. } | fault::Error::NotGrpc { .. } | fault::Error::TimedOut(_) => NO_SERVER,
        fault::Error::NotAllowed { .. } | fault::Error::Untrusted { .. } => NOT_ALLOWED,
        fault::Error::Poison { .. }
        | fault::Error::Refused { .. }
        | fault::Error::Protocol { .. }
        | fault::Error::Abandoned => INTERNAL,
    }
}

/// A judge file that cannot be read, or is no text.
pub(crate) fn unread(error: &std::io::Error, input: &str) -> Failure {
    match error.kind() {
        std::io::ErrorKind::InvalidData => Failure::new(BAD_INPUT, format_args!("sprague: {input}: {error}")),
        _ => Failure::new(IO, format_args!("sprague: {input} cannot be read: {error}")),
    }
}

/// What a failed run means to the caller; `input`, `answers` and `output` are the names of its files. A fault of the input is
/// said here.
pub(crate) fn of_run(error: run::Error, input: &str, answers: &str, output: &str) -> Failure {
    match error {
        run::Error::Read(error) => unread(&error, input),
        run::Error::Answers(error) => Failure::new(IO, format_args!("sprague: {answers} cannot be read: {error}")),
        // A reader that has seen enough (`| head`) is no fault.
        run::Error::Write(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Failure::silent(0),
        run::Error::Write(error) => Failure::new(IO, format_args!("sprague: {output} cannot be written: {error}")),
        run::Error::Bad(found) => {
            let code = if found.kind == Kind::Internal { INTERNAL } else { BAD_INPUT };
            messages::say(advice::line(input, *found));
            Failure::silent(code)
        }
        run::Error::Client(error) => error.into(),
    }
}
