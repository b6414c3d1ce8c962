//! Pictures of small, large and hostile projects; each format is read back by an independent parser.

mod folding;
mod formats;
mod growth;
mod labels;
mod pictures;

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Operation, RunOptions};
use applyorder_analysis::fixture::Fixture;

use crate::{Drawing, Picture, Source, Spot, Wanted};

/// A drawing of all projects in a tree of files.
pub(crate) fn drawing(text: &str, operation: Operation, wanted: &Wanted) -> Drawing {
    let fixture = Fixture::with_options(applyorder_engines::all(), text, RunOptions::default());
    let analysis = &*fixture.analysis;
    let spot = |place: Place| {
        let path = analysis
            .path(place.file)
            .as_str()
            .trim_start_matches('/')
            .to_owned();
        let source = analysis.source(place.file);
        let line = source.map_or(0, |s| s.lines().line(analysis.span(place).start));
        Spot {
            link: Some(format!("https://example.com/{line}?a&b\"'><")),
            path,
            line: line + 1,
            column: 1,
        }
    };
    let visible = |text: &str| text.to_owned();
    let projects: Vec<_> = analysis.projects().map(|(_, project)| project).collect();
    let sources = projects.iter().flat_map(|project| {
        project.resolution.variants.iter().map(|variant| Source {
            project,
            variant,
            operation,
            key: "engine:project",
            root: project.seed.root.as_str().trim_start_matches('/'),
            environments: None,
            spot: &spot,
            visible: &visible,
        })
    });
    Drawing::new(sources.collect::<Vec<_>>(), wanted)
}

pub(crate) fn apply(text: &str) -> Drawing {
    drawing(text, Operation::Apply, &Wanted::default())
}

/// A file of manifests, each with its dependencies.
pub(crate) fn manifests(of: &[(&str, &[&str])]) -> String {
    let mut out = String::from("//- /w/tazuna.yaml\nspec:\n  manifests:\n");
    for (name, deps) in of {
        let name = serde_json::to_string(name).unwrap();
        let deps = serde_json::to_string(deps).unwrap();
        out.push_str(&format!(
            "    - {{name: {name}, type: kustomize, path: ., dependsOn: {deps}}}\n"
        ));
    }
    out
}

/// The names in each column, with the column's heading.
pub(crate) fn columns(picture: &Picture) -> Vec<String> {
    picture
        .columns
        .iter()
        .enumerate()
        .map(|(n, column)| {
            let names = picture.nodes.iter().filter(|node| node.column == n);
            let names: Vec<&str> = names.map(|n| n.name.as_str()).collect();
            format!("{}: {}", column.title(), names.join(" "))
        })
        .collect()
}
