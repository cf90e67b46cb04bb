//! The pages that are made from the programs themselves: docs/commands.md, and the README's table of settings.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::command::sprague;

const RENEW: &str = "RENEW_DOCS=1 cargo test --test cli reference";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compares a file with what it should be, or makes it so when asked to.
fn check(name: &str, expected: &str) {
    if std::env::var_os("RENEW_DOCS").is_some() {
        fs::write(file(name), expected).unwrap();
    }
    let found = fs::read_to_string(file(name)).unwrap_or_default();
    assert!(found == expected, "{name} is not what the programs say; renew it: {RENEW}");
}

fn text(command: &mut Command) -> String {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SPRAGUE")) {
        command.env_remove(name);
    }
    let done = command.env_remove("COLUMNS").output().unwrap();
    assert!(done.status.success());
    String::from_utf8(done.stdout).unwrap()
}

fn help(program: &str, arguments: &[&str]) -> String {
    text(Command::new(assert_cmd::cargo::cargo_bin(program)).args(arguments).arg("--help"))
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = help("sprague", &[]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let entries = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = entries.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_command_reference_is_the_tools_own_help() {
    let mut page = format!(
        "# Commands\n\nWhat `sprague --help` and its commands say, and `spragued --help`. Made from the programs; to renew it:\n\n\
         ```sh\n{RENEW}\n```\n"
    );
    let mut add = |title: &str, help: &str| {
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _infallible = write!(page, "\n## {title}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    };
    add("sprague", &help("sprague", &[]));
    for command in commands() {
        add(&format!("sprague {command}"), &help("sprague", &[&command]));
    }
    add("spragued", &help("spragued", &[]));
    check("docs/commands.md", &page);
}

#[test]
fn every_command_teaches_with_an_example() {
    let commands = commands();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in commands {
        let help = help("sprague", &[&command]);
        let example = help.split("Example").nth(1).unwrap_or_else(|| panic!("{command}: no example in the help"));
        assert!(example.contains(&format!("sprague {command}")), "{command}: {example}");
    }
}

/// A setting of the server, as its help has it.
struct Setting {
    flag: String,
    variable: String,
    default: String,
    meaning: String,
}

fn settings() -> Vec<Setting> {
    let help = help("spragued", &[]);
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in help.split("Options:\n").nth(1).unwrap().lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        match entries.last_mut() {
            _ if indent <= 8 && words.starts_with('-') => {
                let (flag, rest) = words.split_once("  ").unwrap_or((words, ""));
                entries.push((flag.to_owned(), rest.trim().to_owned()));
            }
            Some((_, meaning)) if indent >= 10 => {
                meaning.push(' ');
                meaning.push_str(words);
            }
            _ => {}
        }
    }
    let bracket = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("[{name}: "))?;
        Some(rest.split(']').next().unwrap().to_owned())
    };
    let setting = |(flag, text): (String, String)| Setting {
        variable: bracket(&text, "env").map(|name| name.trim_end_matches('=').to_owned()).unwrap_or_default(),
        default: bracket(&text, "default").unwrap_or_default(),
        meaning: text.split(" [").next().unwrap().split(" Possible values:").next().unwrap().trim().to_owned(),
        flag: flag.split(", ").last().unwrap().to_owned(),
    };
    entries.into_iter().map(setting).filter(|setting| !setting.variable.is_empty()).collect()
}

#[test]
fn the_readmes_table_of_settings_is_what_spragued_has() {
    let settings = settings();
    let in_force = text(Command::new(assert_cmd::cargo::cargo_bin("spragued")).arg("--print-config"));
    let names: Vec<&str> = in_force.lines().filter_map(|line| line.split(" = ").next()).collect();
    let flags: Vec<&str> =
        settings.iter().map(|setting| setting.flag.split(' ').next().unwrap().trim_start_matches("--")).collect();
    assert_eq!(flags, names, "the help and --print-config differ");
    let mut table = String::from("\n| flag | variable | default | meaning |\n| --- | --- | --- | --- |\n");
    for Setting { flag, variable, default, meaning } in &settings {
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let meaning = meaning.replace('|', "\\|");
        let _infallible = writeln!(table, "| `{flag}` | `{variable}` | {default} | {meaning} |");
    }
    let (open, close) = ("<!-- settings -->\n", "<!-- /settings -->");
    let readme = fs::read_to_string(file("README.md")).unwrap();
    let (before, rest) = readme.split_once(open).expect("the README has a place for the settings");
    let (_, after) = rest.split_once(close).expect("and its end");
    check("README.md", &format!("{before}{open}{table}\n{close}{after}"));
}

#[test]
fn completions_and_pages_are_made_from_the_same_definitions() {
    for (shell, sign) in
        [("bash", "complete -F _sprague"), ("zsh", "#compdef sprague"), ("fish", "complete -c sprague")]
    {
        let done = sprague(&["completions", shell]).output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success() && text.contains(sign), "{shell}");
        for word in commands().iter().map(String::as_str).chain(["keep-going", "luogu-p2599", "near-equal"]) {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert!(sprague(&["man", "-d", path]).output().unwrap().status.success());
    for command in commands() {
        let page = fs::read_to_string(folder.path().join(format!("sprague-{command}.1"))).unwrap();
        assert!(page.starts_with(".ie") || page.contains(".TH"), "{command}: {page}");
    }
    let page = String::from_utf8(sprague(&["man"]).output().unwrap().stdout).unwrap();
    assert!(page.contains(".TH sprague 1") && page.contains("generate"), "{page}");
    let page = String::from_utf8(sprague(&["man", "spragued"]).output().unwrap().stdout).unwrap();
    assert_eq!(page, fs::read_to_string(folder.path().join("spragued.1")).unwrap());
    for setting in settings() {
        assert!(page.contains(&setting.variable), "{}", setting.variable);
    }
}
