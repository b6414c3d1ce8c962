//! `applyorder/graph`, a custom request: the order of a document's project as a picture. A client that has sent it once
//! is notified with `applyorder/graphChanged` when an order may have changed.

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Operation, Variant};
use applyorder_analysis::ide::FileSpan;
use applyorder_drawing::{Drawing, Format, Source, Spot, Wanted};
use applyorder_lint::{escape, units};
use camino::Utf8Path;
use serde_json::{Value, json};

use crate::call::Call;
use crate::convert::uri_of;
use crate::handler::{Note, RequestHandler};
use crate::object::set;
use crate::params::GraphParams;
use crate::snapshot::Snapshot;

pub(crate) struct Graphs;

impl RequestHandler for Graphs {
    const METHOD: &'static str = "applyorder/graph";
    type Params = GraphParams;
    type Answer = Value;

    fn document(params: &GraphParams) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn note(_: &GraphParams) -> Option<Note> {
        Some(Box::new(|state| state.graph_asked()))
    }

    fn answer(snapshot: &Snapshot, params: GraphParams, _: &Call) -> Result<Value, String> {
        let analysis = &snapshot.analysis;
        let Some(file) = snapshot.file(&params.text_document.uri) else {
            return Ok(Value::Null);
        };
        let Some((_, project)) = analysis.projects_of(file).into_iter().next() else {
            return Ok(Value::Null);
        };
        let operation = match params.operation.as_deref() {
            None | Some("apply") => Operation::Apply,
            Some("delete") => Operation::Delete,
            Some(other) => {
                return Err(format!(
                    "unknown operation `{other}`: expected `apply` or `delete`"
                ));
            }
        };
        let variants = &project.resolution.variants;
        let asked = params.environment.as_deref().filter(|name| !name.is_empty());
        let is_asked = |variant: &&Variant| {
            let mut environments = variant.environments.iter();
            asked.is_none() || environments.any(|e| e.as_deref() == asked)
        };
        let Some(variant) = variants.iter().find(is_asked) else {
            return Err(format!("unknown environment `{}`", asked.unwrap_or_default()));
        };
        let root = &*project.seed.root;
        let dir = if analysis.path(file) != root && analysis.path(file).starts_with(root) {
            root
        } else {
            root.parent().unwrap_or(Utf8Path::new("/"))
        };
        let convert = snapshot.convert();
        let spot = |place: Place| {
            let at = FileSpan::of(analysis, place);
            let path = analysis.path(at.file);
            let location = convert.location_of(at.file, at.span);
            let start = location.as_ref().map(|l| l.range.start).unwrap_or_default();
            let (line, column) = (start.line.saturating_add(1), start.character.saturating_add(1));
            Spot {
                path: escape::line(path.strip_prefix(dir).unwrap_or(path).as_str()).into_owned(),
                line,
                column,
                link: location.map(|l| format!("{}#L{line},{column}", l.uri.as_str())),
            }
        };
        // Whose picture it is, the editor knows: the last two steps of the path tell it from others.
        let above = dir.parent().unwrap_or(dir);
        let root = escape::line(root.strip_prefix(above).unwrap_or(root).as_str()).into_owned();
        let visible = |text: &str| escape::line(text).into_owned();
        let environments = units::holds_in(project, variant);
        let source = Source {
            project,
            variant,
            operation,
            key: &root,
            root: &root,
            environments: environments.as_deref(),
            spot: &spot,
            visible: &visible,
        };
        let wanted = Wanted {
            focus: params.focus.map(|name| visible(&name)),
            depth: params.depth,
        };
        let drawing = Drawing::new([source], &wanted);
        let format = params.format.as_deref().unwrap_or("svg");
        let mut answer = json!({
            "format": format,
            "root": uri_of(&project.seed.root),
            "environments": variants.iter().flat_map(|v| &v.environments).map(Option::as_deref).collect::<Vec<_>>(),
        });
        let text = match format {
            "svg" => drawing.write(Format::Svg),
            "html" => drawing.write(Format::Html),
            // What a panel of an editor is made of.
            "page" => {
                let page = drawing.page();
                let data: Value = serde_json::from_str(&page.data).map_err(|e| e.to_string())?;
                set(&mut answer, "data", data);
                page.svg
            }
            "dot" => drawing.write(Format::Dot),
            "mermaid" => drawing.write(Format::Mermaid),
            "json" => {
                set(&mut answer, "data", drawing.data());
                return Ok(answer);
            }
            other => return Err(format!("unknown format `{other}`")),
        };
        set(&mut answer, "text", text);
        Ok(answer)
    }
}
