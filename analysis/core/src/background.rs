//! Work moved off the thread that a caller is waiting for.

/// Up to this many values are freed on the current thread.
const FREED_AT_ONCE: usize = 64;

/// Frees what holds `count` values, on another thread if that takes long.
pub(crate) fn drop_in_background<T: Send + 'static>(count: usize, dropped: T) {
    if count > FREED_AT_ONCE {
        rayon::spawn(move || drop(dropped));
    }
}
