//! How the system gives the server its memory.

/// Asks the system for memory in small pages. With large pages, a hole of a few bytes keeps two megabytes, so that a
/// workspace takes half as much again; they save time only in the first second, and a server runs for a day. Commands
/// that exit at once keep large pages. If the system does not support this, nothing changes.
pub(crate) fn in_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
