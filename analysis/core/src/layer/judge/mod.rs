//! From findings to verdicts: what each of the engine's commands would say, and which findings it would
//! report first.

mod run;

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::finding::Block;
use crate::engine::Verdict;

/// One of an engine's commands.
#[derive(Debug)]
pub struct Command {
    /// Its name: `check`, `run`, `deploy`.
    pub name: &'static str,
    /// Its stages, in the order in which it runs them.
    pub stages: &'static [Stage],
    /// Whether its warnings are printed even if it rejects.
    pub warns_when_rejecting: bool,
}

/// A stage of a command.
#[derive(Debug)]
pub struct Stage {
    /// The name of the stage in the engine's spec.
    pub name: &'static str,
    /// What the command reports when it stops here.
    pub reports: Reports,
}

/// What a command reports when it stops at a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// The first error.
    First,
    /// Every error.
    All,
    /// Every error, each a line of one text that begins with this. Warnings are put together the same way.
    Lines(&'static str),
    /// Every error of the round, which is one file ([`Stages::round`](super::Stages::round)).
    Round,
    /// The first error, and those with the same [`Finding::subject`](super::finding::Finding::subject).
    SameSubject,
}

impl Command {
    fn stage(&self, name: &str) -> Option<usize> {
        self.stages.iter().position(|s| s.name == name)
    }
}

/// Something that cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The command whose outcome is open; `None`: each that has the stage.
    pub command: Option<&'static str>,
    /// The stage whose outcome is open.
    pub stage: &'static str,
    /// Where the command reaches it in that stage: the position of the block, and
    /// [`Finding::at`](super::finding::Finding::at). `None`: it does not affect what the command reports there.
    pub at: Option<(usize, u32)>,
    /// Why, as a sentence without its full stop.
    pub because: String,
    /// Whether what later stages reject is rejected in any case.
    pub leaves_later: bool,
}

/// The findings that commands would report first, by block, number in it, and command; with the text of the
/// engine's line that they repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(FxHashMap<(u64, u32, &'static str), Option<Arc<str>>>);

impl Marks {
    pub(crate) fn is_first(&self, block: &Block, number: u32, command: &'static str) -> bool {
        !self.0.is_empty() && self.0.contains_key(&(block.id(), number, command))
    }

    /// Whether some command would report a finding first.
    pub(crate) fn has(&self, block: &Block, number: u32) -> bool {
        let finding = block.findings().get(number as usize);
        let mut rejections = finding.into_iter().flat_map(|f| &f.rejections);
        rejections.any(|r| self.is_first(block, number, r.command))
    }

    /// The text of the engine's line that a finding repeats.
    pub(crate) fn line(&self, block: &Block, number: u32, command: &'static str) -> Option<&Arc<str>> {
        self.0.get(&(block.id(), number, command))?.as_ref()
    }

    /// Drops what is reported by commands without a verdict.
    pub(crate) fn retain(&mut self, is_judged: impl Fn(&'static str) -> bool) {
        self.0.retain(|(_, _, command), _| is_judged(command));
    }

    /// Adds what commands report first in another environment.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The marked findings of a block, by number and command.
    pub(crate) fn of<'a>(&'a self, block: &'a Block) -> impl Iterator<Item = (u32, &'static str)> + 'a {
        let numbers = if self.0.is_empty() || !block.has_rejections() {
            0
        } else {
            block.findings().len()
        };
        (0u32..)
            .zip(block.findings().iter().take(numbers))
            .flat_map(|(number, finding)| finding.rejections.iter().map(move |r| (number, r.command)))
            .filter(|(number, command)| self.is_first(block, *number, command))
    }
}

/// Where the engine reaches a finding in one stage: given the stage, the position of the block, and
/// [`Finding::at`](super::finding::Finding::at). Findings with equal numbers follow the order of blocks.
pub(crate) type Rank<'a> = &'a dyn Fn(&'static str, usize, u32) -> u64;

/// The order in which an engine processes what it reads.
pub(crate) struct Course<'a> {
    /// The round in which it reaches a finding: those of an earlier one are reported first, whatever their
    /// stages.
    pub(crate) round: Rank<'a>,
    /// The position in a stage at which it reaches it.
    pub(crate) rank: Rank<'a>,
}

/// The verdicts of all commands on the findings, in the order of the table, and what they report first.
pub(crate) fn judge(
    commands: &'static [Command],
    blocks: &[&Arc<Block>],
    unknown: &[Unknown],
    environment: Option<&Arc<str>>,
    course: &Course<'_>,
) -> (Vec<Verdict>, Marks) {
    let mut marks = Marks::default();
    let verdicts = commands
        .iter()
        .map(|command| run::verdict(command, blocks, unknown, environment, course, &mut marks))
        .collect();
    (verdicts, marks)
}

/// Sorts the verdicts of all environments by command.
pub(crate) fn in_order(commands: &'static [Command], verdicts: &mut [Verdict]) {
    verdicts.sort_by_key(|v| {
        let position = commands.iter().position(|c| c.name == v.command);
        (position.is_none(), Reverse(position.map(|p| commands.len() - p)))
    });
}

#[cfg(test)]
mod tests {
    use super::run::LONGEST_REPEATED;
    use super::*;
    use crate::diagnostic::{Diagnostic, FileId, Place};
    use crate::engine::EngineError;
    use crate::layer::finding::Finding;
    use crate::layer::most::MOST;
    use crate::rules::invalid_value;

    static COMMANDS: [Command; 2] = [
        Command {
            name: "check",
            stages: &[
                Stage {
                    name: "read",
                    reports: Reports::First,
                },
                Stage {
                    name: "names",
                    reports: Reports::All,
                },
            ],
            warns_when_rejecting: false,
        },
        Command {
            name: "list",
            stages: &[Stage {
                name: "read",
                reports: Reports::SameSubject,
            }],
            warns_when_rejecting: true,
        },
    ];

    const AS_FOUND: Course<'static> = Course {
        round: &|_, _, _| 0,
        rank: &|_, _, at| at as u64,
    };

    fn finding(text: &str) -> Finding {
        let d = Diagnostic::new(&invalid_value::RULE, Place::file(FileId(0)), text);
        Finding::new(d.engine_message(text))
    }

    #[test]
    fn a_long_line_is_at_the_first_finding_that_repeats_it() {
        static ALL: [Command; 1] = [Command {
            name: "check",
            stages: &[Stage {
                name: "read",
                reports: Reports::All,
            }],
            warns_when_rejecting: false,
        }];
        let marked = |line: &str| {
            let report = Finding::new(Diagnostic::new(&invalid_value::RULE, Place::file(FileId(0)), ""))
                .rejected("check", "read")
                .message_of("check", line);
            let repeating = || finding("").rejected("check", "read").repeats();
            let block = Arc::new(Block::new(vec![repeating(), repeating(), report]));
            let (_, marks) = judge(&ALL, &[&block], &[], None, &AS_FOUND);
            [0, 1].map(|number| marks.line(&block, number, "check").is_some())
        };
        assert_eq!(marked("short"), [true, true]);
        assert_eq!(marked(&"long".repeat(LONGEST_REPEATED)), [true, false]);
    }

    #[test]
    fn what_may_be_reported_instead_is_not_marked() {
        let unknown = |at: Option<(usize, u32)>| Unknown {
            command: None,
            stage: "read",
            at,
            because: "a template".to_owned(),
            leaves_later: false,
        };
        let ask = |unknown: Unknown| {
            let found = vec![finding("a").rejected("check", "read").at(3)];
            let (verdicts, marks) = verdicts(found, &[unknown]);
            let verdict = &verdicts[0];
            let (ok, because) = (verdict.ok, verdict.because.as_deref());
            (ok, verdict.errors.len(), marks.len(), because.map(str::to_owned))
        };
        let first = (Some(false), 1, 1, None);
        let doubtful = (Some(false), 0, 0, Some("a template".to_owned()));
        assert_eq!(ask(unknown(Some((0, 2)))), doubtful);
        assert_eq!(ask(unknown(Some((0, 4)))), first);
        assert_eq!(ask(unknown(Some((1, 2)))), doubtful);
        assert_eq!(ask(unknown(Some((1, 3)))), first);
        assert_eq!(ask(unknown(None)), first);
    }

    fn verdicts(findings: Vec<Finding>, unknown: &[Unknown]) -> (Vec<Verdict>, Vec<(u32, &'static str)>) {
        let block = Arc::new(Block::new(findings));
        let (verdicts, marks) = judge(&COMMANDS, &[&block], unknown, None, &AS_FOUND);
        let marks = marks.of(&block).collect();
        (verdicts, marks)
    }

    fn messages(errors: &[EngineError]) -> Vec<&str> {
        errors.iter().map(|e| &*e.message).collect()
    }

    #[test]
    fn the_earliest_stage_decides_and_reports_as_it_does() {
        let found = vec![
            finding("c").rejected("check", "names").at(2),
            finding("b").rejected("check", "names").at(1),
        ];
        let (verdicts, marks) = verdicts(found, &[]);
        assert_eq!(verdicts[0].stage, Some("names"));
        assert_eq!(messages(&verdicts[0].errors), ["b", "c"]);
        assert_eq!(marks, [(0, "check"), (1, "check")]);
        assert_eq!(verdicts[1].ok, Some(true));
    }

    #[test]
    fn lines_of_one_text_begin_once_whether_they_are_errors_or_warnings() {
        static ONE_TEXT: [Command; 1] = [Command {
            name: "apply",
            stages: &[Stage {
                name: "names",
                reports: Reports::Lines("bad names"),
            }],
            warns_when_rejecting: false,
        }];
        let all = |warns: bool| {
            let one = |text| match warns {
                true => finding(text).warned("apply", "names"),
                false => finding(text).rejected("apply", "names"),
            };
            let block = Arc::new(Block::new(vec![one("a"), one("b")]));
            let (verdicts, marks) = judge(&ONE_TEXT, &[&block], &[], None, &AS_FOUND);
            assert_eq!(marks.of(&block).count(), if warns { 0 } else { 2 });
            verdicts
        };
        assert_eq!(messages(&all(false)[0].errors), ["bad names: a", "b"]);
        assert_eq!(messages(&all(true)[0].warnings), ["bad names: a", "b"]);
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let found = |text: String| finding(&text).rejected("check", "names");
        let (verdicts, marks) = verdicts((0..MOST + 3).map(|n| found(n.to_string())).collect(), &[]);
        assert_eq!((verdicts[0].errors.len(), verdicts[0].more_errors), (MOST, 3));
        assert_eq!((verdicts[0].more_warnings, marks.len()), (0, MOST + 3));
    }

    #[test]
    fn a_stage_that_stops_at_its_first_error_marks_only_that() {
        let found = vec![
            finding("late").rejected("check", "read").at(5),
            finding("early").rejected("check", "read").at(1),
            finding("name").rejected("check", "names"),
        ];
        let (verdicts, marks) = verdicts(found, &[]);
        assert_eq!(messages(&verdicts[0].errors), ["early"]);
        assert_eq!(marks, [(1, "check")]);
    }

    #[test]
    fn an_earlier_round_is_reported_whatever_its_stage() {
        let block = |text: &str, stage| Arc::new(Block::new(vec![finding(text).rejected("check", stage)]));
        let (first, second) = (block("late stage", "names"), block("early stage", "read"));
        let by_block = Course {
            round: &|_, block, _| block as u64,
            rank: &|_, _, _| 0,
        };
        let (verdicts, marks) = judge(&COMMANDS, &[&first, &second], &[], None, &by_block);
        assert_eq!(
            (verdicts[0].stage, messages(&verdicts[0].errors)),
            (Some("names"), vec!["late stage"])
        );
        assert!(marks.is_first(&first, 0, "check") && !marks.is_first(&second, 0, "check"));
    }

    #[test]
    fn what_is_unknown_before_the_first_error_leaves_the_verdict_open() {
        let unknown = |stage| Unknown {
            command: None,
            stage,
            at: None,
            because: "a template".to_owned(),
            leaves_later: false,
        };
        let found = || vec![finding("x").rejected("check", "names")];
        let (open, marks) = verdicts(found(), &[unknown("read")]);
        assert_eq!(
            (open[0].ok, open[0].because.as_deref()),
            (None, Some("a template"))
        );
        assert!(marks.is_empty());
        // Rejected in any case, but the text is unknown.
        let apart = Unknown {
            leaves_later: true,
            ..unknown("read")
        };
        let (rejected, marks) = verdicts(found(), std::slice::from_ref(&apart));
        let said = (
            rejected[0].ok,
            rejected[0].errors.len(),
            rejected[0].because.as_deref(),
        );
        assert_eq!((said, marks.len()), ((Some(false), 0, Some("a template")), 0));
        let (both, _) = verdicts(found(), &[apart, unknown("read")]);
        assert_eq!(both[0].ok, None);
        let (decided, _) = verdicts(found(), &[unknown("names")]);
        assert_eq!((decided[0].ok, decided[1].ok), (Some(false), Some(true)));
    }

    #[test]
    fn what_repeats_a_line_rejects_nothing_and_shows_the_line() {
        let repeat = |stage| {
            let d = Diagnostic::new(&invalid_value::RULE, Place::file(FileId(0)), "r");
            Finding::new(d).rejected("list", stage).about("a").repeats()
        };
        let (alone, marks) = verdicts(vec![repeat("read")], &[]);
        assert_eq!((alone[1].ok, marks.len()), (Some(true), 0));
        let line = finding("x").rejected("list", "read").about_in("list", "a");
        let found = vec![repeat("read"), line.message_of("list", "the line")];
        let block = Arc::new(Block::new(found));
        let (verdicts, marks) = judge(&COMMANDS, &[&block], &[], None, &AS_FOUND);
        assert_eq!(messages(&verdicts[1].errors), ["the line"]);
        assert_eq!(verdicts[1].errors[0].subject, "a");
        assert_eq!(marks.line(&block, 0, "list").map(|l| &**l), Some("the line"));
        assert_eq!(marks.line(&block, 1, "list"), None);
    }

    #[test]
    fn one_subject_is_reported_whole_and_its_further_places_count_once() {
        let found = vec![
            finding("a1").rejected("list", "read").about("a"),
            finding("a1").rejected("list", "read").about("a").repeats(),
            finding("b").rejected("list", "read").about("b"),
            finding("w").warned("list", "read").about("b"),
        ];
        let (verdicts, marks) = verdicts(found, &[]);
        assert_eq!(messages(&verdicts[1].errors), ["a1"]);
        assert_eq!(messages(&verdicts[1].warnings), ["w"]);
        assert_eq!(marks, [(0, "list"), (1, "list")]);
    }
}
