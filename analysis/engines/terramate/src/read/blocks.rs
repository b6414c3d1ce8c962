//! The top-level blocks of a file and their schema.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks".

use std::sync::Arc;

use super::{
    Bundle, Experimental, Import, Input, Reader, Text, Value, environment, globals, script, settings,
    sharing_backend, stack,
};
use crate::problems::{Among, Fault, Problem};
use crate::schema;
use applyorder_syntax::hcl::eval::Data;
use applyorder_syntax::hcl::{Block, Expr, Tree};

/// A block of the top level: how many labels it takes, and the experiment it needs.
struct Kind {
    name: &'static str,
    labels: (usize, usize),
    experiment: Option<&'static str>,
}

const MANY: usize = 256;

const fn kind(name: &'static str, least: usize, most: usize) -> Kind {
    Kind {
        name,
        labels: (least, most),
        experiment: None,
    }
}

const fn experimental(name: &'static str, least: usize, most: usize, experiment: &'static str) -> Kind {
    Kind {
        name,
        labels: (least, most),
        experiment: Some(experiment),
    }
}

const KINDS: [Kind; 17] = [
    kind("stack", 0, usize::MAX),
    kind("terramate", 0, 0),
    kind("globals", 0, MANY),
    kind("import", 0, 0),
    kind("assert", 0, 0),
    kind("generate_hcl", 1, 1),
    kind("generate_file", 1, 1),
    experimental("script", 1, usize::MAX, "scripts"),
    experimental("sharing_backend", 1, 1, "outputs-sharing"),
    experimental("input", 1, 1, "outputs-sharing"),
    experimental("output", 1, 1, "outputs-sharing"),
    kind("vendor", 0, 0),
    kind("define", 0, usize::MAX),
    kind("component", 0, usize::MAX),
    kind("bundle", 0, usize::MAX),
    kind("scaffold", 0, usize::MAX),
    kind("environment", 0, usize::MAX),
];

/// Names of blocks that only Terramate uses, so that one of them shows the kind of a file, even a broken one.
const UNMISTAKABLE: [&str; 5] = ["stack", "terramate", "globals", "generate_hcl", "generate_file"];

/// Whether a block shows that a file is Terramate's.
pub(super) fn are_terramates(tree: &Tree) -> bool {
    let is_clean = tree.is_clean();
    tree.body().blocks().any(|block| {
        UNMISTAKABLE.contains(&block.kind()) || (is_clean && KINDS.iter().any(|k| k.name == block.kind()))
    })
}

/// Reads the blocks of a file.
pub(super) fn read(reader: &mut Reader<'_>, tree: &Tree) {
    let body = tree.body();
    for attribute in body.attributes() {
        let name = attribute.name();
        let fault = Fault::Unknown {
            what: "attribute",
            name: name.into(),
            among: Among::File,
            known: Vec::new(),
            words: format!("unrecognized attribute \"{name}\""),
        };
        reader.fatal(attribute.name_span(), fault).attribute = Some(name.into());
    }
    for block in body.blocks() {
        let Some(kind) = KINDS.iter().find(|k| k.name == block.kind()) else {
            unknown(reader, block);
            continue;
        };
        let before = reader.found.len();
        labels(reader, block, kind);
        schema::check(reader, tree, block);
        if let Some(experiment) = kind.experiment {
            let at = reader.at(block.header_span());
            reader.shape.experimental.push(Experimental {
                block: kind.name,
                experiment,
                at,
            });
        }
        match kind.name {
            "stack" => {
                let stack = stack::read(reader, tree, block);
                // A file usually has one, and it is large.
                if reader.shape.stacks.is_empty() {
                    reader.shape.stacks.reserve_exact(1);
                }
                reader.shape.stacks.push(stack);
            }
            "terramate" => settings::read(reader, block),
            "import" => {
                let is_valid = reader.found.len() == before;
                import(reader, block, is_valid);
            }
            "input" => input(reader, block),
            "generate_hcl" if !block.body().blocks().any(|b| b.kind() == "content") => {
                let words = match block.body().blocks().next() {
                    Some(_) => "\"generate_hcl\" block requires a content block",
                    None => "generate_hcl must have at least one 'content' block",
                };
                schema::missing(reader, tree, block, "content", words);
            }
            "script" => script::read(reader, tree, block),
            "sharing_backend" => sharing_backend::read(reader, block, before),
            "globals" => globals::read(reader, block),
            "vendor" => {
                let at = reader.at(block.header_span());
                reader.shape.vendors.push(at);
            }
            "environment" => environment::environment(reader, tree, block),
            "bundle" => {
                let source = bundle_source(reader, block);
                reader.shape.bundles.push(Bundle { source });
                globals::merged(reader, block, before);
            }
            "define" => {
                reader.shape.defines = true;
                globals::merged(reader, block, before);
            }
            "component" => globals::merged(reader, block, before),
            _ => {}
        }
        if let Some(own) = reader.found.get_mut(before..) {
            own.iter_mut().for_each(|p| p.experiment = kind.experiment);
            if matches!(kind.name, "generate_hcl" | "generate_file") {
                outside_in(own, block);
            }
        }
    }
}

/// Terramate checks the contents of a block's parts only if the block has the required parts.
fn outside_in(own: &mut [Problem], block: Block<'_>) {
    let kind = block.kind();
    let is_empty = block.body().blocks().next().is_none();
    let is_outer = |problem: &Problem| match &problem.fault {
        Fault::Unknown {
            among: Among::Block(among),
            ..
        } => **among == *kind,
        Fault::LabelCount { block, .. } => **block != *"map",
        Fault::Labels { .. } => true,
        Fault::Missing { block, .. } => **block == *kind && (kind == "generate_file" || is_empty),
        _ => false,
    };
    if own.iter().any(is_outer) {
        let inner = own.iter_mut().filter(|problem| !is_outer(problem));
        inner.for_each(|problem| problem.is_unmerged = true);
        return;
    }
    // `lets` are merged first, then checked for blocks other than maps.
    let is_merging = |problem: &Problem| matches!(problem.fault, Fault::Redeclared { .. });
    let is_among = |problem: &Problem, kinds: &[&str]| match &problem.fault {
        Fault::Unknown {
            among: Among::Block(among),
            ..
        } => kinds.contains(&&**among),
        Fault::Missing { block, .. } | Fault::LabelCount { block, .. } => kinds.contains(&&**block),
        Fault::DuplicateBlock { block, .. } | Fault::Conflict { name: block, .. } => {
            kinds.contains(&&**block)
        }
        _ => false,
    };
    let of_maps = ["map", "value"];
    let behind: &[&str] = if own.iter().any(is_merging) {
        &["lets", "map", "value"]
    } else if own.iter().any(|problem| is_among(problem, &["lets"])) {
        &of_maps
    } else {
        return;
    };
    let inner = own.iter_mut().filter(|problem| is_among(problem, behind));
    inner.for_each(|problem| problem.is_unmerged = true);
}

fn unknown(reader: &mut Reader<'_>, block: Block<'_>) {
    let name = block.kind();
    let fault = Fault::Unknown {
        what: "block",
        name: name.into(),
        among: Among::File,
        known: KINDS.iter().map(|k| k.name).collect(),
        words: format!("unrecognized block \"{name}\""),
    };
    reader.fatal(block.kind_span(), fault).early = true;
}

fn labels(reader: &mut Reader<'_>, block: Block<'_>, kind: &Kind) {
    let count = block.labels().count();
    let (least, most) = kind.labels;
    if (least..=most).contains(&count) {
        let is_generating = matches!(kind.name, "generate_hcl" | "generate_file");
        if is_generating && block.labels().any(|label| label.text.is_empty()) {
            let fault = Fault::Labels {
                block: kind.name.into(),
                ways: vec![format!("`{} NAME`", kind.name)],
                words: format!("{} label can't be empty", kind.name),
            };
            reader.fatal(block.header_span(), fault);
        }
        return;
    }
    let names: Vec<&str> = block.labels().map(|l| l.text).collect();
    let words = match kind.name {
        "generate_hcl" | "generate_file" => {
            format!(
                "{} must have single label instead got [{}]",
                kind.name,
                names.join(" ")
            )
        }
        "import" => format!("import must have no labels but got [{}]", names.join(" ")),
        "terramate" => "block type \"terramate\" does not support labels".to_owned(),
        "script" => "(script): must provide at least one label".to_owned(),
        "input" | "output" | "sharing_backend" => format!("expected a single label but {count} given"),
        name => format!(
            "block {name} has unexpected label {}",
            names.first().copied().unwrap_or_default()
        ),
    };
    let fault = Fault::LabelCount {
        block: kind.name.into(),
        takes: kind.labels,
        count,
        words,
    };
    reader.fatal(block.header_span(), fault).early = kind.name == "terramate";
}

/// A literal text without any interpolation.
fn literal<'t>(expr: Expr<'t>) -> Option<&'t str> {
    expr.as_text()
}

/// The text of such an expression. `Invalid`: it is something else.
fn constant(expr: Expr<'_>) -> Value<Arc<str>> {
    match settings::constant(expr) {
        Value::Known(Data::String(text)) => Value::Known(text),
        Value::Known(_) => Value::Invalid,
        _ => Value::Unknown,
    }
}

fn import(reader: &mut Reader<'_>, block: Block<'_>, is_valid: bool) {
    let header = reader.at(block.header_span());
    let whole = reader.at(block.span());
    let attribute = block.body().attribute("source");
    let (source, rejected) = match attribute.map(|a| (a.value(), constant(a.value()))) {
        None => (Value::Unknown, None),
        Some((expr, Value::Known(value))) => {
            let at = reader.at(expr.span());
            (Value::Known(Text { value, at }), None)
        }
        Some((expr, other)) => {
            let words = match other {
                Value::Invalid => "import.source must be a string",
                _ => "failed to evaluate import.source",
            };
            (Value::Invalid, Some((reader.at(expr.span()), words)))
        }
    };
    reader.shape.imports.push(Import {
        header,
        block: whole,
        source,
        rejected: rejected.filter(|_| !reader.shape.unreadable),
        is_valid,
    });
}

/// The source of a bundle, if nothing is evaluated before it. There is an instance for each environment, which may
/// have another one.
fn bundle_source(reader: &mut Reader<'_>, block: Block<'_>) -> Option<Text> {
    let body = block.body();
    let is_one = block.labels().count() == 1 && !body.blocks().any(|b| b.kind() == "environment");
    let is_first = is_one && body.attribute("uuid").is_none();
    let expr = body.attribute("source").filter(|_| is_first)?.value();
    let value = literal(expr)?.into();
    let at = reader.at(expr.span());
    Some(Text { value, at })
}

fn input(reader: &mut Reader<'_>, block: Block<'_>) {
    if let Some(attribute) = block.body().attribute("from_stack_id")
        && let Some(value) = literal(attribute.value())
    {
        let at = reader.at(attribute.value().span());
        reader.shape.inputs.push(Input {
            from_stack_id: Text {
                value: value.into(),
                at,
            },
        });
    }
}
