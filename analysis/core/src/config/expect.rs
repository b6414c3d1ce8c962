//! `[[expect]]`: what a project expects of its own order.

use applyorder_syntax::text::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use super::mistakes::span_of;

/// One expectation: `first` and `then`, or `max-layers`, or `no-edges`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Written {
    /// The unit that runs first. `*` matches any characters.
    #[schemars(extend("x-unit" = true))]
    first: Option<String>,
    /// The unit that waits for it, directly or through others.
    #[schemars(extend("x-unit" = true))]
    then: Option<String>,
    /// The maximum number of layers.
    max_layers: Option<usize>,
    /// Units that must not depend directly on others.
    no_edges: Option<NoEdges>,
}

/// No unit of `from` depends directly on one of `to`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoEdges {
    /// The units that must not wait. `*` matches any characters.
    #[schemars(extend("x-unit" = true))]
    pub from: String,
    /// The units that they must not wait for. `*` matches any characters.
    #[schemars(extend("x-unit" = true))]
    pub to: String,
}

/// One expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Written", into = "Written")]
#[schemars(with = "Written")]
pub enum Expect {
    /// The second waits for the first, directly or through others.
    Order {
        /// A pattern of units.
        first: String,
        /// A pattern of units.
        then: String,
    },
    /// At most this many layers.
    MaxLayers(usize),
    /// No direct dependency.
    NoEdges(NoEdges),
}

impl TryFrom<Written> for Expect {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written {
                first: Some(first),
                then: Some(then),
                max_layers: None,
                no_edges: None,
            } => Ok(Self::Order { first, then }),
            Written {
                first: None,
                then: None,
                max_layers: Some(most),
                no_edges: None,
            } => Ok(Self::MaxLayers(most)),
            Written {
                first: None,
                then: None,
                max_layers: None,
                no_edges: Some(pair),
            } => Ok(Self::NoEdges(pair)),
            _ => Err("expected one of `first` with `then`, `max-layers`, `no-edges`".to_owned()),
        }
    }
}

impl From<Expect> for Written {
    fn from(expect: Expect) -> Self {
        let mut written = Self::default();
        match expect {
            Expect::Order { first, then } => {
                written.first = Some(first);
                written.then = Some(then);
            }
            Expect::MaxLayers(most) => written.max_layers = Some(most),
            Expect::NoEdges(pair) => written.no_edges = Some(pair),
        }
        written
    }
}

impl std::fmt::Display for Expect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Order { first, then } => write!(f, "`{first}` before `{then}`"),
            Self::MaxLayers(1) => write!(f, "at most 1 layer"),
            Self::MaxLayers(most) => write!(f, "at most {most} layers"),
            Self::NoEdges(NoEdges { from, to }) => write!(f, "`{from}` does not depend on `{to}`"),
        }
    }
}

/// The location of one expectation in the text of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// All of it.
    pub whole: Span,
    /// The first pattern of units; `None` where it has none.
    pub first: Option<Span>,
    /// The second pattern of units, or the number of layers.
    pub last: Option<Span>,
}

/// The locations of the expectations in a configuration file, in file order. Empty if it is not TOML.
#[must_use]
pub fn places(text: &str) -> Vec<Places> {
    let Ok(root) = DeTable::parse(text) else {
        return Vec::new();
    };
    let Some(DeValue::Array(list)) = root.get_ref().get("expect").map(toml::Spanned::get_ref) else {
        return Vec::new();
    };
    let place = |one: &toml::Spanned<DeValue<'_>>| {
        let span = |keys: &[&str]| {
            let mut value = one;
            for key in keys {
                let DeValue::Table(table) = value.get_ref() else {
                    return None;
                };
                value = table.get(*key)?;
            }
            Some(span_of(value))
        };
        Places {
            whole: span_of(one),
            first: span(&["first"]).or_else(|| span(&["no-edges", "from"])),
            last: span(&["then"])
                .or_else(|| span(&["no-edges", "to"]))
                .or_else(|| span(&["max-layers"])),
        }
    };
    list.iter().map(place).collect()
}

/// Whether a name matches a pattern in which `*` stands for any characters.
#[must_use]
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(head) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        // The first place is as good as any later one.
        let Some(at) = left.find(part) else {
            return false;
        };
        left = left.get(at + part.len()..).unwrap_or("");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_expectations_are_those_of_their_values() {
        let text = "[[expect]]\nfirst = \"a\"\nthen = 'b'\n\n[[expect]]\nmax-layers = 7\n\n[[expect]]\nno-edges = { from = \"c\", to = \"d\" }\n";
        let shown = |span: Option<Span>| span.map(|span| span.slice(text));
        let found: Vec<_> = places(text)
            .iter()
            .map(|at| (shown(at.first), shown(at.last)))
            .collect();
        let wanted = [
            (Some("\"a\""), Some("'b'")),
            (None, Some("7")),
            (Some("\"c\""), Some("\"d\"")),
        ];
        assert_eq!(found, wanted);
        assert!(
            places(text)
                .iter()
                .all(|at| at.whole.slice(text).starts_with("[[expect]]"))
        );
        assert_eq!(places("expect = ["), []);
    }

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, name, meant) in [
            ("db", "db", true),
            ("db", "db2", false),
            ("*", "", true),
            ("/a/*", "/a/b/c", true),
            ("/a/*", "/ab", false),
            ("*/web@*", "Deployment/web@prod", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), meant, "{pattern} {name}");
        }
    }

    #[test]
    fn an_expectation_is_one_of_three() {
        let read = |text: &str| toml::from_str::<Expect>(text).map_err(|e| e.message().to_owned());
        assert_eq!(read("max-layers = 3"), Ok(Expect::MaxLayers(3)));
        assert_eq!(
            read("first = \"a\"\nthen = \"b\"").unwrap().to_string(),
            "`a` before `b`"
        );
        for wrong in ["", "first = \"a\"", "max-layers = 3\nfirst = \"a\"\nthen = \"b\""] {
            assert!(read(wrong).unwrap_err().contains("expected one of"), "{wrong}");
        }
        assert!(read("layers = 3").unwrap_err().contains("unknown field"));
    }
}
