//! A judge format on the command line, by its name or an alias.

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sprague::judge::Format;

/// Takes names and aliases; what is neither is answered with the nearest name and the list of all.
pub(crate) fn parser() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.map(|format| PossibleValue::new(format.name()).aliases(format.aliases()));
    PossibleValuesParser::new(names).map(|name| Format::from_name(&name).expect("it is one of the names"))
}

/// Adds the formats to a complaint that none was given.
pub(crate) fn advise(mut error: clap::Error) -> clap::Error {
    let missing = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => missing.as_slice(),
        _ => &[],
    };
    if missing.iter().any(|argument| argument.starts_with("--format ")) {
        let names = Format::ALL.map(Format::name).join(", ");
        let advice =
            format!("say which judge's words these are, as in -f uva10561: {names}; `sprague formats` shows them");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}
