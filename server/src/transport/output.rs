//! Standard output.

use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

/// Standard output, written immediately and in the pump's own thread.
///
/// A write blocks while the client does not read. This cannot cause a deadlock: input is read by a separate thread, and
/// the owner's queue is unbounded, so a client that writes and a server that writes cannot wait for each other.
pub(crate) struct Output;

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let mut stdout = std::io::stdout().lock();
        Poll::Ready(
            stdout
                .write_all(bytes)
                .and_then(|()| stdout.flush())
                .map(|()| bytes.len()),
        )
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(std::io::stdout().lock().flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.poll_flush(cx)
    }
}

/// Writes whole messages to standard output, between those that the pump writes: what [`Output`] is given at once is whole
/// messages too. An error says that the client has gone, and the input tells that as well.
pub(crate) fn write(messages: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    drop(stdout.write_all(messages).and_then(|()| stdout.flush()));
}
