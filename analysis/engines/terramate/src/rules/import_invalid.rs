//! `terramate/import-invalid`: invalid import.

use super::restated;
use crate::model::imports::{ImportFault, SourceError};
use crate::problems::{Fault, Problem};
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::go;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/import-invalid",
    severity: Severity::Error,
    summary: "Invalid import",
    docs: include_str!("../../../../../docs/rules/terramate/import-invalid.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
    dir.tell(found, |problem| match &problem.fault {
        LoadFault::Import(rejected) => {
            let (message, words) = of_import(&rejected.fault)?;
            Some(Diagnostic::new(&RULE, problem.place, message).engine_message(words))
        }
        LoadFault::InImport(file, inside) if !inside.is_syntax() => {
            let inside = super::worded(inside, dir.in_file(*file))?;
            let words = inside.engine_message.as_ref().unwrap_or(&inside.message);
            let message = format!("invalid imported file: {}", inside.message);
            let d = Diagnostic::new(&RULE, problem.place, message).engine_message(words.clone());
            Some(restated(d, inside))
        }
        _ => None,
    });
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let Fault::Missing { name, block, words } = &problem.fault else {
        return None;
    };
    let message = format!("missing field `{name}` in `{block}`");
    let d = Diagnostic::new(&RULE, file.place(problem.at), message);
    (**block == *"import").then(|| d.engine_message(words.clone()))
}

/// Why an import is rejected, for users and as Terramate's message.
fn of_import(fault: &ImportFault) -> Option<(String, String)> {
    let same = |words: &str| (words.to_owned(), words.to_owned());
    let of = |message: &str, words: &str| (message.to_owned(), words.to_owned());
    Some(match fault {
        ImportFault::Limited | ImportFault::Inside(..) | ImportFault::Stack { .. } => return None,
        ImportFault::NoLiteral(words) => of("expected a literal path, found an expression", words),
        ImportFault::Source(source, error) => of_source(source, error),
        ImportFault::Known(source, path) => (
            format!("`{source}` is already imported"),
            format!("file \"{path}\" already parsed"),
        ),
        ImportFault::Directory(source) => (
            format!("`{source}` is a directory"),
            format!("import directory is not allowed: {source}"),
        ),
        ImportFault::Outside(dir) => (
            "the path is outside the project root".to_owned(),
            format!("directory \"{dir}\" is not inside root"),
        ),
        ImportFault::Unreadable(_, error) if error.is_limit() => return None,
        ImportFault::Unreadable(source, _) => (
            format!("`{source}` cannot be read"),
            "failed to read the imported file".to_owned(),
        ),
        ImportFault::Cycle => same("import cycle"),
        ImportFault::SetsTwice(words) => of("duplicate setting in the imported file", words),
        ImportFault::SetBefore(words) => of("already imported", words),
        ImportFault::Vendor => of(
            "imported `vendor` block conflicts with the one in this directory",
            "block \"vendor\" can only appear once",
        ),
    })
}

fn of_source(source: &str, error: &SourceError) -> (String, String) {
    let (message, words) = match error {
        SourceError::Beside => (
            "files in the same directory cannot be imported".to_owned(),
            "importing files in the same directory is not permitted",
        ),
        SourceError::Above => ("files in a parent directory cannot be imported".to_owned(), ABOVE),
        SourceError::AboveAsText(own, other) => (
            format!(
                "nothing in `{other}` can be imported here: Terramate compares paths as text, and `{own}` starts with `{other}`"
            ),
            ABOVE,
        ),
        SourceError::Pattern => ("invalid pattern".to_owned(), "failed to evaluate import.source"),
        SourceError::NoMatch => {
            let words = format!("import path {} returned no matches", go::quote(source.as_bytes()));
            return (format!("`{source}` matches no file"), words);
        }
    };
    (message, words.to_owned())
}

const ABOVE: &str = "importing files in the same tree is not permitted";

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    fn found(source: &str) -> Vec<String> {
        let files = "//- /w/x/globals.tm\nglobals {\n}\n//- /w/a/globals.tm\nglobals {\n}\n//- /w/b/s.tm\nstack {\n}\n";
        check(
            &RULE,
            &format!("//- /w/x/y/s.tm\nimport {{\n  source = {source}\n}}\n{files}"),
        )
        .found()
    }

    #[test]
    fn a_file_elsewhere_is_accepted() {
        assert_eq!(found("\"/a/globals.tm\""), [""; 0]);
        assert_eq!(found("\"../../a/*.tm\""), [""; 0]);
    }

    #[test]
    fn the_own_directory_and_those_above_are_not() {
        assert_eq!(
            found("\"s.tm\""),
            ["/x/y/s.tm:2 \"s.tm\": files in the same directory cannot be imported"]
        );
        assert_eq!(
            found("\"../globals.tm\""),
            ["/x/y/s.tm:2 \"../globals.tm\": files in a parent directory cannot be imported"]
        );
    }

    #[test]
    fn directories_are_compared_as_text() {
        let files =
            "//- /w/a-x/s.tm\nimport {\n  source = \"/a/globals.tm\"\n}\n//- /w/a/globals.tm\nglobals {\n}\n";
        assert_eq!(
            check(&RULE, files).found(),
            [
                "/a-x/s.tm:2 \"/a/globals.tm\": nothing in `/a` can be imported here: Terramate compares paths as text, and `/a-x` starts with `/a`"
            ]
        );
    }

    #[test]
    fn a_source_is_a_literal_that_leads_somewhere() {
        assert_eq!(
            found("\"/nope/*.tm\""),
            ["/x/y/s.tm:2 \"/nope/*.tm\": `/nope/*.tm` matches no file"]
        );
        assert_eq!(
            found("global.x"),
            ["/x/y/s.tm:2 global.x: expected a literal path, found an expression"]
        );
    }
}
