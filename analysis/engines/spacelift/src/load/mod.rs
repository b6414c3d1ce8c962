//! Which files make the modules of a project: the root, and the local modules that it calls.
//!
//! Source: spec section 3.

mod calls;
mod computed;
mod files;
mod installed;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::ProjectSeed;
use applyorder_core::files::{ReadError, join_clean};
use applyorder_core::layer::Pass;
use camino::{Utf8Path, Utf8PathBuf};

use crate::config::Flavor;
use crate::inputs::{self, Inputs};
use crate::read::{TfFacts, is_local, is_yaml};
use calls::Calls;
pub(crate) use computed::Computed;
use computed::{Callers, Frame, Sources};
pub(crate) use files::{LoadedFile, files_of};
use installed::Installed;

/// Most directories that are read as modules of one project.
const MAX_MODULES: usize = 2000;

/// The modules of a project.
pub struct Loaded {
    /// The root first.
    pub(crate) modules: Vec<LoadedModule>,
    /// Files of values for the root's variables that Terraform reads by itself, weakest first.
    pub(crate) automatic: Vec<Utf8PathBuf>,
    /// Whether some modules were not read because there are too many.
    pub(crate) is_cut: bool,
    /// Which of the two reads them, as requested.
    pub(crate) flavor: Flavor,
}

/// One directory.
pub(crate) struct LoadedModule {
    pub(crate) dir: Utf8PathBuf,
    /// Base files in the order of their names, then override files.
    pub(crate) files: Vec<LoadedFile>,
    /// Terragrunt may write further declarations next to these before Terraform runs.
    pub(crate) is_generated: bool,
    /// Files that could not be read.
    pub(crate) unread: Vec<(FileId, ReadError)>,
    /// The modules that the sources of calls refer to, as indexes.
    pub(crate) calls: BTreeMap<String, usize>,
    /// The sources of calls that OpenTofu computes, by the names of the calls.
    pub(crate) computed: BTreeMap<String, Computed>,
    /// Whether it is called only by sources that are likely.
    pub(crate) is_likely: bool,
    /// Why it is part of the project.
    pub(crate) why: String,
}

impl LoadedModule {
    /// The source of a call, if it is certain.
    pub(crate) fn source<'s>(&'s self, name: &str, literal: Option<&'s str>) -> Option<&'s str> {
        self.likely_source(name, literal)
            .filter(|_| !self.is_likely_call(name, literal))
    }

    /// The source of a call, if it is at least likely.
    fn likely_source<'s>(&'s self, name: &str, literal: Option<&'s str>) -> Option<&'s str> {
        literal.or_else(|| Some(&*self.computed.get(name)?.source))
    }

    /// Whether the source of a call is known, and only likely.
    pub(crate) fn is_likely_call(&self, name: &str, literal: Option<&str>) -> bool {
        literal.is_none() && self.computed.get(name).is_some_and(|computed| computed.is_likely)
    }

    /// The number of the module that a call certainly refers to, if it is read.
    pub(crate) fn called(&self, name: &str, literal: Option<&str>) -> Option<usize> {
        self.calls.get(self.source(name, literal)?).copied()
    }

    /// The number of the module that a call at least likely refers to, if it is read.
    pub(crate) fn likely_called(&self, name: &str, literal: Option<&str>) -> Option<usize> {
        self.calls.get(self.likely_source(name, literal)?).copied()
    }
}

pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let cx = pass.cx;
    let ProjectSeed { root, .. } = pass.seed;
    if is_yaml(root.as_str()) {
        return blueprint(pass);
    }
    let mut reading = Reading {
        pass,
        flavor: crate::invocation::flavor(pass),
        installed: Installed::read(pass),
        automatic: files::automatic(cx, root),
        inputs: OnceCell::new(),
        queue: Queue::new(root),
        modules: Vec::new(),
        frames: Vec::new(),
    };
    while reading.wave() {}
    reading.withdraw();
    reading.doubt();
    Loaded {
        modules: reading.modules,
        automatic: reading.automatic,
        is_cut: reading.queue.is_cut,
        flavor: reading.flavor,
    }
}

/// The modules that are read so far.
struct Reading<'p> {
    pass: &'p Pass<'p>,
    flavor: Flavor,
    installed: Installed,
    automatic: Vec<Utf8PathBuf>,
    /// The values of the root's variables; read once a source depends on one.
    inputs: OnceCell<Inputs>,
    queue: Queue,
    modules: Vec<LoadedModule>,
    /// The same modules, with what is needed to compute sources in them.
    frames: Vec<Frame>,
}

impl Reading<'_> {
    /// Reads the queued modules and queues those that they call; returns whether any were read.
    fn wave(&mut self) -> bool {
        let first = self.modules.len();
        let mut calls = Vec::new();
        while let Some(queued) = self.queue.next() {
            calls.push((queued.key.clone(), self.read(queued)));
        }
        let computed = self.computed(first..self.modules.len());
        for (number, sources) in computed {
            if let Some(module) = self.modules.get_mut(number) {
                module.computed = sources;
            }
        }
        let is_any = !calls.is_empty();
        for (number, (key, calls)) in (first..).zip(calls) {
            self.follow(number, &key, calls);
        }
        is_any
    }

    /// Reads the files of a module.
    fn read(&mut self, Queued { dir, why, .. }: Queued) -> Calls {
        let cx = self.pass.cx;
        let is_generated = cx.kind(&dir.join("terragrunt.hcl"), true).is_some();
        let mut module = LoadedModule {
            dir,
            files: Vec::new(),
            is_generated,
            unread: Vec::new(),
            calls: BTreeMap::new(),
            computed: BTreeMap::new(),
            is_likely: false,
            why,
        };
        let found = files_of(cx, &module.dir, self.flavor).unwrap_or_else(|error| {
            module.unread.push((cx.file(&module.dir), error));
            Vec::new()
        });
        let has_overrides = found.iter().any(|file| file.is_override);
        let mut facts = Vec::new();
        let mut calls = Calls::default();
        for file in found {
            match cx.facts::<TfFacts>(&file.path) {
                Ok(read) => {
                    for block in &read.facts.blocks {
                        calls.add(block, file.is_override);
                    }
                    facts.push(read.facts.clone());
                    module.files.push(LoadedFile {
                        file: read.file,
                        ..file
                    });
                }
                Err(error) => module.unread.push((cx.file(&file.path), error)),
            }
        }
        let is_plain = !has_overrides && module.unread.is_empty();
        self.modules.push(module);
        self.frames.push(Frame { facts, is_plain });
        calls
    }

    /// The sources that OpenTofu computes in a range of modules.
    fn computed(&self, modules: Range<usize>) -> Vec<(usize, BTreeMap<String, Computed>)> {
        let cx = self.pass.cx;
        let mut files = self.modules.iter().flat_map(|module| &module.files);
        let may_be_tofu = match self.flavor {
            Flavor::Terraform => false,
            Flavor::OpenTofu => true,
            Flavor::Auto => files.any(LoadedFile::is_tofu),
        };
        let frames = self.frames.get(modules.clone()).unwrap_or(&[]);
        if !may_be_tofu || !frames.iter().any(|frame| computed::has_computed(&frame.facts)) {
            return Vec::new();
        }
        let inputs = || {
            self.inputs.get_or_init(|| {
                for path in inputs::files(self.pass, &self.automatic) {
                    // Any change in it may matter here.
                    let _ = cx.source(&path);
                }
                let root = self.frames.first().map_or(&[][..], |root| &root.facts);
                Inputs::read(self.pass, &self.automatic, root)
            })
        };
        let asked = |number: usize| {
            for file in self.modules.get(number).iter().flat_map(|module| &module.files) {
                let _ = cx.source(&file.path);
            }
        };
        let dir = |number: usize| {
            let module = self.modules.get(number);
            module.map_or_else(String::new, |module| shown(&self.pass.seed.root, &module.dir))
        };
        let sources = Sources::new(&self.frames, &self.queue.callers, &inputs, &asked, &dir);
        modules.map(|number| (number, sources.of(number))).collect()
    }

    /// Queues the modules that the calls of a module refer to.
    fn follow(&mut self, number: usize, key: &str, calls: Calls) {
        let Some(module) = self.modules.get_mut(number) else {
            return;
        };
        let root = &self.pass.seed.root;
        for (name, literal) in calls.all {
            let Some(source) = module.likely_source(&name, literal.as_deref()) else {
                continue;
            };
            let source = source.to_owned();
            let inside = match key {
                "" => name.to_string(),
                key => format!("{key}.{name}"),
            };
            let (to, how) = match is_local(&source) {
                true => (Some(join_clean(&module.dir, &source)), "called"),
                false => (self.installed.dir(&inside, &source), "installed and called"),
            };
            let Some(to) = to else { continue };
            let why = || format!("{how} by a module in `{}`", shown(root, &module.dir));
            if let Some(to) = self.queue.add(to, inside, why) {
                self.queue.called(to, number, name);
                module.calls.entry(source).or_insert(to);
            }
        }
    }

    /// Drops computed sources that follow from the first call of a module but not from all of its calls.
    fn withdraw(&mut self) {
        if self.modules.iter().all(|module| module.computed.is_empty()) {
            return;
        }
        for (number, known) in self.computed(0..self.modules.len()) {
            if let Some(module) = self.modules.get_mut(number) {
                module
                    .computed
                    .retain(|name, source| known.get(name) == Some(source));
            }
        }
    }

    /// Finds the modules that are called only by sources that are likely.
    fn doubt(&mut self) {
        if self.modules.iter().all(|module| module.computed.is_empty()) {
            return;
        }
        let mut certain: Vec<Vec<usize>> = vec![Vec::new(); self.modules.len()];
        for (called, callers) in self.queue.callers.iter().enumerate() {
            for (caller, name) in callers {
                let computed = self.modules.get(*caller).and_then(|by| by.computed.get(&**name));
                if let Some(calls) = certain.get_mut(*caller)
                    && computed.is_none_or(|computed| !computed.is_likely)
                {
                    calls.push(called);
                }
            }
        }
        let mut is_certain = vec![false; self.modules.len()];
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            match is_certain.get_mut(number) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            open.extend(certain.get(number).into_iter().flatten());
        }
        for (module, is_certain) in self.modules.iter_mut().zip(is_certain) {
            module.is_likely = !is_certain;
        }
    }
}

/// The directories that are read, each once.
struct Queue {
    all: Vec<Queued>,
    known: BTreeMap<Utf8PathBuf, usize>,
    /// The calls of each.
    callers: Vec<Callers>,
    next: usize,
    is_cut: bool,
}

#[derive(Clone)]
struct Queued {
    dir: Utf8PathBuf,
    /// The names of the calls on the way from the root, separated by dots.
    key: String,
    why: String,
}

impl Loaded {
    /// Whether OpenTofu reads the project and Terraform does not.
    pub(crate) fn is_tofu(&self) -> bool {
        let mut files = self.modules.iter().flat_map(|m| &m.files);
        match self.flavor {
            Flavor::Terraform => false,
            Flavor::OpenTofu => true,
            Flavor::Auto => files.any(LoadedFile::is_tofu),
        }
    }
}

impl Queue {
    fn new(root: &Utf8Path) -> Self {
        Self {
            all: vec![Queued {
                dir: root.to_owned(),
                key: String::new(),
                why: "the module itself".to_owned(),
            }],
            known: BTreeMap::from([(root.to_owned(), 0)]),
            callers: vec![Callers::new()],
            next: 0,
            is_cut: false,
        }
    }

    fn next(&mut self) -> Option<Queued> {
        let found = self.all.get(self.next).cloned()?;
        self.next += 1;
        Some(found)
    }

    /// The number of a directory; `None` if there are too many.
    fn add(&mut self, dir: Utf8PathBuf, key: String, why: impl Fn() -> String) -> Option<usize> {
        if let Some(known) = self.known.get(&dir) {
            return Some(*known);
        }
        if self.all.len() >= MAX_MODULES {
            self.is_cut = true;
            return None;
        }
        let number = self.all.len();
        self.known.insert(dir.clone(), number);
        let why = why();
        self.all.push(Queued { dir, key, why });
        self.callers.push(Callers::new());
        Some(number)
    }

    /// Records a call of the module in a directory.
    fn called(&mut self, to: usize, caller: usize, name: Arc<str>) {
        if let Some(callers) = self.callers.get_mut(to) {
            callers.push((caller, name));
        }
    }
}

/// A blueprint is a project of one file.
fn blueprint(pass: &Pass<'_>) -> Loaded {
    let root = &pass.seed.root;
    let mut module = LoadedModule {
        dir: root.clone(),
        files: Vec::new(),
        is_generated: false,
        unread: Vec::new(),
        calls: BTreeMap::new(),
        computed: BTreeMap::new(),
        is_likely: false,
        why: "the blueprint".to_owned(),
    };
    match pass.cx.facts::<TfFacts>(root) {
        Ok(read) => module.files.push(LoadedFile {
            path: root.clone(),
            file: read.file,
            is_override: false,
        }),
        Err(error) => module.unread.push((pass.cx.file(root), error)),
    }
    Loaded {
        modules: vec![module],
        automatic: Vec::new(),
        is_cut: false,
        flavor: Flavor::Auto,
    }
}

/// A directory as Terraform writes it, seen from the root.
pub(crate) fn shown(root: &Utf8Path, dir: &Utf8Path) -> String {
    if let Ok(below) = dir.strip_prefix(root) {
        return if below.as_str().is_empty() {
            ".".to_owned()
        } else {
            below.to_string()
        };
    }
    let shared = root
        .components()
        .zip(dir.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = root.components().count() - shared;
    let mut parts = vec!["..".to_owned(); up];
    parts.extend(dir.components().skip(shared).map(|c| c.to_string()));
    parts.join("/")
}
