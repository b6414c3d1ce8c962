//! The meaning of a row as a glyph and a color; never by color alone.

use crate::look::{Look, Style};

/// The meaning of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Error,
    Cycle,
    Lost,
    Changed,
    Gained,
    Ok,
    Unknown,
    Plain,
}

impl Mark {
    /// Its glyph, without color.
    pub(super) fn glyph(self, look: Look) -> &'static str {
        look.glyph(match self {
            Self::Error => "✗",
            Self::Cycle => "↻",
            Self::Lost => "−",
            Self::Changed => "!",
            Self::Gained => "+",
            Self::Ok => "✓",
            Self::Unknown => "?",
            Self::Plain => " ",
        })
    }

    /// A text in its color.
    pub(super) fn paint(self, look: Look, text: &str) -> String {
        let style = match self {
            Self::Error | Self::Cycle | Self::Lost => Style::Bad,
            Self::Changed | Self::Unknown => Style::Doubtful,
            Self::Gained | Self::Ok => Style::Good,
            Self::Plain => Style::Bold,
        };
        look.paint(style, text)
    }

    /// Its glyph in its color.
    pub(super) fn shown(self, look: Look) -> String {
        self.paint(look, self.glyph(look))
    }
}
