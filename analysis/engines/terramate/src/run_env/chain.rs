//! What the directories from the root down to a stack contain for its run.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;

use super::Project;
use super::maps;
use super::object::Origin;
use super::variables::{Variable, variables};
use crate::load::tree::Dir;
use crate::read::{Evaluated, FileFacts, Marks, Sort};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{EngineIx, World};
use applyorder_core::layer::{Fingerprint, MemoTable, Mix};
use applyorder_syntax::hcl::{self, Block, Expr, Tree};

/// Something to evaluate.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) sort: Sort,
    pub(super) labels: Vec<Arc<str>>,
    pub(super) name: Arc<str>,
    pub(super) place: Place,
    /// The directory of its file: an import brings it from another one.
    pub(super) origin: Origin,
    parsed: Arc<Tree>,
}

impl Item {
    /// The value of an attribute.
    pub(super) fn value(&self) -> Option<Expr<'_>> {
        Some(self.parsed.body().attributes().next()?.value())
    }

    pub(super) fn map(&self) -> Option<Block<'_>> {
        self.parsed.body().blocks().next()
    }

    pub(super) fn variables(&self) -> Vec<Variable<'_>> {
        match (self.value(), self.map()) {
            (Some(value), _) => variables(value),
            (None, Some(map)) => maps::named(map),
            (None, None) => Vec::new(),
        }
    }
}

/// What one directory contains, with what it imports.
pub(super) struct Level {
    pub(super) path: Arc<str>,
    /// In the order of their names.
    pub(super) globals: Vec<Item>,
    pub(super) env: Vec<Item>,
    /// What Terramate rejects before it evaluates anything.
    pub(super) rejected: Option<(Item, String)>,
}

impl Level {
    /// Whether labels alone make objects.
    pub(super) fn has_labels(&self) -> bool {
        self.globals.iter().any(|item| item.sort == Sort::Block)
    }
}

/// The directories with some content for the run, the root first.
pub(super) struct Chain<'a> {
    pub(super) levels: Vec<&'a Level>,
}

/// The globals of a directory by their labels, whether they are maps, and their names.
type Globals = BTreeMap<(Vec<Arc<str>>, bool, Arc<str>), Item>;

/// A directory, and all its contents.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct LevelKey(World, u32, Fingerprint);

/// What a directory contains for the run; `None`: nothing. With all of it as a number.
pub(super) fn level(
    project: &Project<'_>,
    known: &MemoTable<LevelKey, Level>,
    (index, dir): (u32, &Dir),
) -> Option<(Arc<Level>, Fingerprint)> {
    let (cx, model) = (project.cx, project.model);
    let imports = model.imports(index);
    if !model.sources.marks(dir).has(Marks::EVALUATED) && !imports.is_evaluated {
        return None;
    }
    // What is imported may not have been followed.
    let print = match model.imported(index) {
        Some(imported) if !imports.merged.is_empty() => imported,
        _ => {
            let mut mix = Mix::default();
            model.sources.mix(dir, &mut mix);
            mix.finish()
        }
    };
    let level = known.get(LevelKey(cx.world(), index, print), || {
        // The contents of a directory itself come before what it imports.
        let imported = imports.merged.iter().map(|m| (m.file, &m.facts));
        let own = model.sources.files(dir);
        let files = imported.chain(own.map(|(file, facts)| (file.file, facts)));
        of_files(project, dir, files)
    });
    Some((level, print))
}

fn of_files<'f>(
    project: &Project<'_>,
    dir: &Dir,
    files: impl Iterator<Item = (FileId, &'f Arc<FileFacts>)>,
) -> Level {
    let mut globals = Globals::new();
    let mut env: BTreeMap<Arc<str>, Item> = BTreeMap::new();
    for (file, facts) in files {
        let path = project.cx.path(file);
        let origin: Origin = path.parent().unwrap_or(Utf8Path::new("/")).into();
        for one in &facts.shape.evaluated {
            let item = item(project.engine, file, &origin, one);
            match one.sort {
                Sort::Env => drop(env.insert(one.name.clone(), item)),
                sort => {
                    let key = (one.labels.clone(), sort == Sort::Map, one.name.clone());
                    globals.insert(key, item);
                }
            }
        }
    }
    let rejected = rejected(&globals);
    let is_set = |labels: &[Arc<str>]| {
        let mut own = globals.values().filter(|item| item.labels == labels);
        own.any(|item| item.sort == Sort::Global)
    };
    let is_needed =
        |item: &&Item| item.sort != Sort::Block || !(item.labels.is_empty() || is_set(&item.labels));
    Level {
        path: dir.path.clone(),
        globals: globals.values().filter(is_needed).cloned().collect(),
        env: env.into_values().collect(),
        rejected,
    }
}

fn item(engine: EngineIx, file: FileId, origin: &Origin, one: &Evaluated) -> Item {
    Item {
        sort: one.sort,
        labels: one.labels.clone(),
        name: one.name.clone(),
        place: Place::anchor(file, engine, one.at),
        origin: origin.clone(),
        parsed: Arc::new(hcl::parse(&one.source)),
    }
}

fn rejected(globals: &Globals) -> Option<(Item, String)> {
    globals.iter().find_map(|((labels, is_map, name), item)| {
        let first = labels.first().filter(|first| !hcl::is_identifier(first));
        if let Some(first) = first {
            let words = format!(
                "terramate schema error: first global label must be a valid identifier but got {first}"
            );
            return Some((item.clone(), words));
        }
        if !is_map {
            return None;
        }
        if globals.contains_key(&(labels.clone(), false, name.clone())) {
            let words = format!("global redefined: map label {name} conflicts with global.{name} attribute");
            return Some((item.clone(), words));
        }
        let words = maps::iterator(item.map()?).err()?;
        Some((item.clone(), format!("failed to interpret map block: {words}")))
    })
}
