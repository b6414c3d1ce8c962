//! Files of Terramate for which no root was found.

use std::sync::Arc;

use super::tree::Tree;
use super::{members, validate};
use crate::{META, rules, verdict};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::engine::{Cx, OrderOf, ProjectSeed, Resolution, Variant};

/// The project that they are all the same; its only finding says what is missing.
pub(super) fn resolve(cx: &Cx<'_>, seed: &ProjectSeed) -> Resolution {
    let tree = Tree::load(cx, &seed.root);
    let file = tree.files().map(|(_, f)| f.file).next();
    let place = Place::file(file.unwrap_or_else(|| cx.file(&seed.root)));
    let words = "Terramate was unable to detect a project root.";
    let diagnostic = Diagnostic::new(
        &rules::root_missing::RULE,
        place,
        format!(
            "there is no root of a Terramate project at or above `{}`",
            seed.root
        ),
    )
    .engine_message(words)
    .enforced("run", "root", true)
    .enforced("list", "root", true)
    .note("without git, the root is the nearest directory whose `terramate` block has a `required_version`");
    let first = tree.dirs.first().and_then(|d| validate::files(d).next());
    let diagnostic = match first {
        Some((loaded, facts)) => diagnostic.fix(
            "make this directory the root",
            Safety::Unsafe,
            vec![FixStep::Replace(
                cx.place(loaded.file, facts.shape.start),
                format!(
                    "terramate {{\n  required_version = \">= {}\"\n}}\n\n",
                    META.version
                ),
            )],
        ),
        None => diagnostic,
    };
    let empty = || OrderOf {
        graph: Arc::new(applyorder_core::graph::GraphBuilder::new().build()),
        layers: None,
        sequence: None,
        guaranteed: false,
        because: Some("there is no project root".to_owned()),
    };
    Resolution {
        members: members(cx, &tree).into(),
        variants: vec![Variant {
            environments: vec![None],
            units: Vec::new(),
            dependencies: Vec::new(),
            reasons: Vec::new(),
            conditions: Vec::new(),
            apply: empty(),
            delete: empty(),
            selected: None,
            properties: Vec::new(),
            actions: Vec::new(),
        }]
        .into(),
        verdicts: verdict::refused("root", &rules::root_missing::RULE, words),
        diagnostics: cx.told(vec![diagnostic]),
        links: Arc::default(),
        symbols: Vec::new().into(),
        unresolved: Vec::new(),
        engine_version: META.version.to_owned(),
        hints: None,
        state: None,
    }
}
