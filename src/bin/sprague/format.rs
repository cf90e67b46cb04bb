//! A judge format on the command line, by its name or an alias.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sprague::judge::Format;

/// Takes names and aliases; what is neither is answered with the nearest name and the list of all.
pub(crate) fn parser() -> impl TypedValueParser<Value = Format> {
    of(Format::ALL)
}

/// The same, of the formats that write darkraft cells as letters.
pub(crate) fn with_letters() -> impl TypedValueParser<Value = Format> {
    of(Format::ALL.into_iter().filter(|format| format.letters().is_some()))
}

fn of(formats: impl IntoIterator<Item = Format>) -> impl TypedValueParser<Value = Format> {
    let name = |format: Format| PossibleValue::new(format.name()).aliases(format.aliases());
    PossibleValuesParser::new(formats.into_iter().map(name))
        .map(|name| Format::from_name(&name).expect("it is one of the names"))
}
