//! Time grows linearly with the size of a project, whatever errors it has.

#[path = "../../../../syntax/src/growth.rs"]
mod clock;

use std::fmt::Write;
use std::sync::Arc;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;

use self::clock::Growth;
use super::{of_rule, tree};

/// Its name, and its files with `n` missing, repeated or unknown parts.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 15] = [
    ("one include again and again", |n| {
        let root = root(&format!(
            "    - includes:\n{}",
            "        - {path: inc.yaml}\n".repeat(n)
        ));
        format!("{root}//- inc.yaml\nspec: {{manifests: [{{name: a, type: kustomize, path: .}}]}}\n")
    }),
    ("missing includes beside files that are there", |n| {
        let paths = lines(n, |i| format!("        - {{path: inc{i}.yaml}}"));
        let files: String = (0..n)
            .map(|i| format!("//- other{i}.yaml\nspec: {{}}\n"))
            .collect();
        format!("{}{files}", root(&format!("    - includes:\n{paths}")))
    }),
    ("missing includes in a directory each", |n| {
        let paths = lines(n, |i| format!("        - {{path: d{i}/inc.yaml}}"));
        root(&format!("    - includes:\n{paths}"))
    }),
    ("no names", |n| root(&lines(n, |_| unit("", "")))),
    ("one bad name", |n| {
        root(&lines(n, |_| unit("name: A,", "dependsOn: [A]")))
    }),
    ("bad names", |n| {
        root(&lines(n, |i| unit(&format!("name: A-{i},"), "")))
    }),
    ("one name", |n| {
        root(&lines(n, |i| {
            let numbered = unit(&format!("name: a-{i},"), "");
            format!("{}\n{numbered}", unit("name: a,", ""))
        }))
    }),
    ("a name that is no text", |n| {
        root(&lines(n, |_| unit("name: on,", "dependsOn: [on]")))
    }),
    ("unknown names that are like known ones", |n| {
        root(&lines(n, |i| {
            let known = format!("name: component-number-{i:06},");
            unit(&known, &format!("dependsOn: [compomemt-number-{i:06}]"))
        }))
    }),
    ("unknown names in a broken file", |n| {
        let units = lines(n, |i| {
            unit(&format!("name: a{i},"), &format!("dependsOn: [b{i}]"))
        });
        format!("{}    - [\n", root(&units))
    }),
    ("references to a large group", |n| {
        let includes = "        - {path: inc.yaml}\n".repeat(n);
        let units = lines(n, |i| unit(&format!("name: m{i},"), "dependsOn: [g]"));
        let root = root(&format!("    - name: g\n      includes:\n{includes}{units}"));
        format!("{root}//- inc.yaml\nspec: {{manifests: [{{name: a, type: kustomize, path: .}}]}}\n")
    }),
    ("groups with fields that are ignored", |n| {
        let groups = lines(n, |i| {
            format!("    - {{name: g{i}, dependsOn: [x], tags: [a], includes: [{{path: inc.yaml}}]}}")
        });
        format!("{}//- inc.yaml\nspec: {{manifests: []}}\n", root(&groups))
    }),
    ("groups whose fields move into the same file", |n| {
        let groups = "    - {includes: [{path: inc.yaml}], dependsOn: [z]}\n".repeat(n);
        let root = root(&format!("{}\n{groups}", unit("name: z,", "")));
        format!("{root}//- inc.yaml\nspec: {{manifests: [{{name: a, type: kustomize, path: .}}]}}\n")
    }),
    ("cycles", |n| {
        root(&lines(n, |i| {
            let (this, other) = (format!("name: a{i},"), format!("dependsOn: [a{}]", i ^ 1));
            unit(&this, &other)
        }))
    }),
    ("everything depends on the last", |n| {
        root(&lines(n, |i| {
            unit(&format!("name: a{i},"), &format!("dependsOn: [a{}]", n - 1))
        }))
    }),
];

fn root(entries: &str) -> String {
    format!("//- tazuna.yaml\nspec:\n  manifests:\n{entries}")
}

fn unit(name: &str, more: &str) -> String {
    format!("    - {{{name} type: kustomize, path: ., {more}}}")
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for i in 0..n {
        writeln!(out, "{}", line(i)).unwrap();
    }
    out
}

#[test]
fn projects_are_checked_in_linear_time() {
    // One thread, so that the work of all threads is measured.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut growth = Growth::of(|text: &str| {
            let mut files = MemoryFiles::new();
            for part in text.split("//- ").skip(1) {
                let (path, body) = part.split_once('\n').unwrap();
                files.insert(format!("/w/{path}"), body);
            }
            let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), RunOptions::default());
            workspace.offer(&["/w/tazuna.yaml".into()], Offer::Explicit);
            workspace.refresh();
            let analysis = workspace.analysis();
            assert!(analysis.projects().next().is_some());
            for finding in analysis.findings() {
                for fix in &finding.diagnostic.fixes {
                    drop(analysis.edits(fix));
                }
            }
        });
        for (name, text) in SHAPES {
            growth.check(name, 150, text);
        }
        growth.finish();
    });
}

#[test]
fn silent_findings_of_one_file_are_limited() {
    let names: Vec<String> = (0..80).map(|i| format!("m{i}")).collect();
    let all = names.join(", ");
    let text = root(&lines(80, |i| {
        unit(&format!("name: m{i},"), &format!("dependsOn: [{all}]"))
    }));
    let analysis = tree(&text).analysis();
    assert_eq!(
        of_rule(&analysis, "tazuna/order-contradicts-declaration").len(),
        // One is at an edge of a cycle, which is reported instead.
        1_999
    );
    let told = of_rule(&analysis, "limit-reached");
    let [limit] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(
        limit.message.starts_with("1160 more findings"),
        "{}",
        limit.message
    );
}
