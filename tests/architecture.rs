//! Holds the house rules: imports go strictly down, every file says what it is for, no file grows too long.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the crate root and their levels. A room may use rooms of lower levels only.
const LEVELS: [(&str, u32); 17] = [
    ("units", 0),
    ("escape", 0),
    ("found", 0),
    ("pem", 0),
    ("theory", 0),
    ("wide", 0),
    ("games", 2),
    ("explain", 3),
    ("judge", 4),
    ("notation", 4),
    ("wire", 4),
    ("draw", 5),
    ("generate", 5),
    ("server", 5),
    ("client", 5),
    ("embedded", 6),
    ("run", 6),
];

/// Lines of one file at most.
const LONGEST: usize = 410;

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

/// A library file's module path: `src/server/stream.rs` is `server::stream`.
fn module_of(file: &str) -> Option<Vec<&str>> {
    let path = file.strip_prefix("src/")?.strip_suffix(".rs")?;
    (!path.starts_with("bin/") && path != "lib").then(|| path.split('/').collect())
}

/// The text without comments, strings' insides left as they are, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The modules that a file declares, in its order.
fn declared(text: &str) -> Vec<String> {
    let declaration = |line: &str| {
        let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ").trim_start_matches("pub ");
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    text.lines().filter_map(declaration).collect()
}

/// The paths that code names after a prefix such as `crate::`, braces opened one level: `a::{b, c::d}` gives both.
fn named_after(code: &str, prefix: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let words = |text: &str| -> Vec<String> {
            let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
            text[..end].split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let stem = words(rest);
        let opened =
            rest.find('{').filter(|&brace| rest[..brace].chars().all(|c| c.is_alphanumeric() || "_:".contains(c)));
        match opened {
            Some(brace) => {
                let inside = &rest[brace + 1..rest.find('}').unwrap_or(rest.len())];
                for item in inside.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                    let mut path = stem.clone();
                    path.extend(words(item).into_iter().filter(|word| word != "self"));
                    paths.push(path);
                }
            }
            None => paths.push(stem),
        }
    }
    paths
}

fn level(room: &str) -> Option<u32> {
    LEVELS.iter().find(|(name, _)| *name == room).map(|(_, level)| *level)
}

#[test]
fn imports_go_strictly_down() {
    let files = rust_files("src");
    let mut faults = Vec::new();
    for (file, text) in &files {
        let Some(module) = module_of(file) else { continue };
        let own_level = level(module[0]).unwrap_or_else(|| panic!("{file}: give the room a level here"));
        let code = code(text);
        for path in named_after(&code, "crate::") {
            let Some(other) = path.first().and_then(|room| level(room)) else { continue };
            if path[0] != module[0] && other >= own_level {
                faults.push(format!("{file} (level {own_level}) uses {} (level {other})", path.join("::")));
            }
            if path[0] == module[0] {
                faults.push(format!("{file} names its own house by crate::{}: say super:: or self::", path.join("::")));
            }
        }
        if module.len() < 2 {
            continue;
        }
        let parent = format!("src/{}.rs", module[..module.len() - 1].join("/"));
        let siblings = declared(&files[&parent]);
        let place = siblings.iter().position(|name| name == module[module.len() - 1]);
        for path in named_after(&code, "super::") {
            let first = path.first().cloned().unwrap_or_default();
            match (siblings.iter().position(|name| *name == first), place) {
                (Some(theirs), Some(ours)) if theirs < ours => {}
                (Some(_), _) => {
                    faults.push(format!("{file} uses its sibling {first}, which the parent lists after it"))
                }
                (None, _) => faults.push(format!("{file} uses its parent's {}", path.join("::"))),
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn no_game_knows_another() {
    for (file, text) in rust_files("src/games") {
        let own = file.strip_prefix("src/games/").unwrap().split(['/', '.']).next().unwrap().to_owned();
        let own_module = format!("src/games/{own}.rs");
        for other in declared(&rust_files("src")["src/games.rs"]).iter().filter(|name| **name != own) {
            let names = code(&text).contains(&format!("{other}::"));
            assert!(!names, "{file} ({own_module}) names {other}");
        }
    }
}

#[test]
fn games_and_judges_know_no_network() {
    for (file, text) in rust_files("src") {
        if file.starts_with("src/games") || file.starts_with("src/judge") || file == "src/theory.rs" {
            for word in ["tokio", "tonic", "prost", "async "] {
                assert!(!code(&text).contains(word), "{file} names {word}");
            }
        }
    }
}

#[test]
fn only_wire_takes_messages_apart_and_only_server_builds_statuses() {
    for (file, text) in rust_files("src") {
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
    for (file, text) in rust_files("src") {
        assert!(!code(&text).contains(".display()"), "{file} shows a path as it is: say escape::path");
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_short() {
    for folder in ["src", "tests", "benches", "examples", "fuzz"] {
        if !root().join(folder).exists() {
            continue;
        }
        for (file, text) in rust_files(folder) {
            let first = text.lines().next().unwrap_or_default();
            assert!(
                first.starts_with("//! ") && first.len() > 20,
                "{file} does not open with a line that says what it is for"
            );
            let lines = text.lines().count();
            assert!(lines <= LONGEST, "{file} has {lines} lines");
            let stem = Path::new(&file).file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(!EMPTY_NAMES.contains(&stem.as_str()), "{file}: the name says nothing");
        }
    }
}

#[test]
fn every_room_of_the_map_has_a_level_and_stands_in_its_order() {
    let map = declared(&rust_files("src")["src/lib.rs"]);
    let levels: Vec<u32> =
        map.iter().map(|room| level(room).unwrap_or_else(|| panic!("{room} has no level"))).collect();
    assert!(levels.is_sorted(), "lib.rs lists a room before one that it stands on: {map:?}");
    assert_eq!(map.len(), LEVELS.len(), "a level for a room that is not there");
}

#[test]
fn nothing_is_printed_by_macros_that_panic() {
    for (file, text) in rust_files("src") {
        for word in ["print!(", "println!(", "dbg!("] {
            assert!(!code(&text).contains(word), "{file} has {word}: it panics where its output is full or closed");
        }
    }
}

#[test]
fn unsafe_code_is_in_one_room_and_where_the_allocator_is_called() {
    for (file, text) in rust_files("src") {
        let uses = code(&text).contains("unsafe {") || code(&text).contains("allow(unsafe_code)");
        assert!(
            !uses || ["src/wide.rs", "src/bin/spragued/allocator.rs"].contains(&file.as_str()),
            "{file} has unsafe code"
        );
    }
}
