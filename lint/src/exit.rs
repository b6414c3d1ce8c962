//! Exit codes, and why a command could not answer.

use std::io;

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: the answer is yes, or nothing was found.
    Yes,
    /// 1: the answer is no, or something was found.
    No,
    /// 2: the run itself failed, or an input could not be read; partial results were still printed.
    Failed,
    /// The exit code of the started engine, or the reason that it was not started: 125 (findings, rejection), 126 (it
    /// cannot be executed), 127 (it was not found).
    Code(u8),
}

impl Exit {
    /// The numeric exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Failed => 2,
            Self::Code(code) => code,
        }
    }
}

/// Why a command gave no answer.
#[derive(Debug)]
pub enum Failure {
    /// A message for the user.
    Message(String),
    /// The reader of our output closed it.
    BrokenPipe,
}

impl Failure {
    /// With a message for the user.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Message(message.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::BrokenPipe
        } else {
            Self::Message(format!("the output cannot be written: {error}"))
        }
    }
}
