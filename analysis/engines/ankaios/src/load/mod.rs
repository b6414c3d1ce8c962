//! Which manifests a project is made of, and how it is taken.

use applyorder_core::diagnostic::FileId;
use applyorder_core::files::ReadError;
use applyorder_core::layer::Pass;

use crate::config::AGENT;
use crate::discover::{self, STARTUP_ONLY};
use crate::read::AnkaiosFacts;
use crate::read::template::{self, Template};

/// How a project is taken.
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
    /// As it was named.
    pub(crate) given: Box<str>,
    pub(crate) failure: Option<ReadError>,
}

/// What `--agent` says: a template like that of a manifest.
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
    /// The output of `ank get state`, where one is given.
    pub(crate) state: Option<Input>,
}

pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let Pass { cx, seed, options } = *pass;
    let role = match seed.name.as_deref() {
        Some(STARTUP_ONLY) if seed.inputs.first() == Some(&seed.root) => Role::Startup,
        None if seed.inputs.first() == Some(&seed.root) => Role::Both,
        _ => Role::Apply,
    };
    let read = |path: &camino::Utf8Path, given: &str| {
        let read = cx.facts::<AnkaiosFacts>(path);
        Input {
            file: cx.file(path),
            given: given.into(),
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
        state: options.state.as_ref().map(|path| read(path, path.as_str())),
    }
}
