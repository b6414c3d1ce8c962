//! Trees of files with marks in them, for tests.
