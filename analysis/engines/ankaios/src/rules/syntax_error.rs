//! `syntax-error` in manifests: text that is not a single YAML document.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::syntax_error::RULE;

use super::InSource;
use crate::read::FaultKind;
use applyorder_syntax::yaml::dialect::serdeyaml::RefusalKind;

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let FaultKind::Yaml(kind, words) = &fault.kind else {
            continue;
        };
        let text = match kind {
            RefusalKind::DuplicateKey => continue,
            RefusalKind::SeveralDocuments => "more than one document in a manifest".to_owned(),
            RefusalKind::ByteOrderMark => {
                "byte-order mark: Ankaios reads it as a document of its own".to_owned()
            }
            RefusalKind::BesideMark => {
                "byte-order mark: Ankaios takes what stands beside it for text".to_owned()
            }
            RefusalKind::UnknownAnchor => "unknown anchor".to_owned(),
            RefusalKind::TooDeep => "nested deeper than 128 levels".to_owned(),
            RefusalKind::TooManyAliases => "aliases are followed too often".to_owned(),
            RefusalKind::Syntax | RefusalKind::BadScalar => words.to_string(),
        };
        let mut d = Diagnostic::new(&RULE, place, text);
        if let Some(related) = fault.related.filter(|_| *kind == RefusalKind::SeveralDocuments) {
            d = d.related(source.place(related), "the first document");
        }
        if matches!(kind, RefusalKind::ByteOrderMark | RefusalKind::BesideMark) {
            let step = FixStep::Replace(place, String::new());
            d = d.fix("remove the byte-order mark", Safety::Unsafe, vec![step]);
        }
        found.push(source.finding((at, fault), d));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::syntax_error::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(&RULE, "apiVersion: v1\nworkloads: {}\n---\n", &["---"]);
        speaks(&RULE, "\u{feff}apiVersion: v1\nworkloads: {}\n", &["\u{feff}"]);
        speaks(
            &RULE,
            "\u{feff}---\napiVersion: v1\nworkloads: {}\n",
            &["\u{feff}"],
        );
        speaks(&RULE, "apiVersion: v1\nworkloads: {a: *x}\n", &["*x"]);
        speaks(&RULE, "---\napiVersion: v1\nworkloads: {}\n...\n", &[]);
    }
}
