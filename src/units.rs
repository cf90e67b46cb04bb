//! How durations, sizes and numbers are written by people: `500ms`, `2s`, `1m`; `64KiB`.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The longest duration that is read, a year: longer than any run, and no clock overflows that it is added to.
pub const LONGEST: Duration = Duration::from_secs(31_557_600);

/// The shortest duration that is read where none at all makes no sense: the clocks behind it count milliseconds.
pub const SHORTEST: Duration = Duration::from_millis(1);

/// The largest size that is read: more memory than any machine has that this is made for, and sums of a few still fit 64 bits.
pub const LARGEST: u64 = 1 << 50;

/// Reads a duration of at most `LONGEST`: a number and a unit, as in `500ms`, `2s`, `1m`, or several, as in `1m 30s`.
///
/// # Errors
/// What is wrong with the text, for people.
pub fn duration(text: &str) -> Result<Duration, String> {
    duration_within(text, Duration::ZERO..=LONGEST)
}

/// As `duration`, where none at all makes no sense.
///
/// # Errors
/// As for `duration`.
pub fn positive_duration(text: &str) -> Result<Duration, String> {
    duration_within(text, SHORTEST..=LONGEST)
}

fn duration_within(text: &str, range: RangeInclusive<Duration>) -> Result<Duration, String> {
    let bounds = || format!("write {} to {}", show_duration(*range.start()), show_duration(*range.end()));
    match humantime::parse_duration(text.trim()) {
        Ok(duration) if range.contains(&duration) => Ok(duration),
        Ok(_) | Err(humantime::DurationError::NumberOverflow) => Err(bounds()),
        Err(_) => Err(format!("{text:?} is no duration: write 500ms, 2s or 1m")),
    }
}

/// Reads a size in bytes, at most `LARGEST`: `64KiB`, `16MiB`, or a plain number of bytes.
///
/// # Errors
/// What is wrong with the text, for people.
pub fn size(text: &str) -> Result<u64, String> {
    size_within(text, 0..=LARGEST)
}

/// Reads a size in bytes that lies in a range.
///
/// # Errors
/// As for `size`.
pub fn size_within(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let text = text.trim();
    // Digits alone that do not fit 64 bits would be an error; with a unit they are as large as can be.
    let unit = if text.ends_with(|last: char| last.is_ascii_digit()) { "B" } else { "" };
    let size: Result<bytesize::ByteSize, _> = format!("{text}{unit}").parse();
    match size.map(|size| size.as_u64()) {
        Ok(size) if range.contains(&size) => Ok(size),
        Ok(_) => Err(format!("write {} to {}", show_size(*range.start()), show_size(*range.end()))),
        Err(_) => Err(format!("{text:?} is no size: write 64KiB, 16MiB or a number of bytes")),
    }
}

/// A reader of whole numbers that lie in a range; whatever else is typed is answered with the range.
pub fn number_within<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| {
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("write a whole number in digits, {} to {}", range.start(), range.end()))
    }
}

/// Writes a duration so that `duration` reads it back.
pub fn show_duration(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}

/// Writes a size so that `size` reads it back: in the largest binary unit that divides it.
pub fn show_size(bytes: u64) -> String {
    let units = [("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let whole = units.into_iter().find(|(_, shift)| bytes != 0 && bytes.trailing_zeros() >= *shift);
    whole.map_or_else(|| bytes.to_string(), |(unit, shift)| format!("{}{unit}", bytes >> shift))
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
        for bound in [LONGEST, SHORTEST] {
            assert_eq!(duration(&show_duration(bound)), Ok(bound));
        }
        assert_eq!(size(&show_size(LARGEST)), Ok(LARGEST));
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        assert!(duration("soon").unwrap_err().contains("500ms"));
        assert!(size("much").unwrap_err().contains("64KiB"));
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_with_the_bounds() {
        for text in ["366d", "18446744073709551615s", "18446744073709551616s", "99999999999999999999999years"] {
            assert_eq!(duration(text).unwrap_err(), "write 0s to 1year", "{text}");
        }
        for text in ["0s", "0", "999us", "18446744073709551615ms"] {
            assert_eq!(positive_duration(text).unwrap_err(), "write 1ms to 1year", "{text}");
        }
        for text in ["1025TiB", "18446744073709551615", "18446744073709551616", "99999999999999999999999EiB"] {
            assert_eq!(size(text).unwrap_err(), "write 0 to 1PiB", "{text}");
        }
        assert_eq!(size_within("63KiB", 65_536..=LARGEST).unwrap_err(), "write 64KiB to 1PiB");
        let small = number_within::<u16>(1..=9);
        for text in ["0", "10", "-1", "", "18446744073709551616", "1.5", "x"] {
            assert_eq!(small(text).unwrap_err(), "write a whole number in digits, 1 to 9", "{text}");
        }
        assert_eq!(small("9"), Ok(9));
    }

    #[test]
    fn blanks_around_a_value_count_for_nothing() {
        assert_eq!(duration(" 30s\n"), Ok(Duration::from_secs(30)));
        assert_eq!(size(" 64KiB "), Ok(65_536));
        assert_eq!(number_within::<u32>(0..=9)(" 7 "), Ok(7));
    }
}
