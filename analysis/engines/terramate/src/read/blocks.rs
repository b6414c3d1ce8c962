//! The top-level blocks of a file and their schema.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks".

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{
    Bundle, Evaluated, Experimental, Import, Input, Reader, RootAttribute, SettingBlock, Sort, Text, Value,
    environment, sharing_backend, stack,
};
use crate::problems::{Among, Fault, Problem};
use crate::schema;
use applyorder_syntax::hcl::eval::{self, Budget, Data, NoVariables};
use applyorder_syntax::hcl::{Attribute, Block, Body, Expr, Tree};
use applyorder_syntax::text::Span;

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
            "terramate" => terramate(reader, block),
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
            "script" => script(reader, tree, block),
            "sharing_backend" => sharing_backend::read(reader, block, before),
            "globals" => globals(reader, block),
            "vendor" => {
                let at = reader.at(block.header_span());
                reader.shape.vendors.push(at);
            }
            "environment" => environment::environment(reader, tree, block),
            "bundle" => {
                let source = bundle_source(reader, block);
                reader.shape.bundles.push(Bundle { source });
                merged(reader, block, before);
            }
            "define" => {
                reader.shape.defines = true;
                merged(reader, block, before);
            }
            "component" => merged(reader, block, before),
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

/// A script has jobs, and each of them either a command or several.
fn script(reader: &mut Reader<'_>, tree: &Tree, block: Block<'_>) {
    let at = reader.at(block.header_span());
    let labels = block.labels().map(|l| Arc::from(l.text)).collect();
    reader.shape.scripts.push((labels, at));
    if !block.is_closed() || tree.has_gap(block.span()) {
        return;
    }
    let jobs = || block.body().blocks().filter(|b| b.kind() == "job");
    if jobs().next().is_none() {
        schema::missing(reader, tree, block, "job", NO_JOB);
    }
    // Terramate counts only jobs without a problem.
    let is_valid = |job: Block<'_>| {
        let commands = |a: &Attribute<'_>| matches!(a.name(), "command" | "commands");
        let is_known = |a: &Attribute<'_>| commands(a) || matches!(a.name(), "name" | "description");
        let body = job.body();
        body.blocks().next().is_none()
            && body.attributes().all(|a| is_known(&a))
            && body.attributes().filter(commands).count() == 1
    };
    let has_none = jobs().next().is_some() && !jobs().any(is_valid);
    for job in jobs() {
        let [one, many] = ["command", "commands"].map(|name| job.body().attribute(name));
        match (one, many) {
            (None, None) => {
                let words = "(script): missing command or commands";
                schema::missing(reader, tree, job, "command", words);
            }
            (Some(_), Some(many)) => {
                let fault = Fault::Conflict {
                    name: "commands".into(),
                    with: "`command`",
                    words: "(script): conflicting attribute already set".to_owned(),
                };
                reader.fatal(many.name_span(), fault);
            }
            _ => {}
        }
    }
    if let Some(problem) = reader.found.last_mut().filter(|_| has_none) {
        problem.also = Some(NO_JOB);
    }
}

/// Terramate's message for a script without a valid job.
const NO_JOB: &str = "(script): missing or invalid job";

/// A literal text without any interpolation.
fn literal<'t>(expr: Expr<'t>) -> Option<&'t str> {
    expr.as_text()
}

/// The value of an expression without variables and functions. `Unknown`: it has some.
fn constant_data(expr: Expr<'_>) -> Value<Data> {
    // No function has a name with this prefix.
    let nothing = NoVariables { prefix: "\0" };
    let outcome = eval::evaluate(expr, 0, &nothing, &Budget::default());
    match outcome.value.data {
        _ if !outcome.errors.is_empty() => Value::Unknown,
        Data::Unknown(_) => Value::Unknown,
        data => Value::Known(data),
    }
}

/// The text of such an expression. `Invalid`: it is something else.
fn constant(expr: Expr<'_>) -> Value<Arc<str>> {
    match constant_data(expr) {
        Value::Known(Data::String(text)) => Value::Known(text),
        Value::Known(_) => Value::Invalid,
        _ => Value::Unknown,
    }
}

fn terramate(reader: &mut Reader<'_>, block: Block<'_>) {
    let mut open: Vec<(String, Option<u32>, Block<'_>)> = vec![(String::new(), None, block)];
    while let Some((prefix, around, block)) = open.pop() {
        let body = block.body();
        let number = u32::try_from(reader.shape.settings.len()).unwrap_or(u32::MAX);
        reader.shape.settings.push(SettingBlock {
            around,
            kind: block.kind().into(),
            is_labelled: block.labels().next().is_some(),
        });
        for attribute in body.attributes() {
            let path = format!("{prefix}{}", attribute.name());
            let at = reader.at(attribute.name_span());
            let value = reader.at(attribute.value().span());
            if prefix == "config.run.env." {
                let spans = (attribute.span(), attribute.value().span());
                evaluated(reader, Sort::Env, &[], attribute.name(), spans);
            }
            let constant = constant_data(attribute.value());
            let text = match &constant {
                Value::Known(Data::String(text)) => Some(text.clone()),
                _ => None,
            };
            let text = text.map(|text| Text {
                value: text,
                at: value,
            });
            let is_on = match &constant {
                Value::Known(Data::Bool(is_on)) => Some(*is_on),
                _ => None,
            };
            if path == "config.experiments" {
                reader.shape.experiments = Some(experiments(attribute.name(), &constant));
            }
            reader.shape.root.push(RootAttribute {
                path: path.into(),
                at,
                value,
                text,
                is_on,
                is_some_list: matches!(&constant, Value::Known(data) if schema::disables(data)),
                block: number,
            });
        }
        let behind = open.len();
        let inner = body.blocks();
        open.extend(inner.map(|inner| (format!("{prefix}{}.", inner.kind()), Some(number), inner)));
        // In the order of the text: if something is set twice, the first comes first.
        open.get_mut(behind..).unwrap_or_default().reverse();
    }
}

/// The experiments that a value enables: empty if it is not a list of different strings. `None`: unknown.
fn experiments(name: &str, value: &Value<Data>) -> Option<Vec<Arc<str>>> {
    let Value::Known(data) = value else { return None };
    let value = eval::Value::from(data.clone());
    let texts = schema::set_of(name, &value).unwrap_or_default();
    Some(texts.into_iter().map(Arc::from).collect())
}

/// The attributes of a block that is merged with equal ones, and of the blocks in it.
/// `before`: how many problems there were before the block.
fn merged(reader: &mut Reader<'_>, block: Block<'_>, before: usize) {
    let first = reader.shape.merged.len();
    merged_in(reader, schema::merged_key("", block), block.body());
    let is_twice = {
        let mut set = FxHashSet::default();
        let own = reader.shape.merged.get(first..).unwrap_or_default();
        !own.iter().all(|(key, name, _)| set.insert((key, name)))
    };
    // If a block sets something twice in equal blocks inside it, Terramate checks nothing else of it.
    if let Some(own) = reader.found.get_mut(before..).filter(|_| is_twice) {
        own.iter_mut().for_each(|p| p.is_unmerged = !p.early);
    }
}

/// The attributes of a part of such a block.
fn merged_in(reader: &mut Reader<'_>, key: Arc<str>, body: Body<'_>) {
    let mut open = vec![(key, body)];
    while let Some((key, body)) = open.pop() {
        for attribute in body.attributes() {
            let at = reader.at(attribute.name_span());
            reader
                .shape
                .merged
                .push((key.clone(), attribute.name().into(), at));
        }
        let behind = open.len();
        let inner = body.blocks();
        open.extend(inner.map(|inner| (schema::merged_key(&key, inner), inner.body())));
        open.get_mut(behind..).unwrap_or_default().reverse();
    }
}

fn globals(reader: &mut Reader<'_>, block: Block<'_>) {
    let labels: Vec<Arc<str>> = block.labels().map(|l| Arc::from(l.text)).collect();
    evaluated(
        reader,
        Sort::Block,
        &labels,
        "",
        (block.header_span(), block.header_span()),
    );
    for attribute in block.body().attributes() {
        let at = reader.at(attribute.name_span());
        let name = attribute.name().into();
        reader.shape.globals.push((labels.clone(), name, at));
        let spans = (attribute.span(), attribute.value().span());
        evaluated(reader, Sort::Global, &labels, attribute.name(), spans);
    }
    let key = schema::merged_key("", block);
    for inner in block.body().blocks() {
        merged_in(reader, schema::merged_key(&key, inner), inner.body());
    }
    for map in block.body().blocks().filter(|b| b.kind() == "map") {
        if let Some(label) = map.labels().next() {
            evaluated(
                reader,
                Sort::Map,
                &labels,
                label.text,
                (map.span(), map.header_span()),
            );
        }
    }
}

/// Notes what a run evaluates: its bytes, and where users see it.
fn evaluated(reader: &mut Reader<'_>, sort: Sort, labels: &[Arc<str>], name: &str, (of, at): (Span, Span)) {
    let at = reader.at(at);
    // The terminator of a heredoc is part of it.
    let source = match sort {
        Sort::Block => String::new(),
        _ => format!("{}\n", of.slice(reader.input.text)),
    };
    reader.shape.evaluated.push(Evaluated {
        sort,
        labels: labels.to_vec(),
        name: name.into(),
        source: source.into(),
        at,
    });
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
