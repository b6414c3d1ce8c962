//! IP addresses as Go's `net/netip` reads them; the host of a URL in brackets must be one.
//!
//! Rules: RFC 4291 section 2.2 and RFC 6874, in the order in which `ParseAddr` (Go 1.26) applies them.

use super::quote;

/// Which kind of address a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    V4,
    V6,
}

/// The family of an address.
///
/// # Errors
/// The message of `ParseAddr`, if it is not one.
pub(super) fn parse(text: &[u8]) -> Result<Family, String> {
    let problem = match text.iter().find(|b| matches!(b, b'.' | b':' | b'%')) {
        Some(b'.') => fields_of_v4(text).map(|()| Family::V4),
        Some(b':') => v6(text).map(|()| Family::V6),
        Some(_) => Err(Problem::new("missing IPv6 address")),
        None => Err(Problem::new("unable to parse IP")),
    };
    problem.map_err(|Problem { message, at }| {
        let at = if at.is_empty() {
            String::new()
        } else {
            format!(" (at {})", quote(at))
        };
        format!("ParseAddr({}): {message}{at}", quote(text))
    })
}

struct Problem<'a> {
    message: &'static str,
    /// The rest of the text there; empty if it is not reported.
    at: &'a [u8],
}

impl<'a> Problem<'a> {
    fn new(message: &'static str) -> Self {
        Self { message, at: &[] }
    }

    fn at(message: &'static str, at: &'a [u8]) -> Self {
        Self { message, at }
    }
}

fn fields_of_v4(text: &[u8]) -> Result<(), Problem<'_>> {
    let mut dots = 0;
    let mut value = 0u32;
    let mut digits = 0;
    for (i, byte) in text.iter().enumerate() {
        let rest = text.get(i..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(Problem::new("IPv4 field has octet with leading zero"));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(Problem::new("IPv4 field has value >255"));
                }
            }
            b'.' => {
                if digits == 0 || rest.len() == 1 {
                    return Err(Problem::at("IPv4 field must have at least one digit", rest));
                }
                if dots == 3 {
                    return Err(Problem::new("IPv4 address too long"));
                }
                dots += 1;
                (value, digits) = (0, 0);
            }
            _ => return Err(Problem::at("unexpected character", rest)),
        }
    }
    if dots < 3 {
        return Err(Problem::new("IPv4 address too short"));
    }
    Ok(())
}

/// Bytes of an address; each group is two of them.
const BYTES: usize = 16;

fn v6(text: &[u8]) -> Result<(), Problem<'_>> {
    let mut rest = text;
    if let Some(percent) = text.iter().position(|b| *b == b'%') {
        rest = text.get(..percent).unwrap_or_default();
        if percent + 1 == text.len() {
            return Err(Problem::new("zone must be a non-empty string"));
        }
    }
    let mut gap = false;
    if let Some(behind) = rest.strip_prefix(b"::") {
        gap = true;
        rest = behind;
        if rest.is_empty() {
            return Ok(());
        }
    }
    let mut filled = 0;
    while filled < BYTES {
        let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if digits > 4 {
            return Err(Problem::at("each group must have 4 or less digits", rest));
        }
        if digits == 0 {
            let message = "each colon-separated field must have at least one digit";
            return Err(Problem::at(message, rest));
        }
        if rest.get(digits) == Some(&b'.') {
            if !gap && filled != 12 {
                let message = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(Problem::at(message, rest));
            }
            if filled + 4 > BYTES {
                let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(Problem::at(message, rest));
            }
            fields_of_v4(rest)?;
            rest = &[];
            filled += 4;
            break;
        }
        filled += 2;
        rest = rest.get(digits..).unwrap_or_default();
        rest = match rest {
            [] => break,
            [b':'] => return Err(Problem::at("colon must be followed by more characters", rest)),
            [b':', behind @ ..] => behind,
            _ => return Err(Problem::at("unexpected character, want colon", rest)),
        };
        if let [b':', behind @ ..] = rest {
            if gap {
                return Err(Problem::at("multiple :: in address", rest));
            }
            gap = true;
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
    }
    match (rest.is_empty(), filled < BYTES, gap) {
        (false, ..) => Err(Problem::at("trailing garbage after address", rest)),
        (true, true, false) => Err(Problem::new("address string too short")),
        (true, false, true) => Err(Problem::new("the :: must expand to at least one field of zeros")),
        _ => Ok(()),
    }
}
