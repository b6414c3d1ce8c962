//! `[kapp]` of `applyorder.toml`, and the options that only kapp has.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use applyorder_core::config::{EngineVersion, Named, Section, named_once};
use applyorder_core::engine::{RunOption, Takes};
use applyorder_syntax::text::Span;

/// The name of the table.
pub(crate) static SECTION: Section = Section::of::<KappConfig>("kapp");

/// `--namespace`
pub(crate) static NAMESPACE: RunOption =
    RunOption::own("namespace", Takes::One, "NAME", "Default namespace").with_setting("namespace");
/// `--into-ns`
pub(crate) static INTO_NS: RunOption =
    RunOption::own("into-ns", Takes::One, "NAME", "Namespace for all resources")
        .with_setting("intoNamespace");
/// `--map-ns`
pub(crate) static MAP_NS: RunOption = RunOption::own(
    "map-ns",
    Takes::List,
    "FROM=TO",
    "Replace one namespace with another; then every namespace must be mapped",
)
.with_setting("mapNamespaces");

/// Which kapp deploys, and the files of its apps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct KappConfig {
    /// The version of kapp in use.
    pub(crate) version: Option<EngineVersion>,
    /// Scope of kinds that are neither built in nor defined here: `"apiVersion/Kind" = "cluster"` or
    /// `"namespaced"`.
    pub(crate) scopes: BTreeMap<String, KappScope>,
    /// How many steps it may take to find out which optional edges kapp drops [default: 400000000, about a
    /// second]. Past it there are no layers.
    pub(crate) optional_steps: Option<u64>,
    /// The apps.
    #[serde(deserialize_with = "named_once")]
    pub(crate) app: Vec<KappApp>,
}

/// Whether the objects of a kind have a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KappScope {
    /// They have none.
    Cluster,
    /// They have one.
    Namespaced,
}

/// The files that one `kapp deploy` is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct KappApp {
    /// The app's name, as in `kapp deploy -a`.
    pub(crate) name: String,
    /// Files and directories in the order of the `-f` flags.
    #[schemars(extend("x-path" = true))]
    pub(crate) files: Vec<String>,
    /// The default namespace, as in `-n`.
    pub(crate) namespace: Option<String>,
    /// As in `--into-ns`.
    pub(crate) into_ns: Option<String>,
    /// As in `--map-ns`: `from=to`. Every namespace has to be mapped then.
    pub(crate) map_ns: Vec<String>,
    /// A command that prints the rendered manifests: program and arguments, no shell.
    pub(crate) render: Vec<String>,
}

impl Named for KappApp {
    fn name(&self) -> &str {
        &self.name
    }
}

/// Where the text of a configuration file says how an app is rendered.
pub(crate) fn render_span(text: &str, app: &str) -> Option<Span> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct File {
        kapp: Kapp,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Kapp {
        app: Vec<App>,
    }
    #[derive(Deserialize)]
    struct App {
        #[serde(default)]
        name: String,
        render: Option<toml::Spanned<Vec<String>>>,
    }
    let file: File = toml::from_str(text).ok()?;
    let found = file.kapp.app.into_iter().find(|a| a.name == app)?;
    let span = found.render?.span();
    Some(Span::from_usize(span.start, span.end))
}
