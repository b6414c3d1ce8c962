//! Which files a project has, and how each environment reads them.

mod includes;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::read::{Reading, TazunaFacts, View, rebased};
use crate::META;
use crate::config::{TazunaConfig, TazunaGeneration};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Read;
use applyorder_core::files::ReadError;
use applyorder_core::layer::Pass;
use applyorder_syntax::yaml::dialect::goyaml;

pub(super) use includes::{Include, Includes, IncludesKey, shown};

/// The settings of a whole pass.
pub(super) struct Setting {
    /// The root file.
    pub(super) root: Utf8PathBuf,
    pub(super) root_file: FileId,
    /// Its directory, which all paths are relative to.
    pub(super) dir: Utf8PathBuf,
    pub(super) generation: TazunaGeneration,
    /// The version in use, if the configuration or a tool versions file names it.
    pub(super) version: Option<String>,
    /// `--tags`.
    pub(super) tags: Vec<String>,
    /// The requested environments.
    pub(super) environments: Vec<Option<Arc<str>>>,
}

impl Setting {
    fn new(pass: &Pass<'_>) -> Self {
        let (seed, options) = (pass.seed, pass.options);
        let config = pass.cx.config(&seed.root).section::<TazunaConfig>();
        let mut environments: Vec<Option<Arc<str>>> = Vec::new();
        for name in &options.environments {
            let name = (!name.is_empty()).then(|| Arc::from(name.as_str()));
            if !environments.contains(&name) {
                environments.push(name);
            }
        }
        let dir = seed.root.parent().unwrap_or(Utf8Path::new("/"));
        let configured = options
            .engine_version
            .clone()
            .or_else(|| config.version.clone().map(String::from));
        Self {
            root: seed.root.clone(),
            root_file: pass.cx.file(&seed.root),
            dir: dir.to_owned(),
            generation: config.generation.unwrap_or_default(),
            version: pass
                .cx
                .version_in_use(configured, META.id, dir)
                .map(|v| v.version),
            tags: options.tags.clone(),
            environments,
        }
    }

    /// The environments to check if the root cannot be read.
    pub(super) fn asked(&self) -> Vec<Option<Arc<str>>> {
        match self.environments.as_slice() {
            [] => vec![None],
            names => names.to_vec(),
        }
    }

    /// The name of the root file.
    pub(super) fn name(&self) -> &str {
        self.root.file_name().unwrap_or("")
    }

    /// How a file is read in an environment.
    pub(super) fn reading(&self, environment: Option<&Arc<str>>) -> Reading {
        let name = || environment.cloned().unwrap_or_else(|| "".into());
        Reading {
            environment: (self.generation >= TazunaGeneration::G4).then(name),
            strict: false,
        }
    }

    /// How the root is read.
    pub(super) fn root_reading(&self, environment: Option<&Arc<str>>) -> Reading {
        Reading {
            strict: self.generation == TazunaGeneration::G1,
            ..self.reading(environment)
        }
    }

    /// The version that verdicts are for.
    pub(super) fn engine_version(&self) -> String {
        let generation = format!("{:?}", self.generation);
        match &self.version {
            Some(version) => format!("{version} ({generation})"),
            None => generation,
        }
    }
}

/// Why a file could not be read.
#[derive(Clone)]
pub(super) struct Unreadable {
    pub(super) error: ReadError,
    /// How it exceeds what applyorder reads, though Tazuna may read it.
    pub(super) limit: Option<String>,
    /// Whether Tazuna may read a file that is not UTF-8.
    pub(super) reads_otherwise: bool,
    /// The message of its YAML library about a file that is not UTF-8.
    pub(super) yaml: String,
}

impl Unreadable {
    pub(crate) fn new(pass: &Pass<'_>, path: &Utf8Path, error: ReadError) -> Self {
        let bytes = || pass.cx.bytes(path).ok();
        let (mut limit, mut reads_otherwise, mut yaml) = (None, false, String::new());
        match &error {
            ReadError::TooLarge(size) => {
                limit = Some(format!("is larger than applyorder's limit ({size} bytes)"));
            }
            ReadError::NoMemory(_) => limit = Some(error.to_string()),
            ReadError::Outside => limit = Some("is outside what applyorder may read".to_owned()),
            ReadError::NotUtf8(at) => {
                let bytes = bytes().unwrap_or_default();
                // go-yaml infers the encoding from the byte-order mark.
                if *at == 0 && (bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])) {
                    limit = Some("is UTF-16, which Tazuna reads and applyorder does not".to_owned());
                }
                // It renders templates of any bytes first.
                let is_template = memchr::memmem::find(&bytes, b"{{").is_some();
                let message = goyaml::invalid_utf8(&bytes).filter(|_| !is_template);
                reads_otherwise = message.is_none();
                yaml = message.unwrap_or_default();
            }
            _ => {}
        }
        Self {
            error,
            limit,
            reads_otherwise,
            yaml,
        }
    }

    /// A limit of ours is exceeded, which `limit` describes.
    pub(crate) fn past(limit: String) -> Self {
        Self {
            error: ReadError::NotRead("more than applyorder reads"),
            limit: Some(limit),
            reads_otherwise: false,
            yaml: String::new(),
        }
    }
}

/// What Go reports about a file that cannot be read.
pub(super) fn go_error(path: &str, error: &ReadError) -> String {
    let words = match error {
        ReadError::IsDirectory => return format!("read {path}: {error}"),
        ReadError::NotDirectory => "not a directory".to_owned(),
        // No system has such a path; Go asks none.
        _ if path.contains('\0') => "invalid argument".to_owned(),
        ReadError::Other(text) => {
            let words = text.split_once(" (os error").map_or(&**text, |(words, _)| words);
            let mut letters = words.chars();
            let first = letters.next().map(|first| first.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
        other => other.to_string(),
    };
    format!("open {path}: {words}")
}

/// The project as one environment reads it.
#[derive(Clone)]
pub(super) struct Environment {
    pub(super) name: Option<Arc<str>>,
    /// The place of the root's declared environments and their names, if this is not one of them.
    pub(super) undeclared: Option<(Place, Vec<Arc<str>>)>,
    pub(super) includes: Arc<Includes>,
}

/// The files of a project.
pub struct Loaded {
    pub(super) setting: Arc<Setting>,
    pub(super) root: Result<(), Unreadable>,
    /// Each checked environment; empty if the root cannot be read.
    pub(super) environments: Vec<Environment>,
}

/// Finds the files of a project.
pub(super) fn load(pass: &Pass<'_>) -> Loaded {
    let setting = Arc::new(Setting::new(pass));
    let (root, environments) = match pass.cx.facts::<TazunaFacts>(&setting.root) {
        Ok(read) => (Ok(()), environments(pass, &setting, &read)),
        Err(error) => (Err(Unreadable::new(pass, &setting.root, error)), Vec::new()),
    };
    Loaded {
        root,
        environments,
        setting,
    }
}

/// The environments in which a project is checked: the requested ones, else the one without a name and each
/// that the root declares.
fn environments(pass: &Pass<'_>, setting: &Setting, root: &Read<TazunaFacts>) -> Vec<Environment> {
    let has_environments = setting.generation >= TazunaGeneration::G4;
    let mut names: Vec<Option<Arc<str>>> = setting.environments.clone();
    if !has_environments {
        names = vec![None];
    } else if names.is_empty() {
        names.push(None);
        let plain = root.facts.view(&setting.root_reading(None));
        names.extend(plain.head.environments.iter().cloned().map(Some));
    }
    let mut all: Vec<Environment> = Vec::with_capacity(names.len());
    let mut last: Option<(Arc<View>, FxHashSet<Arc<str>>)> = None;
    for name in names {
        let view = root.facts.view(&setting.root_reading(name.as_ref()));
        let declared = &view.head.environments;
        // Mostly all environments read the same.
        let (_, known) = last.take_if(|(of, _)| Arc::ptr_eq(of, &view)).unwrap_or_else(|| {
            let names = declared.iter().cloned().collect();
            (view.clone(), names)
        });
        let is_declared = name.as_ref().is_none_or(|name| known.contains(name));
        last = Some((view.clone(), known));
        let undeclared = (!is_declared).then(|| {
            let key = view.head.environments_key;
            let place = key.map_or(Place::file(root.file), |key| rebased(key, view.head_base()));
            (place, declared.clone())
        });
        let includes = includes::of_view(pass, setting, root, &view);
        all.push(Environment {
            name,
            undeclared,
            includes,
        });
    }
    all
}
