//! House rules that the compiler does not keep: every file says what it is for, paths are shown with escapes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 5] = ["util", "utils", "common", "types", "helpers"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Every Rust file of the project's own below a folder, as a path from the project's root, with its text.
fn rust_files(folder: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    files
}

/// Every file of the library and the programs.
fn sources() -> BTreeMap<String, String> {
    let mut files = rust_files("src");
    files.extend(rust_files("crates"));
    files
}

/// The text without comments, strings' insides left as they are, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_wire_takes_messages_apart_and_only_server_builds_statuses() {
    for (file, text) in sources() {
        let code = code(&text);
        if !file.starts_with("src/wire") {
            for word in ["v1::board", "v1::solve_stream_response", "v1::Solution", "v1::BoardError", "v1::Summary"] {
                assert!(!code.contains(word), "{file} takes a message apart: {word}");
            }
        }
        if !file.starts_with("src/server") {
            for word in ["Status::new(", "Status::with_", "Status::unavailable(", "Status::internal("] {
                assert!(!code.contains(word), "{file} builds a status: {word}");
            }
        }
    }
}

#[test]
fn paths_are_shown_with_escapes() {
    for (file, text) in sources() {
        assert!(!code(&text).contains(".display()"), "{file} shows a path as it is: say escape::path");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for folder in ["src", "crates", "tests", "benches", "examples", "tools", "fuzz"] {
        for (file, text) in rust_files(folder) {
            let first = text.lines().next().unwrap_or_default();
            assert!(
                first.starts_with("//! ") && first.len() > 20,
                "{file} does not open with a line that says what it is for"
            );
            let stem = Path::new(&file).file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(!EMPTY_NAMES.contains(&stem.as_str()), "{file}: the name says nothing");
        }
    }
}

#[test]
fn nothing_is_printed_by_macros_that_panic() {
    for (file, text) in sources() {
        for word in ["print!(", "println!(", "dbg!("] {
            assert!(!code(&text).contains(word), "{file} has {word}: it panics where its output is full or closed");
        }
    }
}

#[test]
fn unsafe_code_is_in_one_room_and_where_the_allocator_is_called() {
    for (file, text) in sources() {
        let uses = code(&text).contains("unsafe {") || code(&text).contains("allow(unsafe_code)");
        assert!(
            !uses || ["crates/sprague-games/src/wide.rs", "src/bin/spragued/allocator.rs"].contains(&file.as_str()),
            "{file} has unsafe code"
        );
    }
}
