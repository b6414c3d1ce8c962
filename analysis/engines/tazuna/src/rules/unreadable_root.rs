//! A root that cannot be read.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::files::ReadError;
use applyorder_core::layer::{Block, Checked, Environment, Finding, Pass, Unknown};
use applyorder_core::rules::{limit_reached, syntax_error, unreadable_file};

use crate::judge::{Stage, rejected};
use crate::load::{Setting, Unreadable, go_error};

/// The findings in that case.
pub(super) fn check(pass: &Pass<'_>, setting: &Setting, why: &Unreadable) -> Checked {
    let name = setting.name();
    let place = Place::file(setting.root_file);
    let mut unknown: Vec<Unknown> = Vec::new();
    let open = |stage: Stage, because: String| Unknown {
        command: None,
        stage: stage.name(),
        at: None,
        because,
        leaves_later: false,
    };
    let found = match (&why.limit, &why.error) {
        (Some(limit), _) => {
            let because = format!("`{name}` {limit}");
            unknown.push(open(Stage::Read, because.clone()));
            Finding::new(Diagnostic::new(&limit_reached::RULE, place, because))
        }
        (None, ReadError::NotUtf8(at)) => {
            let text = format!("`{name}` is not UTF-8: invalid byte {at}");
            let d = Diagnostic::new(&syntax_error::RULE, place, text);
            if why.reads_otherwise {
                let because = format!("`{name}` is not UTF-8, but Tazuna may stop before that byte");
                unknown.push(open(Stage::Template, because));
                Finding::new(d.severity(Severity::Warning)).about(name)
            } else {
                let message = format!("error converting YAML to JSON: yaml: {}", why.yaml);
                rejected(Stage::Decode, d.engine_message(message), name)
            }
        }
        (None, other) => {
            let text = other.unread(&format!("`{name}`"));
            // A file that does not exist cannot be shown.
            let listed = || crate::discover::listed_at(pass.cx, &setting.root);
            let place = match other {
                ReadError::NotFound => listed().unwrap_or(place),
                _ => place,
            };
            let d =
                Diagnostic::new(&unreadable_file::RULE, place, text).engine_message(go_error(name, other));
            rejected(Stage::Read, d, name)
        }
    };
    let environments = setting
        .asked()
        .into_iter()
        .map(|name| Environment { name, own: None });
    Checked {
        blocks: vec![Arc::new(Block::new(vec![found]))],
        unknown,
        environments: environments.collect(),
    }
}
