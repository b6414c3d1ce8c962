//! Tags and tag filters.
//!
//! Source: Terramate 0.17.2, "Whole-project validation" (tags) and "Resolving entries" (filter grammar).

use applyorder_syntax::go;

/// What is wrong with a tag, as Terramate's message: the first of its characters that is not allowed. The empty
/// tag is valid.
pub(crate) fn check(tag: &str) -> Result<(), String> {
    // Terramate recognizes the last character by its byte offset: it never finds one of several bytes.
    let last = tag.len().saturating_sub(1);
    let is_edge = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase();
    let wrong = tag.char_indices().find_map(|(at, c)| match at {
        _ if is_edge(c) => None,
        0 => Some("tags must start with lowercase alphanumeric ([0-9a-z])"),
        _ if at == last => Some("tags must end with lowercase alphanumeric ([0-9a-z])"),
        _ if "._/-".contains(c) => None,
        _ => Some("[a-z._-/] are the only permitted characters in tags"),
    });
    wrong.map_or(Ok(()), |words| {
        Err(format!("{}: {words}", go::quote(tag.as_bytes())))
    })
}

/// A parsed filter: any of the groups matches, a group if all of its tags are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Filter {
    any: Vec<Vec<String>>,
}

impl Filter {
    /// Reads `a:b,c`: `,` is or, `:` is and, and binds tighter.
    ///
    /// # Errors
    /// Terramate's message for the first invalid tag.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut any = Vec::new();
        for part in text.split(',').filter(|p| !p.is_empty()) {
            let mut all = Vec::new();
            for tag in part.split(':') {
                check(tag)?;
                all.push(tag.to_owned());
            }
            any.push(all);
        }
        Ok(Self { any })
    }

    /// Whether a stack with these tags matches. An empty tag in a group never does.
    pub(crate) fn matches<S: AsRef<str>>(&self, tags: &[S]) -> bool {
        self.any.iter().any(|all| {
            all.iter()
                .all(|tag| !tag.is_empty() && tags.iter().any(|t| t.as_ref() == tag))
        })
    }

    /// The groups that can match: the first tag of each, and the others.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&str, &[String])> {
        let possible = self.any.iter().filter(|all| !all.iter().any(String::is_empty));
        let groups = possible.filter_map(|all| all.split_first());
        groups.map(|(first, rest)| (first.as_str(), rest))
    }

    /// The tags it names.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        self.any
            .iter()
            .flatten()
            .map(String::as_str)
            .filter(|t| !t.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn and_binds_tighter_than_or() {
        let filter = Filter::parse("a:b,c").unwrap();
        assert!(filter.matches(&["a", "b"]));
        assert!(filter.matches(&["c"]));
        assert!(!filter.matches(&["a"]));
    }

    #[test]
    fn empty_groups_are_skipped_and_empty_tags_never_match() {
        assert!(Filter::parse("a,").unwrap().matches(&["a"]));
        assert!(!Filter::parse(",,").unwrap().matches(&["a"]));
        assert!(!Filter::parse("a:").unwrap().matches(&["a", ""]));
    }

    #[test]
    fn negation_and_spaces_are_not_tags() {
        assert!(Filter::parse("~a").unwrap_err().contains("must start with"));
        assert!(Filter::parse("a b").unwrap_err().contains("only permitted"));
        assert!(check("a-").unwrap_err().contains("must end with"));
        assert!(check("a\n").unwrap_err().starts_with("\"a\\n\": "));
        assert!(check("").is_ok());
    }
}
