//! Findings as the protocol's diagnostics: the same ones whether they are sent or asked for.

use std::hash::Hasher;

use applyorder_analysis::diagnostic::{Certainty, FileId, Safety, Severity};
use applyorder_analysis::workspace::{Analysis, Finding};
use rustc_hash::FxHasher;
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    NumberOrString,
};

use crate::capabilities::Supports;
use crate::convert::{self, Convert};
use crate::shown;

/// The diagnostics of one file.
pub(crate) struct Diagnostics {
    pub(crate) items: Vec<Diagnostic>,
    /// Changes when anything in them does.
    pub(crate) hash: u64,
}

impl Diagnostics {
    /// The diagnostics of a file in an analysis.
    pub(crate) fn new(convert: &Convert<'_>, supports: &Supports, file: FileId) -> Self {
        let items: Vec<Diagnostic> = convert
            .analysis
            .findings_of(file)
            .iter()
            .map(|finding| diagnostic(convert, supports, finding))
            .collect();
        let mut hasher = FxHasher::default();
        // Serialising into a hasher does not fail.
        let _ = serde_json::to_writer(HashWriter(&mut hasher), &items);
        Self {
            items,
            hash: hasher.finish(),
        }
    }

    /// The hash as the protocol wants it.
    pub(crate) fn result_id(&self) -> String {
        format!("{:016x}", self.hash)
    }
}

struct HashWriter<'a>(&'a mut FxHasher);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        self.0.write_usize(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
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

fn diagnostic(convert: &Convert<'_>, supports: &Supports, finding: &Finding<'_>) -> Diagnostic {
    let d = finding.diagnostic;
    let file = d.place.file;
    let related: Vec<DiagnosticRelatedInformation> = d
        .related
        .iter()
        .filter_map(|r| {
            Some(DiagnosticRelatedInformation {
                location: convert.location(r.place)?,
                message: plain(&r.message),
            })
        })
        .collect();
    Diagnostic {
        range: convert.range(file, convert.analysis.span(d.place)),
        severity: Some(severity(d.severity)),
        code: Some(NumberOrString::String(d.rule.id.to_owned())),
        code_description: convert::uri(&docs_page(d.rule.id))
            .filter(|_| supports.code_description)
            .map(|href| CodeDescription { href }),
        source: Some("applyorder".to_owned()),
        message: message(convert, supports, finding),
        related_information: (!related.is_empty() && supports.related_information).then_some(related),
        tags: (supports.unnecessary_tag && NEEDLESS.contains(&d.rule.id))
            .then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: supports.data.then(|| data(convert.analysis, finding)),
    }
}

/// Rules whose findings are entries that change nothing: editors fade them.
const NEEDLESS: [&str; 3] = ["duplicate-dependency", "inert-dependency", "redundant-dependency"];

/// A sentence as editors show it, who print marks as they are.
pub(crate) fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// A label longer than this stays with the hover.
const MOST_COLUMNS: usize = 100;

/// The message in one line, as editors show it behind the text. What there is to know besides is in the hover.
fn message(convert: &Convert<'_>, supports: &Supports, finding: &Finding<'_>) -> String {
    let analysis = convert.analysis;
    let d = finding.diagnostic;
    let mut out = plain(&d.message);
    if let Some(label) = d.label.as_ref().filter(|l| !d.message.contains(l.as_str())) {
        let label = plain(label);
        if out.chars().count() + label.chars().count() <= MOST_COLUMNS {
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

/// What scripts and extensions of editors may want to know.
fn data(analysis: &Analysis, finding: &Finding<'_>) -> serde_json::Value {
    let d = finding.diagnostic;
    let enforced: Vec<_> = d
        .enforced
        .iter()
        .map(|e| json!({ "command": e.command, "stage": e.stage, "first": e.first }))
        .collect();
    let fixes: Vec<_> = d
        .fixes
        .iter()
        .map(|f| json!({ "title": f.title, "safe": f.safety == Safety::Safe }))
        .collect();
    let projects: Vec<&str> = finding
        .projects
        .iter()
        .filter_map(|p| Some(analysis.project(*p)?.seed.root.as_str()))
        .collect();
    json!({
        "rule": d.rule.id,
        "message": shown::text(&d.message),
        "heuristic": d.certainty == Certainty::Heuristic,
        "enforced": enforced,
        "fixes": fixes,
        "projects": projects,
    })
}
