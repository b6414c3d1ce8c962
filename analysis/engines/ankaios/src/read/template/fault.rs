//! Why a text is not a template, in our words and as the library's message.

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateFault {
    /// Our text.
    pub(crate) words: Box<str>,
    /// The library's message.
    pub(crate) said: Box<str>,
    /// The place.
    pub(crate) place: u32,
}

/// What the library expected if a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SyntaxFault {
    /// A name.
    Name,
    /// The end of a tag, or more values.
    End,
    /// The end of a tag, more values, or the block parameters.
    BlockEnd,
    /// The end of a tag, and no values.
    Close,
    /// The end of a tag in three braces.
    TripleEnd,
    /// A name after a dot or another beginning of a path, in the library's notation.
    Step(&'static str),
    /// The end of a block.
    Open(Box<str>),
    /// `{{else}}` outside a block; what the library expected there, in its notation.
    Else(&'static str),
    /// The end of a raw block.
    Raw,
    /// The end of a block with another name.
    Mismatch(Box<str>, Box<str>),
    /// The end of a partial or decorator with another name.
    DecoratorMismatch(Box<str>, Box<str>),
    /// A value that looks like one and is not valid.
    Value(Box<str>),
}

impl SyntaxFault {
    /// Our text, and the library's.
    fn words(&self) -> (String, String) {
        let syntax = |words: &str| format!("invalid handlebars syntax: {words}");
        match self {
            Self::Name => (
                "a name is missing".to_owned(),
                syntax(
                    "expected identifier, subexpression, leading_tilde_to_omit_whitespace, or path_inline",
                ),
            ),
            Self::End => (
                "`}}` is missing".to_owned(),
                syntax("expected identifier, helper_parameter, or trailing_tilde_to_omit_whitespace"),
            ),
            Self::BlockEnd => (
                "`}}` is missing".to_owned(),
                syntax(
                    "expected identifier, helper_parameter, block_param, or trailing_tilde_to_omit_whitespace",
                ),
            ),
            Self::Close => (
                "`}}` is missing".to_owned(),
                syntax("expected trailing_tilde_to_omit_whitespace"),
            ),
            Self::TripleEnd => (
                "`}}}` is missing".to_owned(),
                syntax("expected trailing_tilde_to_omit_whitespace"),
            ),
            Self::Step(expected) => (
                match *expected {
                    "path_id" => "a name is missing behind a dot".to_owned(),
                    "helper_parameter" => "a value is missing behind `=`".to_owned(),
                    "identifier" => "a name is missing behind `as |`".to_owned(),
                    "string_literal" => "a key in quotes is missing behind `{` or `,`".to_owned(),
                    "literal" => "a value is missing".to_owned(),
                    "identifier or path_inline" => "a name is missing behind `(`".to_owned(),
                    _ => "a name is missing in a path".to_owned(),
                },
                syntax(&format!("expected {expected}")),
            ),
            Self::Open(name) => (
                format!("`{{{{#{name}}}}}` is never closed"),
                syntax(
                    "expected escape, expression, html_expression, decorator_expression, partial_expression, \
                     invert_tag, invert_chain_tag, helper_block_start, helper_block_end, decorator_block_start, \
                     partial_block_start, raw_block_start, hbs_comment, or hbs_comment_compact",
                ),
            ),
            Self::Else(expected) => ("`{{else}}` outside of a block".to_owned(), syntax(expected)),
            Self::Raw => (
                "`{{{{` is never closed".to_owned(),
                syntax("expected escape or raw_block_end"),
            ),
            Self::Mismatch(open, close) => (
                format!("`{{{{#{open}}}}}` is closed by `{{{{/{close}}}}}`"),
                format!("helper {open:?} was opened, but {close:?} is closing"),
            ),
            Self::DecoratorMismatch(open, close) => (
                format!("the block `{open}` is closed by `{{{{/{close}}}}}`"),
                format!("decorator {open:?} was opened, but {close:?} is closing"),
            ),
            Self::Value(text) => (
                format!("`{text}` is no value"),
                format!("invalid parameter {text:?}"),
            ),
        }
    }

    /// With the place in the text, as the library shows it.
    pub(super) fn fault(&self, text: &str, at: usize, place: u32) -> TemplateFault {
        let (words, reason) = self.words();
        if let Self::Value(_) = self {
            return TemplateFault {
                words: words.into(),
                said: reason.into(),
                place,
            };
        }
        let (line, column) = position(text, at);
        let mut shown = String::new();
        for (number, content) in text.lines().enumerate() {
            if number + 3 < line || number > line + 3 {
                continue;
            }
            shown.push_str(&format!("{number:4} | {content}\n"));
            if number + 1 == line {
                let marks = (0..content.len()).map(|c| if c == column { '^' } else { '-' });
                shown.push_str(&format!("     |{}\n", marks.collect::<String>()));
            }
        }
        let said = format!(
            "Template error: {reason}\n    --> Template error in \"Unnamed\":{line}:{column}\n     |\n{shown}     |\n     = reason: {reason}\n"
        );
        TemplateFault {
            words: words.into(),
            said: said.into(),
            place,
        }
    }
}

/// Line and column of an offset, from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}
