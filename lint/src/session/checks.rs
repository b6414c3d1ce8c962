//! Reports what cannot be answered: unknown options and units, unreadable inputs.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::options::STATE;
use applyorder_analysis::engine::{Engine, RunOption};
use applyorder_analysis::files::{FileKind, Files, ReadError};
use applyorder_analysis::rules::unreadable_file;
use camino::{Utf8Path, Utf8PathBuf};

use super::{Session, touches};
use crate::escape;
use crate::exit::Failure;
use crate::output::Output;
use crate::place::Position;
use crate::selectors::did_you_mean;

impl Session {
    /// An option applies to the projects of the engines that have it; some engine of the run must have it. `lenient`:
    /// options that come only from the environment, which are ignored by engines without them.
    pub(super) fn refuse_unknown_options(&self, lenient: &[&str]) -> Result<(), Failure> {
        let engines = self.projects().map(|(_, p)| p.engine());
        let engines: BTreeMap<&str, &dyn Engine> = engines.map(|e| (e.meta().id, e)).collect();
        if engines.is_empty() {
            return Ok(());
        }
        let titles = || {
            let titles: Vec<&str> = engines.values().map(|e| e.meta().title).collect();
            titles.join(", ")
        };
        let knows = |option: &RunOption| engines.values().any(|e| e.meta().has_option(option.name));
        let mut given = self.options.given().into_iter();
        if let Some(option) = given.find(|option| !knows(option) && !lenient.contains(&option.name)) {
            let who = match engines.len() {
                1 => format!("{} has no", titles()),
                _ => format!("none of {} has the", titles()),
            };
            return Err(Failure::new(format!("{who} option --{}", option.name)));
        }
        let known: BTreeSet<&str> = engines.values().flat_map(|e| e.commands()).copied().collect();
        match self.options.command.as_deref().filter(|c| !known.contains(c)) {
            None => Ok(()),
            Some(command) => Err(Failure::new(format!(
                "--as: unknown command `{}` of {}{}; expected one of {}",
                escape::line(command),
                titles(),
                did_you_mean(command, known.iter().copied()),
                known.into_iter().collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// A unit named in an option must exist in some project.
    pub(super) fn refuse_unknown_units(&self) -> Result<(), Failure> {
        let units = || {
            let variants = self.projects().flat_map(|(_, p)| &p.resolution.variants);
            variants.flat_map(|v| &v.units).map(|u| &*u.name)
        };
        let given: Vec<(&str, &String)> = self
            .options
            .changed
            .iter()
            .flatten()
            .map(|name| ("--changed", name))
            .chain(self.options.failed.iter().map(|name| ("--failed", name)))
            .collect();
        if given.is_empty() || self.selected.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<&str> = units().collect();
        match given.into_iter().find(|(_, name)| !known.contains(name.as_str())) {
            None => Ok(()),
            Some((flag, name)) => Err(Failure::new(format!(
                "{flag}: unknown unit `{}`{}",
                escape::line(name),
                did_you_mean(name, known)
            ))),
        }
    }

    /// Reports errors in the configurations, for commands that do not report findings.
    pub(super) fn say_what_is_wrong_in_configurations(&self, out: &mut Output) {
        for d in self.configs.diagnostics() {
            let place = Position::of(&self.analysis, d.place).show(&self.paths);
            out.error(&format!("{place}: {}", escape::line(&d.message)));
        }
    }

    /// Reports why engines could not use the file that `--state` names, and marks the run as failed.
    pub(super) fn say_why_the_state_is_not_used(&mut self, out: &mut Output) {
        let path = self.options.state.as_deref().map(|path| self.paths.show(path));
        let own = self.projects().map(|(_, project)| project);
        let (mut reasons, mut others) = (BTreeSet::new(), BTreeMap::new());
        for project in own {
            let engine = project.engine();
            reasons.extend(engine.state_error(&project.resolution));
            // With several projects, the file is meant for one of them.
            let reason = engine.state_of_another(&project.resolution);
            let of_engine: &mut Vec<Option<String>> = others.entry(engine.meta().id).or_default();
            of_engine.push(reason);
        }
        let unused = others.into_values().filter(|all| all.iter().all(Option::is_some));
        reasons.extend(unused.flatten().flatten().filter(|reason| !reason.is_empty()));
        for reason in &reasons {
            let path = path.as_deref().unwrap_or_default();
            out.error(&format!(
                "--{} {}: {}",
                STATE.name,
                escape::line(path),
                escape::line(reason)
            ));
        }
        self.failed |= !reasons.is_empty();
    }

    /// Reports which inputs cannot be read, and marks the run as failed. `tells`: files with a finding about this are
    /// not reported again.
    pub(super) fn say_what_cannot_be_read(&mut self, disk: &dyn Files, tells: bool, out: &mut Output) {
        let mut unread: BTreeSet<&Utf8Path> = BTreeSet::new();
        for (_, project) in self.projects() {
            let roots = project.seed.inputs.iter().map(Utf8PathBuf::as_path);
            unread.extend(roots.filter(|path| !self.was_read(path)));
            let members = project.resolution.members.iter().map(|member| member.file);
            // Includes files at which an engine stops before they become members.
            let files = members.chain(project.findings().files());
            let files = files.filter(|file| self.analysis.source(*file).is_none());
            unread.extend(files.map(|file| self.analysis.path(file)));
        }
        let told = LazyCell::new(|| {
            let found = self.projects().flat_map(|(_, project)| project.findings().iter());
            let found = found.filter(|d| tells && d.rule == &unreadable_file::RULE);
            found.map(|d| d.place.file).collect::<HashSet<FileId>>()
        });
        let is_told = |path: &Utf8Path| self.analysis.file(path).is_some_and(|file| told.contains(&file));
        let mut failed = false;
        let mut problems: Vec<(String, ReadError)> = Vec::new();
        let inputs = LazyCell::new(|| {
            let inputs = self.projects().flat_map(|(_, project)| &project.seed.inputs);
            inputs.map(Utf8PathBuf::as_path).collect::<HashSet<_>>()
        });
        for path in unread.into_iter().filter(|p| self.analysis.was_asked_for(p)) {
            let root = inputs.contains(path);
            let kind = disk.kind(path, true);
            if kind == Some(FileKind::File) || (root && kind.is_some()) {
                let error = match disk.read(path) {
                    Err(error) => error,
                    Ok(bytes) if std::str::from_utf8(&bytes).is_err() => ReadError::NotUtf8(0),
                    // There was not enough memory when it was read.
                    Ok(bytes) => ReadError::NoMemory(bytes.len() as u64),
                };
                failed = true;
                if !is_told(path) {
                    problems.push((self.paths.show(path), error));
                }
            }
        }
        let mut unowned = Vec::new();
        for path in self
            .targets
            .files
            .iter()
            .filter(|p| !self.analysis.was_asked_for(p))
        {
            match disk.read(path) {
                Err(e) => problems.push((self.paths.show(path), e)),
                Ok(_)
                    if self
                        .projects()
                        .any(|(_, p)| touches(&self.analysis, p, |f| f == path)) => {}
                Ok(_) => unowned.push(self.paths.show(path)),
            }
        }
        self.failed |= failed;
        problems.dedup();
        for (path, error) in problems {
            self.failed = true;
            match error {
                ReadError::NotUtf8(0) => out.error(&format!("{}: is not UTF-8", escape::line(&path))),
                error => out.error(&format!("{}: {error}", escape::line(&path))),
            }
        }
        unowned.dedup();
        if let Some(first) = unowned.first() {
            let more = match unowned.len() {
                1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            out.warning(&format!("{}{more}: not part of any project", escape::line(first)));
        }
    }

    fn was_read(&self, path: &Utf8Path) -> bool {
        self.analysis
            .file(path)
            .is_some_and(|file| self.analysis.source(file).is_some())
    }
}
