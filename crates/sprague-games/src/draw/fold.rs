//! Prose in lines that are no wider than what shows it.

/// A line end within a paragraph, where no width is known; a space where one is.
pub(super) const SOFT: char = '\u{2028}';

/// Longer lines are hard to read, however wide the terminal.
const LONGEST: usize = 100;

/// Narrower columns are not read at all.
const SHORTEST: usize = 20;

/// Breaks lines at spaces, to a width of 20 to 100 columns. What belongs to an indented line goes on two columns further in.
/// Without a width the lines stay as they are.
pub fn fold(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.replace(SOFT, "\n") };
    let width = width.clamp(SHORTEST, LONGEST);
    text.split_inclusive('\n').map(|line| folded(line, width)).collect()
}

fn folded(line: &str, width: usize) -> String {
    let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
    let indent = body.len() - body.trim_start_matches(' ').len();
    let next = if indent > 0 { indent + 2 } else { 0 };
    let mut done = String::new();
    let mut row = body[..indent].to_owned();
    let mut room = width.saturating_sub(indent);
    // Several spaces in a row have empty words between them.
    let paragraph: Vec<&str> = body.split(SOFT).map(|part| part.trim_start_matches(' ')).collect();
    let mut is_first = true;
    for word in paragraph.join(" ").split(' ') {
        let needs = visible(word) + usize::from(!is_first);
        if needs > room && !is_first {
            done += row.trim_end();
            done.push('\n');
            row = " ".repeat(next);
            room = width.saturating_sub(next + visible(word));
            is_first = word.is_empty();
        } else {
            row += if is_first { "" } else { " " };
            room = room.saturating_sub(needs);
            is_first = false;
        }
        row += word;
    }
    done + row.trim_end() + end
}

/// The columns that a word takes; codes of colours take none.
fn visible(word: &str) -> usize {
    let mut columns = 0;
    let mut is_code = false;
    for character in word.chars() {
        match character {
            '\x1b' => is_code = true,
            'm' if is_code => is_code = false,
            _ => columns += usize::from(!is_code),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_go_on_further_in() {
        let text = format!("one two three four five six\n  zone a: cells 1 to 12{SOFT}are here\n\n  end\n");
        assert_eq!(
            fold(&text, Some(20)),
            "one two three four\nfive six\n  zone a: cells 1 to\n    12 are here\n\n  end\n"
        );
        assert_eq!(fold(&text, Some(1000)), text.replace(SOFT, " "));
        assert_eq!(fold(&text, None), text.replace(SOFT, "\n"));
        let word = "x".repeat(30);
        assert_eq!(fold(&format!("a {word} b"), Some(5)), format!("a\n{word}\nb"));
        assert_eq!(fold(&"word ".repeat(50), Some(1000)).lines().map(str::len).max(), Some(99));
        let colour = "  \x1b[32m* wins it all\x1b[0m   - loses it\n";
        assert_eq!(fold(colour, Some(20)), "  \x1b[32m* wins it all\x1b[0m   -\n    loses it\n");
    }
}
