//! Units of one project that run another project: a Terramate stack in the directory of a kapp app.

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::workspace::Project;
use camino::Utf8Path;
use rustc_hash::FxHashMap;

use crate::Source;
use crate::model::{Link, NodeKind, Picture};

/// The links between the projects of a drawing; `sources` are those of its pictures.
pub(crate) fn links(sources: &[Source<'_>]) -> Vec<Link> {
    // The first picture of each project.
    let mut first: FxHashMap<*const Project, usize> = FxHashMap::default();
    let mut lying: FxHashMap<&Utf8Path, Vec<usize>> = FxHashMap::default();
    for (at, source) in sources.iter().enumerate() {
        if *first.entry(std::ptr::from_ref(source.project)).or_insert(at) == at {
            lying.entry(directory(source)).or_default().push(at);
        }
    }
    if first.len() < 2 {
        return Vec::new();
    }
    let mut links = Vec::new();
    for (from, source) in sources.iter().enumerate() {
        let Source { project, variant, .. } = *source;
        let own = first.get(&std::ptr::from_ref(project));
        for (unit, dir) in project
            .engine()
            .runs_in(&project.seed, &project.resolution, variant)
        {
            let Some(of) = variant.units.get(unit.0 as usize) else {
                continue;
            };
            let there = lying.get(&*dir).into_iter().flatten();
            links.extend(there.filter(|to| own != Some(to)).map(|to| Link {
                from,
                unit: (source.visible)(&of.name),
                to: *to,
            }));
        }
    }
    links
}

/// The directory of a project: its root, or the directory of the file that is its root.
fn directory<'a>(source: &Source<'a>) -> &'a Utf8Path {
    let root = &*source.project.seed.root;
    let first = source.project.resolution.members.first();
    let is_file = first.is_some_and(|member| (source.spot)(Place::file(member.file)).path == source.root);
    if is_file {
        root.parent().unwrap_or(root)
    } else {
        root
    }
}

/// Maps the displayed names of units to their nodes in a picture.
pub(crate) fn shown_as(picture: &Picture) -> FxHashMap<&str, usize> {
    let mut of = FxHashMap::default();
    for (at, node) in picture.nodes.iter().enumerate() {
        if node.kind == NodeKind::Unit {
            of.insert(node.name.as_str(), at);
        } else {
            of.extend(node.members.iter().map(|member| (member.as_str(), at)));
        }
    }
    of
}
