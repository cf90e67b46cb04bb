//! How durations, sizes and numbers of things are written for people: `500ms`, `2s`, `1m`; `64KiB`; `1 case`, `2 cases`.

use std::time::Duration;

/// Reads a duration: a number and a unit, as in `500ms`, `2s`, `1m`, or several, as in `1m 30s`.
///
/// # Errors
/// What is wrong with the text, for people.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| format!("{text:?} is no duration: write 500ms, 2s or 1m"))
}

/// Reads a size in bytes: `64KiB`, `16MiB`, or a plain number of bytes.
///
/// # Errors
/// What is wrong with the text, for people.
pub fn size(text: &str) -> Result<u64, String> {
    let size: Result<bytesize::ByteSize, _> = text.parse();
    size.map(|size| size.as_u64()).map_err(|_| format!("{text:?} is no size: write 64KiB, 16MiB or a number of bytes"))
}

/// Writes a duration so that `duration` reads it back.
pub fn show_duration(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}

/// Writes a size so that `size` reads it back: in the largest binary unit that divides it.
pub fn show_size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let whole = units.into_iter().find(|(_, shift)| bytes != 0 && bytes.trailing_zeros() >= *shift);
    whole.map_or_else(|| bytes.to_string(), |(unit, shift)| format!("{}{unit}", bytes >> shift))
}

/// So many of something: `1 case`, `2 cases`.
pub fn count(number: u64, one: &str) -> String {
    format!("{number} {}", plural(number, one))
}

/// The word for so many of something: `case`, `cases`.
pub fn plural(number: u64, one: &str) -> String {
    format!("{one}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for (text, millis) in [("500ms", 500), ("2s", 2000), ("1m", 60_000), ("1m 30s", 90_000), ("0s", 0)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)));
            assert_eq!(show_duration(Duration::from_millis(millis)), text);
        }
        for (text, bytes) in [("64KiB", 65_536), ("16MiB", 16 << 20), ("2GiB", 2 << 30), ("1000", 1000), ("0", 0)] {
            assert_eq!(size(text), Ok(bytes));
            assert_eq!(show_size(bytes), text);
        }
    }

    #[test]
    fn one_is_no_plural() {
        for (number, one, text) in [(0, "case", "0 cases"), (1, "case", "1 case"), (2, "case", "2 cases")] {
            assert_eq!(count(number, one), text);
        }
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        assert!(duration("soon").unwrap_err().contains("500ms"));
        assert!(size("much").unwrap_err().contains("64KiB"));
    }
}
