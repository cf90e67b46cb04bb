//! A judge format on the command line, by its name or an alias.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sprague::judge::Format;

/// Takes names and aliases; what is neither is answered with the nearest name and the list of all.
pub(crate) fn parser() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.map(|format| PossibleValue::new(format.name()).aliases(format.aliases()));
    PossibleValuesParser::new(names).map(|name| Format::from_name(&name).expect("it is one of the names"))
}
