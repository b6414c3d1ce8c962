//! What two analyses of the same texts must have in common.

use std::collections::BTreeMap;
use std::fmt::Write;

use applyorder_analysis::diagnostic::{FileId, Place};
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};

/// Everything a user can see of an analysis, without numbers of files.
pub(crate) fn picture(analysis: &Analysis) -> String {
    let mut out = String::new();
    let mut files: Vec<(FileId, &Utf8Path)> = analysis.read_files().collect();
    files.sort_by_key(|(_, path)| *path);
    let show = |place: Place| format!("{} {:?}", analysis.path(place.file), analysis.span(place));
    for (file, path) in files {
        for finding in analysis.findings_of(file) {
            let d = finding.diagnostic;
            let mut projects: Vec<&str> = finding
                .projects
                .iter()
                .map(|p| analysis.project(*p).unwrap().seed.root.as_str())
                .collect();
            projects.sort_unstable();
            writeln!(
                out,
                "{path}: {} {:?} {:?} {} {:?} {:?} {:?} {projects:?}",
                d.rule.id,
                d.severity,
                analysis.span(d.place),
                d.message,
                d.label,
                d.enforced,
                d.environments,
            )
            .unwrap();
            for related in &d.related {
                writeln!(out, "  {} {}", show(related.place), related.message).unwrap();
            }
            for fix in &d.fixes {
                let edits: Vec<_> = analysis
                    .edits(fix)
                    .into_iter()
                    .map(|(file, edits)| (analysis.path(file).to_owned(), edits))
                    .collect();
                writeln!(out, "  fix {} {edits:?}", fix.title).unwrap();
            }
        }
    }
    for (_, project) in analysis.projects() {
        writeln!(out, "project {:?}", project.seed).unwrap();
        let resolution = &project.resolution;
        writeln!(out, "{:?}", resolution.verdicts).unwrap();
        for member in resolution.members.iter() {
            writeln!(
                out,
                "member {} {} {:?}",
                analysis.path(member.file),
                member.why,
                member.via.map(show)
            )
            .unwrap();
        }
        for link in resolution.links.iter() {
            writeln!(out, "link {} {}", show(link.place), link.target).unwrap();
        }
        for variant in &resolution.variants {
            writeln!(out, "variant {:?} {:?}", variant.environments, variant.properties).unwrap();
            for unit in &variant.units {
                writeln!(
                    out,
                    "unit {} {} {:?} {:?}",
                    unit.name,
                    show(unit.header),
                    unit.name_place.map(show),
                    unit.tags
                )
                .unwrap();
            }
            for d in &variant.dependencies {
                writeln!(
                    out,
                    "dep {:?} {} {} {:?}",
                    d.unit,
                    show(d.place),
                    d.text,
                    d.targets
                )
                .unwrap();
            }
            for order in [&variant.apply, &variant.delete] {
                writeln!(
                    out,
                    "{:?} {:?} {:?} {:?}",
                    order.layers,
                    order.sequence,
                    order.because,
                    order.graph.edges()
                )
                .unwrap();
            }
        }
    }
    out
}

/// What a user sees in each file.
pub(crate) fn findings(analysis: &Analysis) -> BTreeMap<Utf8PathBuf, String> {
    let mut out = BTreeMap::new();
    for file in analysis.files_with_findings() {
        let mut text = String::new();
        for finding in analysis.findings_of(file) {
            let d = finding.diagnostic;
            writeln!(text, "{} {:?} {}", d.rule.id, analysis.span(d.place), d.message).unwrap();
            for r in &d.related {
                let path = analysis.path(r.place.file);
                writeln!(text, "  {path} {:?} {}", analysis.span(r.place), r.message).unwrap();
            }
        }
        out.insert(analysis.path(file).to_owned(), text);
    }
    out
}
