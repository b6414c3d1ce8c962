//! The paths that are written in a file: sources of modules, what functions read, and the directories that stacks run.

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{ProjectView, StartsFrom, View, WrittenPath};
use applyorder_core::files::join_clean;
use applyorder_syntax::hcl::{Block, Body, Expr, ExprKind, TemplatePart};
use applyorder_syntax::text::Span;
use camino::{Utf8Path, Utf8PathBuf};

use crate::Found;
use crate::read::{TfFacts, is_json};
use crate::schema::STACK;

/// What is shown of a directory.
const SHOWN: &[&str] = &["main.tf", "main.tofu"];

/// The functions whose first argument is a path.
const READERS: [&str; 11] = [
    "file",
    "filebase64",
    "filebase64sha256",
    "filebase64sha512",
    "fileexists",
    "filemd5",
    "fileset",
    "filesha1",
    "filesha256",
    "filesha512",
    "templatefile",
];

/// The paths of a file, in the order of the text.
pub(crate) fn paths(analysis: &dyn View, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
    let path = analysis.path(file);
    let facts = analysis.facts_as::<TfFacts>(file, project.seed.engine);
    let Some(facts) = facts.filter(|facts| facts.text.is_none()) else {
        return Vec::new();
    };
    let found = project.resolution.state.as_ref();
    let repository = found
        .and_then(|state| state.downcast_ref::<Found>())
        .map(|found| found.project.repository.clone());
    let mut scribe = Scribe {
        file: path,
        is_json: is_json(path.as_str()),
        root: &project.seed.root,
        repository,
        found: Vec::new(),
    };
    let mut open: Vec<Body<'_>> = vec![facts.tree.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            scribe.read_by_functions(attribute.value());
        }
        for block in body.blocks() {
            scribe.of_block(block);
            open.push(block.body());
        }
    }
    // What JSON says is written where its own syntax has it.
    for path in &mut scribe.found {
        path.span = facts.written_at(path.span);
    }
    scribe.found.sort();
    scribe.found
}

struct Scribe<'a> {
    file: &'a Utf8Path,
    is_json: bool,
    root: &'a Utf8Path,
    repository: Option<Utf8PathBuf>,
    found: Vec<WrittenPath>,
}

impl Scribe<'_> {
    fn add(&mut self, span: Span, text: &str, from: StartsFrom, is_part: bool) {
        self.found.push(WrittenPath {
            span,
            text: text.to_owned(),
            target: join_clean(from.dir(), text),
            from,
            shows: SHOWN,
            is_part,
        });
    }

    fn beside(&self) -> StartsFrom {
        StartsFrom::Beside(self.file.to_owned())
    }

    fn of_block(&mut self, block: Block<'_>) {
        if block.kind() == "module"
            && let Some(source) = block.body().attribute("source").map(|a| a.value())
            && let Some(text) = source.as_text()
            && (text.starts_with("./") || text.starts_with("../") || matches!(text, "." | ".."))
        {
            self.add(source.span(), text, self.beside(), false);
        }
        let is_stack = block.kind() == "resource" && block.labels().next().is_some_and(|l| l.text == STACK);
        if is_stack {
            self.of_stack(block);
        }
    }

    /// What a stack runs is known to be here only where its repository has the name of this one.
    fn of_stack(&mut self, block: Block<'_>) {
        let attribute = |name: &str| block.body().attribute(name).map(|a| a.value());
        let (Some(own), Some(root)) = (self.repository.clone(), attribute("project_root")) else {
            return;
        };
        let repository = attribute("repository").and_then(|r| r.as_text());
        let is_own = repository.is_some_and(|r| r.rsplit('/').next() == own.file_name());
        if let Some(text) = root.as_text().filter(|text| is_own && !text.is_empty()) {
            self.add(root.span(), text, StartsFrom::Dir(own), false);
        }
    }

    fn read_by_functions(&mut self, value: Expr<'_>) {
        for expr in value.walk() {
            let ExprKind::Call(call) = expr.kind() else {
                continue;
            };
            if READERS.contains(&call.name())
                && let Some(path) = call.args().get(0)
            {
                self.argument(path);
            }
        }
    }

    fn argument(&mut self, path: Expr<'_>) {
        if let Some(text) = path.as_text() {
            let is_relative = !text.is_empty() && !text.starts_with(['/', '~']);
            if is_relative {
                let (mut span, from) = (path.span(), StartsFrom::Dir(self.root.to_owned()));
                // In JSON it is a part of a string, where its own quotes are written otherwise.
                if self.is_json && span.len() >= 2 {
                    span = Span::new(span.start + 1, span.end - 1);
                }
                self.add(span, text, from, self.is_json);
            }
            return;
        }
        let ExprKind::Template(template) = path.kind() else {
            return;
        };
        let parts: Vec<TemplatePart<'_>> = template.parts().iter().collect();
        let [
            TemplatePart::Interpolation(start, _),
            TemplatePart::Literal(text, span),
        ] = parts.as_slice()
        else {
            return;
        };
        let from = match start.as_names().as_deref() {
            Some(["path", "module"]) => self.beside(),
            Some(["path", "root"]) => StartsFrom::Dir(self.root.to_owned()),
            _ => return,
        };
        if text.starts_with('/') && text.len() > 1 {
            self.add(*span, text, from, true);
        }
    }
}
