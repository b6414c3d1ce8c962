//! Which manifests a project consists of, and how it is applied.

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::files::{FileKind, ReadError};
use applyorder_core::layer::Pass;

use camino::Utf8PathBuf;

use crate::config::AGENT;
use crate::discover;
use crate::read::AnkaiosFacts;
use crate::read::template::{self, Template};

/// How a project is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// A startup manifest, and an `ank apply` of it alone.
    Both,
    /// A startup manifest that `ank apply` takes together with others.
    Startup,
    /// One `ank apply` of several manifests.
    Apply,
}

impl Role {
    pub(crate) fn starts_up(self) -> bool {
        self != Self::Apply
    }

    pub(crate) fn applies(self) -> bool {
        self != Self::Startup
    }
}

/// A file of a project.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) file: FileId,
    /// As named by the user.
    pub(crate) given: Box<str>,
    pub(crate) failure: Option<ReadError>,
    /// Where the configuration names it, if it does not exist.
    pub(crate) named_at: Option<Place>,
}

/// The value of `--agent`: a template like that of a manifest.
#[derive(Clone, Debug)]
pub(crate) struct GivenAgent {
    pub(crate) text: Box<str>,
    pub(crate) template: Template,
}

/// See the module.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) role: Role,
    pub(crate) inputs: Vec<Input>,
    /// `--agent`, which only an apply has.
    pub(crate) agent: Option<GivenAgent>,
    /// The output of `ank get state`, if given.
    pub(crate) state: Option<Input>,
    /// For a manifest that is not declared together with others: the files next to it that may be manifests as
    /// well.
    pub(crate) siblings: Vec<Utf8PathBuf>,
}

/// In a directory with more files, names of other manifests are not searched for.
const MAX_SIBLINGS: usize = 64;

pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let Pass { cx, seed, options } = *pass;
    let role = match seed.name.as_deref() {
        None if discover::only_starts_up(seed) => Role::Startup,
        None if seed.inputs.first() == Some(&seed.root) => Role::Both,
        _ => Role::Apply,
    };
    let read = |path: &camino::Utf8Path, given: &str| {
        let read = cx.facts::<AnkaiosFacts>(path);
        Input {
            file: cx.file(path),
            given: given.into(),
            named_at: match (&read, &seed.name) {
                (Err(ReadError::NotFound), Some(name)) => {
                    cx.place_in_config(&cx.config(&seed.root), ["ankaios", "apply"], Some(name), given)
                }
                _ => None,
            },
            failure: read.err(),
        }
    };
    let inputs = seed
        .inputs
        .iter()
        .map(|given| read(&discover::absolute(&seed.root, given), given.as_str()))
        .collect();
    let agent = options
        .one(&AGENT)
        .map(str::to_owned)
        .or_else(|| discover::agent_of(cx, seed));
    Loaded {
        role,
        inputs,
        agent: agent.filter(|_| role.applies()).map(|text| GivenAgent {
            template: template::read(&text, |_| 0),
            text: text.into(),
        }),
        siblings: if role == Role::Both && options.state.is_none() {
            siblings(pass)
        } else {
            Vec::new()
        },
        state: options.state.as_ref().map(|path| read(path, path.as_str())),
    }
}

fn siblings(pass: &Pass<'_>) -> Vec<Utf8PathBuf> {
    let Some(dir) = pass.seed.root.parent() else {
        return Vec::new();
    };
    let entries = pass.cx.list(dir).unwrap_or_default();
    let files = entries
        .iter()
        .filter(|e| e.kind == FileKind::File && !e.name.starts_with('.'));
    let paths = files.map(|e| dir.join(&e.name));
    let found: Vec<Utf8PathBuf> = paths
        .filter(|path| *path != pass.seed.root && discover::is_named_so(path))
        .take(MAX_SIBLINGS + 1)
        .collect();
    if found.len() > MAX_SIBLINGS {
        Vec::new()
    } else {
        found
    }
}
