//! What is no text is told by its first bytes, in a word, not by a fault a line.

use std::io::{self, Read};

/// Zero bytes are looked for among the first of a file.
const HEAD: usize = 512;

/// Why a file is no text, as the beginning of what is read of it shows. A zero byte here and there is a bad cell like any
/// other, and named with its place.
fn fault(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("this is UTF-16: save it as UTF-8"),
        [0x1F, 0x8B, ..] | [b'P', b'K', 3, 4, ..] => Some("this is no text: it is compressed, unpack it first"),
        [0x89, b'P', b'N', b'G', ..] => Some("this is no text: it is a picture"),
        _ => {
            let head = &head[..head.len().min(HEAD)];
            let zeros = head.iter().filter(|byte| **byte == 0).count();
            (4 * zeros > head.len()).then_some("this is no text: it is full of zero bytes")
        }
    }
}

/// A source that must be text: the first read of one that is not fails with `InvalidData`.
pub(crate) struct Sniffed<R> {
    source: R,
    is_begun: bool,
}

impl<R: Read> Sniffed<R> {
    pub(crate) fn new(source: R) -> Sniffed<R> {
        Sniffed { source, is_begun: false }
    }
}

impl<R: Read> Read for Sniffed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        if !std::mem::replace(&mut self.is_begun, true)
            && let Some(fault) = fault(&buffer[..read])
        {
            return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
        }
        Ok(read)
    }
}
