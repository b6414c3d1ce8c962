//! What checks find, and how the engine's commands react to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use crate::diagnostic::{Diagnostic, FileId, push};
use crate::engine::Details;

/// One of the engine's commands that rejects what a finding names, or warns of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The command, by the name in the engine's table of commands.
    pub command: &'static str,
    /// Its stage, by the name there.
    pub stage: &'static str,
    /// The engine's text in this command, where it is not [`Diagnostic::engine_message`].
    pub message: Option<Arc<str>>,
    /// What the engine's error is about in this command, where it is not [`Finding::subject`].
    pub subject: Option<Arc<str>>,
    /// Whether the command only warns and goes on.
    pub warns: bool,
}

/// A finding: what users see, and what verdicts are derived from.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What users see. Shared with what is shown, which in most cases is the same.
    pub diagnostic: Arc<Diagnostic>,
    /// The commands that reject it or warn of it; empty: the engine does not report it.
    pub rejections: Vec<Rejection>,
    /// The unit, file or flag that the engine's error is about.
    pub subject: Arc<str>,
    /// Further keys of the engine's error.
    pub details: Details,
    /// The position within its slot at which the engine reaches it: findings of one stage are reported in this
    /// order.
    pub at: u32,
    /// Whether another finding represents the same line of the engine's report. By itself it makes no command
    /// reject, and it shows the text of that line if it has none of its own.
    pub repeats: bool,
    /// Whether it only affects the verdict: another finding is shown to users.
    pub silent: bool,
}

impl Finding {
    /// A finding that the engine does not report.
    #[must_use]
    pub fn new(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostic: Arc::new(diagnostic),
            rejections: Vec::new(),
            subject: Arc::default(),
            details: Details::default(),
            at: 0,
            repeats: false,
            silent: false,
        }
    }

    /// What users see, to be changed.
    pub fn diagnostic_mut(&mut self) -> &mut Diagnostic {
        Arc::make_mut(&mut self.diagnostic)
    }

    /// The same, shown differently.
    #[must_use]
    pub fn told(mut self, tell: impl FnOnce(Diagnostic) -> Diagnostic) -> Self {
        self.diagnostic = Arc::new(tell(Arc::unwrap_or_clone(self.diagnostic)));
        self
    }

    /// Rejected by a command at one of its stages.
    #[must_use]
    pub fn rejected(mut self, command: &'static str, stage: &'static str) -> Self {
        let rejection = Rejection {
            command,
            stage,
            message: None,
            subject: None,
            warns: false,
        };
        push(&mut self.rejections, rejection);
        self
    }

    /// Warned of by a command at one of its stages.
    #[must_use]
    pub fn warned(mut self, command: &'static str, stage: &'static str) -> Self {
        let rejection = Rejection {
            command,
            stage,
            message: None,
            subject: None,
            warns: true,
        };
        push(&mut self.rejections, rejection);
        self
    }

    /// With the engine's text in one command, where it differs from that in others.
    #[must_use]
    pub fn message_of(mut self, command: &'static str, message: impl Into<Arc<str>>) -> Self {
        let message = message.into();
        for rejection in self.rejections.iter_mut().filter(|r| r.command == command) {
            rejection.message = Some(message.clone());
        }
        self
    }

    /// About something else in one command than in others.
    #[must_use]
    pub fn about_in(mut self, command: &'static str, subject: impl Into<Arc<str>>) -> Self {
        let subject = subject.into();
        for rejection in self.rejections.iter_mut().filter(|r| r.command == command) {
            rejection.subject = Some(subject.clone());
        }
        self
    }

    /// About a unit, file or flag.
    #[must_use]
    pub fn about(mut self, subject: impl Into<Arc<str>>) -> Self {
        self.subject = subject.into();
        self
    }

    /// With a further key of the engine's error.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key, value.into());
        self
    }

    /// The position within its slot at which the engine reaches it.
    #[must_use]
    pub const fn at(mut self, at: u32) -> Self {
        self.at = at;
        self
    }

    /// A further place of what is one line in the engine's report.
    #[must_use]
    pub const fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// For the verdict alone.
    #[must_use]
    pub const fn silent(mut self) -> Self {
        self.silent = true;
        self
    }
}

/// The findings of one slot. Immutable and shared: an unchanged slot has the same block in the next state of
/// the project.
#[derive(Debug)]
pub struct Block {
    id: u64,
    findings: Box<[Finding]>,
    /// The files that have shown findings, ascending.
    files: Box<[FileId]>,
    /// The numbers of the shown findings, file by file; empty if they are all in one file.
    by_file: Box<[u32]>,
    has_rejections: bool,
}

impl Block {
    /// A block of some findings, in the order in which the engine reaches them.
    #[must_use]
    pub fn new(findings: Vec<Finding>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let told = (0u32..).zip(&findings).filter(|(_, f)| !f.silent);
        let mut told: Vec<(FileId, u32)> = told.map(|(i, f)| (f.diagnostic.place.file, i)).collect();
        told.sort_unstable();
        let mut files: Vec<FileId> = told.iter().map(|(file, _)| *file).collect();
        files.dedup();
        let by_file = told.into_iter().filter(|_| files.len() > 1);
        Self {
            by_file: by_file.map(|(_, number)| number).collect(),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            has_rejections: findings.iter().any(|f| !f.rejections.is_empty()),
            findings: findings.into(),
            files: files.into(),
        }
    }

    /// The same, shared. All empty blocks are one: most slots have no finding.
    #[must_use]
    pub fn shared(findings: Vec<Finding>) -> Arc<Self> {
        static NOTHING: LazyLock<Arc<Block>> = LazyLock::new(|| Arc::new(Block::new(Vec::new())));
        if findings.is_empty() {
            return NOTHING.clone();
        }
        Arc::new(Self::new(findings))
    }

    /// A number that no other block has.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// The findings.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The files that have shown findings, ascending.
    #[must_use]
    pub fn files(&self) -> &[FileId] {
        &self.files
    }

    /// The shown findings of a file, with their numbers.
    pub(crate) fn of_file(&self, file: FileId) -> impl Iterator<Item = (u32, &Finding)> + Clone {
        let findings = &*self.findings;
        let in_file = move |number: u32| findings.get(number as usize).map(|f| f.diagnostic.place.file);
        let start = self
            .by_file
            .partition_point(|number| in_file(*number) < Some(file));
        let own = self.by_file.get(start..).unwrap_or_default().iter().copied();
        let own = own.take_while(move |number| in_file(*number) == Some(file));
        let own = own.filter_map(move |number| Some((number, findings.get(number as usize)?)));
        let is_only = self.by_file.is_empty() && self.files.first() == Some(&file);
        let all = (0u32..).zip(findings.iter().take(if is_only { usize::MAX } else { 0 }));
        own.chain(all.filter(|(_, finding)| !finding.silent))
    }

    /// Whether some command rejects or warns of one of its findings.
    #[must_use]
    pub const fn has_rejections(&self) -> bool {
        self.has_rejections
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}
