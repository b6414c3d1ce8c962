//! `textDocument/hover` on a key or word of the configuration: what the schema or the rule documents about it.

use applyorder_analysis::config_file::{ConfigFile, What, Word, layers, matching};
use applyorder_analysis::ide::proposal_hover;
use applyorder_analysis::ide::{FileSpan, Target};
use applyorder_analysis::markdown::{self, code};
use applyorder_analysis::syntax::text::Span;
use tower_lsp_server::ls_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::asked;
use crate::call::Call;
use crate::diagnostics::docs_page;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

/// How many units of a pattern are listed.
const SHOWN: usize = 20;

pub(crate) struct ConfigHovers;

impl RequestHandler for ConfigHovers {
    const METHOD: &'static str = "textDocument/hover";
    type Params = AtPosition;
    type Answer = Option<Hover>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<Hover>, String> {
        let Some(config) = asked(snapshot, &params.text_document.uri) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let offset = convert.offset(config.file, params.position);
        let Some((span, told)) = offset.and_then(|offset| hover(snapshot, &config, offset)) else {
            return Ok(None);
        };
        let (kind, value) = if snapshot.supports.markdown_hover {
            (MarkupKind::Markdown, told)
        } else {
            (MarkupKind::PlainText, markdown::plain(&told))
        };
        Ok(Some(Hover {
            range: Some(convert.range(config.file, span)),
            contents: HoverContents::Markup(MarkupContent { kind, value }),
        }))
    }
}

fn hover(snapshot: &Snapshot, config: &ConfigFile<'_>, offset: u32) -> Option<(Span, String)> {
    let word = config.outline.word_at(offset)?;
    let told = match word.what {
        What::Comment => None,
        What::Key => of_key(config, word),
        What::Value if config.names_units(word.node) => of_units(snapshot, config, word),
        What::Value => of_value(config, word),
    }?;
    Some((word.span, told))
}

fn of_key(config: &ConfigFile<'_>, word: &Word) -> Option<String> {
    if config.names_rules(config.outline.parent(word.node)) {
        return of_rules(config, &word.text);
    }
    let path = config.outline.path(word.node);
    let key = config.schema.at(path);
    if !key.is_known() {
        return None;
    }
    let mut told = format!("**{}**", markdown::escape(&config.outline.dotted(word.node)));
    let type_name = key.type_name(&config.schema);
    if !type_name.is_empty() {
        told.push_str(" · ");
        told.push_str(&type_name);
    }
    if let Some(default) = key.default() {
        told.push_str(&format!(" · default {}", code(&default)));
    }
    if let Some(description) = key.description() {
        told.push_str("\n\n");
        told.push_str(description);
    }
    Some(told)
}

/// The meaning of a key of `[rules]`.
fn of_rules(config: &ConfigFile<'_>, key: &str) -> Option<String> {
    if let Some(rule) = config.rules().into_iter().find(|rule| rule.id == key) {
        return Some(format!(
            "**{}** · {}\n\n{}\n\n[What it means]({})",
            rule.id,
            rule.severity.as_str(),
            rule.summary,
            docs_page(rule.id)
        ));
    }
    let known = |name: &str| config.engines.ids().any(|id| id == name);
    match key.strip_suffix("/*") {
        Some(engine) if known(engine) => Some(format!("**{key}**\n\nThe rules that only {engine} has.")),
        None if known(key) => Some(format!("**{key}**\n\nAll that is found in projects of {key}.")),
        _ => None,
    }
}

/// The units that a pattern matches.
fn of_units(snapshot: &Snapshot, config: &ConfigFile<'_>, word: &Word) -> Option<String> {
    let units = matching(&snapshot.analysis, config, &word.text);
    let first = units.first()?;
    let kind = |count: usize| {
        let meta = first.project.engine().meta();
        if count > 1 { meta.units } else { meta.unit }
    };
    if let [one] = &*units {
        let convert = snapshot.convert();
        let target = |at: FileSpan| convert.link_to(at);
        let target: Option<Target<'_>> = snapshot.supports.links.then_some(&target);
        return proposal_hover::of_units(&snapshot.analysis, one.project, &[&*one.unit.name], target);
    }
    let layers = layers(&snapshot.analysis, config);
    let mut told = format!("{} {}", units.len(), kind(units.len()));
    for named in units.iter().take(SHOWN) {
        let layer = layers.get(&*named.unit.name);
        let layer = layer.map_or_else(String::new, |layer| format!(" · {layer}"));
        told.push_str(&format!("\n- {}{layer}", markdown::escape(&named.unit.name)));
    }
    if units.len() > SHOWN {
        told.push_str(&format!("\n- and {} more", units.len() - SHOWN));
    }
    Some(told)
}

fn of_value(config: &ConfigFile<'_>, word: &Word) -> Option<String> {
    let value = config.schema.at(config.outline.path(word.node));
    let (name, told) = value.words().into_iter().find(|(name, _)| *name == word.text)?;
    Some(format!("**{name}**\n\n{}", told?))
}
