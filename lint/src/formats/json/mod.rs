//! The JSON report. Projects are written one after the other, so that memory contains only one at a time.

pub mod diff;
mod edges;
pub mod model;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{
    EngineError, Operation, OrderOf, RunOption, RunOptions, Takes, UnitIx, Variant,
};
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{Project, ProjectIx};
use camino::Utf8Path;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::ser::Formatter;

pub use self::edges::{edge, origin};
use self::edges::{groups, is_direct};
use crate::args::EdgesArg;
use crate::escape;
use crate::fingerprint::Reported;
use crate::place::Position;
use crate::session::Session;

/// Writes the report.
///
/// # Errors
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    session: &Session,
    findings: &[Reported<'_>],
    asked: EdgeOptions,
) -> io::Result<()> {
    write_value(
        out,
        &Streamed {
            session,
            findings,
            asked,
        },
    )
}

/// Which edges a report contains.
#[derive(Clone, Copy, Debug)]
pub struct EdgeOptions {
    /// The operation whose edges are reported.
    pub operation: Operation,
    /// Whether group relations are expanded.
    pub edges: EdgesArg,
}

/// The edges of an ordinary run, with group relations as single entries.
pub const USUAL: EdgeOptions = EdgeOptions {
    operation: Operation::Apply,
    edges: EdgesArg::Groups,
};

/// Writes any answer.
///
/// # Errors
/// When the output cannot be written.
pub fn write_value(mut out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Harmless);
    value.serialize(&mut serializer).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// JSON whose strings contain nothing that affects a terminal or a program that scans a log; the data is the same.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut from = 0;
        for (at, c) in escape::harmful(fragment) {
            out.write_all(fragment.get(from..at).unwrap_or("").as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        out.write_all(fragment.get(from..).unwrap_or("").as_bytes())
    }
}

/// [`model::Report`], built while it is written.
struct Streamed<'a> {
    session: &'a Session,
    findings: &'a [Reported<'a>],
    asked: EdgeOptions,
}

impl Serialize for Streamed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Projects<'a>(&'a Streamed<'a>, BTreeMap<ProjectIx, Vec<&'a Reported<'a>>>);
        impl Serialize for Projects<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let session = self.0.session;
                serializer.collect_seq(session.projects().map(|(ix, project)| {
                    let findings = self.1.get(&ix).map_or(&[][..], Vec::as_slice);
                    report(session, ix, project, findings, self.0.asked)
                }))
            }
        }
        let selected = |r: &&Reported<'_>| {
            let of = |p: &&ProjectIx| self.session.selected(**p).is_some();
            r.finding.projects.iter().find(of).copied()
        };
        let mut by_project: BTreeMap<ProjectIx, Vec<&Reported<'_>>> = BTreeMap::new();
        for finding in self.findings {
            if let Some(project) = selected(&finding) {
                by_project.entry(project).or_default().push(finding);
            }
        }
        let own: Vec<_> = self
            .findings
            .iter()
            .filter(|f| selected(f).is_none())
            .map(|f| diagnostic(self.session, f))
            .collect();
        let mut report = serializer.serialize_struct("Report", 3)?;
        report.serialize_field("version", &model::VERSION)?;
        report.serialize_field("projects", &Projects(self, by_project))?;
        report.serialize_field("diagnostics", &own)?;
        report.end()
    }
}

fn report<'a>(
    session: &'a Session,
    ix: ProjectIx,
    project: &'a Project,
    findings: &[&'a Reported<'a>],
    asked: EdgeOptions,
) -> model::Project<'a> {
    let (seed, resolution) = (&project.seed, &project.resolution);
    let meta = project.engine().meta();
    let mut runs = resolution.variants.iter().map(|v| run(session, v, asked));
    let redacted = session.redacted_rules(project);
    let message = |error: &'a EngineError| match redacted.contains(error.rule) {
        true => model::Message::redacted(error),
        false => model::Message::from(error),
    };
    model::Project {
        engine: meta.id,
        key: session.key(ix),
        name: seed.name.as_deref().map(Cow::Borrowed),
        root: session.paths.show(&seed.root),
        why: Cow::Borrowed(&seed.why),
        inferred: seed.inferred,
        files: resolution
            .members
            .iter()
            .map(|m| model::File {
                path: session.paths.show(session.analysis.path(m.file)),
                why: Cow::Borrowed(&*m.why),
                via: m.via.map(|p| place(session, p)),
            })
            .collect(),
        options: options(session, &session.options.only(meta.options)),
        engine_version: Cow::Borrowed(&resolution.engine_version),
        verdicts: resolution
            .verdicts
            .iter()
            .map(|v| model::Verdict {
                command: v.command,
                environment: v.environment.as_deref().map(Cow::Borrowed),
                ok: v.ok,
                stage: v.stage,
                messages: v.errors.iter().map(message).collect(),
                warnings: v.warnings.iter().map(message).collect(),
                more_messages: Some(v.more_errors).filter(|more| *more > 0),
                more_warnings: Some(v.more_warnings).filter(|more| *more > 0),
                because: v.because.as_deref().map(Cow::Borrowed),
            })
            .collect(),
        run: runs.next().unwrap_or_else(|| model::Run {
            environments: Vec::new(),
            properties: BTreeMap::new(),
            units: Vec::new(),
            edges: model::Edges(Box::new(|| Box::new(std::iter::empty()))),
            groups: Vec::new(),
            order: model::Orders {
                apply: no_order(),
                delete: no_order(),
            },
        }),
        variants: runs.collect(),
        unresolved: project
            .unresolved()
            .map(|(at, message)| model::Unresolved {
                message: Cow::Borrowed(message),
                place: at.map(|p| place(session, p)),
            })
            .collect(),
        diagnostics: findings.iter().map(|f| diagnostic(session, f)).collect(),
    }
}

const fn no_order<'a>() -> model::Order<'a> {
    model::Order {
        layers: None,
        sequence: None,
        guaranteed: false,
        because: None,
    }
}

fn run<'a>(session: &'a Session, variant: &'a Variant, asked: EdgeOptions) -> model::Run<'a> {
    let mut selected = vec![variant.selected.is_none(); variant.units.len()];
    for unit in variant.selected.iter().flatten() {
        if let Some(selected) = selected.get_mut(unit.0 as usize) {
            *selected = true;
        }
    }
    let graph = &*variant.order_of(asked.operation).graph;
    let edges = asked.edges;
    model::Run {
        environments: environments(variant),
        properties: variant
            .properties
            .iter()
            .map(|(k, v)| (*k, Cow::Borrowed(v.as_str())))
            .collect(),
        units: variant
            .units
            .iter()
            .zip(selected)
            .enumerate()
            .map(|(i, (unit, selected))| model::Unit {
                name: Cow::Borrowed(&unit.name),
                selected,
                action: variant.actions.get(i).copied(),
                tags: unit.tags.iter().map(|t| Cow::Borrowed(&**t)).collect(),
                place: place(session, unit.header),
                name_place: unit.name_place.map(|p| place(session, p)),
            })
            .collect(),
        edges: match edges {
            EdgesArg::Groups => model::Edges(Box::new(move || {
                let direct = graph.edges().iter().filter(|e| is_direct(graph, e));
                Box::new(direct.map(move |e| edge(session, variant, graph, e)))
            })),
            EdgesArg::All => model::Edges(Box::new(move || {
                Box::new(
                    graph
                        .named_edges()
                        .map(move |e| edge(session, variant, graph, &e)),
                )
            })),
        },
        groups: match edges {
            EdgesArg::Groups => graph
                .nodes()
                .filter(|n| graph.is_passed(*n))
                .flat_map(|n| groups(variant, graph, n))
                .collect(),
            EdgesArg::All => Vec::new(),
        },
        order: model::Orders {
            apply: order(variant, &variant.apply),
            delete: order(variant, &variant.delete),
        },
    }
}

/// The environments that a variant covers.
#[must_use]
pub fn environments(variant: &Variant) -> Vec<Option<model::Text<'_>>> {
    variant
        .environments
        .iter()
        .map(|e| e.as_deref().map(Cow::Borrowed))
        .collect()
}

fn order<'a>(variant: &'a Variant, order: &'a OrderOf) -> model::Order<'a> {
    let names = |units: &'a [UnitIx]| {
        units
            .iter()
            .filter_map(|u| variant.units.get(u.0 as usize))
            .map(|u| Cow::Borrowed(&*u.name))
            .collect::<Vec<_>>()
    };
    model::Order {
        layers: order
            .layers
            .as_ref()
            .map(|layers| layers.iter().map(|l| names(l)).collect()),
        sequence: order.sequence.as_deref().map(names),
        guaranteed: order.guaranteed,
        because: order.because.as_deref().map(Cow::Borrowed),
    }
}

/// A finding.
pub fn diagnostic<'a>(session: &Session, reported: &'a Reported<'a>) -> model::Diagnostic<'a> {
    let finding = &reported.finding;
    let d = finding.diagnostic;
    model::Diagnostic {
        rule: d.rule.id,
        severity: d.severity,
        certainty: d.certainty,
        message: escape::text(&d.message),
        place: place(session, d.place),
        label: d.label.as_deref().map(escape::text),
        related: d
            .related
            .iter()
            .map(|r| model::Related {
                message: escape::text(&r.message),
                place: place(session, r.place),
            })
            .collect(),
        notes: d.notes.iter().map(|n| escape::text(n)).collect(),
        enforced: session
            .analysis
            .enforced(finding)
            .iter()
            .map(|e| model::Enforced {
                command: e.command,
                stage: e.stage,
                first: e.first,
            })
            .collect(),
        engine_message: d.engine_message.as_deref().map(Cow::Borrowed),
        units: d.units.iter().map(|u| Cow::Borrowed(&**u)).collect(),
        environments: d
            .environments
            .iter()
            .map(|e| (!e.is_empty()).then_some(Cow::Borrowed(&**e)))
            .collect(),
        projects: finding.projects.iter().map(|p| session.key(*p)).collect(),
        fingerprint: reported.fingerprint(),
        fixes: d
            .fixes
            .iter()
            .map(|f| model::Fix {
                title: escape::text(&f.title),
                safety: f.safety,
                edits: session
                    .analysis
                    .edits(f)
                    .into_iter()
                    .flat_map(|(file, edits)| edits.into_iter().map(move |edit| (file, edit)))
                    .map(|(file, edit)| model::Edit {
                        place: place(session, Place::span(file, edit.span)),
                        text: edit.text,
                    })
                    .collect(),
            })
            .collect(),
    }
}

/// A place with lines and columns.
#[must_use]
pub fn place(session: &Session, place: Place) -> model::Place {
    let position = Position::of(&session.analysis, place);
    let point = |byte: u32, utf8: applyorder_analysis::syntax::text::LineCol, utf16: u32| model::Point {
        byte,
        line: utf8.line.saturating_add(1),
        column_utf8: utf8.col.saturating_add(1),
        column_utf16: utf16.saturating_add(1),
    };
    model::Place {
        path: session.paths.show(position.path),
        start: point(
            position.span.start,
            position.start(Encoding::Utf8),
            position.start(Encoding::Utf16).col,
        ),
        end: point(
            position.span.end,
            position.end(Encoding::Utf8),
            position.end(Encoding::Utf16).col,
        ),
    }
}

fn options(session: &Session, given: &RunOptions) -> BTreeMap<&'static str, serde_json::Value> {
    let shown = |option: &'static RunOption| {
        let mut values = given.values(option)?.into_iter().map(|value| match option.takes {
            takes if takes.is_path() => session.paths.show(Utf8Path::new(&value)),
            // A value may be a secret.
            Takes::Pairs => value.split('=').next().unwrap_or("").to_owned(),
            _ => value,
        });
        Some(if option.takes.is_single() {
            values.next_back().into()
        } else {
            values.collect::<Vec<_>>().into()
        })
    };
    let options = given.given().into_iter();
    options
        .filter_map(|option| Some((option.name, shown(option)?)))
        .collect()
}
