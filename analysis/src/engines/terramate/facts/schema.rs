//! What may stand inside of a top-level block: attributes with their types, and blocks.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks"; its messages and its gaps were seen in its own
//! parsers. Where it throws an error of its own away (`change_detection.terragrunt`, `telemetry`) or does not look
//! at all, it is silent, and we warn.

use super::Reader;
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::rules::{invalid_value, nearest, unknown_field, wrong_type};
use crate::syntax::hcl::eval::{self, Budget, Data, NoVariables};
use crate::syntax::hcl::{Attribute, Block, Expr, Tree};

/// What an attribute has to be. Only what Terramate evaluates while it loads has a type here.
#[derive(Clone, Copy)]
enum Ty {
    /// Not looked at.
    Any,
    Text,
    Bool,
    /// One of these texts.
    TextOf(&'static [&'static str]),
    /// `"on"`, `"off"` or a truth value.
    Switch,
    /// A list of texts, or null.
    Set,
    /// A list of some of these texts, or null.
    SetOf(&'static [&'static str]),
    /// A list of texts that is not empty.
    Paths,
    /// One of these words, without quotes.
    Keyword(&'static [&'static str]),
}

/// What stands inside of a block.
struct Inside {
    /// `None`: whatever one likes.
    attributes: Option<&'static [(&'static str, Ty)]>,
    blocks: Option<&'static [(&'static str, &'static Inside)]>,
    /// Terramate's words for an attribute that there is not, with `{}` for its name, and for a block.
    words: (&'static str, &'static str),
    /// The blocks that may stand there once.
    once: &'static [&'static str],
    /// Whether Terramate says nothing of it.
    silent: bool,
}

const NO_BLOCK: &str = "unrecognized block \"{}\"";
const FREE: Inside = Inside {
    attributes: None,
    blocks: None,
    words: ("", ""),
    once: &[],
    silent: false,
};

const TERRAMATE: Inside = Inside {
    attributes: Some(&[
        ("required_version", Ty::Text),
        ("required_version_allow_prereleases", Ty::Bool),
    ]),
    blocks: Some(&[("config", &CONFIG)]),
    words: ("unsupported attribute \"{}\"", NO_BLOCK),
    once: &[],
    silent: false,
};
const CONFIG: Inside = Inside {
    attributes: Some(&[
        ("experiments", Ty::Set),
        (
            "disable_safeguards",
            Ty::SetOf(&[
                "all",
                "none",
                "git",
                "git-untracked",
                "git-uncommitted",
                "git-out-of-sync",
                "outdated-code",
            ]),
        ),
    ]),
    blocks: Some(&[
        ("git", &GIT),
        ("generate", &GENERATE),
        ("change_detection", &CHANGE_DETECTION),
        ("run", &RUN),
        ("cloud", &CLOUD),
        ("targets", &FREE),
        ("telemetry", &TELEMETRY),
    ]),
    words: ("unrecognized attribute terramate.config.{}", NO_BLOCK),
    once: &[],
    silent: false,
};
const GIT: Inside = Inside {
    attributes: Some(&[
        ("default_branch", Ty::Text),
        ("default_remote", Ty::Text),
        ("check_untracked", Ty::Bool),
        ("check_uncommitted", Ty::Bool),
        ("check_remote", Ty::Bool),
    ]),
    blocks: Some(&[]),
    words: ("unrecognized attribute terramate.config.git.{}", NO_BLOCK),
    once: &[],
    silent: false,
};
const GENERATE: Inside = Inside {
    attributes: Some(&[("hcl_magic_header_comment_style", Ty::TextOf(&["//", "#"]))]),
    blocks: Some(&[]),
    words: ("unrecognized attribute terramate.config.generate.{}", NO_BLOCK),
    once: &[],
    silent: false,
};
const RUN: Inside = Inside {
    attributes: Some(&[("check_gen_code", Ty::Bool)]),
    blocks: Some(&[("env", &RUN_ENV)]),
    // So it says, although it means `run`.
    words: ("unrecognized attribute terramate.config.run.env.{}", NO_BLOCK),
    once: &[],
    silent: false,
};
const RUN_ENV: Inside = Inside {
    attributes: None,
    blocks: Some(&[]),
    words: ("", NO_BLOCK),
    once: &[],
    silent: false,
};
const CLOUD: Inside = Inside {
    attributes: Some(&[
        ("organization", Ty::Text),
        ("location", Ty::TextOf(&["eu", "us"])),
    ]),
    blocks: Some(&[("targets", &CLOUD_TARGETS)]),
    words: ("unrecognized attribute terramate.config.cloud.{}", NO_BLOCK),
    once: &[],
    silent: false,
};
const CLOUD_TARGETS: Inside = Inside {
    attributes: Some(&[("enabled", Ty::Bool)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute terramate.config.cloud.targets.{}",
        NO_BLOCK,
    ),
    once: &[],
    silent: false,
};
const CHANGE_DETECTION: Inside = Inside {
    attributes: None,
    blocks: Some(&[("terragrunt", &TERRAGRUNT), ("git", &DETECTION_GIT)]),
    words: ("", NO_BLOCK),
    once: &[],
    silent: false,
};
const TERRAGRUNT: Inside = Inside {
    attributes: Some(&[("enabled", Ty::Any)]),
    blocks: Some(&[]),
    words: ("", ""),
    once: &[],
    silent: true,
};
const DETECTION_GIT: Inside = Inside {
    attributes: Some(&[("untracked", Ty::Switch), ("uncommitted", Ty::Switch)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute terramate.config.change_detection.git.{}",
        NO_BLOCK,
    ),
    once: &[],
    silent: false,
};
const TELEMETRY: Inside = Inside {
    attributes: Some(&[("enabled", Ty::Any)]),
    blocks: Some(&[]),
    words: ("", ""),
    once: &[],
    silent: true,
};

const VENDOR: Inside = Inside {
    attributes: Some(&[("dir", Ty::Text)]),
    blocks: Some(&[("manifest", &MANIFEST)]),
    words: (
        "unrecognized attribute vendor.{}",
        "unexpected block {} inside vendor",
    ),
    once: &["manifest"],
    silent: false,
};
const MANIFEST: Inside = Inside {
    attributes: Some(&[]),
    blocks: Some(&[("default", &MANIFEST_DEFAULT)]),
    words: (
        "unrecognized attribute manifest.{}",
        "unexpected block {} inside manifest",
    ),
    once: &["default"],
    silent: false,
};
const MANIFEST_DEFAULT: Inside = Inside {
    attributes: Some(&[("files", Ty::Set)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute default.{}",
        "unexpected block {} inside default",
    ),
    once: &[],
    silent: false,
};

const ASSERT: Inside = Inside {
    attributes: Some(&[("assertion", Ty::Any), ("message", Ty::Any), ("warning", Ty::Any)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute assert.{}",
        "unexpected block {} inside assert",
    ),
    once: &[],
    silent: false,
};
const STACK_FILTER: Inside = Inside {
    attributes: Some(&[("project_paths", Ty::Paths), ("repository_paths", Ty::Paths)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute stack_filter.{}",
        "unexpected block {} inside stack_filter",
    ),
    once: &[],
    silent: false,
};
const LETS: Inside = Inside {
    attributes: None,
    blocks: Some(&[("map", &FREE)]),
    words: ("", "unrecognized block: the block {} is not expected here"),
    once: &[],
    silent: false,
};
const OF_GENERATE: (&str, &str) = (
    "An argument named \"{}\" is not expected here",
    "Blocks of type \"{}\" are not expected here",
);
const GENERATE_HCL: Inside = Inside {
    attributes: Some(&[("condition", Ty::Any), ("inherit", Ty::Any)]),
    blocks: Some(&[
        ("content", &FREE),
        ("lets", &LETS),
        ("assert", &ASSERT),
        ("stack_filter", &STACK_FILTER),
    ]),
    words: OF_GENERATE,
    once: &["content"],
    silent: false,
};
const GENERATE_FILE: Inside = Inside {
    attributes: Some(&[
        ("content", Ty::Any),
        ("condition", Ty::Any),
        ("inherit", Ty::Any),
        ("context", Ty::Keyword(&["stack", "root"])),
    ]),
    blocks: Some(&[
        ("lets", &LETS),
        ("assert", &ASSERT),
        ("stack_filter", &STACK_FILTER),
    ]),
    words: OF_GENERATE,
    once: &[],
    silent: false,
};

const SCRIPT: Inside = Inside {
    attributes: Some(&[("name", Ty::Any), ("description", Ty::Any)]),
    blocks: Some(&[("job", &JOB), ("lets", &LETS)]),
    words: (
        "(script): unrecognized attribute",
        "(script): unrecognized block: {}",
    ),
    once: &[],
    silent: false,
};
const JOB: Inside = Inside {
    attributes: Some(&[
        ("name", Ty::Any),
        ("description", Ty::Any),
        ("command", Ty::Any),
        ("commands", Ty::Any),
    ]),
    blocks: Some(&[]),
    words: (
        "(script.job): unrecognized attribute: {}",
        "(script): unrecognized block: {}",
    ),
    once: &[],
    silent: false,
};

const INPUT: Inside = Inside {
    attributes: Some(&[
        ("backend", Ty::Any),
        ("value", Ty::Any),
        ("from_stack_id", Ty::Any),
        ("sensitive", Ty::Any),
        ("mock", Ty::Any),
    ]),
    blocks: None,
    words: ("unrecognized attribute {}", ""),
    once: &[],
    silent: false,
};
const OUTPUT: Inside = Inside {
    attributes: Some(&[
        ("backend", Ty::Any),
        ("value", Ty::Any),
        ("description", Ty::Any),
        ("sensitive", Ty::Any),
    ]),
    blocks: None,
    words: ("unrecognized attribute {}", ""),
    once: &[],
    silent: false,
};
const SHARING_BACKEND: Inside = Inside {
    attributes: Some(&[
        ("type", Ty::Keyword(&["terraform"])),
        ("filename", Ty::Any),
        ("command", Ty::Any),
    ]),
    blocks: None,
    words: ("unrecognized attribute {}", ""),
    once: &[],
    silent: false,
};

/// Of which blocks the inside is looked at.
const BLOCKS: [(&str, &Inside); 10] = [
    ("terramate", &TERRAMATE),
    ("globals", &LETS),
    ("vendor", &VENDOR),
    ("assert", &ASSERT),
    ("generate_hcl", &GENERATE_HCL),
    ("generate_file", &GENERATE_FILE),
    ("script", &SCRIPT),
    ("input", &INPUT),
    ("output", &OUTPUT),
    ("sharing_backend", &SHARING_BACKEND),
];

/// Reports what does not belong into a top-level block, or has another type there.
pub(super) fn check(reader: &mut Reader<'_>, tree: &Tree, block: Block<'_>) {
    let Some((_, inside)) = BLOCKS.iter().find(|(name, _)| *name == block.kind()) else {
        return;
    };
    conflicts(reader, block);
    let mut open = vec![(block, *inside)];
    while let Some((block, inside)) = open.pop() {
        for attribute in block.body().attributes() {
            let Some(known) = inside.attributes else { continue };
            match known.iter().find(|(name, _)| *name == attribute.name()) {
                Some((_, ty)) if !tree.has_gap(block.span()) => typed(reader, attribute, *ty),
                Some(_) => {}
                None => {
                    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    let what = format!("`{}` has no attribute `{}`", block.kind(), attribute.name());
                    let span = attribute.name_span();
                    unknown(
                        reader,
                        inside,
                        (attribute.name(), span),
                        what,
                        &names,
                        inside.words.0,
                    );
                }
            }
        }
        let mut once: Vec<&str> = Vec::new();
        for inner in block.body().blocks() {
            let Some(known) = inside.blocks else { continue };
            if once.contains(&inner.kind()) {
                let place = reader.place(inner.header_span());
                let what = format!("`{}` stands there already", inner.kind());
                let d = Diagnostic::new(&invalid_value::RULE, place, what);
                let words = format!("duplicated block {}", inner.kind());
                reader.fatal(d.engine_message(words));
            }
            once.extend(inside.once.iter().find(|name| **name == inner.kind()));
            match known.iter().find(|(name, _)| *name == inner.kind()) {
                Some((_, inside)) => open.push((inner, inside)),
                None => {
                    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    let what = format!("`{}` has no block `{}`", block.kind(), inner.kind());
                    let span = inner.kind_span();
                    unknown(reader, inside, (inner.kind(), span), what, &names, inside.words.1);
                }
            }
        }
    }
}

/// Attributes that exclude each other.
fn conflicts(reader: &mut Reader<'_>, block: Block<'_>) {
    let body = block.body();
    let source = |a: &Attribute<'_>| {
        let span = a.value().span();
        let text = reader.input.text.get(span.start as usize..span.end as usize);
        text.unwrap_or("").trim().to_owned()
    };
    let mut found: Vec<(Attribute<'_>, &str, String)> = Vec::new();
    if block.kind() == "generate_file"
        && body.attribute("context").is_some_and(|c| source(&c) == "root")
        && let Some(inherit) = body.attribute("inherit")
    {
        let words = "inherit attribute cannot be used with context=root".to_owned();
        found.push((inherit, "`context = root`", words));
    }
    let configs = body
        .blocks()
        .filter(|b| block.kind() == "terramate" && b.kind() == "config");
    for config in configs {
        let disables = config.body().attribute("disable_safeguards");
        let some = disables
            .and_then(|a| a.value().entries())
            .is_some_and(|e| !e.is_empty());
        if !some {
            continue;
        }
        for inner in config.body().blocks() {
            let checks = match inner.kind() {
                "git" => &["check_untracked", "check_uncommitted", "check_remote"][..],
                "run" => &["check_gen_code"],
                _ => continue,
            };
            for check in checks.iter().filter_map(|name| inner.body().attribute(name)) {
                let words = format!(
                    "terramate.config.{}.{} conflicts with terramate.config.disable_safeguards",
                    inner.kind(),
                    check.name()
                );
                found.push((check, "`disable_safeguards`", words));
            }
        }
    }
    for (attribute, other, words) in found {
        let place = reader.place(attribute.name_span());
        let what = format!("`{}` cannot stand beside {other}", attribute.name());
        let d = Diagnostic::new(&invalid_value::RULE, place, what).severity(Severity::Error);
        reader.fatal(d.engine_message(words)).attribute = Some(attribute.name().into());
    }
}

fn unknown(
    reader: &mut Reader<'_>,
    inside: &Inside,
    (name, span): (&str, crate::syntax::text::Span),
    what: String,
    known: &[&str],
    words: &str,
) {
    let place = reader.place(span);
    let mut d = Diagnostic::new(&unknown_field::RULE, place, what);
    if let Some(near) = nearest(name, known.iter().copied()) {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("rename to `{near}`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, near.to_owned())],
        );
    }
    if inside.silent {
        reader.mild(d.severity(Severity::Warning));
        return;
    }
    let d = d
        .severity(Severity::Error)
        .engine_message(words.replace("{}", name));
    reader.fatal(d).attribute = Some(name.into());
}

/// Whether an attribute that is evaluated while loading has a value, and of its type.
fn typed(reader: &mut Reader<'_>, attribute: Attribute<'_>, ty: Ty) {
    let (name, expr) = (attribute.name(), attribute.value());
    let wrong = match ty {
        Ty::Any => None,
        Ty::Keyword(words) => {
            let (from, to) = (expr.span().start as usize, expr.span().end as usize);
            let written = reader.input.text.get(from..to).unwrap_or("").trim();
            (!words.contains(&written)).then(|| (one_of(words), format!("`{written}`")))
        }
        _ => evaluated(expr, ty),
    };
    let Some((wanted, found)) = wrong else { return };
    let place = reader.place(expr.span());
    let rule = match ty {
        Ty::TextOf(_) | Ty::Keyword(_) => &invalid_value::RULE,
        _ => &wrong_type::RULE,
    };
    let d = Diagnostic::new(rule, place, format!("`{name}` must be {wanted}, this is {found}"))
        .severity(Severity::Error)
        .engine_message(format!("{name} is not {wanted} but {found}"));
    reader.fatal(d).attribute = Some(name.into());
}

fn one_of(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    words.join(" or ")
}

/// What is wanted, and what is there instead. Neither variables nor functions may be used here.
fn evaluated(expr: Expr<'_>, ty: Ty) -> Option<(String, String)> {
    let nothing = NoVariables { prefix: "\0" };
    let outcome = eval::evaluate(expr, 0, &nothing, &Budget::default());
    let data = &outcome.value.data;
    let wanted = match ty {
        Ty::Text => "a string".to_owned(),
        Ty::Bool => "a bool".to_owned(),
        Ty::TextOf(words) => one_of(words),
        Ty::Switch => "`\"on\"`, `\"off\"` or a bool".to_owned(),
        Ty::SetOf(words) => format!("a list of {}", one_of(words)),
        _ => "a list of strings".to_owned(),
    };
    if !outcome.errors.is_empty() {
        return Some((wanted, "something that cannot be told while loading".to_owned()));
    }
    let items: Vec<&Data> = match data {
        Data::Unknown(_) => return None,
        Data::Tuple(items) | Data::List(items, _) => items.values().iter().map(|v| &v.data).collect(),
        _ => Vec::new(),
    };
    let is_list = matches!(data, Data::Tuple(_) | Data::List(..));
    let texts = || {
        items.iter().map(|d| match d {
            Data::String(text) => Some(&**text),
            _ => None,
        })
    };
    let distinct = || {
        let mut seen: Vec<Option<&str>> = Vec::new();
        texts().all(|t| {
            !seen.contains(&t) && {
                seen.push(t);
                true
            }
        })
    };
    let fits = match (ty, data) {
        (Ty::Text, Data::String(_)) | (Ty::Bool | Ty::Switch, Data::Bool(_)) => true,
        (Ty::TextOf(words), Data::String(text)) => words.contains(&&**text),
        (Ty::Switch, Data::String(text)) => matches!(&**text, "on" | "off"),
        (Ty::Set | Ty::SetOf(_), Data::Null(_)) => true,
        (Ty::Set, _) => is_list && texts().all(|t| t.is_some()) && distinct(),
        (Ty::SetOf(words), _) => {
            is_list && texts().all(|t| t.is_some_and(|t| words.contains(&t))) && distinct()
        }
        (Ty::Paths, _) => is_list && !items.is_empty() && texts().all(|t| t.is_some()),
        _ => false,
    };
    (!fits).then(|| (wanted, described(data).to_owned()))
}

fn described(data: &Data) -> &'static str {
    match data {
        Data::String(_) => "another string",
        Data::Bool(_) => "a bool",
        Data::Number(_) => "a number",
        Data::Null(_) => "null",
        Data::Tuple(_) | Data::List(..) => {
            "a list with something else in it, with nothing, or with one twice"
        }
        _ => "a collection",
    }
}
