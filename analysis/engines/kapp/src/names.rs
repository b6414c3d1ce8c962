//! Change group names: Kubernetes qualified names without a limit on the name part (kapp, group names).

use applyorder_syntax::template::quote;

/// The rule for names, in kapp's words.
const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
/// The rule for prefixes, in kapp's words.
const PREFIX_RULE: &str = "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
/// The longest prefix, in bytes.
const MAX_PREFIX: usize = 253;

/// Which part of a group name is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The name is empty.
    Whole,
    /// What precedes the slash.
    Prefix,
    /// What follows the slash, or all of it.
    Name,
    /// There is more than one slash.
    Slashes,
}

/// Checks a group name after placeholders were replaced.
///
/// # Errors
/// kapp's message, and the first part that is wrong.
pub(crate) fn check(name: &str) -> Result<(), (String, Part)> {
    if name.is_empty() {
        return Err(("Expected non-empty group name".to_owned(), Part::Whole));
    }
    // Most are valid; the message is only built for those that are not.
    let is_good = match name.split_once('/') {
        Some((prefix, local)) => prefix.len() <= MAX_PREFIX && is_subdomain(prefix) && is_local(local),
        None => is_local(name),
    };
    if is_good {
        return Ok(());
    }
    let mut parts = name.split('/');
    let (first, second, more) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let mut faults: Vec<&str> = Vec::new();
    let mut part = Part::Name;
    let whole;
    if more.is_some() {
        whole = format!(
            "a qualified name {NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        );
        faults.push(&whole);
        part = Part::Slashes;
    }
    let name_rule = format!("name part {NAME_RULE}");
    if faults.is_empty() {
        let (prefix, local) = match second {
            Some(local) => (Some(first), local),
            None => (None, first),
        };
        if let Some(prefix) = prefix {
            if prefix.is_empty() {
                faults.push("prefix part must be non-empty");
            } else {
                if prefix.len() > MAX_PREFIX {
                    faults.push("prefix part must be no more than 253 characters");
                }
                if !is_subdomain(prefix) {
                    faults.push(PREFIX_RULE);
                }
            }
            if !faults.is_empty() {
                part = Part::Prefix;
            }
        }
        if local.is_empty() {
            faults.push("name part must be non-empty");
        }
        if !is_local(local) {
            faults.push(&name_rule);
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Expected change group name {} to be a qualified name: {}",
        quote(name),
        faults.join("; ")
    );
    Err((message, part))
}

fn is_local(name: &str) -> bool {
    let ends = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    ends(name.bytes().next())
        && ends(name.bytes().next_back())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn is_subdomain(name: &str) -> bool {
    let alnum = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    name.as_bytes().split(|b| *b == b'.').all(|label| {
        label.first().is_some_and(alnum)
            && label.last().is_some_and(alnum)
            && label.iter().all(|b| alnum(b) || *b == b'-')
    })
}

/// A valid name close to an invalid one: the prefix in lower case, invalid characters replaced, slashes after
/// the first too. `None` if nothing remains.
pub(crate) fn repaired(name: &str) -> Option<String> {
    let (prefix, local) = match name.split_once('/') {
        Some((prefix, local)) => (Some(prefix), local),
        None => (None, name),
    };
    let clean = |text: &str, dots: &str| -> String {
        let text: String = text
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || dots.contains(c) {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        text.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned()
    };
    let local = clean(local, "-_.");
    let prefix = prefix
        .map(|p| clean(&p.to_ascii_lowercase(), "-."))
        .filter(|p| !p.is_empty());
    let repaired = match prefix {
        Some(prefix) => format!("{prefix}/{local}"),
        None => local,
    };
    (repaired != name && check(&repaired).is_ok()).then_some(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_of_any_length_pass() {
        for name in ["a", "A.b_c-1", "big.co/x", "a-b.c/9", &"n".repeat(400)] {
            assert!(check(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn every_fault_is_named_and_in_order() {
        let text = |name: &str| check(name).unwrap_err().0;
        assert_eq!(text(""), "Expected non-empty group name");
        assert!(text("/x").ends_with("prefix part must be non-empty"));
        assert!(text("Big.co/x").contains("name: prefix part a lowercase RFC 1123"));
        assert!(text("a/b/c").contains("name: a qualified name must consist"));
        let long = text(&format!("{}/", "p".repeat(254)));
        let at = |part: &str| long.find(part).unwrap();
        assert!(at("no more than 253") < at("name part must be non-empty"));
        assert!(at("name part must be non-empty") < at("name part must consist"));
        assert_eq!(check("x/-").unwrap_err().1, Part::Name);
    }

    #[test]
    fn a_repaired_name_is_valid() {
        assert_eq!(repaired("Big.co/My Group").as_deref(), Some("big.co/My-Group"));
        assert_eq!(repaired("a/b/c").as_deref(), Some("a/b-c"));
        assert_eq!(repaired("-"), None);
    }
}
