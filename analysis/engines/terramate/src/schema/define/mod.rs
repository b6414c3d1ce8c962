//! The blocks of bundles and components. A label may represent a block in a block: `define bundle metadata {` is
//! `define { bundle { metadata {`; so what is allowed somewhere depends on its kind and its labels.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks", and its own parsers of these blocks. It merges
//! equal blocks of a directory before it checks for missing parts; here each is checked by itself, and a
//! missing part is reported with its block.

mod parts;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::parts::{ANY, Child, First, INPUT, NAME, Part, TOP};
use self::words::label_words;
use super::tables::FREE;
use super::{Unknown, attributes, map, missing, unknown};
use crate::problems::{Among, Fault, Problem, Problems};
use applyorder_syntax::go;
use applyorder_syntax::hcl::{Block, Tree};

/// Whether a block of the top level is one of these.
pub(super) fn knows(kind: &str) -> bool {
    TOP.iter().any(|(known, _, _)| *known == kind)
}

/// A block to check.
struct Open<'t> {
    block: Block<'t>,
    key: Arc<str>,
    among: &'static [Child],
    way: Way,
}

/// How Terramate reaches a block.
#[derive(Clone, Default)]
struct Way {
    /// Something around it is wrong, and Terramate checks nothing else.
    is_closed: bool,
    /// The block around it that must be complete.
    behind: Option<Arc<str>>,
}

impl Way {
    /// What was found since: reported only if Terramate reaches it.
    fn mark(&self, found: &mut [Problem]) {
        for problem in found {
            problem.is_unmerged |= self.is_closed;
            problem.behind.clone_from(&self.behind);
        }
    }
}

/// Reports what does not belong into a block of bundles or components.
pub(super) fn check(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>) {
    let labels: Vec<&str> = block.labels().map(|label| label.text).collect();
    if block.kind() == "component"
        && let [name, "inputs"] = *labels
    {
        inputs_alone(reader, tree, block, name);
    }
    let mut open = vec![Open {
        block,
        key: merged_key("", block),
        among: &TOP,
        way: Way::default(),
    }];
    while let Some(at) = open.pop() {
        let first = reader.found.len();
        let inner = part_of(&at).map(|part| check_part(reader, tree, &at, part));
        if inner.is_none() {
            misplaced(reader, at.block, at.among);
        }
        at.way.mark(reader.found.get_mut(first..).unwrap_or_default());
        open.extend(inner.into_iter().flatten());
    }
}

/// The inputs of a component without the component itself.
fn inputs_alone(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>, name: &str) {
    let first = reader.found.len();
    let shown = go::quote(name.as_bytes());
    let words = format!("component {shown} is missing required attribute \"source\"");
    missing(reader, tree, block, "source", &words);
    for problem in reader.found.iter_mut().skip(first) {
        problem.merged = Some(format!("\u{1e}component\u{1f}{name}").into());
        problem.is_last = true;
    }
}

/// What a block is, by its kind and its labels.
fn part_of(at: &Open<'_>) -> Option<&'static Part> {
    let labels: Vec<&str> = at.block.labels().map(|l| l.text).collect();
    let fits = |wanted: &[&str]| {
        wanted == [ANY]
            || wanted.len() == labels.len() && wanted.iter().zip(&labels).all(|(w, l)| *w == NAME || w == l)
    };
    let mut of_kind = at.among.iter().filter(|(kind, _, _)| *kind == at.block.kind());
    of_kind
        .find(|(_, wanted, _)| fits(wanted))
        .map(|(_, _, part)| *part)
}

/// Reports the mistakes in a block itself, and returns those in it.
fn check_part<'t>(
    reader: &mut Problems<'_>,
    tree: &Tree,
    at: &Open<'t>,
    part: &'static Part,
) -> Vec<Open<'t>> {
    let Open { block, key, way, .. } = at;
    if part.inside.is_map {
        map::check(reader, tree, *block);
        return Vec::new();
    }
    let first = reader.found.len();
    attributes(reader, tree, *block, &part.inside);
    let has_blocks = block.body().blocks().next().is_some();
    let own = reader.found.get_mut(first..).unwrap_or_default();
    let is_missing = |problem: &Problem| matches!(problem.fault, Fault::Missing { .. });
    let is_odd = own.iter().any(|problem| !is_missing(problem));
    let is_lacking = own.iter().any(is_missing);
    for problem in own.iter_mut() {
        if is_missing(problem) {
            problem.merged = Some(key.clone());
            problem.is_unmerged = is_odd;
        }
        problem.is_unmerged |= part.first == First::Blocks && has_blocks;
    }
    if std::ptr::eq(part, &INPUT) && own.is_empty() {
        prompts(reader, *block);
    }
    let mut way = way.clone();
    if part.first == First::Attributes {
        way.is_closed |= is_odd;
        if is_lacking {
            way.behind = Some(key.clone());
        }
    }
    let inner = part.children.into_iter().flat_map(|among| {
        let open = |inner| Open {
            block: inner,
            key: merged_key(key, inner),
            among,
            way: way.clone(),
        };
        block.body().blocks().map(open)
    });
    inner.collect()
}

/// The prompt of an input may be set in a block, or in attributes as before. Terramate stops at the first part
/// that is set in both.
fn prompts(reader: &mut Problems<'_>, block: Block<'_>) {
    let body = block.body();
    let blocks = || body.blocks().filter(|b| b.kind() == "prompt");
    let twice = [
        ("prompt", "text"),
        ("options", "options"),
        ("multiline", "multiline"),
        ("multiselect", "multiselect"),
    ]
    .into_iter()
    .find_map(|(name, field)| {
        let attribute = body.attribute(name)?;
        let is_twice = blocks().any(|prompt| prompt.body().attribute(field).is_some());
        is_twice.then_some((attribute, field))
    });
    if let Some((attribute, field)) = twice {
        let name: Arc<str> = attribute.name().into();
        let input = block.labels().last().map_or("", |label| label.text);
        let words = format!("cannot use both \"{name}\" attribute and prompt.{field} in input \"{input}\"");
        let fault = Fault::Conflict {
            name: name.clone(),
            with: "the `prompt` block",
            words,
        };
        reader.fatal(attribute.name_span(), fault).attribute = Some(name);
    }
}

/// The key by which a block is merged with equal ones in the same place: its kind and its labels, and those of
/// the blocks around it.
pub(crate) fn merged_key(around: &str, block: Block<'_>) -> Arc<str> {
    let mut key = format!("{around}\u{1e}{}", block.kind());
    for label in block.labels() {
        key.push('\u{1f}');
        key.push_str(label.text);
    }
    key.into()
}

/// Which block of `define` or `component` a [`merged_key`] means, regardless of whether labels or blocks are used; `None` if
/// Terramate accepts that an attribute of it is set in both forms.
pub(crate) fn defined(key: &str, attribute: &str) -> Option<String> {
    let path = key.replace('\u{1f}', "\u{1e}");
    let words: Vec<&str> = path.split('\u{1e}').skip(1).collect();
    let is_one = match words.as_slice() {
        ["define", "bundle"] => attribute == "alias",
        [
            "define",
            "bundle" | "component",
            "metadata" | "scaffolding" | "environments" | "lets",
        ] => true,
        ["define", "bundle" | "component", "input" | "export", _] => true,
        ["component", _, "inputs"] => true,
        _ => false,
    };
    is_one.then_some(path)
}

/// The end of what [`defined`] gives for `metadata`.
const METADATA: &str = "\u{1e}metadata";

/// The attributes that `metadata` needs.
const OF_METADATA: [&str; 3] = ["class", "name", "version"];

/// The `metadata` blocks of a directory, by the block that they mean. Terramate parses the forms of one (labels, blocks)
/// in an order that changes from run to run, and each adds to what was set before.
pub(crate) struct Metadata<'f>(FxHashMap<String, Forms<'f>>);

/// The forms of one block, each with what it sets.
type Forms<'f> = BTreeMap<&'f str, BTreeSet<&'f str>>;

impl<'f> Metadata<'f> {
    /// `merged`: the attributes of the directory in blocks of bundles and components, each with the key of its block.
    pub(crate) fn of(merged: impl Iterator<Item = (&'f str, &'f str)>) -> Self {
        let mut blocks: FxHashMap<String, Forms<'f>> = FxHashMap::default();
        for (form, name) in merged {
            if let Some(path) = defined(form, name).filter(|path| path.ends_with(METADATA)) {
                blocks
                    .entry(path)
                    .or_default()
                    .entry(form)
                    .or_default()
                    .insert(name);
            }
        }
        Self(blocks)
    }

    /// Whether something missing is missing only at times: where one form is complete, and none sets the same again,
    /// another is complete if it comes after it.
    pub(crate) fn is_missing_at_times(&self, problem: &Problem) -> bool {
        let Some((key, path)) = lacking_metadata(problem) else {
            return false;
        };
        let Some(forms) = self.0.get(&path) else {
            return false;
        };
        let is_complete = |(form, set): (&&str, &BTreeSet<&str>)| {
            **form != *key && OF_METADATA.iter().all(|name| set.contains(name))
        };
        let mut names = BTreeSet::new();
        forms.iter().any(is_complete) && forms.values().flatten().all(|name| names.insert(name))
    }
}

/// The form and the path of a `metadata` block of which something is missing.
fn lacking_metadata(problem: &Problem) -> Option<(&str, String)> {
    let (Some(key), Fault::Missing { name, .. }) = (&problem.merged, &problem.fault) else {
        return None;
    };
    let path = defined(key, name).filter(|path| path.ends_with(METADATA));
    Some((key, path?))
}

/// Whether [`Metadata::is_missing_at_times`] may be true of something missing.
pub(crate) fn may_be_missing_at_times(problem: &Problem) -> bool {
    lacking_metadata(problem).is_some()
}

/// The kind of the block.
pub(crate) fn defined_kind(key: &str) -> &str {
    if key.starts_with("\u{1e}component") {
        return "component";
    }
    key.split(['\u{1e}', '\u{1f}']).nth(3).unwrap_or("define")
}

/// No block of this kind, or not with these labels, is allowed there.
fn misplaced(reader: &mut Problems<'_>, block: Block<'_>, among: &[Child]) {
    let kind = block.kind();
    let mut kinds: Vec<&'static str> = among.iter().map(|(kind, _, _)| *kind).collect();
    kinds.dedup();
    if !kinds.contains(&kind) {
        let fault = Unknown {
            what: "block",
            name: kind,
            among: Among::Here,
            known: kinds,
            words: "unexpected block type \"{}\"",
        };
        unknown(reader, &FREE, block.kind_span(), fault);
        return;
    }
    let of_kind = among.iter().filter(|(known, _, _)| *known == kind);
    let ways: Vec<String> = of_kind
        .map(|(_, labels, _)| {
            let labels = labels.iter().map(|label| match *label {
                NAME => " NAME".to_owned(),
                label => format!(" {label}"),
            });
            format!("`{kind}{}`", labels.collect::<String>())
        })
        .collect();
    let words = label_words(block, std::ptr::eq(among, &raw const TOP));
    let fault = Fault::Labels {
        block: kind.into(),
        ways,
        words,
    };
    reader.fatal(block.header_span(), fault);
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;

    /// What `run` reports for a file at the root next to a stack, with the places of the findings.
    fn said(text: &str) -> (Option<bool>, Vec<String>) {
        let files = format!(
            "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- /w/s/s.tm\nstack {{\n  id = \"s\"\n}}\n//- /w/c.tm\n{text}"
        );
        let fixture = Fixture::new(crate::ALONE, &files);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let pointed = project.resolution.diagnostics.iter().map(|d| {
            let span = fixture.analysis.span(d.place);
            format!("{}: {}", d.rule.id, span.slice(text))
        });
        (project.resolution.verdicts[0].ok, pointed.collect())
    }

    #[test]
    fn labels_represent_blocks() {
        for text in [
            "define bundle metadata {\n class = \"c\"\n name = \"n\"\n version = \"1\"\n}\n",
            "define {\n bundle {\n metadata {\n class = \"c\"\n name = \"n\"\n version = \"1\"\n}\n}\n}\n",
            "define component input \"size\" {\n type = string\n prompt {\n text = \"How large?\"\n}\n}\n",
        ] {
            assert_eq!(said(text), (Some(true), vec![]), "{text}");
        }
    }

    #[test]
    fn labels_that_terramate_does_not_check_are_accepted() {
        let metadata = "class = \"c\"\n name = \"n\"\n version = \"1\"\n";
        let enabled = "condition = true\n error_message = \"e\"\n";
        for labels in ["", "\"\"", "\"x\"", "\"x\" \"\""] {
            let of_component = format!("define component {{\n metadata {labels} {{\n{metadata}}}\n}}\n");
            assert_eq!(said(&of_component), (Some(true), vec![]), "{of_component}");
            let condition = format!("define bundle scaffolding {{\n enabled {labels} {{\n{enabled}}}\n}}\n");
            assert_eq!(said(&condition), (Some(true), vec![]), "{condition}");
            let of_bundle = format!("define bundle {{\n metadata {labels} {{\n{metadata}}}\n}}\n");
            assert_eq!(said(&of_bundle).0, Some(labels.is_empty()), "{of_bundle}");
        }
    }

    #[test]
    fn what_does_not_belong_there_is_pointed_at() {
        for (text, found) in [
            (
                "define component input \"a\" {\n allowed_values = []\n}\n",
                "unknown-field: allowed_values",
            ),
            ("define {\n bundel {\n}\n}\n", "unknown-field: bundel"),
            ("define bundle stack {\n}\n", "invalid-value: define bundle stack"),
            ("component \"a\" {\n}\n", "missing-field: component \"a\""),
            ("environment {\n id = \"dev\"\n}\n", "missing-field: environment"),
            ("environment {\n id = 1\n name = \"Dev\"\n}\n", "wrong-type: 1"),
        ] {
            assert_eq!(said(text), (Some(false), vec![found.to_owned()]), "{text}");
        }
    }

    /// The first error that Terramate reports for a file.
    fn reported(text: &str) -> Vec<String> {
        let files = format!(
            "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- /w/c.tm\n{text}"
        );
        let fixture = Fixture::new(crate::ALONE, &files);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let errors = project.resolution.verdicts[0].errors.iter();
        errors.map(|e| e.message.to_string()).collect()
    }

    /// Observed with 0.17.2.
    #[test]
    fn what_comes_after_a_mistake_is_not_reported() {
        for (text, first) in [
            // The blocks of metadata come before its attributes, and those before missing parts.
            (
                "define component metadata {\n foo {\n}\n nope = 1\n}\n",
                &["unexpected block type \"foo\""][..],
            ),
            (
                "define component metadata {\n nope = 1\n}\n",
                &["but found \"nope\""],
            ),
            (
                "define component metadata {\n name = \"n\"\n}\n",
                &["\"metadata\" block requires a \"class\" attribute"],
            ),
            // The attributes of others come before their blocks.
            (
                "define {\n foo = 1\n bundle {\n bar {\n}\n}\n}\n",
                &["define block must not have attributes"],
            ),
            (
                "component \"a\" {\n bar {\n}\n}\n",
                &["\"component\" block requires a \"source\" attribute"],
            ),
            (
                "component \"a\" {\n foo = 1\n bar {\n}\n}\n",
                &["but found \"foo\""],
            ),
            (
                "component {\n}\n",
                &["must have at least one label%!(EXTRA int=0)"],
            ),
            (
                "define bundle x {\n}\n",
                &["unexpected label \"x\", expected \"metadata\""],
            ),
        ] {
            let said = reported(text);
            assert_eq!(said.len(), first.len(), "{text}: {said:?}");
            for (said, first) in said.iter().zip(first) {
                assert!(said.contains(first), "{text}: {said}");
            }
        }
        // An equal block may have what another one lacks.
        let apart = "component \"a\" {\n bar {\n}\n}\n//- /w/d.tm\ncomponent \"a\" {\n source = \"x\"\n}\n";
        let said = reported(apart);
        assert!(
            said.len() == 1 && said[0].contains("unexpected block type"),
            "{said:?}"
        );
    }

    #[test]
    fn inputs_belong_to_a_component_of_the_directory() {
        let inputs = "component \"c\" \"inputs\" {\n a = 1\n}\n";
        let alone = "component \"c\" is missing required attribute \"source\"";
        assert_eq!(reported(inputs), [alone]);
        // Only where nothing else is wrong.
        let other = reported(&format!("{inputs}foo {{\n}}\n"));
        assert_eq!(other, ["unrecognized block \"foo\""]);
        let component = "component \"c\" {\n source = \"x\"\n}\n";
        assert_eq!(reported(&format!("{inputs}{component}")), [""; 0]);
        assert_eq!(reported(&format!("{inputs}//- /w/d.tm\n{component}")), [""; 0]);
        let in_stack = format!("define bundle stack \"s\" {{\n{inputs}}}\n");
        assert_eq!(reported(&in_stack), [""; 0]);
        // The component itself lacks it.
        let lacking = reported(&format!("{inputs}{}", component.replace("source", "condition")));
        assert_eq!(lacking, ["\"component\" block requires a \"source\" attribute"]);
        // Each input once.
        let twice = component.replace("source", "inputs {\n a = 1\n}\n source");
        let said = reported(&format!("{inputs}{twice}"));
        assert!(
            said.len() == 1 && said[0].contains("input \"a\" already declared"),
            "{said:?}"
        );
    }

    #[test]
    fn terramates_words_name_what_there_is() {
        let files = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\ndefine bundle stack \"s\" {\n component \"c\" {\n source = \"x\"\n nope = 1\n}\n}\n";
        let fixture = Fixture::new(crate::ALONE, files);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let error = &project.resolution.verdicts[0].errors[0];
        let known = "condition, environment, inputs, source";
        assert!(
            error
                .message
                .ends_with(&format!("valid attributes are [{known}] but found \"nope\"")),
            "{}",
            error.message
        );
    }

    #[test]
    fn an_instance_of_a_bundle_leaves_the_order_open() {
        assert_eq!(said("bundle \"b\" {\n source = \"github.com/b/b\"\n}\n").0, None);
        let instance = "apiVersion: terramate.io/cli/v1\nkind: BundleInstance\nmetadata: {name: b}\nspec: {source: github.com/b/b}\n";
        let at = |path: &str, text: &str| said(&format!("define {{\n}}\n//- /w/{path}\n{text}")).0;
        assert_eq!(at("configs/b.tm.yml", instance), None);
        // A directory with a `.tmskip` is part of the project, those in it are not.
        assert_eq!(at("x/b.tm.yml", &format!("{instance}//- /w/x/.tmskip\n")), None);
        let below = at("x/y/b.tm.yml", &format!("{instance}//- /w/x/.tmskip\n"));
        assert_eq!(below, Some(true));
        // No stacks are made from it there, but it is decoded anyway.
        assert_eq!(at(".hidden/b.tm.yml", instance), Some(true));
        assert_eq!(at(".hidden/b.tm.yml", "a: &x 1\n"), Some(false));
        assert_eq!(at(".hidden/b.tm.yaml", "a: [\n"), Some(false));
        assert_eq!(at("configs/b.tm.yml", ""), Some(false));
    }
}
