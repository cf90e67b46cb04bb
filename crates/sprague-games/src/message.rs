//! What messages name: numbers of things, and what stands where something else should.

/// The character at `at`, or its byte when it is none.
pub fn character(bytes: &[u8], at: usize) -> String {
    match bytes[at..].utf8_chunks().next().and_then(|part| part.valid().chars().next()) {
        Some(character) => format!("'{}'", character.escape_debug()),
        None => format!("the byte 0x{:02X}", bytes[at]),
    }
}

/// A word of `length` bytes of which `head` is held: quoted, escaped, its beginning if it is long.
pub fn word(head: &[u8], length: u64) -> String {
    const SHOWN: usize = 24;
    let head = &head[..head.len().min(SHOWN)];
    let mut shown = String::from("\"");
    for part in head.utf8_chunks() {
        shown.extend(part.valid().chars().flat_map(char::escape_debug));
        shown.extend(part.invalid().iter().flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from));
    }
    if length > head.len() as u64 {
        shown += "...";
    }
    shown.push('"');
    shown
}

/// A word of `length` bytes, of which `head` is held, as a number: its value, or what is wrong with it. Leading zeros and
/// one plus sign are accepted.
pub fn number(head: &[u8], length: u64) -> Result<u64, String> {
    if length > head.len() as u64 {
        return Err(format!("{} is too long for a number", word(head, length)));
    }
    let digits_of = |sign: u8| head.strip_prefix(&[sign]).unwrap_or(head);
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number(digits_of(b'+')) {
        let what = if is_number(digits_of(b'-')) { "is negative" } else { "is no number" };
        return Err(format!("{} {what}", word(head, length)));
    }
    let digit = |value: u64, byte: &u8| value.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
    let value = digits_of(b'+').iter().try_fold(0, digit);
    value.ok_or_else(|| format!("{} does not fit 64 bits", word(head, length)))
}

/// A cell of a strip, counted from 1, that is none of those there are: what stands at `at`, and what should.
pub fn cell(number: u64, bytes: &[u8], at: usize, cells: &[char]) -> String {
    format!("cell {number} is {}: {}", character(bytes, at), instead(bytes[at], cells))
}

/// What to write instead of a byte that is none of a game's cells.
pub fn instead(byte: u8, cells: &[char]) -> String {
    let large = char::from(byte.to_ascii_uppercase());
    if byte.is_ascii_lowercase() && cells.contains(&large) {
        return format!("use '{large}'");
    }
    let quoted: Vec<String> = cells.iter().map(|cell| format!("'{cell}'")).collect();
    let (last, others) = quoted.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
    format!("a cell is {} or {last}", others.join(", "))
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
    fn what_is_found_is_named_in_one_way() {
        for (bytes, shown) in [
            (&b"x"[..], "cell 3 is 'x': use 'X'"),
            (b"r", "cell 3 is 'r': a cell is '.' or 'X'"),
            (b" ", "cell 3 is ' ': a cell is '.' or 'X'"),
            (b"\n", "cell 3 is '\\n': a cell is '.' or 'X'"),
            ("é".as_bytes(), "cell 3 is 'é': a cell is '.' or 'X'"),
            (b"\xd0", "cell 3 is the byte 0xD0: a cell is '.' or 'X'"),
        ] {
            assert_eq!(cell(3, bytes, 0, &['.', 'X']), shown);
        }
        assert_eq!(instead(b'O', &['L', 'R', 'X']), "a cell is 'L', 'R' or 'X'");
        for (text, result) in [
            ("7", Ok(7)),
            ("+007", Ok(7)),
            ("18446744073709551615", Ok(u64::MAX)),
            ("", Err("\"\" is no number")),
            ("x", Err("\"x\" is no number")),
            ("-3", Err("\"-3\" is negative")),
            ("18446744073709551616", Err("\"18446744073709551616\" does not fit 64 bits")),
        ] {
            assert_eq!(number(text.as_bytes(), text.len() as u64), result.map_err(String::from), "{text}");
        }
        assert_eq!(number(b"12", 3), Err("\"12...\" is too long for a number".into()));
    }

    #[test]
    fn one_is_no_plural() {
        for (number, one, text) in [(0, "case", "0 cases"), (1, "case", "1 case"), (2, "case", "2 cases")] {
            assert_eq!(count(number, one), text);
        }
    }
}
