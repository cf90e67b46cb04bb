//! Environment variables that stand for flags: an empty one counts as unset, a wrong one is named.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use crate::escape;
use crate::message::plural;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

/// Flags under this heading keep strangers out: an empty variable in their place is refused, not passed over.
const ACCESS: &str = "Access";

/// Reads a command line, and the variables that are neither empty nor blank.
///
/// # Errors
/// What is wrong with it; the help or the version that was asked for.
pub fn parse<A: CommandFactory + FromArgMatches>(words: &[OsString]) -> Result<(A, ArgMatches), clap::Error> {
    let matches = without_empty(A::command()).try_get_matches_from(words)?;
    Ok((A::from_arg_matches(&matches)?, matches))
}

/// The command without the variables that are empty or blank.
fn without_empty(command: Command) -> Command {
    let is_blank = |name: &OsStr| std::env::var(name).is_ok_and(|value| value.trim().is_empty());
    let command = command.mut_args(|argument| match argument.get_env() {
        Some(name) if is_blank(name) && argument.get_help_heading() != Some(ACCESS) => argument.env(None::<&str>),
        _ => argument,
    });
    command.mut_subcommands(without_empty)
}

/// Writes what is not to be seen in an error's words as escapes.
fn escaped(mut error: clap::Error) -> clap::Error {
    let escape = |text: &String| escape::text(text).to_string();
    let words = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(escape(text)))),
        ContextValue::Strings(texts) => Some((kind, ContextValue::Strings(texts.iter().map(escape).collect()))),
        _ => None,
    });
    for (kind, value) in words.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
    error
}

/// Adds to clap's error which variable a value comes from that is not among `words`, the command line.
pub fn name_variable(mut error: clap::Error, command: &Command, words: &[OsString]) -> clap::Error {
    let at_fault: Vec<String> = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => vec![argument.clone()],
        Some(ContextValue::Strings(arguments)) => arguments.clone(),
        _ => Vec::new(),
    };
    let is_at_fault =
        |long: &str| at_fault.iter().any(|argument| argument.split(' ').next() == Some(&*format!("--{long}")));
    let flags = command.get_arguments().chain(command.get_subcommands().flat_map(Command::get_arguments));
    let flags: Vec<(&OsStr, &str)> = flags.filter_map(|flag| Some((flag.get_env()?, flag.get_long()?))).collect();
    // What is missing is not set; it may be wanted by any flag that is.
    let is_missing = error.kind() == ErrorKind::MissingRequiredArgument && flags.iter().any(|flag| is_at_fault(flag.1));
    let variable = |&(variable, long): &(&OsStr, &str)| {
        let value = std::env::var_os(variable).filter(|_| !is_typed(long, words))?;
        let is_not_text = error.kind() == ErrorKind::InvalidUtf8 && value.to_str().is_none();
        (is_missing || is_not_text || is_at_fault(long)).then(|| variable.to_string_lossy().into_owned())
    };
    let variables: BTreeSet<String> = flags.iter().filter_map(variable).collect();
    if variables.is_empty() {
        return escaped(error);
    }
    let variables: Vec<String> = variables.into_iter().collect();
    let tip = format!("from the {} {}", plural(variables.len() as u64, "environment variable"), variables.join(", "));
    let mut tips = match error.remove(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips,
        _ => Vec::new(),
    };
    tips.push(StyledStr::from(tip));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    escaped(error)
}

/// Whether a flag is on the command line.
fn is_typed(long: &str, words: &[OsString]) -> bool {
    words.iter().filter_map(|word| word.to_str()?.strip_prefix("--")).any(|word| word.split('=').next() == Some(long))
}
