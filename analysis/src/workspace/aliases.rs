//! What aliases of YAML take for several places: changing it in one changes it in all.

use std::sync::OnceLock;

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml;
use applyorder_syntax::yaml::index::Parts;
use rustc_hash::FxHashMap;

/// Where the aliases of a text are, by name, made on demand. What only looks like one is there too.
#[derive(Default)]
pub(super) struct Aliases(OnceLock<FxHashMap<String, Vec<u32>>>);

impl Aliases {
    /// Whether an alias of a name stands outside of a part.
    fn has_outside(&self, text: &str, name: &str, part: Span) -> bool {
        let all = self.0.get_or_init(|| {
            let mut all: FxHashMap<String, Vec<u32>> = FxHashMap::default();
            for (at, _) in text.match_indices('*') {
                let name = text.get(at + 1..).and_then(|rest| rest.split(ends_name).next());
                if let (Some(name), Ok(at)) = (name.filter(|n| !n.is_empty()), u32::try_from(at)) {
                    all.entry(name.to_owned()).or_default().push(at);
                }
            }
            all
        });
        let places = all.get(name).map_or(&[][..], Vec::as_slice);
        let outside = |at: &u32| !part.range().contains(&(*at as usize));
        places.first().is_some_and(outside) || places.last().is_some_and(outside)
    }
}

fn ends_name(c: char) -> bool {
    c.is_whitespace() || ",[]{}".contains(c)
}

/// Whether aliases take a part, something in it or something around it for other places as well: these would change too,
/// or lose what they mean.
pub(super) fn is_shared(
    aliases: &Aliases,
    text: &str,
    path: &[yaml::Node<'_>],
    parts: &Parts,
    at: usize,
) -> bool {
    let Some(part) = parts.spans().get(at).copied() else {
        return false;
    };
    let around = path.iter().filter(|node| node.span().contains(part));
    let around = around.filter_map(|node| Some(node.anchor()?.name));
    let words = part.slice(text).split(ends_name);
    let within = words.filter_map(|word| word.strip_prefix('&'));
    around
        .chain(within)
        .any(|name| aliases.has_outside(text, name, part))
}
