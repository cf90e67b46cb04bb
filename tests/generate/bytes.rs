//! The same seed gives the same bytes, in every version: files under tests/generated hold them.

use std::fs;
use std::path::Path;

use sprague::generate::Recipe;
use sprague::judge::Format;

use crate::making::{recipe, text};

#[test]
fn a_seed_means_the_same_bytes_for_ever() {
    // What users have in their repositories must come out again: these files may grow in number, but not change.
    let mut missing = Vec::new();
    for format in Format::ALL {
        let small = Recipe { seed: 2026, sizes: Some((3, 12)), ..recipe(format) };
        let found = match format.name() {
            "codeforces138d" => small.set().unwrap().iter().map(text).collect(),
            _ => text(&small.file().unwrap()),
        };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/generated/{format}.in"));
        match fs::read_to_string(&path) {
            Ok(kept) => assert_eq!(found, kept, "{format}: generated files have changed"),
            Err(_) => {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &found).unwrap();
                missing.push(path);
            }
        }
    }
    assert!(missing.is_empty(), "these were not there and are now; look at them, and keep them: {missing:?}");
}

#[test]
fn another_seed_gives_another_file_and_more_cases_go_on_where_fewer_end() {
    for format in Format::ALL.into_iter().filter(|&format| format != Format::CODEFORCES138D) {
        let file = |seed, cases| text(&Recipe { seed, cases: Some(cases), ..recipe(format) }.file().unwrap());
        assert_eq!(file(1, 50), file(1, 50));
        assert_ne!(file(1, 50), file(2, 50));
        let body = |text: String, heading: &str| text.strip_prefix(heading).map_or(text.clone(), str::to_owned);
        assert!(body(file(1, 60), "60\n").starts_with(&body(file(1, 50), "50\n")), "{format}");
    }
}

#[test]
fn where_a_file_is_one_case_seeds_go_through_the_kinds() {
    let boards: Vec<String> =
        (0..60).map(|seed| text(&Recipe { seed, ..recipe(Format::CODEFORCES138D) }.file().unwrap())).collect();
    let different: std::collections::BTreeSet<_> = boards.iter().collect();
    assert!(different.len() > 50, "{} of 60", different.len());
    assert!(boards.contains(&"2 2\nXL\nLR\n".to_owned()), "the first trap is among them");
}
