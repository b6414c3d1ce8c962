//! Which patterns Go's `regexp` 1.26 rejects, with its messages.
//!
//! The dialect is not a subset of that of any Rust crate: it accepts `[\d-z]` and `(?i-i)`, and rejects `\1`
//! and `(?x)`. Only the syntax is checked; nothing is ever matched.

mod class;
mod escape;
mod shape;

use shape::{Frame, Shape};

/// The largest number in `{n,m}`, and the largest product of nested ones.
const MOST_REPEATS: u32 = 1000;
/// The largest depth of the tree.
const MOST_HEIGHT: u64 = 1000;
/// The largest number of instructions: 128 MiB of 40 bytes each.
const MOST_SIZE: u64 = (128 << 20) / 40;

/// Why Go's `regexp.Compile` rejects a pattern; `None` if it accepts it.
#[must_use]
pub fn error(pattern: &str) -> Option<String> {
    let failure = parse(pattern).err()?;
    let Failure(code, expression) = failure;
    Some(format!("error parsing regexp: {code}: `{expression}`"))
}

/// Go's code of an error and the part of the pattern it names.
#[derive(Debug)]
struct Failure<'p>(&'static str, &'p str);

const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_RANGE: &str = "invalid character class range";
const BAD_NAME: &str = "invalid named capture";
const BAD_FLAGS: &str = "invalid or unsupported Perl syntax";
const BAD_NESTING: &str = "invalid nested repetition operator";
const BAD_COUNT: &str = "invalid repeat count";
const NO_BRACKET: &str = "missing closing ]";
const NO_PAREN: &str = "missing closing )";
const NOTHING_TO_REPEAT: &str = "missing argument to repetition operator";
const LONE_BACKSLASH: &str = "trailing backslash at end of expression";
const LONE_PAREN: &str = "unexpected )";
const TOO_DEEP: &str = "expression nests too deeply";
const TOO_LARGE: &str = "expression too large";

/// The part of `from` before its remainder `rest`.
fn consumed<'p>(from: &'p str, rest: &str) -> &'p str {
    from.get(..from.len() - rest.len()).unwrap_or(from)
}

/// The first character and the rest.
fn next(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|c| (c, chars.as_str()))
}

fn parse(pattern: &str) -> Result<(), Failure<'_>> {
    let mut outer: Vec<Frame> = Vec::new();
    let mut frame = Frame::default();
    let mut rest = pattern;
    // The repetition that ends directly before, up to the end of the pattern.
    let mut repetition: Option<&str> = None;
    let limited = |shape: Shape| match shape {
        s if s.size > MOST_SIZE => Err(Failure(TOO_LARGE, pattern)),
        s if s.height > MOST_HEIGHT => Err(Failure(TOO_DEEP, pattern)),
        s => Ok(s),
    };
    while let Some((first, behind)) = next(rest) {
        let before = repetition.take();
        rest = match first {
            '(' if behind.starts_with('?') => {
                let (opened, left) = flags(rest)?;
                if let Some(captures) = opened {
                    outer.push(std::mem::replace(&mut frame, Frame::group(captures)));
                }
                left
            }
            '(' => {
                outer.push(std::mem::replace(&mut frame, Frame::group(true)));
                behind
            }
            ')' => {
                let Some(around) = outer.pop() else {
                    return Err(Failure(LONE_PAREN, pattern));
                };
                let inner = std::mem::replace(&mut frame, around).closed();
                frame.push(limited(inner)?);
                behind
            }
            '|' => {
                frame.next_alternative();
                behind
            }
            '^' | '$' => {
                frame.push(Shape::POSITION);
                behind
            }
            '.' => {
                frame.push(Shape::CLASS);
                behind
            }
            '[' => {
                let left = class::bracketed(rest)?;
                frame.push(Shape::CLASS);
                left
            }
            '*' | '+' | '?' => {
                let left = lazy(behind);
                let one = Shape::starred(first);
                limited(repeat(&mut frame, one, rest, left, before)?)?;
                repetition = Some(rest);
                left
            }
            '{' => match counted(rest) {
                None => {
                    frame.push(Shape::LITERAL);
                    behind
                }
                Some((low, high, left)) => {
                    let wrong = low > MOST_REPEATS || high.is_some_and(|h| h > MOST_REPEATS || h < low);
                    if wrong {
                        return Err(Failure(BAD_COUNT, consumed(rest, left)));
                    }
                    let left = lazy(left);
                    let counts = |sub: Shape| sub.counted(low, high);
                    let shape = limited(repeat(&mut frame, counts, rest, left, before)?)?;
                    if (low >= 2 || high.is_some_and(|h| h >= 2)) && shape.repeats > MOST_REPEATS {
                        return Err(Failure(BAD_COUNT, consumed(rest, left)));
                    }
                    repetition = Some(rest);
                    left
                }
            },
            '\\' => escaped(&mut frame, rest)?,
            _ => {
                frame.push(Shape::LITERAL);
                behind
            }
        };
    }
    if !outer.is_empty() {
        return Err(Failure(NO_PAREN, pattern));
    }
    limited(frame.closed()).map(|_| ())
}

/// Wraps the last expression in a repetition that extends from `text` to `left`.
fn repeat<'p>(
    frame: &mut Frame,
    around: impl FnOnce(Shape) -> Shape,
    text: &'p str,
    left: &'p str,
    before: Option<&'p str>,
) -> Result<Shape, Failure<'p>> {
    if let Some(before) = before {
        return Err(Failure(BAD_NESTING, consumed(before, left)));
    }
    frame
        .repeat(around)
        .ok_or(Failure(NOTHING_TO_REPEAT, consumed(text, left)))
}

/// The rest after the `?` that makes a repetition lazy.
fn lazy(text: &str) -> &str {
    text.strip_prefix('?').unwrap_or(text)
}

/// The numbers of `{n}`, `{n,}` or `{n,m}`, unbounded without the second one, and the rest.
fn counted(text: &str) -> Option<(u32, Option<u32>, &str)> {
    let (low, left) = number(text.strip_prefix('{')?)?;
    if let Some(left) = left.strip_prefix('}') {
        return Some((low, Some(low), left));
    }
    let left = left.strip_prefix(',')?;
    if let Some(left) = left.strip_prefix('}') {
        return Some((low, None, left));
    }
    let (high, left) = number(left)?;
    Some((low, Some(high), left.strip_prefix('}')?))
}

/// A number without leading zeros, however large.
fn number(text: &str) -> Option<(u32, &str)> {
    let left = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = consumed(text, left);
    let well_formed = !digits.is_empty() && (digits.len() == 1 || !digits.starts_with('0'));
    well_formed.then(|| (digits.parse().unwrap_or(u32::MAX), left))
}

/// What `(?` opens: a group that captures or does not, or `None` if it sets flags for the rest of the enclosing
/// group.
fn flags(text: &str) -> Result<(Option<bool>, &str), Failure<'_>> {
    let longer = |by: usize| text.len() > by;
    let named = ["(?P<", "(?<"]
        .into_iter()
        .find(|p| text.starts_with(p) && longer(p.len()));
    if let Some(prefix) = named {
        let Some(end) = text.find('>') else {
            return Err(Failure(BAD_NAME, text));
        };
        let (capture, left) = text.split_at_checked(end + 1).unwrap_or((text, ""));
        let name = text.get(prefix.len()..end).unwrap_or("");
        if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return Err(Failure(BAD_NAME, capture));
        }
        return Ok((Some(true), left));
    }
    let mut rest = text.strip_prefix("(?").unwrap_or("");
    let (mut negative, mut seen) = (false, false);
    while let Some((flag, left)) = next(rest) {
        rest = left;
        match flag {
            'i' | 'm' | 's' | 'U' => seen = true,
            '-' if !negative => (negative, seen) = (true, false),
            ':' | ')' if !negative || seen => return Ok(((flag == ':').then_some(false), rest)),
            _ => break,
        }
    }
    Err(Failure(BAD_FLAGS, consumed(text, rest)))
}

/// What a backslash outside a class begins.
fn escaped<'p>(frame: &mut Frame, text: &'p str) -> Result<&'p str, Failure<'p>> {
    let pair = text.get(..2).unwrap_or("");
    let behind = text.get(2..).unwrap_or("");
    Ok(match pair {
        r"\A" | r"\b" | r"\B" | r"\z" => {
            frame.push(Shape::POSITION);
            behind
        }
        r"\C" => return Err(Failure(BAD_ESCAPE, pair)),
        r"\Q" => {
            let (quoted, left) = behind.split_once(r"\E").unwrap_or((behind, ""));
            quoted.chars().for_each(|_| frame.push(Shape::LITERAL));
            left
        }
        _ => match escape::class(text)? {
            Some(left) => {
                frame.push(Shape::CLASS);
                left
            }
            None => {
                let (_, left) = escape::character(text)?;
                frame.push(Shape::LITERAL);
                left
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::error;

    /// Each line is the result of Go 1.26 itself.
    #[test]
    fn patterns_are_judged_as_go_judges_them() {
        let accepted = [
            "",
            "prod-.*",
            "^a$",
            "[]a]",
            "[^]a]",
            "a{2,3}?",
            r"\d+\.",
            "(?i)x",
            "[[:alpha:]]",
            "a{,3}",
            "x{",
            r"\Q[\E",
            r"\Q",
            "[a&&b]",
            "[[a]]",
            "(?P<n>a)",
            "(?<n>a)(?<n>b)",
            "(?P<1a>x)",
            r"\pL",
            r"\p{greek}",
            r"\p{^Lu}",
            r"\p{upper case-letter}",
            r"[\d-z]",
            "(?i-i)",
            "(?)",
            "(?:)*",
            "()*",
            "^*",
            r"\b+",
            r"a\Q\E*",
            "a(?i)*",
            "a{01}",
            "(a{0,}){1000}",
            "(a{0}){1000}",
            "(?:a{500}){1,2}",
            r"\08",
            "[a-]",
            "[--a]",
            "[^[:^alpha:]-z]",
            "|",
            "(|)",
            r"\_",
            "[a~~b]",
            r"\x{10FFFF}",
            "é+",
        ];
        for pattern in accepted {
            assert_eq!(error(pattern), None, "{pattern}");
        }
        let rejected = [
            ("[", "missing closing ]: `[`"),
            ("a[^]", "missing closing ]: `[^]`"),
            ("[[:alpha:]", "missing closing ]: `[[:alpha:]`"),
            ("b(", "missing closing ): `b(`"),
            ("(?P<n>", "missing closing ): `(?P<n>`"),
            ("a)b", "unexpected ): `a)b`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("a|*?b", "missing argument to repetition operator: `*?`"),
            (r"\Q\E*", "missing argument to repetition operator: `*`"),
            ("(?i)*", "missing argument to repetition operator: `*`"),
            ("x**y", "invalid nested repetition operator: `**`"),
            ("x*?+?y", "invalid nested repetition operator: `*?+?`"),
            ("a{2}{3}?", "invalid nested repetition operator: `{2}{3}?`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a{1,123456789012}", "invalid repeat count: `{1,123456789012}`"),
            ("((a{2}){2}){251}", "invalid repeat count: `{251}`"),
            ("(a{2,}b{700}){2}?", "invalid repeat count: `{2}?`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?x)a b", "invalid or unsupported Perl syntax: `(?x`"),
            ("(?i-)a", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?P=n)", "invalid or unsupported Perl syntax: `(?P`"),
            ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
            ("(?<é>a)", "invalid named capture: `(?<é>`"),
            ("(?<n", "invalid named capture: `(?<n`"),
            ("[b-a]", "invalid character class range: `b-a`"),
            ("[a-[:digit:]]", "invalid character class range: `a-[`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            (r"\p{Foo}x", r"invalid character class range: `\p{Foo}`"),
            (r"\p{x", r"invalid character class range: `\p{x`"),
            (r"a\p", r"invalid character class range: `\p`"),
            (
                r"\p{Old_Italic}",
                r"invalid character class range: `\p{Old_Italic}`",
            ),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\18", r"invalid escape sequence: `\1`"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"\E", r"invalid escape sequence: `\E`"),
            (r"[\Qa]", r"invalid escape sequence: `\Q`"),
            (r"[\b]", r"invalid escape sequence: `\b`"),
            (r"\x4", r"invalid escape sequence: `\x4`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\x{}", r"invalid escape sequence: `\x{}`"),
            (r"\é", r"invalid escape sequence: `\é`"),
            (r"a\", "trailing backslash at end of expression: ``"),
        ];
        for (pattern, message) in rejected {
            let message = format!("error parsing regexp: {message}");
            assert_eq!(error(pattern).as_deref(), Some(&*message), "{pattern}");
        }
    }

    #[test]
    fn patterns_have_a_largest_depth_and_size() {
        let nested = |open: &str, n: usize| format!("{}a{}", open.repeat(n), ")".repeat(n));
        let code = |pattern: &str| error(pattern).map(|e| e.split(": ").nth(1).unwrap_or("").to_owned());
        assert_eq!(code(&nested("(", 999)), None);
        assert_eq!(
            code(&nested("(", 1000)).as_deref(),
            Some("expression nests too deeply")
        );
        assert_eq!(code(&nested("(?:", 5000)), None);
        let repeated = |n: usize| format!("(?:{}){{1000}}", ".".repeat(n));
        assert_eq!(code(&repeated(3300)), None);
        assert_eq!(code(&repeated(3500)).as_deref(), Some("expression too large"));
    }
}
