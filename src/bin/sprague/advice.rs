//! What the command line adds to a fault: the file's name, flags, and what to type.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sprague::judge::Format;
use sprague::judge::diagnostic::{Diagnostic, Kind};

/// A fault of the file of a name: `FILE:LINE:COLUMN: case K: what is wrong`, and the flag that it goes by.
pub(crate) fn line(file: &str, mut found: Diagnostic) -> String {
    if found.kind == Kind::Limit {
        found.message += " (--strict)";
    }
    format!("{file}:{found}")
}

/// Adds to clap's error about a missing format which there are.
pub(crate) fn name_formats(mut error: clap::Error) -> clap::Error {
    let is_format = |argument: &String| argument.starts_with("--format ");
    if let (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && missing.iter().any(is_format)
    {
        let names = Format::ALL.map(Format::name).join(", ");
        let advice =
            format!("say which judge's words these are, as in -f uva10561: {names}; `sprague formats` shows them");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}
