//! Exceeding a limit of ours is not a fault of the project: it is reported, and the engine's behavior stays
//! open.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use std::sync::Arc;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::diagnostic::Severity;
use applyorder_core::engine::{Offer, Resolution, RunOptions};
use applyorder_core::files::{MemoryFiles, ReadError};
use applyorder_core::layer::contradictions;

/// A project of an engine of which one file cannot be read.
struct Case {
    engine: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The file that exceeds a limit.
    cut: &'static str,
    contradictions: fn(&RunOptions, bool, &Resolution) -> Vec<String>,
}

const CASES: [Case; 5] = [
    Case {
        engine: "ankaios",
        files: &[],
        cut: "/w/a.yaml",
        contradictions: |options, inferred, resolution| {
            contradictions(&applyorder_ankaios::ENGINE, options, inferred, resolution)
        },
    },
    Case {
        engine: "kapp",
        files: &[(
            "/w/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-group: g\n",
        )],
        cut: "/w/b.yaml",
        contradictions: |options, inferred, resolution| {
            contradictions(&applyorder_kapp::ENGINE, options, inferred, resolution)
        },
    },
    Case {
        engine: "spacelift",
        files: &[(
            "/w/a.tf",
            "resource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  repository = \"r\"\n  branch = \"m\"\n}\n",
        )],
        cut: "/w/b.tf",
        contradictions: |options, inferred, resolution| {
            contradictions(&applyorder_spacelift::ENGINE, options, inferred, resolution)
        },
    },
    Case {
        engine: "tazuna",
        files: &[(
            "/w/tazuna.yaml",
            "spec:\n  manifests:\n    - name: a\n      path: a\n      type: kustomize\n    - name: b\n      includes:\n        - path: ./b.yaml\n",
        )],
        cut: "/w/b.yaml",
        contradictions: |options, inferred, resolution| {
            contradictions(&applyorder_tazuna::ENGINE, options, inferred, resolution)
        },
    },
    Case {
        engine: "terramate",
        files: &[
            ("/w/terramate.tm", "terramate {\n  config {\n  }\n}\n"),
            ("/w/a/stack.tm", "stack {\n}\n"),
        ],
        cut: "/w/b/stack.tm",
        contradictions: |options, inferred, resolution| {
            contradictions(&applyorder_terramate::ENGINE, options, inferred, resolution)
        },
    },
];

#[test]
fn what_is_past_a_limit_of_ours_leaves_the_verdict_open() {
    let engines = applyorder_engines::all();
    assert_eq!(
        CASES.map(|case| case.engine).to_vec(),
        sorted(engines.ids().collect())
    );
    for case in &CASES {
        for error in [
            ReadError::TooLarge(1 << 40),
            ReadError::NoMemory(1 << 40),
            ReadError::Outside,
        ] {
            let mut memory = MemoryFiles::new();
            memory.set_vcs_root("/w");
            for (path, text) in case.files {
                memory.insert(*path, *text);
            }
            let name = format!("{} {error:?}", case.engine);
            memory.insert_error(case.cut, error);
            let options = RunOptions::default();
            let mut workspace = Workspace::new(engines, Arc::new(memory), options.clone());
            workspace.only_engine(engines.index_of(case.engine).unwrap());
            let found: Vec<_> = case.files.iter().map(|(path, _)| (*path).into()).collect();
            workspace.offer(&found, Offer::Found);
            if found.is_empty() {
                workspace.offer(&[case.cut.into()], Offer::Explicit);
            }
            workspace.refresh();
            let analysis = workspace.analysis();
            let (_, project) = analysis.projects().next().unwrap();
            let resolution = &project.resolution;
            let limits = resolution
                .diagnostics
                .iter()
                .filter(|d| d.rule.id == "limit-reached");
            assert_eq!(limits.count(), 1, "{name}");
            let errors = resolution
                .diagnostics
                .iter()
                .filter(|d| d.severity == Severity::Error);
            assert_eq!(errors.map(|d| d.rule.id).collect::<Vec<_>>(), [""; 0], "{name}");
            assert!(!resolution.verdicts.is_empty(), "{name}");
            let ok: Vec<_> = resolution.verdicts.iter().map(|v| (v.command, v.ok)).collect();
            assert!(ok.iter().all(|(_, ok)| ok.is_none()), "{name}: {ok:?}");
            let wrong = (case.contradictions)(&options, project.seed.inferred, resolution);
            assert_eq!(wrong, [""; 0], "{name}");
        }
    }
}

fn sorted(mut ids: Vec<&'static str>) -> Vec<&'static str> {
    ids.sort_unstable();
    ids
}
