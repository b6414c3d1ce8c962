//! A part of a resolution that is computed on first use and then kept.

use std::fmt;
use std::ops::Deref;
use std::sync::LazyLock;

type Make<T> = Box<dyn FnOnce() -> T + Send>;

/// A value that is computed when it is first read. Diagnostics are needed after every keystroke; orders, units
/// and symbols only on hover and similar requests.
pub struct Lazy<T>(LazyLock<T, Make<T>>);

impl<T: Send + 'static> Lazy<T> {
    /// Computed by `make`, once, on the first read.
    #[must_use]
    pub fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(make)))
    }
}

impl<T: Default> Lazy<T> {
    /// The value, computed now if it was not read yet.
    #[must_use]
    pub fn into_inner(mut self) -> T {
        std::mem::take(LazyLock::force_mut(&mut self.0))
    }
}

impl<T: Send + 'static> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self::new(move || value)
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'a, T> IntoIterator for &'a Lazy<Vec<T>> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
