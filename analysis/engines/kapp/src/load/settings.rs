//! The settings of an app, and the files it is read from.

use camino::Utf8PathBuf;

use super::rendered_path;
use crate::config::{INTO_NS, KappApp, KappConfig, KappScope, MAP_NS, NAMESPACE};
use crate::{META, version};
use applyorder_core::engine::{Cx, ProjectSeed};
use applyorder_core::layer::Pass;

/// The settings of the app.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Settings {
    pub(crate) namespace: Option<String>,
    pub(crate) into_namespace: Option<String>,
    /// Entries of `--map-ns`: `from=to`.
    pub(crate) map_namespaces: Vec<String>,
    pub(crate) scopes: Vec<(String, bool)>,
    pub(crate) version: String,
    /// Whether no version is configured, and the newest known one is assumed.
    pub(crate) is_version_assumed: bool,
    /// The steps that dropping optional edges may take.
    pub(crate) optional_steps: u64,
}

/// The steps that dropping optional edges may take, unless set otherwise: about a second.
const OPTIONAL_STEPS: u64 = 400_000_000;

pub(super) fn of(pass: &Pass<'_>, config: &KappConfig, app: Option<&KappApp>) -> Settings {
    let options = pass.options;
    let configured = options
        .engine_version
        .clone()
        .or_else(|| config.version.clone().map(String::from));
    let in_use = pass.cx.version_in_use(configured, META.id, &pass.seed.root);
    Settings {
        namespace: options
            .one(&NAMESPACE)
            .map(str::to_owned)
            .or_else(|| app.and_then(|a| a.namespace.clone())),
        into_namespace: options
            .one(&INTO_NS)
            .map(str::to_owned)
            .or_else(|| app.and_then(|a| a.into_ns.clone())),
        map_namespaces: if options.all(&MAP_NS).is_empty() {
            app.map_or_else(Vec::new, |a| a.map_ns.clone())
        } else {
            options.all(&MAP_NS).to_vec()
        },
        scopes: config
            .scopes
            .iter()
            .map(|(kind, scope)| (kind.clone(), *scope == KappScope::Namespaced))
            .collect(),
        is_version_assumed: in_use.is_none(),
        version: in_use.map_or_else(|| version::NEWEST.to_owned(), |v| v.version),
        optional_steps: config.optional_steps.unwrap_or(OPTIONAL_STEPS),
    }
}

/// The files and directories an app is read from, and why they belong to it.
pub(super) struct Inputs {
    pub(super) given: Vec<Utf8PathBuf>,
    pub(super) why: String,
    /// Why the sources of a rendered app belong to it.
    pub(super) rendered: Option<String>,
    /// The command that renders the app, if its output is unknown.
    pub(super) not_rendered: Option<String>,
}

/// The rendered text of an app instead of its files, if there is one.
pub(super) fn inputs(cx: &Cx<'_>, seed: &ProjectSeed, app: Option<&KappApp>) -> Inputs {
    let mut not_rendered = None;
    if let Some(app) = app
        && !app.render.is_empty()
    {
        let path = rendered_path(&seed.root, &app.name);
        let command = app.render.join(" ");
        if cx.kind(&path, true).is_some() {
            return Inputs {
                given: vec![path],
                why: format!("what `{command}` prints for app `{}`", app.name),
                rendered: Some(format!("{}, rendered by `{command}`", seed.why)),
                not_rendered,
            };
        }
        not_rendered = Some(command);
    }
    Inputs {
        given: seed.inputs.clone(),
        why: seed.why.clone(),
        rendered: None,
        not_rendered,
    }
}
