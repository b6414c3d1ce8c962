//! Kinds of tokens, and the characters of identifiers and heredoc markers.

use crate::text::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hcl) enum Kind {
    Ident,
    Number,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    Newline,
    Dot,
    Ellipsis,
    Comma,
    Colon,
    DoubleColon,
    Question,
    Assign,
    Arrow,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Not,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    OpenQuote,
    CloseQuote,
    OpenHeredoc,
    CloseHeredoc,
    /// Literal text of a quoted template, with its escapes.
    Quoted,
    /// One line, or a piece of one, of a heredoc.
    Heredoc,
    /// `${` or `${~`.
    Interpolation,
    /// `%{` or `%{~`.
    Directive,
    /// The `}` or `~}` that ends either of the two.
    SequenceEnd,
    /// A character that is invalid in HCL.
    Invalid,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::hcl) struct Token {
    pub(in crate::hcl) kind: Kind,
    pub(in crate::hcl) span: Span,
}

pub(in crate::hcl) fn is_ident_start(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && unicode_ident::is_xid_start(c))
}

pub(in crate::hcl) fn is_ident_part(c: char) -> bool {
    c == '_' || c == '-' || c.is_ascii_alphanumeric() || (!c.is_ascii() && unicode_ident::is_xid_continue(c))
}

/// Whether `name` is valid as an attribute name or an unquoted label.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_ident_start) && chars.all(is_ident_part)
}

/// The marker of a heredoc that appears to open at the end of a line.
pub(in crate::hcl) fn heredoc_marker(line: &str) -> Option<&str> {
    let marker = line.get(line.rfind("<<")? + 2..)?;
    let marker = marker.strip_prefix('-').unwrap_or(marker);
    is_identifier(marker).then_some(marker)
}

/// Why a character is invalid at its position.
pub(in crate::hcl) fn invalid_character(c: char) -> String {
    match c {
        '\'' => "single quotes do not enclose text in HCL; use double quotes".to_owned(),
        '`' => "backticks do not enclose text in HCL; use double quotes or a heredoc".to_owned(),
        '“' | '”' | '„' => {
            "typographic quotes do not enclose text; use straight double quotes".to_owned()
        }
        ';' => "`;` does not separate anything in HCL; use a new line, or commas inside brackets".to_owned(),
        '&' => "unknown operator `&`: did you mean `&&`?".to_owned(),
        '|' => "unknown operator `|`: did you mean `||`?".to_owned(),
        '~' | '^' => format!("unknown operator `{c}`"),
        '\r' => "a carriage return must be followed by a line feed".to_owned(),
        c => format!("the character {} has no meaning here", c.escape_debug()),
    }
}
