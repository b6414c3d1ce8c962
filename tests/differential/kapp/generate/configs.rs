//! Configs: bindings, template rules, rules for comparing and labeling resources.

use std::fmt::Write as _;

use super::annotations::{group, rule};
use super::resources::{NAMES, SPACES, kind};
use super::{Mood, More as _};
use crate::random::Random;

pub(super) fn matcher(r: &mut Random, mood: Mood, depth: usize) -> String {
    let (version, kind) = kind(r);
    let group = version.split_once('/').map_or("", |(g, _)| g);
    if mood == Mood::Wild && r.chance(4) {
        return r
            .word(&["{}", "{allMatcher: }", "{foo: {}}", "{notMatcher: {}}"])
            .to_owned();
    }
    match r.below(if depth > 1 { 8 } else { 11 }) {
        0 => "{allMatcher: {}}".to_owned(),
        1 => format!("{{apiVersionKindMatcher: {{apiVersion: {version}, kind: {kind}}}}}"),
        2 => format!("{{apiGroupKindMatcher: {{apiGroup: {group:?}, kind: {kind}}}}}"),
        3 => format!(
            "{{kindNamespaceNameMatcher: {{kind: {kind}, namespace: {}, name: {}}}}}",
            r.word(&SPACES),
            r.word(&NAMES)
        ),
        4 => r
            .word(&[
                "{hasNamespaceMatcher: {}}",
                "{HasNamespaceMatcher: {names: [one]}}",
            ])
            .to_owned(),
        5 => r
            .word(&[
                "{hasAnnotationMatcher: {keys: [big.co/mark]}}",
                "{hasAnnotationMatcher: {}}",
            ])
            .to_owned(),
        6 => "{customResourceMatcher: {}}".to_owned(),
        7 => r
            .word(&[
                "{emptyFieldMatcher: {path: [spec, list]}}",
                "{emptyFieldMatcher: {path: [spec, list, {allIndexes: true}, v]}}",
                "{emptyFieldMatcher: {path: [spec, list, {index: 1}, v]}}",
            ])
            .to_owned(),
        8 => format!("{{notMatcher: {{matcher: {}}}}}", matcher(r, mood, depth + 1)),
        9 => format!(
            "{{andMatcher: {{matchers: [{}, {}]}}}}",
            matcher(r, mood, depth + 1),
            matcher(r, mood, depth + 1)
        ),
        _ => format!("{{anyMatcher: {{matchers: [{}]}}}}", matcher(r, mood, depth + 1)),
    }
}

pub(super) fn config(r: &mut Random, mood: Mood) -> String {
    let mut out = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n".to_owned();
    if mood == Mood::Wild && r.chance(20) {
        let odd = r.word(&[
            "minimumRequiredVersion: 0.61.0\n",
            "minimumRequiredVersion: v0.1.0\n",
            "minimumRequiredVersion: abc\n",
            "minimumRequiredVersion: 0.60\n",
            "changeGroupBindings: x\n",
            "changeGroupBindings: [x]\n",
            "changeRuleBindings: [{rules: x}]\n",
            "changeRuleBindings: [{ignoreIfCyclical: \"yes\"}]\n",
            "rebaseRules: [{}]\n",
            "rebaseRules: [{path: [spec], type: keep}]\n",
            "rebaseRules: [{path: [spec], paths: [[spec]], type: copy}]\n",
            "rebaseRules: [{ytt: {overlayContractV1: {}}, path: [spec]}]\n",
            "rebaseRules: [{ytt: {}}]\n",
            "rebaseRules: [{path: [spec], type: remove, resourceMatchers: [{}]}]\n",
            "rebaseRules: [{path: [spec, {index: x}], type: remove}]\n",
            "diffAgainstExistingFieldExclusionRules: [{path: [spec], resourceMatchers: [{foo: {}}]}]\n",
            "unknownField: 1\n",
        ]);
        out.push_str(odd);
        if odd.starts_with("change") {
            return out;
        }
    }
    let groups = r.below(4);
    if groups > 0 {
        out.push_str("changeGroupBindings:\n");
    }
    for _ in 0..groups {
        let name = group(r, mood);
        writeln!(
            out,
            "- name: {name:?}\n  resourceMatchers: [{}]",
            matcher(r, mood, 0)
        )
        .unwrap();
    }
    templates(r, mood, &mut out);
    comparing(r, mood, &mut out);
    labelling(r, mood, &mut out);
    let rules = r.below(4);
    if rules > 0 {
        out.push_str("changeRuleBindings:\n");
    }
    for _ in 0..rules {
        let texts: Vec<String> = (0..=r.below(2)).map(|_| format!("{:?}", rule(r, mood))).collect();
        writeln!(
            out,
            "- rules: [{}]\n  resourceMatchers: [{}]",
            texts.join(", "),
            matcher(r, mood, 0)
        )
        .unwrap();
        if r.chance(65) {
            out.push_str("  ignoreIfCyclical: true\n");
        }
    }
    out
}

pub(super) fn templates(r: &mut Random, mood: Mood, out: &mut String) {
    if !r.chance(35) {
        return;
    }
    out.push_str("templateRules:\n");
    for _ in 0..=r.below(2) {
        writeln!(
            out,
            "- resourceMatchers: [{}]\n  affectedResources:\n    objectReferences:",
            matcher(r, mood, 0)
        )
        .unwrap();
        for _ in 0..=r.below(2) {
            let path = if mood == Mood::Wild && r.chance(10) {
                r.word(&[
                    "[spec, {regex: a}]",
                    "[spec, {}]",
                    "[]",
                    "[metadata, name]",
                    "[metadata, ~]",
                    "[spec, 5]",
                ])
            } else {
                r.word(&[
                    "[spec, list, {allIndexes: true}]",
                    "[spec, list, {index: 0}]",
                    "[spec]",
                    "[metadata]",
                    "[spec, volumes, {allIndexes: true}, configMap]",
                    "[spec, values, {allIndexes: true}, secretRef]",
                ])
            };
            let key = r.word(&["", "", ", nameKey: v", ", namekey: name"]);
            writeln!(
                out,
                "    - {{path: {path}, resourceMatchers: [{}]{key}}}",
                matcher(r, mood, 0)
            )
            .unwrap();
        }
    }
}

/// A path into a resource.
pub(super) fn path(r: &mut Random, mood: Mood) -> &'static str {
    if mood == Mood::Wild && r.chance(15) {
        return r.word(&[
            "[]",
            "[spec, {}]",
            "[spec, ~]",
            "[spec, {regex: \"(\"}]",
            "[spec, list, {allIndexes: true}]",
            "[spec, list, {index: -1}, v]",
            "[metadata, name, x]",
            "[metadata, {allIndexes: true}, x]",
            "[kind]",
            "[apiVersion]",
            "[metadata]",
        ]);
    }
    r.word(&[
        "[spec]",
        "[x-old]",
        "[status]",
        "[metadata, labels]",
        "[metadata, labels, tier]",
        "[metadata, annotations]",
        "[metadata, annotations, kapp.k14s.io/change-group]",
        "[metadata, annotations, kapp.k14s.io/change-rule]",
        "[metadata, annotations, {regex: \"^kapp.k14s.io/change-\"}]",
        "[metadata, annotations, big.co/mark]",
        "[metadata, annotations, kapp.k14s.io/noop]",
        "[spec, made, up, here]",
        "[spec, list]",
        "[spec, list, {allIndexes: true}, v]",
        "[spec, list, {index: 0}, v]",
        "[spec, {regex: \"^(li|vo)\"}]",
        "[{regex: ^x-}]",
        "[secrets]",
        "[{regex: ^s}, list, {allIndexes: true}, v]",
    ])
}

pub(super) fn sources(r: &mut Random) -> &'static str {
    r.word(&[
        "[existing]",
        "[new]",
        "[existing, new]",
        "[new, existing]",
        "[_current, existing]",
        "[other, existing]",
        "[]",
    ])
}

/// Rules for comparing existing resources with the desired ones.
pub(super) fn comparing(r: &mut Random, mood: Mood, out: &mut String) {
    if r.chance(45) {
        out.push_str("rebaseRules:\n");
        for _ in 0..=r.below(3) {
            let at = match r.below(4) {
                0 => format!("paths: [{}, {}]", path(r, mood), path(r, mood)),
                _ => format!("path: {}", path(r, mood)),
            };
            let what = match r.below(5) {
                0 | 1 => "type: remove".to_owned(),
                _ => format!("type: copy, sources: {}", sources(r)),
            };
            writeln!(
                out,
                "- {{{at}, {what}, resourceMatchers: [{}]}}",
                matcher(r, mood, 0)
            )
            .unwrap();
        }
    }
    for name in [
        "diffAgainstLastAppliedFieldExclusionRules",
        "diffAgainstExistingFieldExclusionRules",
    ] {
        if r.chance(12) {
            let (path, matcher) = (path(r, mood), matcher(r, mood, 0));
            writeln!(out, "{name}: [{{path: {path}, resourceMatchers: [{matcher}]}}]").unwrap();
        }
    }
}

/// Rules for writing labels.
pub(super) fn labelling(r: &mut Random, mood: Mood, out: &mut String) {
    for name in ["ownershipLabelRules", "labelScopingRules"] {
        if r.chance(8) {
            let path = match mood {
                Mood::Wild => path(r, mood),
                _ => r.word(&[
                    "[metadata, annotations]",
                    "[spec, labels]",
                    "[spec, selector]",
                    "[x-labels]",
                ]),
            };
            writeln!(
                out,
                "{name}: [{{path: {path}, resourceMatchers: [{}]}}]",
                matcher(r, mood, 0)
            )
            .unwrap();
        }
    }
    if r.chance(6) {
        out.push_str("additionalLabels: {tier: front}\n");
    }
}
