//! What a command reads and where it writes: files, folders, standard input and output.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sprague::run::output::AnswerFile;

use super::exit::{self, Failure};

/// A file or standard input, open.
pub(crate) struct Input {
    pub(crate) name: String,
    /// In bytes, where it is known.
    pub(crate) size: Option<u64>,
    pub(crate) source: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Input, Failure> {
        if path == Path::new("-") {
            return Ok(Input { name: "-".into(), size: None, source: Box::new(io::stdin()) });
        }
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let about = file.metadata().map_err(|error| unreadable(path, &error))?;
        if about.is_dir() {
            return Err(unreadable(path, &io::ErrorKind::IsADirectory.into()));
        }
        let size = about.is_file().then_some(about.len());
        Ok(Input { name: path.display().to_string(), size, source: Box::new(file) })
    }
}

/// The judge files of a folder, `*.in`, in the order of their names.
pub(crate) fn inputs_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| unreadable(folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "in") && !path.is_dir());
    paths.sort();
    match paths.is_empty() {
        true => Err(unreadable(folder, &io::Error::other("no file in it ends in .in; name the files one by one"))),
        false => Ok(paths),
    }
}

/// Where answers go.
pub(crate) enum Output {
    Standard(io::Stdout),
    File(Box<AnswerFile>, String),
}

impl Output {
    /// Begins a file, or takes standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        match AnswerFile::create(path) {
            Ok(file) => Ok(Output::File(Box::new(file), path.display().to_string())),
            Err(error) => Err(unwritable(&path.display().to_string(), &error)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Output::Standard(_) => "standard output",
            Output::File(_, name) => name,
        }
    }

    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        match self {
            Output::Standard(stdout) => stdout,
            Output::File(file, _) => file,
        }
    }

    /// What an interrupted command says of its file.
    pub(crate) fn as_it_was(&self) -> String {
        match self {
            Output::File(file, name) if file.is_whole() => format!("; {name} is as it was"),
            _ => String::new(),
        }
    }

    /// Copies a text that can fail while it is made, and hands it over.
    pub(crate) fn write_all(mut self, text: &mut dyn Read) -> Result<(), Failure> {
        let mut piece = vec![0; 64 * 1024];
        loop {
            let read = text.read(&mut piece);
            let read = read.map_err(|error| Failure::new(exit::INTERNAL, format_args!("sprague: {error}")))?;
            match self.writer().write_all(&piece[..read]) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => return Err(unwritable(self.name(), &error)),
                Ok(()) if read == 0 => break,
                Ok(()) => {}
            }
        }
        self.commit()
    }

    /// Puts the file in its place.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        match self {
            Output::Standard(mut stdout) => match stdout.flush() {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable("standard output", &error)),
                _ => Ok(()),
            },
            Output::File(file, name) => file.commit().map_err(|error| unwritable(&name, &error)),
        }
    }
}

/// Writes a text to standard output; a reader that has seen enough is no fault.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    Output::Standard(io::stdout()).write_all(&mut text.as_bytes())
}

/// Makes a folder, unless it is there.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritable(&folder.display().to_string(), &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(exit::IO, format_args!("sprague: {} cannot be read: {error}", path.display()))
}

fn unwritable(name: &str, error: &io::Error) -> Failure {
    Failure::new(exit::IO, format_args!("sprague: {name} cannot be written: {error}"))
}
