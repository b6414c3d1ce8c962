//! What is done beside the work that somebody waits for.

/// So few values are freed where they are.
const FREED_AT_ONCE: usize = 64;

/// Frees what holds so many values, on another thread where that takes its time.
pub(crate) fn drop_beside<T: Send + 'static>(count: usize, dropped: T) {
    if count > FREED_AT_ONCE {
        rayon::spawn(move || drop(dropped));
    }
}
