//! What a run does after some manifests failed.
//!
//! Source: Tazuna G5: the others of the same layer are applied, later layers never start, and nothing is undone;
//! `destroy` stops at the first failure.

use applyorder_core::engine::{OrderOf, UnitIx, Variant};
use rustc_hash::FxHashSet;

/// The displayed actions of a manifest.
mod action {
    pub(super) const APPLY: &str = "apply";
    pub(super) const FAILED: &str = "failed";
    /// A layer before it failed.
    pub(super) const NEVER: &str = "never starts";
    /// The tags exclude it.
    pub(super) const KEPT: &str = "unchanged";
}

/// Limits the orders to what still runs when these manifests fail.
pub(crate) fn fail(failed: &[String], variant: &mut Variant) {
    let wanted: FxHashSet<&str> = failed.iter().map(String::as_str).collect();
    let units = (0u32..).zip(&variant.units);
    let failing = units.filter(|(_, unit)| wanted.contains(&*unit.name));
    let failing: FxHashSet<UnitIx> = failing.map(|(number, _)| UnitIx(number)).collect();
    if failing.is_empty() {
        return;
    }
    cut(&mut variant.delete, &failing);
    let Some(before) = variant.apply.layers.clone() else {
        return;
    };
    cut(&mut variant.apply, &failing);
    let applied: FxHashSet<UnitIx> = variant
        .apply
        .layers
        .iter()
        .flat_map(|l| l.iter().flatten())
        .copied()
        .collect();
    let last = before
        .iter()
        .find(|layer| layer.iter().any(|unit| failing.contains(unit)));
    let failed_now: FxHashSet<UnitIx> = last
        .into_iter()
        .flatten()
        .filter(|u| failing.contains(u))
        .copied()
        .collect();
    let taken: FxHashSet<UnitIx> = before.iter().flatten().copied().collect();
    let all = (0u32..).zip(&variant.units).map(|(number, _)| UnitIx(number));
    let action = |unit: UnitIx| {
        if applied.contains(&unit) {
            action::APPLY
        } else if failed_now.contains(&unit) {
            action::FAILED
        } else if taken.contains(&unit) {
            action::NEVER
        } else {
            action::KEPT
        }
    };
    variant.actions = all.clone().map(action).collect();
    variant.selected = Some(all.filter(|unit| applied.contains(unit)).collect());
}

/// Removes the manifests that fail, and all layers after the first of them.
fn cut(order: &mut OrderOf, failing: &FxHashSet<UnitIx>) {
    let Some(layers) = &order.layers else { return };
    let fails = |layer: &Vec<UnitIx>| layer.iter().any(|unit| failing.contains(unit));
    let Some(at) = layers.iter().position(fails) else {
        return;
    };
    let kept = layers.iter().take(at + 1).map(|layer| {
        let others = layer.iter().filter(|unit| !failing.contains(unit));
        others.copied().collect::<Vec<_>>()
    });
    order.layers = Some(kept.filter(|layer| !layer.is_empty()).collect());
    if let Some(sequence) = &mut order.sequence {
        let end = sequence.iter().position(|unit| failing.contains(unit));
        sequence.truncate(end.unwrap_or(sequence.len()));
    }
    order.because = Some("a layer in which a manifest fails is the last, and nothing is undone".to_owned());
}

#[cfg(test)]
mod tests {
    use crate::tests::tree;

    /// The layers after a failure, and what happens to each manifest.
    fn after(text: &str, failed: &str) -> (Vec<Vec<String>>, Vec<&'static str>) {
        let mut tree = tree(text);
        tree.options.failed = vec![failed.to_owned()];
        let analysis = tree.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let variant = project.resolution.variants.first().unwrap();
        let name = |unit: &super::UnitIx| variant.units[unit.0 as usize].name.to_string();
        let layers = variant.apply.layers.as_ref().unwrap();
        let layers = layers.iter().map(|layer| layer.iter().map(name).collect());
        (layers.collect(), variant.actions.clone())
    }

    #[test]
    fn the_layer_of_a_failure_is_the_last() {
        let text = "spec:\n  manifests:\n  - {name: a, type: kustomize, path: .}\n  - {name: b, type: kustomize, path: ., \
                    dependsOn: [a]}\n  - {name: c, type: kustomize, path: .}\n  - {name: d, type: kustomize, path: ., dependsOn: \
                    [c]}\n";
        let (layers, actions) = after(text, "a");
        assert_eq!(layers, [["c"]]);
        assert_eq!(actions, ["failed", "never starts", "apply", "never starts"]);
        let (layers, actions) = after(text, "b");
        assert_eq!(layers, [vec!["a", "c"], vec!["d"]]);
        assert_eq!(actions, ["apply", "failed", "apply", "apply"]);
    }

    #[test]
    fn without_depends_on_the_list_ends_at_the_failure() {
        let text = "spec:\n  manifests:\n  - {name: a, type: kustomize, path: .}\n  - {name: b, type: kustomize, path: .}\n  \
                    - {name: c, type: kustomize, path: .}\n";
        let (layers, actions) = after(text, "b");
        assert_eq!(layers, [["a"]]);
        assert_eq!(actions, ["apply", "failed", "never starts"]);
    }
}
