//! The hover at an offset: for a unit its layer, what runs in parallel with it, what it waits for and what
//! waits for it, when it is deleted, and how its file came into the project.

use super::edge_hover::edge_hover;
use super::finding_notes::notes;
use super::name_hover::{members, of_link, of_symbol};
use super::page::{MOST, Page, Target};
use super::unit_hover::{refusal, unit_hover, units_hover};
use super::{subject, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::markdown::{code, names};
use applyorder_syntax::text::Span;

/// A text on a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The text it is about.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// The targets of the links of a hover.
#[derive(Clone, Copy, Default)]
pub struct Links<'a> {
    /// For the places of units; `None`: no links.
    pub target: Option<Target<'a>>,
    /// For the diagram of the order, if one can be shown.
    pub graph: Option<&'a str>,
}

/// The text for the subject at an offset, without links. See [`hover_with`].
#[must_use]
pub fn hover(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    hover_with(analysis, file, offset, Links::default())
}

/// The text for the subject at an offset, with links if they have targets, and with the notes of the findings
/// there. Several projects have a part each, the nearest root first; environments for which a part differs are
/// distinguished.
#[must_use]
pub fn hover_with(analysis: &Analysis, file: FileId, offset: u32, links: Links<'_>) -> Option<Hover> {
    let page = Page {
        analysis,
        target: links.target,
    };
    let mut of_order = at(page, file, offset).or_else(|| group_hover(page, file, offset));
    if let (Some(hover), Some(graph)) = (&mut of_order, links.graph) {
        hover.markdown.push_str(&format!("\n\n[Show graph]({graph})"));
    }
    let found = of_order.or_else(|| field(analysis, file, offset));
    let (span, notes) = notes(page, file, offset).unzip();
    let span = found.as_ref().map(|hover| hover.span).or(span)?;
    let parts: Vec<String> = found
        .map(|hover| hover.markdown)
        .into_iter()
        .chain(notes)
        .collect();
    Some(Hover {
        span,
        markdown: parts.join("\n\n---\n\n"),
    })
}

/// The purpose of the field whose key is at an offset.
fn field(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        let (span, markdown) = project
            .engine()
            .field(analysis, project.seed.engine, file, offset)?;
        Some(Hover { span, markdown })
    })
}

/// The hover at an offset whose text has no meaning by itself.
fn group_hover(page: Page<'_>, file: FileId, offset: u32) -> Option<Hover> {
    let analysis = page.analysis;
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        let engine = project.engine();
        let facts = analysis.facts(file, project.seed.engine)?;
        let (span, meant) = engine.hover_group(&**facts, offset)?;
        let starts = meant.iter().filter_map(|entry| Some(facts.span(*entry)?.start));
        let hovers: Vec<Hover> = starts.filter_map(|start| at(page, file, start)).collect();
        let more = hovers.len().saturating_sub(MOST);
        let mut texts: Vec<String> = hovers
            .into_iter()
            .take(MOST)
            .map(|hover| hover.markdown)
            .collect();
        if more > 0 {
            texts.push(format!("{more} more"));
        }
        (!texts.is_empty()).then(|| Hover {
            span,
            markdown: texts.join("\n\n"),
        })
    })
}

fn at(page: Page<'_>, file: FileId, offset: u32) -> Option<Hover> {
    let mut subjects = subject::at(page.analysis, file, offset);
    let span = subjects.iter().map(|s| s.span).min_by_key(|s| s.len())?;
    subjects.retain(|s| s.span == span);
    let mut parts: Vec<(Vec<&Project>, String)> = Vec::new();
    for subject in &subjects {
        let text = of_subject(page, subject);
        if text.is_empty() {
            continue;
        }
        match parts.iter_mut().find(|(_, known)| *known == text) {
            Some((projects, _)) => projects.push(subject.of),
            None => parts.push((vec![subject.of], text)),
        }
    }
    let several = parts.len() > 1;
    let texts: Vec<String> = parts
        .into_iter()
        .map(|(projects, text)| {
            if !several {
                return text;
            }
            let roots = projects.iter().map(|p| p.seed.root.as_str());
            format!("In {}:\n\n{text}", names(roots, MOST))
        })
        .collect();
    (!texts.is_empty()).then(|| Hover {
        span,
        markdown: texts.join("\n\n---\n\n"),
    })
}

fn of_subject(page: Page<'_>, subject: &subject::Subject<'_>) -> String {
    let analysis = page.analysis;
    let project: &Project = subject.of;
    let mut paragraphs: Vec<String> = Vec::new();
    // One text per variant; variants with the same text are merged.
    let mut by_variant: Vec<(Vec<usize>, String)> = Vec::new();
    let mut add = |variant: usize, text: String| match by_variant.iter_mut().find(|(_, t)| *t == text) {
        Some((variants, _)) => {
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        None => by_variant.push((vec![variant], text)),
    };
    for (v, variant) in subject.variants().iter().enumerate() {
        let here: Vec<UnitIx> = subject
            .units()
            .filter(|(of, _, _, _)| *of == v)
            .map(|(_, _, ix, _)| ix)
            .collect();
        // That a project is rejected is reported once, however many units are here.
        let mut refused = refusal(project, variant);
        let mut told: Vec<&[UnitIx]> = Vec::new();
        if !here.is_empty() {
            add(v, units(page, project, variant, &here, true, refused.take()));
            told.push(&here);
        }
        for (_, ix, dependency) in subject.numbered().filter(|(of, _, _)| *of == v) {
            let said = project.engine().explain(&project.resolution, variant, ix);
            for said in edge_hover(page, project, variant, ix).into_iter().chain(said) {
                add(v, said);
            }
            if dependency.unknown {
                add(
                    v,
                    format!("What {} refers to can't be known.", code(&dependency.text)),
                );
            } else if dependency.targets.is_empty() {
                add(
                    v,
                    format!("{} matches no {}.", code(&dependency.text), word(project, false)),
                );
            } else if !told.contains(&&*dependency.targets) {
                add(
                    v,
                    units(page, project, variant, &dependency.targets, false, refused.take()),
                );
                told.push(&dependency.targets);
            }
        }
    }
    let named = subject
        .variants()
        .iter()
        .any(|v| v.environments.iter().any(Option::is_some));
    for (variants, text) in by_variant {
        // Without environments, variants are parts of one run.
        if variants.len() < subject.variants().len() && named {
            paragraphs.push(format!("_{}_", environments(subject.variants(), &variants)));
        }
        paragraphs.push(text);
    }
    for symbol in subject.symbols() {
        // The name of units is shown with them.
        if symbol.kind != word(project, false) {
            let text = of_symbol(page, project, subject.variants().first(), symbol);
            paragraphs.extend((!text.is_empty()).then_some(text));
        } else if paragraphs.is_empty() {
            let first = subject.variants().first();
            let named = members(page, first, symbol);
            paragraphs.push(match first {
                Some(variant) if !named.is_empty() => {
                    units(page, project, variant, &named, true, refusal(project, variant))
                }
                _ => of_symbol(page, project, first, symbol),
            });
        }
    }
    for link in subject.links() {
        let text = of_link(analysis, project, &link.target);
        // Each environment has its own links.
        if !paragraphs.contains(&text) {
            paragraphs.push(text);
        }
    }
    paragraphs.join("\n\n")
}

/// The environments of some variants, as the beginning of a sentence.
fn environments(all: &[Variant], which: &[usize]) -> String {
    let mut words: Vec<String> = Vec::new();
    for environment in which
        .iter()
        .filter_map(|v| all.get(*v))
        .flat_map(|v| &v.environments)
    {
        words.push(match environment {
            Some(name) => format!("with environment {}", code(name)),
            None => "without environment".to_owned(),
        });
    }
    words.join(", ")
}

/// One unit, or several; for those that are declared here also the engine's explanation of each.
fn units(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    which: &[UnitIx],
    here: bool,
    refused: Option<String>,
) -> String {
    match which {
        [one] => unit_hover(page, project, variant, *one, refused),
        many => units_hover(page, project, variant, many, here, refused),
    }
}

#[cfg(test)]
mod tests;
