//! The edits when files or directories move.

use camino::{Utf8Path, Utf8PathBuf};

use super::links::{is_literal, paths_of};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::{FileId, Fix, FixStep, Place, Safety};
use applyorder_core::engine::{Move, Moved, WrittenPath};
use applyorder_syntax::text::{Span, TextEdit};
use rustc_hash::FxHashSet;

/// The edits of a project's files that keep the meaning of every path written in them, by file; and the paths
/// that would have to change and cannot be rewritten, because they come from an alias or a template. Both paths
/// are absolute and clean.
#[must_use]
pub fn moved(analysis: &Analysis, project: &Project, from: &Utf8Path, to: &Utf8Path) -> Moved {
    let engine = project.engine();
    if let Some(moved) = engine.moved(analysis, project.view(), from, to) {
        return moved;
    }
    let change = Move { from, to };
    let mut files: Vec<FileId> = project.files().collect();
    files.sort_unstable();
    files.dedup();
    let mut found = Moved::default();
    let mut written: Vec<(FileId, WrittenPath)> = Vec::new();
    for file in files {
        let mut edits: Vec<TextEdit> = Vec::new();
        // One by one: a path that cannot be rewritten does not block others.
        for path in paths_of(analysis, project, file) {
            if let Some(new) = change.rewritten(&path) {
                match edits_of(analysis, file, &path, new) {
                    Ok(own) => edits.extend(own),
                    Err(why) => found.left.push((Some(Place::span(file, path.span)), why)),
                }
            }
            written.push((file, path));
        }
        if !edits.is_empty() {
            found.edits.push((file, edits));
        }
    }
    found.left.extend(unwritten(analysis, project, change, &written));
    found
}

/// Places that refer to what moves without containing the path literally.
fn unwritten(
    analysis: &Analysis,
    project: &Project,
    change: Move<'_>,
    written: &[(FileId, WrittenPath)],
) -> Vec<(Option<Place>, String)> {
    let root = &project.seed.root;
    let moves = |path: &Utf8Path| change.of(path) != path;
    let is_parted = |target: &Utf8Path| moves(target) != moves(root);
    let resolution = &project.resolution;
    let links = resolution.links.iter().filter(|link| is_parted(&link.target));
    let is_written = |place: Place| {
        let span = analysis.span(place);
        let mut here = written.iter().filter(|(file, _)| *file == place.file);
        here.any(|(_, path)| path.span.overlaps(span))
    };
    let links = links.map(|link| link.place).filter(|place| !is_written(*place));
    let units = resolution.variants.iter().flat_map(|variant| {
        let runs = project.engine().runs_in(&project.seed, resolution, variant);
        let runs = runs.into_iter().filter(|(_, dir)| is_parted(dir));
        let runs = runs.filter(|(_, dir)| !written.iter().any(|(_, path)| path.target == *dir));
        runs.filter_map(|(ix, _)| Some(variant.units.get(ix.0 as usize)?.header))
    });
    let mut places: Vec<Place> = links.chain(units).collect();
    places.sort_unstable_by_key(|place| (place.file, analysis.span(*place)));
    places.dedup_by_key(|place| (place.file, analysis.span(*place)));
    let why = "refers to the moved path by an alias or a template";
    places
        .into_iter()
        .map(|place| (Some(place), why.to_owned()))
        .collect()
}

/// The files of a project that would no longer be found at their new location, each with the reason. `named`
/// are the paths that the configuration names.
#[must_use]
pub fn lost(
    analysis: &Analysis,
    project: &Project,
    change: Move<'_>,
    named: &[Utf8PathBuf],
) -> Vec<(Option<Place>, String)> {
    let root = &project.seed.root;
    let mut members: Vec<FileId> = project.resolution.members.iter().map(|m| m.file).collect();
    members.sort_unstable();
    members.dedup();
    let mut anchors: Vec<Utf8PathBuf> = named.to_vec();
    let mut written: FxHashSet<(FileId, Span)> = FxHashSet::default();
    for file in &members {
        for path in paths_of(analysis, project, *file) {
            written.insert((*file, path.span));
            anchors.push(path.target);
        }
    }
    // The link of a path to a directory leads to a file in it, which the path does not name.
    let links = project.resolution.links.iter();
    let unwritten = links.filter(|link| {
        let span = analysis.span(link.place);
        let inner = Span::new(span.start + 1, span.end.saturating_sub(1).max(span.start + 1));
        !written.contains(&(link.place.file, span)) && !written.contains(&(link.place.file, inner))
    });
    anchors.extend(unwritten.map(|link| link.target.to_path_buf()));
    let is_named = anchors.contains(root);
    anchors.push(root.clone());
    let holds = |path: &Utf8Path| -> Option<&Utf8PathBuf> {
        let around = anchors.iter().filter(|anchor| path.starts_with(anchor));
        around.max_by_key(|anchor| anchor.as_str().len())
    };
    // If files of deeper directories are found, others in such directories would be too.
    let is_deep = members.iter().any(|file| {
        let path = analysis.path(*file);
        let below = holds(path).and_then(|anchor| path.strip_prefix(anchor).ok());
        below.is_some_and(|below| below.components().count() > 1)
    });
    let mut lost = Vec::new();
    for file in members {
        let path = analysis.path(file);
        let new = change.of(path);
        if new == path {
            continue;
        }
        let is_like = |a: &Utf8Path, b: &Utf8Path| a.extension() == b.extension();
        let why = match holds(path) {
            Some(anchor) if anchor == path && path == root && !is_named => {
                let is_kept = new.file_name() == path.file_name();
                (!is_kept).then_some("a project is found by the name of this file")
            }
            Some(anchor) if anchor == path => None,
            Some(anchor) => {
                let at = change.of(anchor);
                let below = path.strip_prefix(anchor).ok().zip(new.strip_prefix(&at).ok());
                let is_found = below.is_some_and(|(before, after)| {
                    let hidden = after.components().any(|part| part.as_str().starts_with('.'));
                    let is_there = is_deep || before.parent() == after.parent();
                    is_there && is_like(path, &new) && !hidden
                });
                (!is_found).then_some("would not be found there")
            }
            None => Some("would not be found there"),
        };
        if let Some(why) = why {
            lost.push((Some(Place::file(file)), why.to_owned()));
        }
    }
    lost
}

/// The edits that write another path.
///
/// # Errors
/// Why it cannot be written.
fn edits_of(
    analysis: &Analysis,
    file: FileId,
    path: &WrittenPath,
    new: String,
) -> Result<Vec<TextEdit>, String> {
    let why = || {
        format!(
            "`{}` would have to become `{new}`, but is not written as a plain string",
            path.text
        )
    };
    let Some(step) = step(analysis, file, path, new.clone()) else {
        return Err(why());
    };
    let fix = Fix {
        title: String::new(),
        safety: Safety::Safe,
        steps: vec![step],
    };
    let edits: Vec<TextEdit> = analysis
        .edits(&fix)
        .into_iter()
        .flat_map(|(_, edits)| edits)
        .collect();
    if edits.is_empty() { Err(why()) } else { Ok(edits) }
}

fn step(analysis: &Analysis, file: FileId, path: &WrittenPath, new: String) -> Option<FixStep> {
    if !is_literal(analysis, file, path) {
        return None;
    }
    let place = Place::span(file, path.span);
    if !path.is_part {
        return Some(FixStep::SetValue(place, new));
    }
    // In the middle of a template nothing is quoted.
    (!new.contains(['"', '\\', '$', '%', '\n'])).then_some(FixStep::Replace(place, new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    /// Checks the texts that a move changes, by path.
    fn check(tree: &str, from: &str, to: &str, expected: &[(&str, &str)]) {
        let fixture = Fixture::new(applyorder_engines::all(), tree);
        let mut found: Vec<(String, String)> = Vec::new();
        for (_, project) in fixture.analysis.projects() {
            for (file, edits) in moved(&fixture.analysis, project, from.into(), to.into()).edits {
                let text = applyorder_syntax::text::apply_edits(fixture.text(file), &edits);
                let changed = text.lines().filter(|line| !fixture.text(file).contains(*line));
                let path = fixture.analysis.path(file).to_string();
                found.extend(changed.map(|line| (path.clone(), line.trim().to_owned())));
            }
        }
        found.sort();
        found.dedup();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, expected, "{from} to {to}");
    }

    const TAZUNA: &str = "\
//- /w/parts/b.yaml
spec:
  manifests:
    - {name: b, type: kustomize, path: ./charts/b}
//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - name: a$0
      type: kustomize
      path: \"charts/a/\"
    - includes: [{path: parts/b.yaml}]
    - {name: c, type: kustomize, path: 'charts/{{ .Environment }}'}
";

    #[test]
    fn includes_and_paths_of_manifests_follow() {
        check(
            TAZUNA,
            "/w/parts",
            "/w/other",
            &[("/w/tazuna.yaml", "- includes: [{path: other/b.yaml}]")],
        );
        check(
            TAZUNA,
            "/w/parts/b.yaml",
            "/w/c.yaml",
            &[("/w/tazuna.yaml", "- includes: [{path: c.yaml}]")],
        );
        check(
            TAZUNA,
            "/w/charts",
            "/w/x y",
            &[
                ("/w/parts/b.yaml", "- {name: b, type: kustomize, path: ./x y/b}"),
                ("/w/tazuna.yaml", "path: \"x y/a/\""),
            ],
        );
        check(
            TAZUNA,
            "/w/tazuna.yaml",
            "/w/sub/tazuna.yaml",
            &[
                (
                    "/w/parts/b.yaml",
                    "- {name: b, type: kustomize, path: ../charts/b}",
                ),
                ("/w/tazuna.yaml", "- includes: [{path: ../parts/b.yaml}]"),
                ("/w/tazuna.yaml", "path: \"../charts/a/\""),
            ],
        );
        check(TAZUNA, "/w", "/v", &[]);
        check(TAZUNA, "/w/chart", "/w/d", &[]);
    }

    const SPACELIFT: &str = "\
//- /r/app/m/main.tf
resource \"spacelift_stack\" \"s\" {
  name        = \"s\"
  branch      = \"main\"
  repository  = \"r\"
  description = file(\"${path.module}/notes/s.txt\")
}
//- /r/app/main.tf
resource \"spacelift_stack\" \"a\" {$0
  name         = \"a\"
  branch       = \"main\"
  repository   = \"r\"
  description  = file(\"texts/a.txt\")
  before_apply = [templatefile(\"${path.module}/hooks/a.sh\", {}), \"echo ${path.module}/hooks\"]
}
module \"m\" {
  source = \"./m\"
}
";

    #[test]
    fn sources_of_modules_and_files_that_functions_read_follow() {
        check(
            SPACELIFT,
            "/r/app/m",
            "/r/mods/m",
            &[("/r/app/main.tf", "source = \"../mods/m\"")],
        );
        check(
            SPACELIFT,
            "/r/app/m/notes",
            "/r/app/m/n",
            &[(
                "/r/app/m/main.tf",
                "description = file(\"${path.module}/n/s.txt\")",
            )],
        );
        check(
            SPACELIFT,
            "/r/app/texts/a.txt",
            "/r/app/b.txt",
            &[("/r/app/main.tf", "description  = file(\"b.txt\")")],
        );
        check(
            SPACELIFT,
            "/r/app/hooks/a.sh",
            "/r/app/a.sh",
            &[(
                "/r/app/main.tf",
                "before_apply = [templatefile(\"${path.module}/a.sh\", {}), \"echo ${path.module}/hooks\"]",
            )],
        );
    }

    #[test]
    fn paths_in_json_follow() {
        let tree = "\
//- /r/m/main.tf
resource \"spacelift_space\" \"s\" {
  name = \"s\"
}
//- /r/main.tf.json
{
  \"module\": {\"m\": {\"source\": \"./m\"}},$0
  \"resource\": {\"spacelift_stack\": {\"a\": {
    \"name\": \"a\", \"branch\": \"main\", \"repository\": \"r\",
    \"description\": \"${file(\\\"texts/a.txt\\\")}\",
    \"before_apply\": [\"${file(\\\"${path.module}/hooks/a.sh\\\")}\"]
  }}}
}
";
        check(
            tree,
            "/r/m",
            "/r/mods/m",
            &[(
                "/r/main.tf.json",
                "\"module\": {\"m\": {\"source\": \"./mods/m\"}},",
            )],
        );
        check(
            tree,
            "/r/texts",
            "/r/words",
            &[(
                "/r/main.tf.json",
                "\"description\": \"${file(\\\"words/a.txt\\\")}\",",
            )],
        );
        check(
            tree,
            "/r/hooks",
            "/r/h",
            &[(
                "/r/main.tf.json",
                "\"before_apply\": [\"${file(\\\"${path.module}/h/a.sh\\\")}\"]",
            )],
        );
    }

    #[test]
    fn files_of_values_and_of_secrets_follow() {
        let tree = "\
//- /w/helm/helmfile.yaml
releases: []
//- /w/chart/helmfile.yaml
releases: []
//- /w/tazuna.yaml
spec:
  providers:
    - {name: local, type: envfile, envfile: {path: secrets/dev.env}}
    - {name: other, type: envfile, envfile: {path: /w/secrets/abs.env}}
  manifests:
    - name: a$0
      type: helmfile
      path: helm/helmfile.yaml
      helmfile:
        extraValueFiles: [values/a.yaml, /w/values/all.yaml]
    - name: b
      type: helmfile
      path: chart
      helmfile: {extraValueFiles: [\"../values/b.yaml\"]}
";
        check(
            tree,
            "/w/secrets",
            "/w/s",
            &[
                (
                    "/w/tazuna.yaml",
                    "- {name: local, type: envfile, envfile: {path: s/dev.env}}",
                ),
                (
                    "/w/tazuna.yaml",
                    "- {name: other, type: envfile, envfile: {path: /w/s/abs.env}}",
                ),
            ],
        );
        check(
            tree,
            "/w/helm/values/a.yaml",
            "/w/values/a.yaml",
            &[(
                "/w/tazuna.yaml",
                "extraValueFiles: [../values/a.yaml, /w/values/all.yaml]",
            )],
        );
        check(
            tree,
            "/w/chart",
            "/w/charts/b",
            &[
                (
                    "/w/tazuna.yaml",
                    "helmfile: {extraValueFiles: [\"../../values/b.yaml\"]}",
                ),
                ("/w/tazuna.yaml", "path: charts/b"),
            ],
        );
        check(
            tree,
            "/w/values",
            "/w/chart/values",
            &[
                (
                    "/w/tazuna.yaml",
                    "extraValueFiles: [values/a.yaml, /w/chart/values/all.yaml]",
                ),
                (
                    "/w/tazuna.yaml",
                    "helmfile: {extraValueFiles: [\"./values/b.yaml\"]}",
                ),
            ],
        );
    }

    #[test]
    fn stacks_of_terramate_follow_as_the_engine_says() {
        let tree = "\
//- /w/terramate.tm.hcl
terramate {
  config {
  }
}
//- /w/a/stack.tm.hcl
stack {$0
  after = [\"/b\"]
}
//- /w/b/stack.tm.hcl
stack {
}
";
        check(tree, "/w/b", "/w/c", &[("/w/a/stack.tm.hcl", "after = [\"/c\"]")]);
    }
}
