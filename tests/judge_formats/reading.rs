//! What the tests share: a reader run to its end, and the files under tests/.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use sprague::games::{Sizes, darkraft, end_nim, treblecross};
use sprague::judge::{Case, Diagnostic, Format, Next, Options, ReadError, Reader};

/// Sizes that do not move with the server's defaults.
pub(crate) const SIZES: Sizes = sizes(1_000_000, 64, 1_000_000);
/// Sizes that small boards pass.
pub(crate) const SMALL_SIZES: Sizes = sizes(100, 8, 10);

const fn sizes(cells: u64, side: u64, piles: u64) -> Sizes {
    Sizes {
        treblecross: treblecross::Size { cells },
        darkraft: darkraft::Size { rows: side, columns: side },
        end_nim: end_nim::Size { piles },
    }
}

/// Everything a reader has to say, to the end; `Starved` is checked to be followed by something else.
pub(crate) fn read_all(format: Format, options: Options, source: impl Read) -> Vec<Result<Case, Diagnostic>> {
    let mut reader = Reader::new(format, options, source);
    let mut found = Vec::new();
    let mut was_starved = false;
    loop {
        match reader.next_case() {
            Ok(Next::Starved) => {
                assert!(!was_starved, "starved twice without a step between");
                was_starved = true;
                continue;
            }
            Ok(Next::Case(case)) => found.push(Ok(case)),
            Ok(Next::End) => break,
            Err(ReadError::Io(error)) => panic!("{error}"),
            Err(ReadError::Input(error)) => found.push(Err(*error)),
        }
        was_starved = false;
    }
    assert!(matches!(reader.next_case(), Ok(Next::End)), "the end stays the end");
    if let Some(last) = found.iter().position(|found| found.as_ref().is_err_and(|error| error.is_last)) {
        assert_eq!(last + 1, found.len(), "nothing follows a last fault");
    }
    found
}

/// The files under tests/FOLDER/FORMAT that end in `.in`.
pub(crate) fn inputs(folder: &str, format: Format) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join(format.name());
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "in"));
    paths.sort();
    assert!(!paths.is_empty(), "{} holds no case", folder.display());
    paths
}
