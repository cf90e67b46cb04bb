//! What the command line adds to a fault: the file's name, flags, and what to type.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sprague::games::Game;
use sprague::judge::Format;
use sprague::judge::diagnostic::{Diagnostic, Kind};
use sprague::notation::argument;

/// A fault of the file of a name: `FILE:LINE:COLUMN: case K: what is wrong`, and the flag that it goes by.
pub(crate) fn line(file: &str, mut found: Diagnostic) -> String {
    if found.kind == Kind::Limit {
        found.message += " (--strict)";
    }
    format!("{file}:{found}")
}

/// Adds to clap's complaint about `words`, the command line, what clap cannot know.
pub(crate) fn advise(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let words = &*words;
    let advice = match (error.kind(), error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing)), _) => missing_format(missing, words),
        (ErrorKind::InvalidValue, Some(ContextValue::String(flag)), Some(ContextValue::String(name))) => {
            game_for_format(flag, name)
        }
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word)), _) => unknown(word, words),
        _ => None,
    };
    if let Some(advice) = advice {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedValue);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}

fn missing_format(missing: &[String], words: &[String]) -> Option<String> {
    if !missing.iter().any(|argument| argument.starts_with("--format ")) {
        return None;
    }
    if let Some(name) = words.iter().find(|word| Format::from_name(word).is_some()) {
        return Some(format!("a format goes behind -f: write -f {name}"));
    }
    let names = Format::ALL.map(Format::name).join(", ");
    Some(format!("say which judge's words these are, as in -f uva10561: {names}; `sprague formats` shows them"))
}

fn game_for_format(flag: &str, name: &str) -> Option<String> {
    let game = Game::ALL.into_iter().find(|game| game.name() == name).filter(|_| flag.starts_with("--format"))?;
    let formats: Vec<&str> = Format::ALL.into_iter().filter(|format| format.game() == game).map(Format::name).collect();
    let (one, many) = if formats.len() == 1 { ("is", "its format") } else { ("are", "its formats") };
    Some(format!("{name} is a game; {many} {one} {}", formats.join(", ")))
}

fn unknown(word: &str, words: &[String]) -> Option<String> {
    match words.get(1).map(String::as_str) {
        Some("validate") if word == "--strict" => Some("validate is always strict: leave --strict out".into()),
        Some("info") if !word.starts_with('-') => Some(format!("write sprague info --server {}", argument(word))),
        _ => None,
    }
}
