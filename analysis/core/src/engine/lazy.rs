//! A part of a resolution that is made when somebody asks for it, and then kept.

use std::fmt;
use std::ops::Deref;
use std::sync::LazyLock;

type Make<T> = Box<dyn FnOnce() -> T + Send>;

/// A value that is made when it is first read. Diagnostics are wanted after every keystroke; orders, units
/// and symbols when somebody points at something.
pub struct Lazy<T>(LazyLock<T, Make<T>>);

impl<T: Send + 'static> Lazy<T> {
    /// Made by `make`, once, by whoever reads it first.
    #[must_use]
    pub fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(make)))
    }
}

impl<T: Default> Lazy<T> {
    /// The value, made now where nobody has read it yet.
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
