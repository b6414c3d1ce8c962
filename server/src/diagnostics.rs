//! Findings as the protocol's diagnostics: the same ones whether they are sent or asked for.
//!
//! They are serialized once, as text: a file may have thousands, and they are sent again after each edit.

use std::borrow::Cow;
use std::hash::Hasher;

use applyorder_analysis::diagnostic::{Certainty, FileId, Safety, Severity};
use applyorder_analysis::workspace::Finding;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{DiagnosticSeverity, DiagnosticTag, Range};

use crate::capabilities::Supports;
use crate::convert::Convert;
use crate::shown;

/// The bytes of a diagnostic, about: what is large should not be copied while it grows.
const USUAL: usize = 1024;

/// The diagnostics of one file.
pub(crate) struct Diagnostics {
    /// An array, as the protocol has it.
    pub(crate) json: String,
    /// Changes when anything in them does.
    pub(crate) hash: u64,
    pub(crate) is_empty: bool,
}

impl Diagnostics {
    /// The diagnostics of a file in an analysis.
    pub(crate) fn new(convert: &Convert<'_>, supports: &Supports, file: FileId) -> Self {
        let found = convert.analysis.findings_of(file);
        let mut uris: FxHashMap<FileId, Option<String>> = FxHashMap::default();
        let mut pages: FxHashMap<&str, String> = FxHashMap::default();
        for finding in &found {
            let d = finding.diagnostic;
            pages.entry(d.rule.id).or_insert_with(|| docs_page(d.rule.id));
            for related in d.related.iter().filter(|_| supports.related_information) {
                let uri = || convert.uri(related.place.file).map(|uri| uri.to_string());
                uris.entry(related.place.file).or_insert_with(uri);
            }
        }
        let writing = Writing {
            convert,
            supports,
            uris: &uris,
            pages: &pages,
        };
        let mut json = Vec::with_capacity(found.len() * USUAL);
        // Neither the values nor the in-memory writer can fail.
        let _ = serde_json::Serializer::new(&mut json).collect_seq(found.iter().map(|f| writing.one(f)));
        let mut hasher = FxHasher::default();
        hasher.write(&json);
        Self {
            hash: hasher.finish(),
            is_empty: found.is_empty(),
            json: String::from_utf8(json).unwrap_or_default(),
        }
    }

    /// The same as a value.
    pub(crate) fn items(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_else(|_| json!([]))
    }

    /// The hash in the protocol's form.
    pub(crate) fn result_id(&self) -> String {
        format!("{:016x}", self.hash)
    }
}

/// The page of a rule.
pub(crate) fn docs_page(rule: &str) -> String {
    format!("https://github.com/applyorder/applyorder/blob/main/docs/rules/{rule}.md")
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

/// What is needed to write diagnostics.
struct Writing<'a> {
    convert: &'a Convert<'a>,
    supports: &'a Supports,
    /// The URIs of the files that they refer to.
    uris: &'a FxHashMap<FileId, Option<String>>,
    pages: &'a FxHashMap<&'static str, String>,
}

/// `Diagnostic` of the protocol.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    range: Range,
    severity: DiagnosticSeverity,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_description: Option<CodeDescription<'a>>,
    source: &'a str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_information: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<[DiagnosticTag; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data<'a>>,
}

#[derive(Serialize)]
struct CodeDescription<'a> {
    href: &'a str,
}

/// `DiagnosticRelatedInformation` of the protocol.
#[derive(Serialize)]
struct Related<'a> {
    location: Location<'a>,
    message: String,
}

#[derive(Serialize)]
struct Location<'a> {
    uri: &'a str,
    range: Range,
}

/// Data for scripts and editor extensions.
#[derive(Serialize)]
struct Data<'a> {
    rule: &'a str,
    message: Cow<'a, str>,
    heuristic: bool,
    enforced: Vec<Enforced<'a>>,
    fixes: Vec<Fix<'a>>,
    projects: Vec<&'a str>,
}

#[derive(Serialize)]
struct Enforced<'a> {
    command: &'a str,
    stage: &'a str,
    first: bool,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    safe: bool,
}

impl<'a> Writing<'a> {
    fn one(&self, finding: &'a Finding<'a>) -> Written<'a> {
        let (convert, supports) = (self.convert, self.supports);
        let d = finding.diagnostic;
        let related = d.related.iter().filter(|_| supports.related_information);
        let related = related.filter_map(|r| {
            let range = convert.range(r.place.file, convert.analysis.span(r.place));
            let uri = self.uris.get(&r.place.file)?.as_deref()?;
            Some(Related {
                location: Location { uri, range },
                message: harmless(plain(&r.message)),
            })
        });
        Written {
            range: convert.range(d.place.file, convert.analysis.span(d.place)),
            severity: severity(d.severity),
            code: d.rule.id,
            code_description: self
                .pages
                .get(d.rule.id)
                .filter(|_| supports.code_description)
                .map(|href| CodeDescription { href }),
            source: "applyorder",
            message: harmless(message(convert, supports, finding)),
            related_information: related.collect(),
            tags: (supports.unnecessary_tag && NEEDLESS.contains(&d.rule.id))
                .then_some([DiagnosticTag::UNNECESSARY]),
            data: supports.data.then(|| self.data(finding)),
        }
    }

    fn data(&self, finding: &'a Finding<'a>) -> Data<'a> {
        let d = finding.diagnostic;
        let enforced = self.convert.analysis.enforced(finding);
        let enforced = enforced.iter().map(|e| Enforced {
            command: e.command,
            stage: e.stage,
            first: e.first,
        });
        let fixes = d.fixes.iter().map(|f| Fix {
            title: &f.title,
            safe: f.safety == Safety::Safe,
        });
        let projects = finding.projects.iter();
        let projects = projects.filter_map(|p| Some(self.convert.analysis.project(*p)?.seed.root.as_str()));
        Data {
            rule: d.rule.id,
            message: shown::text(&d.message),
            heuristic: d.certainty == Certainty::Heuristic,
            enforced: enforced.collect(),
            fixes: fixes.collect(),
            projects: projects.collect(),
        }
    }
}

/// A text that a client shows.
fn harmless(text: String) -> String {
    let other = match shown::text(&text) {
        Cow::Owned(other) => Some(other),
        Cow::Borrowed(_) => None,
    };
    other.unwrap_or(text)
}

/// Rules whose findings are entries that change nothing: editors fade them.
const NEEDLESS: [&str; 3] = ["duplicate-dependency", "inert-dependency", "redundant-dependency"];

/// A text as editors show it that print marks as they are.
pub(crate) fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// A label that makes the line longer than this stays with the hover.
const MOST_COLUMNS: usize = 80;

/// The message in one line, as editors show it behind the text. What there is to know besides is in the hover.
fn message(convert: &Convert<'_>, supports: &Supports, finding: &Finding<'_>) -> String {
    let analysis = convert.analysis;
    let d = finding.diagnostic;
    let mut out = plain(&d.message);
    if let Some(label) = d.label.as_ref().filter(|l| !d.message.contains(l.as_str())) {
        let label = plain(label);
        if out.chars().count() + 2 + label.chars().count() <= MOST_COLUMNS {
            out.push_str("; ");
            out.push_str(&label);
        }
    }
    if !d.environments.is_empty() {
        let words: Vec<String> = d.environments.iter().map(|e| of_environment(e)).collect();
        out.push_str(&format!(" (only {})", words.join(", ")));
    }
    let mut out = out.replace(['\r', '\n'], " ");
    if !supports.related_information {
        for related in &d.related {
            let path = analysis.path(related.place.file);
            let line = convert
                .range(related.place.file, analysis.span(related.place))
                .start
                .line;
            let place = format!("{path}:{}", line.saturating_add(1));
            out.push_str(&format!("\n{place}: {}", plain(&related.message)));
        }
    }
    out
}

fn of_environment(name: &str) -> String {
    if name.is_empty() {
        "without environment".to_owned()
    } else {
        format!("with environment {name}")
    }
}
