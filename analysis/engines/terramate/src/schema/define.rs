//! The blocks of bundles and components. A label may represent a block in a block: `define bundle metadata {` is
//! `define { bundle { metadata {`; so what is allowed somewhere depends on its kind and its labels.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks", and its own parsers of these blocks. It merges equal
//! blocks of a directory before it looks for what has to be there; here each is looked at by itself, and what it lacks
//! says of which block it is.

use std::sync::Arc;

use super::tables::{FREE, Inside, Ty};
use super::{Unknown, attributes, map, unknown};
use crate::problems::{Among, Fault, Problems};
use applyorder_syntax::hcl::{Block, Tree};

/// A block of these, or all of them.
struct Part {
    inside: Inside,
    /// What is allowed in it: kind, labels, block. `None`: whatever one likes.
    children: Option<&'static [Child]>,
}

type Child = (&'static str, &'static [&'static str], &'static Part);

/// Stands for any label.
const NAME: &str = "*";
/// Stands for any number of labels.
const ANY: &str = "**";

/// Whether a block of the top level is one of these.
pub(super) fn knows(kind: &str) -> bool {
    TOP.iter().any(|(known, _, _)| *known == kind)
}

/// Reports what does not belong into a block of bundles or components.
pub(super) fn check(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>) {
    let mut open: Vec<(Block<'_>, Arc<str>, &'static [Child])> = vec![(block, merged_key("", block), &TOP)];
    while let Some((block, key, among)) = open.pop() {
        let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
        let fits = |wanted: &[&str]| {
            wanted == [ANY]
                || wanted.len() == labels.len()
                    && wanted.iter().zip(&labels).all(|(w, l)| *w == NAME || w == l)
        };
        let mut of_kind = among.iter().filter(|(kind, _, _)| *kind == block.kind());
        let Some((_, _, part)) = of_kind.find(|(_, wanted, _)| fits(wanted)) else {
            misplaced(reader, block, among);
            continue;
        };
        if part.inside.is_map {
            map::check(reader, tree, block);
            continue;
        }
        let first = reader.found.len();
        attributes(reader, tree, block, &part.inside);
        for problem in reader.found.iter_mut().skip(first) {
            let is_missing = matches!(problem.fault, Fault::Missing { .. });
            problem.merged = is_missing.then(|| key.clone());
        }
        if std::ptr::eq(*part, &INPUT) && reader.found.len() == first {
            prompts(reader, block);
        }
        if let Some(children) = part.children {
            let inner = block.body().blocks();
            open.extend(inner.map(|inner| (inner, merged_key(&key, inner), children)));
        }
    }
}

/// What an input asks with may be said in a block, or as before in attributes. Terramate stops at the first that is
/// said in both.
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

/// What makes a block one with equal ones in the same place: its kind and its labels, and those of the blocks around
/// it.
pub(crate) fn merged_key(around: &str, block: Block<'_>) -> Arc<str> {
    let mut key = format!("{around}\u{1e}{}", block.kind());
    for label in block.labels() {
        key.push('\u{1f}');
        key.push_str(label.text);
    }
    key.into()
}

/// Which block of `define` a [`merged_key`] means, whether labels or blocks say so; `None` where Terramate does not
/// mind that an attribute of it is set in both ways.
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
        _ => false,
    };
    is_one.then_some(path)
}

/// The kind of the block.
pub(crate) fn defined_kind(key: &str) -> &str {
    key.split(['\u{1e}', '\u{1f}']).nth(3).unwrap_or("define")
}

/// No block of this kind, or none with these labels, is allowed there.
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
    let words = match block.labels().next() {
        Some(label) => format!("unexpected label \"{}\"", label.text),
        None => format!("{kind} block must have a label"),
    };
    let fault = Fault::Labels {
        block: kind.into(),
        ways,
        words,
    };
    reader.fatal(block.header_span(), fault);
}

/// Terramate's words for an attribute that there is not; it names those that there are, in byte order.
const WORDS: &str = "valid attributes are [{known}] but found \"{}\"";

/// A block with these attributes and no others.
const fn part(attributes: &'static [(&'static str, Ty)], children: Option<&'static [Child]>) -> Part {
    Part {
        inside: Inside {
            attributes: Some(attributes),
            words: (WORDS, ""),
            ..FREE
        },
        children,
    }
}

const fn needing(part: Part, needs: &'static [(&'static str, &'static str)]) -> Part {
    Part {
        inside: Inside { needs, ..part.inside },
        children: part.children,
    }
}

const ANYTHING: Part = Part {
    inside: FREE,
    children: None,
};
/// Attributes of any name, no block.
const VALUES: Part = Part {
    inside: FREE,
    children: Some(&[]),
};

static PROMPT: Part = part(
    &[
        ("text", Ty::Any),
        ("options", Ty::Any),
        ("condition", Ty::Any),
        ("multiline", Ty::Any),
        ("multiselect", Ty::Any),
    ],
    None,
);
static ATTRIBUTE: Part = part(
    &[
        ("description", Ty::Any),
        ("type", Ty::Any),
        ("default", Ty::Any),
        ("required", Ty::Any),
    ],
    Some(&[("prompt", &[], &PROMPT)]),
);
static INPUT: Part = part(
    &[
        ("prompt", Ty::Any),
        ("description", Ty::Any),
        ("type", Ty::Any),
        ("options", Ty::Any),
        ("multiline", Ty::Any),
        ("multiselect", Ty::Any),
        ("immutable", Ty::Any),
        ("required_for_scaffold", Ty::Any),
        ("default", Ty::Any),
    ],
    Some(&[("attribute", &[NAME], &ATTRIBUTE), ("prompt", &[], &PROMPT)]),
);
static SCHEMA: Part = part(
    &[("description", Ty::Any), ("type", Ty::Any)],
    Some(&[("attribute", &[NAME], &ATTRIBUTE), ("prompt", &[], &PROMPT)]),
);
static EXPORT: Part = part(&[("description", Ty::Any), ("value", Ty::Any)], Some(&[]));
/// There Terramate looks at no block.
static EXPORT_BY_LABEL: Part = part(&[("description", Ty::Any), ("value", Ty::Any)], None);
static METADATA: Part = needing(
    part(
        &[
            ("class", Ty::Any),
            ("name", Ty::Any),
            ("description", Ty::Any),
            ("technologies", Ty::Any),
            ("version", Ty::Any),
        ],
        Some(&[]),
    ),
    &[
        ("class", "\"metadata\" block requires a \"class\" attribute"),
        ("name", "\"metadata\" block requires a \"name\" attribute"),
        ("version", "\"metadata\" block requires a \"version\" attribute"),
    ],
);
static STACK_METADATA: Part = part(
    &[
        ("path", Ty::Any),
        ("name", Ty::Any),
        ("description", Ty::Any),
        ("tags", Ty::Any),
        ("after", Ty::Any),
        ("before", Ty::Any),
        ("wants", Ty::Any),
        ("wanted_by", Ty::Any),
        ("watch", Ty::Any),
    ],
    None,
);
static CONDITION: Part = needing(
    part(&[("condition", Ty::Any), ("error_message", Ty::Any)], Some(&[])),
    &[
        ("condition", "condition attribute is missing"),
        ("error_message", "error_message attribute is missing"),
    ],
);
static SCAFFOLDING: Part = part(
    &[("path", Ty::Any), ("name", Ty::Any)],
    Some(&[("enabled", &[], &CONDITION)]),
);
static ENVIRONMENTS: Part = part(&[("required", Ty::Any)], Some(&[]));
static USES: Part = needing(
    part(&[("source", Ty::Any)], None),
    &[("source", "\"uses\" block requires a \"source\" attribute")],
);
static LETS: Part = Part {
    inside: FREE,
    children: Some(&[("map", &[ANY], &MAP)]),
};
static MAP: Part = Part {
    inside: Inside { is_map: true, ..FREE },
    children: None,
};
/// An instance of a component.
static COMPONENT: Part = needing(
    part(
        &[
            ("condition", Ty::Any),
            ("environment", Ty::Any),
            ("source", Ty::Any),
            ("inputs", Ty::Any),
        ],
        Some(&[("inputs", &[], &ANYTHING)]),
    ),
    &[("source", "\"component\" block requires a \"source\" attribute")],
);
static STACK: Part = part(
    &[("condition", Ty::Any)],
    Some(&[
        ("metadata", &[], &STACK_METADATA),
        ("component", &[NAME], &COMPONENT),
        ("component", &[NAME, "inputs"], &ANYTHING),
    ]),
);
static DEFINE_COMPONENT: Part = Part {
    inside: FREE,
    children: Some(&[
        ("metadata", &[], &METADATA),
        ("input", &[NAME], &INPUT),
        ("uses", &["schemas", NAME], &USES),
    ]),
};
static DEFINE_BUNDLE: Part = part(
    &[("alias", Ty::Any)],
    Some(&[
        ("metadata", &[], &METADATA),
        ("stack", &[NAME], &STACK),
        // Terramate throws away what it finds wrong here.
        ("stack", &[NAME, "metadata"], &ANYTHING),
        ("input", &[NAME], &INPUT),
        ("export", &[NAME], &EXPORT),
        ("scaffolding", &[], &SCAFFOLDING),
        ("environments", &[], &ENVIRONMENTS),
        ("lets", &[], &LETS),
        ("uses", &["schemas", NAME], &USES),
    ]),
);
/// What takes a name takes no labels for where it is: Terramate has code for it that always fails.
static DEFINE: Part = Part {
    inside: Inside {
        attributes: Some(&[]),
        words: ("define block must not have attributes", ""),
        ..FREE
    },
    children: Some(&[
        ("component", &[], &DEFINE_COMPONENT),
        ("component", &["metadata"], &METADATA),
        ("bundle", &[], &DEFINE_BUNDLE),
        ("bundle", &["metadata"], &METADATA),
        ("bundle", &["scaffolding"], &SCAFFOLDING),
        ("bundle", &["environments"], &ENVIRONMENTS),
        ("bundle", &["lets"], &LETS),
        ("schema", &[NAME], &SCHEMA),
    ]),
};
static BUNDLE_ENVIRONMENT: Part = part(&[("source", Ty::Any)], Some(&[("inputs", &[], &VALUES)]));
/// An instance of a bundle.
static BUNDLE: Part = needing(
    part(
        &[("uuid", Ty::Any), ("source", Ty::Any), ("inputs", Ty::Any)],
        Some(&[
            ("inputs", &[], &VALUES),
            ("environment", &[NAME], &BUNDLE_ENVIRONMENT),
        ]),
    ),
    &[("source", "\"bundle\" block requires a \"source\" attribute")],
);
static ENVIRONMENT: Part = part(
    &[
        ("description", Ty::Any),
        ("id", Ty::Any),
        ("name", Ty::Any),
        ("promote_from", Ty::Any),
    ],
    Some(&[]),
);
/// Neither its blocks nor its labels are looked at.
static SCAFFOLD: Part = part(&[("package_sources", Ty::Any)], None);

/// What is allowed at the top level.
static TOP: [Child; 20] = [
    ("define", &[], &DEFINE),
    ("define", &["component"], &DEFINE_COMPONENT),
    ("define", &["bundle"], &DEFINE_BUNDLE),
    ("define", &["component", "metadata"], &METADATA),
    ("define", &["bundle", "metadata"], &METADATA),
    ("define", &["bundle", "scaffolding"], &SCAFFOLDING),
    ("define", &["bundle", "environments"], &ENVIRONMENTS),
    ("define", &["bundle", "lets"], &LETS),
    ("define", &["schema", NAME], &SCHEMA),
    ("define", &["component", "input", NAME], &INPUT),
    ("define", &["bundle", "input", NAME], &INPUT),
    ("define", &["bundle", "export", NAME], &EXPORT_BY_LABEL),
    ("define", &["bundle", "stack", NAME], &STACK),
    ("define", &["bundle", "stack", NAME, "metadata"], &ANYTHING),
    ("bundle", &[NAME], &BUNDLE),
    ("bundle", &[NAME, NAME], &VALUES),
    ("component", &[NAME], &COMPONENT),
    ("component", &[NAME, "inputs"], &ANYTHING),
    ("environment", &[], &ENVIRONMENT),
    ("scaffold", &[ANY], &SCAFFOLD),
];

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;

    /// What `run` says of a file at the root besides a stack, with the places that findings point at.
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
    fn labels_stand_for_blocks() {
        for text in [
            "define bundle metadata {\n class = \"c\"\n name = \"n\"\n version = \"1\"\n}\n",
            "define {\n bundle {\n metadata {\n class = \"c\"\n name = \"n\"\n version = \"1\"\n}\n}\n}\n",
            "define component input \"size\" {\n type = string\n prompt {\n text = \"How large?\"\n}\n}\n",
        ] {
            assert_eq!(said(text), (Some(true), vec![]), "{text}");
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
        assert_eq!(said("bundle \"b\" {\n source = \"/bundles/b\"\n}\n").0, None);
        let instance = "apiVersion: terramate.io/cli/v1\nkind: BundleInstance\nmetadata: {name: b}\n";
        let at = |path: &str, text: &str| said(&format!("define {{\n}}\n//- /w/{path}\n{text}")).0;
        assert_eq!(at("configs/b.tm.yml", instance), None);
        // Nobody makes stacks of it there, but it is decoded all the same.
        assert_eq!(at(".hidden/b.tm.yml", instance), Some(true));
        assert_eq!(at(".hidden/b.tm.yml", "a: &x 1\n"), Some(false));
        assert_eq!(at(".hidden/b.tm.yaml", "a: [\n"), Some(false));
        assert_eq!(at("configs/b.tm.yml", ""), Some(false));
    }
}
