//! URLs as Go's `net/url` parses them, with its error messages.
//!
//! Rules: RFC 3986 and RFC 6874 as `url.Parse` (Go 1.26) applies them. Unescaped parts need not be UTF-8.

use super::{ip, quote};

/// A URL in its parts, as Go's `url.URL` has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// In lower case, without its colon; empty in a relative reference.
    pub scheme: String,
    /// What follows the scheme if that is not `/`.
    pub opaque: String,
    /// The part before the `@`.
    pub user: Option<User>,
    /// Host and port, with the brackets of an IPv6 address.
    pub host: Vec<u8>,
    /// The path without its escapes.
    pub path: Vec<u8>,
    /// The path as it was written, if its default encoding differs.
    pub raw_path: String,
    /// Whether the text has a `?` with nothing after it.
    pub force_query: bool,
    /// What follows the `?`, as it was written.
    pub raw_query: String,
    /// What follows the `#`, without its escapes.
    pub fragment: Vec<u8>,
    /// The fragment as it was written, if its default encoding differs.
    pub raw_fragment: String,
}

/// A name and a password, without their escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: Vec<u8>,
    /// The password, if there is a colon.
    pub password: Option<Vec<u8>>,
}

/// Parses a URL.
///
/// # Errors
/// The text of Go's error: `parse "…": …`.
pub fn parse(text: &str) -> Result<Url, String> {
    let said = |url: &str, why: String| format!("parse {}: {why}", quote(url.as_bytes()));
    let (main, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = parse_main(main).map_err(|why| said(main, why))?;
    let decoded = unescape(fragment.as_bytes(), Part::Fragment).map_err(|why| said(text, why))?;
    if escape(&decoded, Part::Fragment) != fragment {
        fragment.clone_into(&mut url.raw_fragment);
    }
    url.fragment = decoded;
    Ok(url)
}

fn parse_main(text: &str) -> Result<Url, String> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        url.path = b"*".to_vec();
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.force_query = text.ends_with('?') && query.is_empty();
    query.clone_into(&mut url.raw_query);

    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            rest.clone_into(&mut url.opaque);
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let mut path = rest;
    if let Some(behind) = rest.strip_prefix("//")
        && (!url.scheme.is_empty() || !behind.starts_with('/'))
    {
        let (authority, behind) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
        (url.user, url.host) = parse_authority(&url.scheme, authority)?;
        path = behind;
    }
    url.path = unescape(path.as_bytes(), Part::Path)?;
    if escape(&url.path, Part::Path) != path {
        path.clone_into(&mut url.raw_path);
    }
    Ok(url)
}

/// The scheme and what follows its colon. Without a valid scheme, everything is the rest.
fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    let Some((scheme, rest)) = text.split_once(':') else {
        return Ok(("", text));
    };
    let Some(first) = scheme.bytes().next() else {
        return Err("missing protocol scheme".to_owned());
    };
    let named = scheme
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if first.is_ascii_alphabetic() && named {
        Ok((scheme, rest))
    } else {
        Ok(("", text))
    }
}

fn parse_authority(scheme: &str, authority: &str) -> Result<(Option<User>, Vec<u8>), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, parse_host(scheme, authority)?));
    };
    let host = parse_host(scheme, host)?;
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    if !user.bytes().all(allowed) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = match user.split_once(':') {
        Some((name, password)) => (name, Some(password)),
        None => (user, None),
    };
    let name = unescape(name.as_bytes(), Part::User)?;
    let password = password.map(|p| unescape(p.as_bytes(), Part::User)).transpose()?;
    Ok((Some(User { name, password }), host))
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // For HTTP only, no other colon is allowed before the port.
    let colon = if matches!(scheme, "http" | "https") {
        host.find(':')
    } else {
        host.rfind(':')
    };
    if let Some(colon) = colon {
        check_port(host.get(colon..).unwrap_or(""))?;
    }
    unescape(host.as_bytes(), Part::Host)
}

/// An IPv6 address in brackets, and a port.
fn parse_literal(host: &str) -> Result<Vec<u8>, String> {
    let Some((address, port)) = host.strip_prefix('[').and_then(|h| h.rsplit_once(']')) else {
        return Err("missing ']' in host".to_owned());
    };
    check_port(port)?;
    let (address, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
    let mut literal = unescape(address.as_bytes(), Part::Host)?;
    literal.extend(unescape(zone.as_bytes(), Part::Zone)?);
    match ip::parse(&literal) {
        Err(why) => return Err(format!("invalid host: {why}")),
        Ok(ip::Family::V4) => return Err("invalid IP-literal".to_owned()),
        Ok(ip::Family::V6) => {}
    }
    Ok([b"[", &*literal, b"]", port.as_bytes()].concat())
}

/// Nothing, or a colon and digits, or a colon alone.
fn check_port(port: &str) -> Result<(), String> {
    let digits = port.strip_prefix(':');
    if port.is_empty() || digits.is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quote(port.as_bytes())))
}

/// The parts of a URL that differ in what must be escaped in them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    /// The zone of an IPv6 address.
    Zone,
    User,
    Path,
    Fragment,
}

impl Part {
    /// Whether a byte needs no escape here.
    fn takes(self, byte: u8) -> bool {
        let signs: &[u8] = match self {
            Self::Host | Self::Zone => b"!\"$&'()*+,:;<=>[]",
            Self::User => b"$&+,;=",
            Self::Path => b"$&+,/:;=@",
            Self::Fragment => b"!$&()*+,/:;=?@",
        };
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || signs.contains(&byte)
    }
}

fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let wrong = |at: &[u8]| {
        let escape = at.get(..3).unwrap_or(at);
        Err(format!("invalid URL escape {}", quote(escape)))
    };
    let in_host = matches!(part, Part::Host | Part::Zone);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        if *first != b'%' {
            if in_host && first.is_ascii() && !part.takes(*first) {
                let character = quote(&[*first]);
                return Err(format!("invalid character {character} in host name"));
            }
            out.push(*first);
            rest = behind;
            continue;
        }
        let [high, low, behind @ ..] = behind else {
            return wrong(rest);
        };
        let (Some(high), Some(low)) = (hex(*high), hex(*low)) else {
            return wrong(rest);
        };
        let byte = high * 16 + low;
        let allowed = match part {
            // An escape in a host may encode no ASCII but the percent sign of a zone.
            Part::Host => byte >= 0x80 || byte == b'%',
            Part::Zone => byte == b'%' || byte == b' ' || part.takes(byte),
            _ => true,
        };
        if !allowed {
            return wrong(rest);
        }
        out.push(byte);
        rest = behind;
    }
    Ok(out)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

fn escape(bytes: &[u8], part: Part) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if part.takes(*byte) {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_parts() {
        let url = parse("OP://u%40:p@[fe80::1%25en%200]:80/a%2Fb/<?q#f%20<").unwrap();
        assert_eq!(url.scheme, "op");
        assert_eq!(url.host, b"[fe80::1%en 0]:80");
        assert_eq!((&*url.path, &*url.raw_path), (&b"/a/b/<"[..], "/a%2Fb/<"));
        assert_eq!((&*url.raw_query, &*url.fragment), ("q", &b"f <"[..]));
        assert_eq!(url.raw_fragment, "f%20<");
        let user = url.user.unwrap();
        assert_eq!((user.name, user.password), (b"u@".to_vec(), Some(b"p".to_vec())));
        let url = parse("op://</v/i?").unwrap();
        assert_eq!(
            (&*url.host, &*url.path, url.force_query),
            (&b"<"[..], &b"/v/i"[..], true)
        );
        assert_eq!(parse("mailto:a@b").unwrap().opaque, "a@b");
        assert_eq!(parse("op://h/v/i#\u{7f}").unwrap().fragment, b"\x7f");
    }

    #[test]
    fn errors_have_the_text_of_go() {
        for (text, why) in [
            (
                "op://h:x/v/i",
                "parse \"op://h:x/v/i\": invalid port \":x\" after host",
            ),
            ("op://[/v/i", "parse \"op://[/v/i\": missing ']' in host"),
            (
                "op://%20/v/i",
                "parse \"op://%20/v/i\": invalid URL escape \"%20\"",
            ),
            (
                "op://@[v1]/v/i",
                "parse \"op://@[v1]/v/i\": invalid host: ParseAddr(\"v1\"): unable to parse IP",
            ),
            (
                "op://h/%aé",
                "parse \"op://h/%aé\": invalid URL escape \"%a\\xc3\"",
            ),
            (":x", "parse \":x\": missing protocol scheme"),
            (
                "1:x",
                "parse \"1:x\": first path segment in URL cannot contain colon",
            ),
            (
                "a\n#f",
                "parse \"a\\n\": net/url: invalid control character in URL",
            ),
            ("a#%", "parse \"a#%\": invalid URL escape \"%\""),
            (
                "op://a^/",
                "parse \"op://a^/\": invalid character \"^\" in host name",
            ),
        ] {
            assert_eq!(parse(text), Err(why.to_owned()));
        }
    }
}
