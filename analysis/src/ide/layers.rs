//! Which layer each unit of a variant is in.

use applyorder_core::engine::{Operation, UnitIx, Variant, or_later};

/// The layer of every unit of a variant.
pub(super) struct LayerTable<'a> {
    layers: &'a [Vec<UnitIx>],
    of: Vec<Option<u32>>,
    /// See [`Variant::may_run_later`].
    later: Vec<bool>,
}

impl<'a> LayerTable<'a> {
    /// The layers for applying.
    pub(super) fn new(variant: &'a Variant) -> Self {
        Self::of_operation(variant, Operation::Apply)
    }

    pub(super) fn of_operation(variant: &'a Variant, operation: Operation) -> Self {
        let layers = variant.order_of(operation).layers.as_deref().unwrap_or_default();
        let mut of = vec![None; variant.units.len()];
        for (number, layer) in (0u32..).zip(layers) {
            for ix in layer {
                if let Some(slot) = of.get_mut(ix.0 as usize) {
                    *slot = Some(number);
                }
            }
        }
        Self {
            layers,
            of,
            later: variant.may_run_later(operation),
        }
    }

    /// Whether a unit may run later than in its layer: not all of its dependencies can be known.
    pub(super) fn may_be_later(&self, ix: UnitIx) -> bool {
        self.later.get(ix.0 as usize) == Some(&true)
    }

    /// The suffix of the layer of a unit, or of several.
    pub(super) fn or_later(&self, units: impl IntoIterator<Item = UnitIx>) -> &'static str {
        or_later(units.into_iter().any(|ix| self.may_be_later(ix)))
    }

    /// `layer 2`, `layer 2 or later`; `None` for a unit without a layer.
    pub(super) fn short(&self, ix: UnitIx) -> Option<String> {
        Some(format!("layer {}{}", self.number(ix)?, self.or_later([ix])))
    }

    /// How many layers there are, if that is known.
    fn total(&self) -> String {
        if self.later.contains(&true) {
            String::new()
        } else {
            format!(" of {}", self.layers.len())
        }
    }

    /// The number of a unit's layer, from 1; the earliest possible one.
    pub(super) fn number(&self, ix: UnitIx) -> Option<u32> {
        let number = (*self.of.get(ix.0 as usize)?)?;
        Some(number.saturating_add(1))
    }

    /// `layer 2 of 3`, `layer 2 or later`; `None` for a unit without a layer.
    pub(super) fn of(&self, ix: UnitIx) -> Option<String> {
        Some(format!("{}{}", self.short(ix)?, self.total()))
    }

    /// The first and the last of the layers of some units.
    pub(super) fn range(&self, units: impl IntoIterator<Item = UnitIx>) -> Option<(u32, u32)> {
        let numbers = units.into_iter().filter_map(|ix| self.number(ix));
        numbers.fold(None, |range, number| {
            let (first, last) = range.unwrap_or((number, number));
            Some((first.min(number), last.max(number)))
        })
    }

    /// `layers 2–3 of 6`, `layers 2–3 or later`; `None` if none of the units has a layer.
    pub(super) fn of_all(&self, units: impl IntoIterator<Item = UnitIx> + Clone) -> Option<String> {
        let range = self.range(units.clone())?;
        Some(format!(
            "{}{}{}",
            in_words(range),
            self.or_later(units),
            self.total()
        ))
    }

    /// Whether further units may be in a unit's layer than those of [`Self::beside`].
    pub(super) fn is_beside_open(&self, ix: UnitIx) -> bool {
        let Some(number) = self.number(ix) else {
            return false;
        };
        let mut earlier = self.layers.iter().take(number as usize).flatten();
        self.may_be_later(ix) || earlier.any(|other| self.may_be_later(*other))
    }

    /// The other units that are certainly in a unit's layer.
    pub(super) fn beside(&self, ix: UnitIx) -> impl Iterator<Item = UnitIx> + '_ {
        self.of
            .get(ix.0 as usize)
            .copied()
            .flatten()
            .and_then(|number| self.layers.get(number as usize))
            .into_iter()
            .flatten()
            .copied()
            .filter(move |other| *other != ix && !self.may_be_later(ix) && !self.may_be_later(*other))
    }
}

/// `layer 2`, `layers 2–3`.
pub(super) fn in_words((first, last): (u32, u32)) -> String {
    if first == last {
        format!("layer {first}")
    } else {
        format!("layers {first}–{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::unit_lens::{UnitPart, title};
    use super::super::{calls, completion, hover, inlay_hints, lens, listing};
    use crate::fixture::Fixture;
    use applyorder_syntax::text::Span;

    /// The dependencies of `b` are unknown, `c` waits for it; `a` waits for nothing, and `b` for it; `free`
    /// waits for nothing.
    fn tree(list: &str) -> Fixture {
        let manifest = |name: &str, list: &str| {
            format!("    - name: {name}\n      type: kustomize\n      path: .\n      dependsOn: {list}\n")
        };
        let text = [
            manifest("a", "[]"),
            manifest("b", list),
            manifest("c", "[b]"),
            manifest("free", "[]"),
        ];
        let text = format!("//- /w/tazuna.yaml\nspec:\n  manifests:\n{}$0", text.concat());
        Fixture::new(applyorder_engines::all(), &text)
    }

    fn at(fixture: &Fixture, name: &str) -> u32 {
        let text = fixture.text(fixture.file);
        u32::try_from(text.find(&format!("name: {name}")).unwrap() + "name: ".len()).unwrap()
    }

    #[test]
    fn an_earliest_layer_is_never_shown_as_exact() {
        let fixture = tree("[a, {x: y}]");
        let (analysis, file) = (&fixture.analysis, fixture.file);
        let shown = |name: &str| -> [String; 3] {
            let hover = hover::hover(analysis, file, at(&fixture, name)).unwrap();
            let mut lines = hover.markdown.lines().filter(|line| !line.is_empty());
            let [first, second] = [lines.next().unwrap(), lines.next().unwrap()];
            let titles = UnitPart::ALL.map(|part| title(analysis, file, name, part).unwrap());
            [first.to_owned(), second.to_owned(), titles.join(" · ")]
        };
        assert_eq!(
            shown("b"),
            [
                "**manifest `b`** · layer 2 or later",
                "**after** `a`, others can't be known · **beside** what can't be known · **before** `c`",
                "layer 2 or later · after 1 or more · beside 0 or more · before 1",
            ]
        );
        assert_eq!(
            shown("c"),
            [
                "**manifest `c`** · layer 3 or later",
                "**after** `b`, 1 more · **beside** what can't be known · **before** nothing",
                "layer 3 or later · after 2 or more · beside 0 or more · before 0",
            ]
        );
        assert_eq!(
            shown("a"),
            [
                "**manifest `a`** · layer 1",
                "**after** nothing · **beside** `free` · **before** `b`, 1 more",
                "layer 1 · after 0 · beside 1 · before 2",
            ]
        );
        assert_eq!(
            shown("free"),
            [
                "**manifest `free`** · layer 1",
                "**after** nothing · **beside** `a` · **before** what can't be known",
                "layer 1 · after 0 · beside 1 · before 0 or more",
            ]
        );
        let whole = Span::from_usize(0, fixture.text(file).len());
        let hints = inlay_hints::inlay_hints(analysis, file, whole);
        let labels: Vec<&str> = hints.iter().map(|hint| hint.label.as_str()).collect();
        assert_eq!(
            labels,
            ["layer 1", "layer 2 or later", "layer 3 or later", "layer 1"]
        );
        assert_eq!(
            hints[1].tooltip,
            "after `a` · before `c` · what it waits for can't all be known"
        );
        assert_eq!(
            lens::lens(analysis, file).unwrap().join(" · "),
            "4 of 4 manifests here · layers 1–3 or later"
        );
        let item = calls::items(analysis, file, at(&fixture, "b")).remove(0);
        assert_eq!(item.detail, "layer 2 or later · tazuna.yaml:7");
        let list = fixture.text(file).rfind("[]").unwrap() + 1;
        let proposed = completion::completions(analysis, file, u32::try_from(list).unwrap()).list;
        let details: Vec<String> = proposed
            .into_iter()
            .filter_map(|proposal| proposal.completion.detail)
            .collect();
        assert_eq!(
            details,
            [
                "manifest, layer 1 · free moves to 2",
                "manifest, layer 2 or later",
                "manifest, layer 3 or later",
            ]
        );
        let later = listing::listing(analysis, file, true);
        let later: Vec<&str> = later
            .iter()
            .filter(|l| l.may_be_later)
            .map(|l| l.name.as_str())
            .collect();
        assert_eq!(later, ["b", "c"]);
    }

    #[test]
    fn where_all_is_known_the_layers_are_counted() {
        let fixture = tree("[a]");
        let (analysis, file) = (&fixture.analysis, fixture.file);
        let found = lens::lens(analysis, file).unwrap();
        assert_eq!(found[1], "layers 1–3 of 3");
        let title = title(analysis, file, "b", UnitPart::Beside);
        assert_eq!(title.as_deref(), Some("beside 0"));
    }
}
