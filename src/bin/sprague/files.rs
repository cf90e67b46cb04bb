//! What a command reads and where it writes: files, folders, standard input and output.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal as _, Read, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::descriptor::Descriptor;
use crate::output::AnswerFile;
use crate::place::{DescriptorName, Place};
use rustix::fd::BorrowedFd;
use rustix::stdio::{stdin, stdout};
use sprague::cli::limits;
use sprague::escape;

use super::exit::{self, Failure};
use super::messages;
use super::sniff::Sniffed;

/// A file or standard input, open.
pub(crate) struct Input {
    pub(crate) name: String,
    /// In bytes, where it is known.
    pub(crate) size: Option<u64>,
    pub(crate) source: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a judge file, or answers: what is no text fails to be read with `InvalidData`.
    pub(crate) fn text(path: &Path) -> Result<Input, Failure> {
        let input = Input::open(path)?;
        Ok(Input { source: Box::new(Sniffed::new(input.source)), ..input })
    }

    /// Opens a file; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Input, Failure> {
        if is_standard(path) {
            if io::stdin().is_terminal() {
                messages::say("sprague: reading standard input; end it with Ctrl-D");
            }
            if let Ok(about) = about(stdin()) {
                refuse_own_output("standard input", &about)?;
            }
            return Ok(Input { name: "-".into(), size: None, source: Box::new(Descriptor(stdin())) });
        }
        limits::need_descriptors(1)?;
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let about = file.metadata().map_err(|error| unreadable(path, &error))?;
        if about.is_dir() {
            return Err(unreadable(path, &io::ErrorKind::IsADirectory.into()));
        }
        refuse_own_output(&escape::path(&path).to_string(), &about)?;
        let size = about.is_file().then_some(about.len());
        Ok(Input { name: escape::path(&path).to_string(), size, source: Box::new(file) })
    }
}

/// Whether a name stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether what is written to a name goes to standard output: `-`, /dev/stdout, /dev/fd/1, a link to these.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    is_standard(path) || DescriptorName::of(path) == Some(DescriptorName::STDOUT)
}

/// Whether what is written to `target` would take the place of the input at `other`, or go into it. `-` is standard output
/// and standard input.
pub(crate) fn would_replace(target: &Path, other: &Path) -> bool {
    is_same_file(target, if is_standard(other) { Path::new("/dev/stdin") } else { other })
}

/// Whether what is written to two names, `-` among them, goes into one file or pipe.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| if is_standard(path) { Path::new("/dev/stdout") } else { path });
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => identity(&one).is_some() && identity(&one) == identity(&other),
        (Err(_), Err(_)) => matches!((place(one), place(other)), (Some(one), Some(other)) if one == other),
        _ => false,
    }
}

/// What tells a file or a pipe from every other. Nothing is lost where a device or a socket is named twice.
pub(crate) fn identity(about: &Metadata) -> Option<(u64, u64)> {
    (about.is_file() || about.file_type().is_fifo()).then(|| (about.dev(), about.ino()))
}

fn about(descriptor: BorrowedFd<'_>) -> io::Result<Metadata> {
    File::from(descriptor.try_clone_to_owned()?).metadata()
}

/// Refuses to read a file that standard output goes into: it would never end, or is lost already.
fn refuse_own_output(name: &str, about: &Metadata) -> Result<(), Failure> {
    if about.is_file() && self::about(stdout()).is_ok_and(|output| identity(&output) == identity(about)) {
        let message = format!("sprague: {name} is read, and standard output goes into it: send one of them elsewhere");
        return Err(Failure::new(exit::USAGE, message));
    }
    Ok(())
}

/// Where a file that is not there would be, behind all links.
fn place(path: &Path) -> Option<PathBuf> {
    let Ok(Place::Path(path)) = Place::of(path) else { return None };
    Some(fs::canonicalize(folder_of(&path)).ok()?.join(path.file_name()?))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files that are named, and the judge files of folders in the place of these.
pub(crate) fn unfolded(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for input in inputs {
        if input.is_dir() {
            files.extend(inputs_of(input)?);
        } else {
            files.push(input.clone());
        }
    }
    Ok(files)
}

/// The judge files of a folder, `*.in`, in the order of their names.
fn inputs_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    limits::need_descriptors(1)?;
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

/// The names of what is in a folder.
pub(crate) fn names(folder: &Path) -> Result<BTreeSet<OsString>, Failure> {
    limits::need_descriptors(1)?;
    let names = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    names.map_err(|error| unreadable(folder, &error))
}

/// Descriptors that a file takes while it is written: the old one, the new one, and one to look at either.
const OUTPUT_DESCRIPTORS: usize = 3;

/// Where answers go.
pub(crate) enum Output {
    Standard(Descriptor<BorrowedFd<'static>>),
    File(Box<AnswerFile>, String),
}

impl Output {
    /// Begins a file, or takes standard output, which `-` is too.
    pub(crate) fn open(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path.filter(|path| !is_standard_output(path)) else { return Output::standard() };
        limits::need_descriptors(OUTPUT_DESCRIPTORS)?;
        let file = AnswerFile::create(path).map_err(|error| {
            let folder = folder_of(path);
            let why = match error.kind() {
                io::ErrorKind::IsADirectory => "it is a folder: name a file in it".into(),
                io::ErrorKind::NotFound if !folder.exists() => format!("there is no folder {}", escape::path(&folder)),
                io::ErrorKind::PermissionDenied if !path.exists() => {
                    format!("no file may be made in {}: permission denied", escape::path(&folder))
                }
                _ => error.to_string(),
            };
            unwritable(&escape::path(&path).to_string(), &why)
        })?;
        Ok(Output::File(Box::new(file), escape::path(&path).to_string()))
    }

    fn standard() -> Result<Output, Failure> {
        // What cannot be written is found out before the work.
        limits::need_descriptors(1)?;
        let writable = DescriptorName::STDOUT.writable();
        writable.map(|_| Output::Standard(Descriptor(stdout()))).map_err(|error| unwritable("standard output", &error))
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
            Output::Standard(_) => Ok(()),
            Output::File(file, name) => file.commit().map_err(|error| unwritable(&name, &error)),
        }
    }
}

/// Writes a text to standard output; a reader that has seen enough is no fault.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    Output::standard()?.write_all(&mut text.as_bytes())
}

/// Makes a folder, unless it is there.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| {
        let name = escape::path(&folder).to_string();
        match folder.exists() {
            true => unwritable(&name, &"it is no folder"),
            false => unwritable(&name, &error),
        }
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(exit::IO, format_args!("sprague: {} cannot be read: {error}", escape::path(&path)))
}

fn unwritable(name: &str, error: &dyn Display) -> Failure {
    Failure::new(exit::IO, format_args!("sprague: {name} cannot be written: {error}"))
}
