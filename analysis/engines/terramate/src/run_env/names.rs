//! What names mean in `globals` and in `terramate.config.run.env`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::object::Node;
use crate::load::relative::relative_path;
use crate::load::tree::Tree;
use crate::model::stacks::{Node as StackNode, Stacks};
use crate::read;
use crate::read::functions::function;
use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, ReadError, join_clean};
use applyorder_syntax::hcl::eval::{
    Budget, FileAnswer, FileRequest, FunctionRef, Lookup, Scope, StepKind, Traversal, Type, Value,
    no_such_variable,
};

/// What a stack's names mean, and which of it was used.
pub(crate) struct Names<'a> {
    cx: &'a Cx<'a>,
    dir: &'a Utf8Path,
    terramate: Value,
    /// `global` can be named.
    has_globals: bool,
    pub(super) globals: RefCell<Node>,
    /// `env` can be named, which is allowed only in what the run itself evaluates.
    pub(super) has_env: Cell<bool>,
    /// A value was used that differs between stacks.
    pub(super) is_own: Cell<bool>,
    /// The files whose text was used.
    pub(super) files: RefCell<Vec<Utf8PathBuf>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        cx: &'a Cx<'a>,
        tree: &'a Tree,
        (node, parent): (&StackNode, Option<&StackNode>),
        list: &Value,
        version: &str,
    ) -> Self {
        let dir = tree.dirs.get(node.dir as usize);
        let mut names = Self::of_project(cx, tree, list, version);
        names.dir = dir.map_or(&tree.root, |d| &d.host);
        names.terramate = terramate(tree, (node, parent), list, version);
        names.has_globals = true;
        names
    }

    /// What can be named where Terramate evaluates something for the project, and not for a stack.
    pub(crate) fn of_project(cx: &'a Cx<'a>, tree: &'a Tree, list: &Value, version: &str) -> Self {
        let root: Arc<Utf8Path> = tree.root.as_path().into();
        Self {
            cx,
            dir: &tree.root,
            terramate: object(of_project(tree, list, version)),
            has_globals: false,
            globals: RefCell::new(Node::Object(BTreeMap::new(), root)),
            has_env: Cell::new(false),
            is_own: Cell::new(false),
            files: RefCell::default(),
        }
    }

    /// The value after `global` and some steps: after as many of them as lead through objects.
    fn global(&self, steps: &[applyorder_syntax::hcl::eval::Step<'_>]) -> Lookup {
        let globals = self.globals.borrow();
        let mut at = &*globals;
        let mut used = 0;
        for step in steps {
            let name = match &step.kind {
                StepKind::Attr(name) => Some(*name),
                StepKind::Index(key) => key.as_str(),
            };
            let Node::Object(members, _) = at else { break };
            let Some(next) = name.and_then(|name| members.get(name)) else {
                break;
            };
            (at, used) = (next, used + 1);
        }
        Lookup::Value {
            value: at.value(),
            steps: used,
        }
    }
}

impl Scope for Names<'_> {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        match traversal.root {
            "global" if self.has_globals => self.global(traversal.steps),
            "terramate" => {
                let first = traversal.steps.first().map(|step| &step.kind);
                let is_shared = matches!(first, Some(StepKind::Attr("root" | "stacks" | "version")));
                self.is_own.set(self.is_own.get() || !is_shared);
                let value = self.terramate.clone();
                Lookup::Value { value, steps: 0 }
            }
            "env" if self.has_env.get() => {
                let value = Value::unknown("the environment of the run is not known");
                Lookup::Value { value, steps: 0 }
            }
            name => Lookup::Missing(no_such_variable(name)),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name)
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        let (FileRequest::Read(path, _)
        | FileRequest::Exists(path)
        | FileRequest::Set(path, _)
        | FileRequest::Absolute(path)) = request;
        let unknown = |why: &str| FileAnswer::Unknown(why.to_owned());
        if !path.starts_with('/') {
            self.is_own.set(true);
        }
        if path.starts_with('~') {
            return unknown("the home directory is not known");
        }
        let full = join_absolute(self.dir, path);
        match request {
            FileRequest::Absolute(_) => FileAnswer::Text(full.into_string()),
            FileRequest::Set(..) => unknown("patterns of files are not followed"),
            FileRequest::Exists(_) => match self.cx.kind(&full, true) {
                None => FileAnswer::Bool(false),
                Some(FileKind::File) => FileAnswer::Bool(true),
                Some(_) => FileAnswer::Fails(format!("{path} is not a regular file")),
            },
            FileRequest::Read(..) => {
                if self.cx.kind(&full, true) != Some(FileKind::File) {
                    return FileAnswer::Fails(format!("no file exists at \"{path}\""));
                }
                self.files.borrow_mut().push(full.clone());
                match self.cx.source(&full) {
                    Ok((_, source)) => FileAnswer::Text(source.text.to_string()),
                    Err(ReadError::TooLarge(_)) => unknown("the file is too large"),
                    Err(ReadError::NoMemory(_)) => unknown("the file needs more memory than is left"),
                    Err(ReadError::Outside) => unknown("the file is outside what may be read"),
                    Err(error) => FileAnswer::Fails(format!("{path} cannot be read: {error}")),
                }
            }
        }
    }
}

fn join_absolute(dir: &Utf8Path, path: &str) -> Utf8PathBuf {
    match path.starts_with('/') {
        true => join_clean(Utf8Path::new("/"), path),
        false => join_clean(dir, path),
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::object(
        members
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect(),
    )
}

fn text(value: &read::Value<read::Text>, absent: &str) -> Value {
    match value {
        read::Value::Known(text) => Value::string(&text.value),
        read::Value::Absent => Value::string(absent),
        read::Value::Unknown | read::Value::Invalid => Value::unknown("the stack does not say it"),
    }
}

/// The list of a stack's tags.
fn tags(node: &StackNode) -> Value {
    if node.stack().is_some_and(|s| s.tags.unknown) {
        return Value::unknown("the tags of the stack are not known");
    }
    Value::list(
        node.tags.iter().map(|tag| Value::string(tag)).collect(),
        Type::String,
    )
}

/// The paths of all stacks, as `terramate.stacks.list` has them.
pub(crate) fn list(stacks: &Stacks) -> Value {
    Value::list(
        stacks.iter().map(|(_, node)| Value::string(&node.path)).collect(),
        Type::String,
    )
}

fn terramate(
    tree: &Tree,
    (node, parent): (&StackNode, Option<&StackNode>),
    list: &Value,
    version: &str,
) -> Value {
    let path = &*node.path;
    let base = path
        .rsplit('/')
        .next()
        .filter(|base| !base.is_empty())
        .unwrap_or("/");
    let up = relative_path(path, "/");
    let of_path = object([
        ("absolute", Value::string(path)),
        ("relative", Value::string(path.strip_prefix('/').unwrap_or(path))),
        ("basename", Value::string(base)),
        ("to_root", Value::string(if path == "/" { "." } else { &up })),
    ]);
    let block = node.stack();
    let name = match block.map(|s| &s.name) {
        // The same as a missing one.
        Some(read::Value::Known(name)) if name.value.is_empty() => Value::string(base),
        Some(name) => text(name, base),
        None => Value::string(base),
    };
    let description = block.map_or_else(|| Value::string(""), |s| text(&s.description, ""));
    let mut stack: BTreeMap<Arc<str>, Value> = BTreeMap::from([
        ("name".into(), name.clone()),
        ("description".into(), description.clone()),
        ("tags".into(), tags(node)),
        ("path".into(), of_path),
    ]);
    match block.map(|s| &s.id) {
        Some(read::Value::Known(id)) if id.value.is_empty() => {}
        Some(id @ (read::Value::Known(_) | read::Value::Unknown)) => {
            stack.insert("id".into(), text(id, ""));
        }
        _ => {}
    }
    if let Some(parent) = parent {
        let id = parent
            .stack()
            .map_or_else(|| Value::string(""), |s| text(&s.id, ""));
        stack.insert("parent".into(), object([("id", id), ("tags", tags(parent))]));
    }
    let [root, stacks, version] = of_project(tree, list, version);
    object([
        ("name", name),
        ("path", Value::string(path)),
        ("description", description),
        ("stack", Value::object(stack)),
        root,
        stacks,
        version,
    ])
}

/// The parts of `terramate` that are the same for all stacks.
fn of_project(tree: &Tree, list: &Value, version: &str) -> [(&'static str, Value); 3] {
    let root = object([
        ("absolute", Value::string(tree.root.as_str())),
        ("basename", Value::string(tree.root.file_name().unwrap_or("/"))),
    ]);
    [
        ("root", object([("path", object([("fs", root)]))])),
        ("stacks", object([("list", list.clone())])),
        ("version", Value::string(version)),
    ]
}
