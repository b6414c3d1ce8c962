//! The result of templates with the configs of a project.

mod helpers;
mod run;
mod value;

use std::sync::Arc;

use super::Model;
use crate::read::template::{Path, Template};
use crate::read::{Field, Manifest, Workload};

/// The result of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rendered {
    /// This text.
    Text(Arc<str>),
    /// A text that is not evaluated.
    Unknown,
    /// It does not render.
    Failed,
}

/// Why a template does not render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderFault<'a> {
    pub(crate) kind: RenderFaultKind<'a>,
    pub(crate) place: u32,
    /// The library's message.
    pub(crate) said: String,
}

/// The kinds of [`RenderFault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RenderFaultKind<'a> {
    /// Unknown variable.
    Variable(&'a Path),
    /// Unknown helper.
    Helper(&'a str),
    /// Unknown partial.
    Partial(&'a str),
    /// Invalid template, or a helper without a value: in our words.
    Other(String),
}

/// The result of a template.
pub(crate) struct Outcome<'a> {
    /// The text; `None` if it is not evaluated.
    pub(crate) text: Option<String>,
    pub(crate) fault: Option<RenderFault<'a>>,
    /// Whether something in it is not evaluated, so that there may be a fault.
    pub(crate) is_open: bool,
}

/// Looks up the values of variables.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(super) configs: Configs<'a>,
}

/// The existing configs.
#[derive(Clone, Copy)]
pub(crate) struct Configs<'a> {
    model: &'a Model,
    /// Whether those of the files are included.
    of_files: bool,
}

impl<'a> Configs<'a> {
    /// Those of a cluster before an apply.
    pub(crate) fn of_cluster(model: &'a Model) -> Self {
        Self {
            model,
            of_files: false,
        }
    }

    /// Those of the files, and those that a cluster has besides.
    pub(crate) fn after(model: &'a Model) -> Self {
        Self {
            model,
            of_files: true,
        }
    }

    pub(super) fn find(self, name: &str) -> Option<(&'a Manifest, u32)> {
        let of_files = || {
            let (source, config) = self.model.configs.get(name).filter(|_| self.of_files)?;
            let manifest = self.model.source(*source).map(super::Source::manifest)?;
            Some((manifest, manifest.configs.get(*config as usize)?.item))
        };
        let of_cluster = || self.model.snapshot.as_ref()?.config(name);
        of_files().or_else(of_cluster)
    }

    /// The result of a field with these configs.
    pub(crate) fn render(
        self,
        workload: &'a Workload,
        field: Option<&'a Field>,
        is_trimmed: bool,
    ) -> Rendered {
        let Some(field) = field else {
            return Rendered::Text(Arc::from(""));
        };
        let text = if is_trimmed {
            field.text.value.trim()
        } else {
            &field.text.value
        };
        if workload.loses("configs") {
            return Rendered::Text(text.into());
        }
        Lookup { configs: self }.render(workload, text, &field.template)
    }
}

impl<'a> Lookup<'a> {
    /// The result of a field: its text, if the workload uses no configs.
    pub(crate) fn render(self, workload: &'a Workload, text: &str, template: &'a Template) -> Rendered {
        if workload.configs.is_empty() {
            return Rendered::Text(text.into());
        }
        let outcome = self.run(workload, template);
        match outcome.text {
            _ if outcome.fault.is_some() => Rendered::Failed,
            Some(text) if !outcome.is_open => Rendered::Text(text.into()),
            _ => Rendered::Unknown,
        }
    }

    /// Renders a template of a workload that uses configs.
    pub(crate) fn run(self, workload: &'a Workload, template: &'a Template) -> Outcome<'a> {
        if template.is_open {
            return Outcome {
                text: None,
                fault: None,
                is_open: true,
            };
        }
        if let Some(fault) = &template.fault {
            return Outcome {
                text: None,
                fault: Some(RenderFault {
                    kind: RenderFaultKind::Other(format!("not a template: {}", fault.words)),
                    place: fault.place,
                    said: format!("Failed to parse template {}", fault.said),
                }),
                is_open: false,
            };
        }
        run::run(value::Value::root(self.configs, workload), template)
    }
}
