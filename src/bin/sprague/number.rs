//! Whole numbers on the command line, refused in words.

use std::ops::RangeInclusive;

/// A number of a range; whatever else is typed is answered with the range.
pub(crate) fn within(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("write a whole number in digits, {} to {}", range.start(), range.end()))
    }
}
