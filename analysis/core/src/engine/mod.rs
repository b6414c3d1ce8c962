//! Engines: translators at the edge. An engine turns text into facts, and the facts of a project into
//! units, dependencies, one order graph per operation, verdicts and diagnostics. The list of engines is a
//! value, [`Engines`], that is passed in.

mod carried;
mod cx;
mod declare;
mod details;
mod findings;
mod hints;
pub mod invocation;
mod lazy;
mod list;
pub mod options;
mod paths;
mod project;
mod tool_versions;
mod view;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::config::{Configs, Section};
use crate::diagnostic::{FileId, FixStep, Place, Rule};
use applyorder_syntax::Language;
use applyorder_syntax::text::Span;

pub use crate::diagnostic::EngineIx;
pub use crate::memo::{Stop, Stopped};
pub use crate::store::{Facts, FactsInput, LeftOut};
pub use carried::{Carried, World};
pub use cx::{Cx, Read};
pub use declare::Declaration;
pub use details::Details;
pub use findings::{FileFindings, Findings};
pub use hints::{Hint, HintSearch, Hints};
use invocation::{CommandLine, FlagTable, Invocation, Refusal, VersionFit};
pub use lazy::Lazy;
pub use list::Engines;
pub use options::{OptionError, RunOption, RunOptions, Takes};
pub use paths::{Move, StartsFrom, WrittenPath, relative};
pub use project::{
    Completion, CompletionKind, Dependency, DependencyIx, EngineError, Handoff, Joins, Link, Member, Moved,
    Open, Operation, OrderOf, OutlineItem, ProjectSeed, Render, Resolution, Signature, SignaturePart, Symbol,
    Unit, UnitIx, Variant, Verdict, WhySelected, or_later, rejection,
};
pub use tool_versions::{TOOL_VERSIONS, VersionInUse};
pub use view::{ProjectView, View};

/// An engine's names and terms.
#[derive(Debug)]
pub struct EngineMeta {
    /// The id used in flags, configuration and rule ids: `tazuna`.
    pub id: &'static str,
    /// The name in sentences: `Tazuna`.
    pub title: &'static str,
    /// The engine's term for a unit: `manifest`.
    pub unit: &'static str,
    /// The same in the plural: `manifests`.
    pub units: &'static str,
    /// What identifies its projects: shown if none is found.
    pub looks_for: &'static str,
    /// The language of its files, if the file's extension does not tell.
    pub language: Language,
    /// The newest version whose behavior is known; verdicts name it.
    pub version: &'static str,
    /// The run options that it has; others are rejected.
    pub options: &'static [&'static RunOption],
    /// Its table of the configuration.
    pub config: Option<&'static Section>,
    /// How its commands are written if a verdict's command is not its id and the command.
    pub command_lines: &'static [(&'static str, &'static str)],
    /// The rules that only this engine has.
    pub rules: &'static [&'static Rule],
    /// The shared rules it can report.
    pub shared_rules: &'static [&'static Rule],
}

impl EngineMeta {
    /// Whether it has an option with this name.
    #[must_use]
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.name == name)
    }

    /// A command as it is written in a terminal: `tazuna check`.
    #[must_use]
    pub fn command_line(&self, command: &str) -> String {
        let known = self.command_lines.iter().find(|(name, _)| *name == command);
        known.map_or_else(
            || format!("{} {command}", self.id),
            |(_, line)| (*line).to_owned(),
        )
    }
}

/// Why a path is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offer {
    /// Found while looking through a directory.
    Found,
    /// Opened in the editor.
    Opened,
    /// Named by the user.
    Explicit,
}

/// What a layer is to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerMeaning {
    /// Whether a layer starts only when all of the layer before it is done; else it is only the earliest round
    /// in which its units can start.
    pub barrier: bool,
    /// The same as a sentence without its full stop.
    pub sentence: &'static str,
}

/// The shape of units in a diagram that has units of several engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A rectangle.
    #[default]
    Rectangle,
    /// A folder with its tab.
    Folder,
    /// A hexagon.
    Hexagon,
    /// A rectangle with round corners.
    Rounded,
    /// A rectangle with a double border.
    Doubled,
}

/// Whether a file belongs to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// It is not.
    No,
    /// The path alone does not tell; the bytes are required.
    NeedsBytes,
    /// It is a candidate from which a project can start.
    Yes,
}

/// Why the project of a command line is a project.
pub const COMMAND_LINE: &str = "what the command line reads";

/// A translator from one dialect to facts, graph and verdicts.
pub trait Engine: Send + Sync {
    /// Its names, options and rules.
    fn meta(&self) -> &'static EngineMeta;

    /// Whether a file can start a project of this engine. Asked with the path alone first, then, on
    /// [`Recognition::NeedsBytes`], with the bytes; a byte scan, never a parse.
    fn recognise(&self, path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition;

    /// Whether a directory that the user names together with this engine is a candidate of its own, as a
    /// file is, and not only a place to look for projects in.
    fn takes_directories(&self) -> bool {
        false
    }

    /// The commands of the configuration whose output is read instead of their sources. Nothing is run here: a
    /// caller that may run programs does, and sets the text at [`Render::into`].
    fn renders(&self, configs: &Configs) -> Vec<Render> {
        let _ = configs;
        Vec::new()
    }

    /// Whether projects query names that files of other projects declare ([`Facts::declared`]).
    fn shares_names(&self) -> bool {
        false
    }

    /// Reads the facts of a text. Never fails: errors are part of the facts.
    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts>;

    /// The projects that the candidates and the configuration form, in the byte order of their roots.
    /// `candidates` are the recognized files in byte order of their paths; `explicit` are those of them that
    /// the user named, in the order in which they were named and as often (each leads to a project where the
    /// engine allows it, whatever the file's name).
    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed>;

    /// Analyzes one project: the engine's stages, run by [`crate::layer::resolve`]. Never fails: errors are
    /// part of the result.
    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution;

    /// The problems in a file of a project that do not depend on the rest of the project, found without reading
    /// the rest ([`crate::layer::at_sight`]): they are shown while a large project is read for the first time.
    /// All of them are among the findings of [`Self::resolve`], possibly with more detail.
    fn at_sight(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions, file: FileId) -> Findings {
        let _ = (cx, seed, options, file);
        Findings::default()
    }

    /// Candidates for completion at a byte offset of a file's current text. `engine` is its own index.
    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        let _ = (analysis, engine, file, offset);
        Vec::new()
    }

    /// The annotation sentence being typed at a byte offset of a file's current text. `engine` is its own
    /// index.
    fn signature(
        &self,
        analysis: &dyn View,
        engine: EngineIx,
        file: FileId,
        offset: u32,
    ) -> Option<Signature> {
        let _ = (analysis, engine, file, offset);
        None
    }

    /// The content of a file, as a tree for the editor's outline.
    fn outline(&self, facts: &dyn Facts) -> Vec<OutlineItem> {
        let _ = facts;
        Vec::new()
    }

    /// The purpose of the field at a byte offset of a file's current text, in Markdown, with the text of its
    /// key.
    fn field(
        &self,
        analysis: &dyn View,
        engine: EngineIx,
        file: FileId,
        offset: u32,
    ) -> Option<(Span, String)> {
        let _ = (analysis, engine, file, offset);
        None
    }

    /// Whether `name` can be a unit's new name.
    ///
    /// # Errors
    /// A sentence for the user that says why it cannot.
    fn check_name(&self, name: &str) -> Result<(), String> {
        if name.is_empty() {
            Err("a name must not be empty".to_owned())
        } else {
            Ok(())
        }
    }

    /// Whether `name` can be the new name of a symbol of a kind.
    ///
    /// # Errors
    /// A sentence for the user that says why it cannot.
    fn check_symbol(&self, kind: &str, name: &str) -> Result<(), String> {
        if name.is_empty() {
            Err(format!("a {kind} must not be empty"))
        } else {
            Ok(())
        }
    }

    /// The commands that `--as` can name, the default first; empty if `--as` does not apply.
    fn commands(&self) -> &'static [&'static str] {
        &[]
    }

    /// The command whose [`Verdict`] says whether the order of an operation is run at all, as
    /// [`Verdict::command`] names it. `None`: no verdict covers it.
    fn command_of(&self, operation: Operation, options: &RunOptions) -> Option<&'static str>;

    /// Extra paragraphs for the hover on a unit, in Markdown: what only this engine knows.
    fn hover(&self, resolution: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
        let _ = (resolution, variant, unit);
        Vec::new()
    }

    /// A text around an offset that has a meaning only together with others: the text, and the entries of the
    /// table of places whose hovers to show.
    fn hover_group(&self, facts: &dyn Facts, offset: u32) -> Option<(Span, Vec<u32>)> {
        let _ = (facts, offset);
        None
    }

    /// The meaning of a written dependency, in a sentence of Markdown, if its text alone does not tell.
    fn explain(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        dependency: DependencyIx,
    ) -> Option<String> {
        let _ = (resolution, variant, dependency);
        None
    }

    /// The purpose of a symbol, in a sentence of Markdown, if its name and units alone do not tell.
    fn explain_symbol(&self, resolution: &Resolution, symbol: &Symbol) -> Option<String> {
        let _ = (resolution, symbol);
        None
    }

    /// Why the snapshot that `--state` names was not used, in a sentence that continues after the file's name.
    /// `None`: it was used, or none was given. A file that cannot be read at all is reported without asking the
    /// engine.
    fn state_error(&self, resolution: &Resolution) -> Option<String> {
        let _ = resolution;
        None
    }

    /// Why the snapshot that `--state` names belongs to another project, in a sentence as in
    /// [`Engine::state_error`]. That is an error if it belongs to none of the projects. Empty: the project has
    /// no snapshot.
    fn state_of_another(&self, resolution: &Resolution) -> Option<String> {
        let _ = resolution;
        None
    }

    /// The step that removes a written dependency and leaves the rest unchanged. `None`: not possible.
    fn removal(
        &self,
        analysis: &dyn View,
        project: ProjectView<'_>,
        variant: &Variant,
        dependency: DependencyIx,
    ) -> Option<FixStep> {
        let _ = (analysis, project);
        let written = variant.dependencies.get(dependency.0 as usize)?;
        Some(FixStep::RemoveEntry(written.place))
    }

    /// Why a unit is part of the run that a resolution was made for, or is not. `None`: the engine cannot say.
    fn why_selected(&self, engine: EngineIx, resolution: &Resolution, unit: UnitIx) -> Option<WhySelected> {
        let _ = (engine, resolution, unit);
        None
    }

    /// The paths that are written in a file of a project, as in its current text. Those whose text is not the
    /// path itself, because it comes from an alias or a template, are omitted.
    fn paths(&self, analysis: &dyn View, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
        let _ = (analysis, project, file);
        Vec::new()
    }

    /// The text edits in a project when a file or directory moves, so that every path that names it, or that is
    /// relative to it, keeps its meaning. Both paths are absolute and clean; `from` is where it still is.
    /// `None`: it is not in the project, or the engine cannot say.
    fn moved(
        &self,
        analysis: &dyn View,
        project: ProjectView<'_>,
        from: &Utf8Path,
        to: &Utf8Path,
    ) -> Option<Moved> {
        let _ = (analysis, project, from, to);
        None
    }

    /// What to write so that `then` waits for `first` in a run that applies, and where the unit's own
    /// dependencies are written now. `None`: it cannot be written in one line.
    fn to_order(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        [first, then]: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        let _ = (resolution, variant, first, then);
        None
    }

    /// The same for a run that deletes. Also `None` if entries do not decide its order.
    fn to_order_deletion(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        [first, then]: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        let _ = (resolution, variant, first, then);
        None
    }

    /// How the configuration of a directory declares a project. `None`: the project declares itself, or the
    /// configuration of that directory cannot.
    fn declare(&self, analysis: &dyn View, project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
        let _ = (analysis, project, dir);
        None
    }

    /// The directories that units run, absolute and clean: other projects may be there. Units that run no
    /// directory, or an unknown one, are omitted.
    fn runs_in(
        &self,
        seed: &ProjectSeed,
        resolution: &Resolution,
        variant: &Variant,
    ) -> Vec<(UnitIx, Utf8PathBuf)> {
        let _ = (seed, resolution, variant);
        Vec::new()
    }

    /// The shape of its units in a diagram with those of other engines.
    fn shape(&self) -> Shape {
        Shape::default()
    }

    /// The meaning of a layer in a run of the engine.
    fn layer_meaning(&self, variant: &Variant, operation: Operation) -> LayerMeaning {
        let _ = (variant, operation);
        LayerMeaning {
            barrier: false,
            sentence: "a unit starts when its own predecessors are done",
        }
    }

    /// The engine's usual command for a project and an operation.
    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff>;

    /// The options of a run, and the arguments that a project's own configuration adds to its usual command.
    fn options_of(
        &self,
        analysis: &dyn View,
        configs: &Configs,
        project: ProjectView<'_>,
        options: &RunOptions,
    ) -> RunOptions {
        let _ = (analysis, configs, project);
        options.clone()
    }

    /// The names of its programs.
    fn programs(&self) -> &'static [&'static str] {
        &[]
    }

    /// The flags of the commands that applyorder can be put in front of.
    fn flag_tables(&self) -> &'static [FlagTable] {
        &[]
    }

    /// What a command line of one of its programs makes it read and do.
    ///
    /// # Errors
    /// When that cannot be derived.
    fn read_command(&self, command: &CommandLine<'_>) -> Result<Invocation, Refusal> {
        Err(Refusal::new(format!(
            "what `{}` reads is not known",
            command.program
        )))
    }

    /// The project of a command line of this engine.
    ///
    /// # Errors
    /// When that cannot be derived.
    fn seed_of(&self, cx: &Cx<'_>, invocation: &Invocation) -> Result<ProjectSeed, Refusal> {
        Ok(ProjectSeed {
            engine: cx.engine_index(),
            root: invocation.cwd.clone(),
            name: None,
            why: COMMAND_LINE.to_owned(),
            inferred: false,
            inputs: invocation.inputs.clone(),
            excluded: Vec::new(),
            is_part: false,
        })
    }

    /// If a service applies a project by itself, so that users do not run its usual command: a sentence without
    /// its full stop.
    fn runs_elsewhere(&self, analysis: &dyn View, project: ProjectView<'_>) -> Option<String> {
        let _ = (analysis, project);
        None
    }

    /// The arguments that make a program of its print its version.
    fn version_args(&self, program: &str) -> &'static [&'static str] {
        let _ = program;
        &["version"]
    }

    /// The newest version of a program that verdicts are valid for.
    fn newest_version(&self, program: &str) -> &'static str {
        let _ = program;
        self.meta().version
    }

    /// Whether verdicts are valid for a version of a program.
    fn version_fit(&self, program: &str, version: &str) -> VersionFit {
        invocation::fit(version, self.newest_version(program), &[])
    }
}
