//! Exit codes, and why a command could not give its answer.

use std::io;

/// What a command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: the answer is yes, or nothing was found.
    Yes,
    /// 1: the answer is no, or something was found.
    No,
    /// 2: the run itself failed, or an input could not be read; what could be had was printed.
    Failed,
    /// The code of an engine that was started, or why it was not: 125 (findings, refusal), 126 (it cannot be
    /// executed), 127 (it was not found).
    Code(u8),
}

impl Exit {
    /// The number.
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
    /// A sentence for the user.
    Message(String),
    /// Whoever read our output went away.
    BrokenPipe,
}

impl Failure {
    /// With a sentence for the user.
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
