//! Patterns of `stack_filter`. Terramate compiles them while it loads, after it has escaped backslashes and braces:
//! only a class of characters can then be wrong.

use std::iter::Peekable;
use std::str::Chars;

/// What Terramate's library for patterns reports of a pattern. `None`: it is valid.
pub(super) fn fault(pattern: &str) -> Option<String> {
    let escaped = pattern
        .replace('\\', r"\\")
        .replace('{', r"\{")
        .replace('}', r"\}");
    let mut chars = escaped.chars().peekable();
    // What it puts before a pattern that starts with neither `*` nor `/` ends with text.
    let mut in_text = true;
    while let Some(c) = chars.next() {
        let read = if c == '\\' { chars.next() } else { Some(c) };
        match (c, read) {
            // The library takes it for bytes that are not UTF-8.
            (_, Some('\u{fffd}')) => return Some("could not read rune".to_owned()),
            // It ends a text; where none precedes it, it ends the pattern.
            (_, Some('\0')) if !in_text => break,
            ('[', _) => {
                if let Err(fault) = class(&mut chars) {
                    return Some(fault);
                }
                in_text = false;
            }
            ('*' | '?' | '\0', _) => in_text = false,
            _ => in_text = true,
        }
    }
    None
}

/// Reads a class of characters after its bracket: one range, or some characters.
fn class(chars: &mut Peekable<Chars<'_>>) -> Result<(), String> {
    let mut c = read(chars)?;
    if c == '!' {
        c = read(chars)?;
    }
    if chars.next_if_eq(&'-').is_some() {
        let high = read(chars)?;
        if read(chars)? != ']' {
            return Err("expected close range character".to_owned());
        }
        if high < c {
            return Err(format!("hi character '{high}' should be greater than lo '{c}'"));
        }
        return Ok(());
    }
    if c == ']' {
        return Err("could not parse range".to_owned());
    }
    while c != ']' {
        if c == '\\' {
            read(chars)?;
        }
        c = read(chars)?;
    }
    Ok(())
}

fn read(chars: &mut Peekable<Chars<'_>>) -> Result<char, String> {
    let next = chars.next().filter(|c| !matches!(c, '\0' | '\u{fffd}'));
    next.ok_or_else(|| "unexpected end of input".to_owned())
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn patterns() {
        for valid in [
            "", "*", "**", "/a/**/b?", "a]", "{a", "}", "{a,b}", "\\", "[a]", "[^a]", "[!a]", "[a-z]",
            "[!a-z]", "[]-a]", "[-a]", "[a-a]", "[[]", "[{]", "[abc-]", "\\[a]", "[!!a]", "*\0[",
        ] {
            assert_eq!(fault(valid), None, "{valid}");
        }
        for (pattern, expected) in [
            ("[", "unexpected end of input"),
            ("a[b", "unexpected end of input"),
            ("[a-", "unexpected end of input"),
            ("[!]", "could not parse range"),
            ("[]", "could not parse range"),
            ("[]a]", "could not parse range"),
            ("[a-z0-9]", "expected close range character"),
            ("[a-{]", "expected close range character"),
            ("[z-a]", "hi character 'a' should be greater than lo 'z'"),
            ("[a-]", "unexpected end of input"),
            ("[a-]]", "hi character ']' should be greater than lo 'a'"),
            ("\0[", "unexpected end of input"),
            ("\u{fffd}", "could not read rune"),
        ] {
            assert_eq!(fault(pattern).as_deref(), Some(expected), "{pattern}");
        }
    }
}
