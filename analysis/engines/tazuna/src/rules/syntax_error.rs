//! `syntax-error` in Tazuna's files: templates, YAML, and YAML that its libraries reject.

use crate::judge::Stage;
use crate::read::FaultKind;
use crate::scope::{NAMELESS, Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::syntax_error::RULE;
use applyorder_syntax::yaml::dialect::goyaml::DialectErrorKind;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| match kind {
        FaultKind::Template {
            verb,
            message,
            braces,
        } => {
            let text = format!("the Go template does not {verb}: {message}");
            let mut d = Diagnostic::new(&RULE, place, text).note(
                "Tazuna renders the whole file, comments included, as a Go template before it parses YAML",
            );
            if let Some(braces) = braces {
                d = d.fix(
                    "escape the braces",
                    Safety::Unsafe,
                    vec![FixStep::Replace(*braces, "{{ \"{{\" }}".to_owned())],
                );
            }
            let theirs = format!("failed to {verb} {NAMELESS} as a Go template: {message}");
            Some(Wording::rejected(Stage::Template, d, theirs))
        }
        FaultKind::Syntax { ours, theirs } => {
            let d = Diagnostic::new(&RULE, place, &**ours);
            let theirs = format!("error converting YAML to JSON: yaml: {theirs}");
            Some(Wording::rejected(Stage::Decode, d, theirs))
        }
        FaultKind::EmptyFile => {
            let d = Diagnostic::new(&RULE, place, "the file is empty")
                .note("Tazuna G1 rejects an empty file; later ones accept it");
            Some(Wording::rejected(Stage::Decode, d, "EOF"))
        }
        FaultKind::Dialect {
            kind,
            message,
            related,
        } => {
            let mut d = Diagnostic::new(&RULE, place, &**message);
            if let Some(related) = related {
                d = d.related(*related, "referenced here");
            }
            if *kind == DialectErrorKind::Directive {
                d = d.fix(
                    "remove the directive",
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, String::new())],
                );
            }
            let library = match kind {
                DialectErrorKind::NotJson => "json: ",
                DialectErrorKind::BadKey => "",
                _ => "yaml: ",
            };
            let theirs = format!("error converting YAML to JSON: {library}{message}");
            Some(Wording::rejected(Stage::Decode, d, theirs))
        }
        _ => None,
    });
}
