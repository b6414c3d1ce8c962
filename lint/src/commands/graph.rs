//! `graph`: the order as a picture. An order with a cycle is drawn too, and the command succeeds.

use std::env;

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::syntax::text::Encoding;
use applyorder_drawing::{Drawing, Format, Source, Spot, Wanted};
use camino::Utf8Path;

use super::nothing_found;
use crate::args::{Global, GraphArgs, GraphFormat, To};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json;
use crate::output::Output;
use crate::place::Position;
use crate::repository::{self, Repository};
use crate::session::Session;
use crate::units;

/// Runs the command.
///
/// # Errors
/// When no answer can be given.
pub fn run(engines: Engines, global: &Global, args: &GraphArgs, out: &mut Output) -> Result<Exit, Failure> {
    let links = Links::new(args.source_url.as_deref())?;
    let session = Session::open_since(engines, global, &args.run, args.changed_since.as_deref(), out)?;
    if session.selected.is_empty() {
        nothing_found::say(engines, &session, &args.run, out);
        let is_read = |to: &To<GraphFormat>| to.format == GraphFormat::Json;
        if !formats(args).iter().any(is_read) {
            // The other formats are pictures, which need a project.
            return Ok(if session.failed() { Exit::Failed } else { Exit::Yes });
        }
    }
    if let Some(unit) = &args.focus {
        units::find(&session, unit)?;
    }
    for to in &formats(args) {
        let asked = DrawRequest {
            operation: Operation::from(args.operation),
            focus: args.focus.as_deref(),
            depth: args.depth,
            links: &links,
        };
        out.answer(to, |w, _| {
            let format = match to.format {
                GraphFormat::Json => {
                    return json::write_value(w, &drawing(&session, asked, true).data());
                }
                GraphFormat::Dot => Format::Dot,
                GraphFormat::Mermaid => Format::Mermaid,
                GraphFormat::Svg => Format::Svg,
                GraphFormat::Html => Format::Html,
            };
            // An HTML page is viewed on this machine; files in the other formats are kept and shared.
            let links = if format == Format::Html {
                links.clone()
            } else {
                links.without_editor()
            };
            let asked = DrawRequest {
                links: &links,
                ..asked
            };
            w.write_all(drawing(&session, asked, false).write(format).as_bytes())
        })?;
    }
    Ok(if session.failed() { Exit::Failed } else { Exit::Yes })
}

/// The requested formats; the format of a file given without one follows from its name.
fn formats(args: &GraphArgs) -> Vec<To<GraphFormat>> {
    let Some(file) = &args.output else {
        return if args.format.is_empty() {
            vec![To {
                format: GraphFormat::Mermaid,
                file: None,
            }]
        } else {
            args.format.clone()
        };
    };
    let by_name = match file.extension() {
        Some("dot" | "gv") => GraphFormat::Dot,
        Some("json") => GraphFormat::Json,
        Some("html" | "htm") => GraphFormat::Html,
        Some("svg") => GraphFormat::Svg,
        _ => GraphFormat::Mermaid,
    };
    let mut formats = args.format.clone();
    match formats.iter_mut().find(|to| to.file.is_none()) {
        Some(to) => to.file = Some(file.clone()),
        None => formats.push(To {
            format: by_name,
            file: Some(file.clone()),
        }),
    }
    formats
}

/// What to draw of a session.
#[derive(Clone, Copy)]
pub(crate) struct DrawRequest<'a> {
    pub(crate) operation: Operation,
    pub(crate) focus: Option<&'a str>,
    pub(crate) depth: Option<u32>,
    pub(crate) links: &'a Links,
}

/// The projects that were asked about as a drawing. `exact`: texts are exactly as in the files.
pub(crate) fn drawing(session: &Session, asked: DrawRequest<'_>, exact: bool) -> Drawing {
    let repository = Repository::new(&session.paths.cwd);
    let spot = |place: Place| {
        let at = Position::of(&session.analysis, place);
        let start = at.start(Encoding::Utf32);
        let (line, column) = (start.line.saturating_add(1), start.col.saturating_add(1));
        Spot {
            path: escape::line(&session.paths.show(at.path)).into_owned(),
            line,
            column,
            link: asked.links.of(&repository, at.path, line, column),
        }
    };
    let visible = |text: &str| {
        if exact {
            text.to_owned()
        } else {
            escape::line(text).into_owned()
        }
    };
    let focus = asked.focus.map(|unit| {
        unit.rsplit_once('#')
            .filter(|(key, _)| session.projects().any(|(ix, _)| session.key(ix) == *key))
            .map_or(unit, |(_, name)| name)
    });
    let mut sources = Vec::new();
    for (ix, project) in session.projects() {
        for variant in &project.resolution.variants {
            sources.push((
                project,
                variant,
                session.key(ix),
                escape::line(&session.paths.show(&project.seed.root)).into_owned(),
                units::holds_in(project, variant),
            ));
        }
    }
    let wanted = Wanted {
        focus: focus.map(visible),
        depth: asked.depth,
    };
    Drawing::new(
        sources
            .iter()
            .map(|(project, variant, key, root, environments)| Source {
                project,
                variant,
                operation: asked.operation,
                key,
                root,
                environments: environments.as_deref(),
                spot: &spot,
                visible: &visible,
            }),
        &wanted,
    )
}

/// What a click on a place opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// Nothing.
    None,
    /// An editor on this machine.
    Editor,
    /// A page: a pattern with `{path}`, `{line}` and `{column}`; the path is relative to the repository.
    Page(String),
}

impl Links {
    /// From the flag, else from the variables of the CI system, else the editor.
    fn new(flag: Option<&str>) -> Result<Self, Failure> {
        Self::from(flag, |name| env::var(name).ok().filter(|v| !v.is_empty()))
    }

    fn from(flag: Option<&str>, env: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        match flag {
            Some("" | "off") => Ok(Self::None),
            Some(pattern) => {
                let known = ["https://", "http://", "file://", "vscode://", "idea://"];
                if !known.iter().any(|scheme| pattern.starts_with(scheme)) || !pattern.contains("{path}") {
                    return Err(Failure::new(format!(
                        "--source-url {}: expected a URL with {{path}}, as https://example.com/{{path}}#L{{line}}",
                        escape::line(pattern)
                    )));
                }
                Ok(Self::Page(pattern.to_owned()))
            }
            None => Ok(Self::forge(env).unwrap_or(Self::Editor)),
        }
    }

    /// The forge that the CI system names; nothing without one.
    pub(crate) fn of_ci() -> Self {
        Self::forge(|name| env::var(name).ok().filter(|v| !v.is_empty())).unwrap_or(Self::None)
    }

    fn forge(env: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let github = || {
            let (server, repository) = (env("GITHUB_SERVER_URL")?, env("GITHUB_REPOSITORY")?);
            let commit = env("GITHUB_SHA")?;
            Some(format!("{server}/{repository}/blob/{commit}/{{path}}#L{{line}}"))
        };
        let gitlab = || {
            let (project, commit) = (env("CI_PROJECT_URL")?, env("CI_COMMIT_SHA")?);
            Some(format!("{project}/-/blob/{commit}/{{path}}#L{{line}}"))
        };
        github()
            .or_else(gitlab)
            .filter(|url| url.starts_with("https://") || url.starts_with("http://"))
            .map(Self::Page)
    }

    fn without_editor(&self) -> Self {
        match self {
            Self::Editor => Self::None,
            other => other.clone(),
        }
    }

    pub(crate) fn of(
        &self,
        repository: &Repository,
        path: &Utf8Path,
        line: u32,
        column: u32,
    ) -> Option<String> {
        match self {
            Self::None => None,
            Self::Editor => {
                let path = repository::url_path(path);
                Some(format!("vscode://file{path}:{line}:{column}"))
            }
            Self::Page(pattern) => Some(
                pattern
                    .replace("{line}", &line.to_string())
                    .replace("{column}", &column.to_string())
                    .replace("{path}", &repository::uri(&repository.path(path)?)),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(flag: Option<&str>, env: &'static [(&'static str, &'static str)]) -> Option<Links> {
        let env = |name: &str| {
            let found = env.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Links::from(flag, env).ok()
    }

    #[test]
    fn a_click_leads_to_the_forge_in_ci_and_to_the_editor_elsewhere() {
        const GITHUB: &[(&str, &str)] = &[
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_SHA", "abc"),
        ];
        assert_eq!(
            links(None, GITHUB),
            Some(Links::Page(
                "https://github.com/o/r/blob/abc/{path}#L{line}".to_owned()
            ))
        );
        assert_eq!(links(None, &[]), Some(Links::Editor));
        assert_eq!(links(Some("off"), GITHUB), Some(Links::None));
        assert_eq!(links(Some("javascript:{path}"), &[]), None);
        let repository = Repository::new(Utf8Path::new("/nowhere/repo"));
        let path = Utf8Path::new("/nowhere/repo/a b.yaml");
        let page = Links::Page("https://x/{path}#L{line}".to_owned());
        assert_eq!(
            page.of(&repository, path, 3, 1).as_deref(),
            Some("https://x/a%20b.yaml#L3")
        );
        assert_eq!(
            Links::Editor.of(&repository, path, 3, 1).as_deref(),
            Some("vscode://file/nowhere/repo/a%20b.yaml:3:1")
        );
    }
}
