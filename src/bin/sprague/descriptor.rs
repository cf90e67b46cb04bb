//! Reading and writing through a descriptor as it is: one that is non-blocking is waited for.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// A descriptor that somebody else opened, and may have made non-blocking: standard input and output, a pipe of the shell.
#[derive(Debug)]
pub struct Descriptor<F>(pub F);

impl<F: AsFd> Descriptor<F> {
    /// Tries until the call does something: it waits for `readiness` where the descriptor does not.
    fn retry<T>(&self, readiness: PollFlags, mut call: impl FnMut(&F) -> Result<T, Errno>) -> io::Result<T> {
        loop {
            match call(&self.0) {
                Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&self.0, readiness)], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                },
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }
}

impl<F: AsFd> Read for Descriptor<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry(PollFlags::IN, |descriptor| rustix::io::read(descriptor, &mut *buffer))
    }
}

impl<F: AsFd> Write for Descriptor<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry(PollFlags::OUT, |descriptor| rustix::io::write(descriptor, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_non_blocking_descriptor_is_waited_for() {
        const BYTES: usize = 4 << 20;
        let (ours, theirs) = UnixStream::pair().expect("two ends");
        ours.set_nonblocking(true).expect("can be set");
        theirs.set_nonblocking(true).expect("can be set");
        let writer = thread::spawn(move || {
            let mut ours = Descriptor(ours);
            thread::sleep(Duration::from_millis(20));
            ours.write_all(&vec![b'a'; BYTES]).expect("is written");
        });
        let mut text = Vec::new();
        Descriptor(theirs).read_to_end(&mut text).expect("is read");
        writer.join().expect("no panic");
        assert_eq!(text.len(), BYTES);
    }
}
