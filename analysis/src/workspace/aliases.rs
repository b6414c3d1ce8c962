//! YAML aliases that reuse a value in several places: changing it in one changes it in all.

use std::sync::OnceLock;

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml;
use applyorder_syntax::yaml::index::Parts;
use rustc_hash::FxHashMap;

/// The positions of the aliases of a text, by name, computed on demand. May contain text that only looks like
/// an alias.
#[derive(Default)]
pub(super) struct Aliases(OnceLock<FxHashMap<String, Vec<u32>>>);

impl Aliases {
    /// Whether an alias of a name is outside a range.
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

/// Whether aliases reuse a range, something in it or something around it in other places: these would change too,
/// or lose their meaning.
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
