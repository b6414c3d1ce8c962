//! How the system gives the server its memory.

/// Asks the system for memory in small pages. In large ones a hole of a few bytes keeps two megabytes, so that a
/// workspace takes half as much again; what they save in time is a matter of the first second, and a server stays for a
/// day. Commands that end at once keep the large ones. Where this is not to be had nothing changes.
pub(crate) fn in_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
