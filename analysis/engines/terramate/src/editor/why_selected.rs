//! Why a stack is part of a run, or is not.
//!
//! Source: Terramate 0.17.2, "Selection".

use applyorder_core::engine::EngineIx;
use std::collections::VecDeque;

use crate::State;
use crate::model::changes::Change;
use crate::model::flags::Flags;
use crate::model::stacks::{Node, StackIx};
use crate::read::Attribute;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Resolution, UnitIx, WhySelected};

type Reasons = Vec<(String, Option<Place>)>;

/// What decided about a stack, in Terramate's order of checks.
pub(crate) fn why_selected(engine: EngineIx, resolution: &Resolution, unit: UnitIx) -> Option<WhySelected> {
    let memo = resolution.state.clone()?.downcast::<State>().ok()?;
    let explain = Explain { memo: &memo, engine };
    explain.stack(unit.0)
}

struct Explain<'a> {
    memo: &'a State,
    engine: EngineIx,
}

impl Explain<'_> {
    fn stack(&self, stack: StackIx) -> Option<WhySelected> {
        let node = self.memo.model.stacks.get(stack)?;
        let flags = match &*self.memo.related.selection.flags {
            Ok(flags) => flags,
            Err((flag, words)) => {
                return Some(WhySelected {
                    selected: None,
                    reasons: vec![(format!("Terramate rejects {flag}: {words}"), None)],
                });
            }
        };
        let mut reasons = Reasons::new();
        if flags.is_empty() {
            reasons.push(("no flag limits the run: every stack is selected".to_owned(), None));
            return Some(WhySelected {
                selected: Some(true),
                reasons,
            });
        }
        let (for_it, against) = self.by_flags(flags, stack, node);
        if against.is_empty() {
            return Some(self.answer(true, for_it));
        }
        reasons.extend(against);
        let chosen = self.memo.related.selection.by_flags(&self.memo.model.stacks);
        let path = self.wanted_from(&chosen, stack);
        match (path, self.memo.related.selection.is_list) {
            (Some(path), false) => {
                reasons.extend(self.chain(flags, &path));
                Some(self.answer(true, reasons))
            }
            (Some(path), true) => {
                let from = path
                    .first()
                    .map(|s| self.memo.model.stacks.path(*s))
                    .unwrap_or_default();
                reasons.push((
                    format!("`list` ignores `wants` and `wanted_by`; `run` would select it with `{from}`"),
                    None,
                ));
                Some(self.answer(false, reasons))
            }
            (None, _) => {
                if !self.memo.related.selection.is_list {
                    reasons.push(("no selected stack wants it".to_owned(), None));
                }
                Some(self.answer(false, reasons))
            }
        }
    }

    /// An answer; a partly known one stays open if unknown values could change it.
    fn answer(&self, selected: bool, mut reasons: Reasons) -> WhySelected {
        let unknown = self.memo.model.unknowns.why.as_ref();
        if let Some(why) = unknown {
            reasons.push((why.clone(), None));
        }
        WhySelected {
            selected: unknown.is_none().then_some(selected),
            reasons,
        }
    }

    /// Which flags include a stack, and which exclude it.
    fn by_flags(&self, flags: &Flags, stack: StackIx, node: &Node) -> (Reasons, Reasons) {
        let (mut for_it, mut against) = (Reasons::new(), Reasons::new());
        let tags = node.stack().filter(|s| s.tags.name.is_some());
        let tags = tags.map(|s| self.place(node, s.tags.at));
        let tag_place = |tag: &str| {
            let entry = node.stack()?.tags.entries.iter().find(|t| *t.value == *tag)?;
            Some(self.place(node, entry.at))
        };
        match flags.change(stack) {
            Some(Some(change)) => for_it.push(self.changed(node, change)),
            Some(None) => against.push(("none of its files changed".to_owned(), None)),
            None => {}
        }
        if let Some(below) = &flags.below {
            let list = if flags.is_below(node) {
                for_it.push((format!("it is in `{below}`, where the command runs"), None));
                None
            } else {
                Some((format!("it is outside `{below}`, where the command runs"), None))
            };
            against.extend(list);
        }
        if !flags.tags.is_empty() {
            match flags.tag_filter(node) {
                Some(filter) => for_it.push((format!("its tags match `--tags {filter}`"), tags)),
                None => {
                    let all: Vec<String> = flags.tags.iter().map(|(t, _)| format!("`--tags {t}`")).collect();
                    against.push((format!("its tags do not match {}", all.join(" or ")), tags));
                }
            }
        }
        match flags.unwanted_tag(node) {
            Some(tag) => against.push((format!("tag `{tag}` is excluded by `--no-tags`"), tag_place(tag))),
            None if !flags.without.is_empty() => {
                let all = flags.without.join(",");
                for_it.push((format!("it has none of the tags of `--no-tags {all}`"), tags));
            }
            None => {}
        }
        (for_it, against)
    }

    fn changed(&self, node: &Node, change: &Change) -> (String, Option<Place>) {
        match change {
            Change::Named => ("`--changed` names it".to_owned(), None),
            Change::File(path) => (format!("its file `{path}` changed"), None),
            Change::Watched(path, at) => (
                format!("its watched file `{path}` changed"),
                Some(self.place(node, *at)),
            ),
            Change::Module(source) => (format!("the module `{source}` that it uses changed"), None),
            Change::Trigger(path) => (format!("`{path}` marks it as changed"), None),
        }
    }

    /// The shortest path of `wants` entries from a stack that the flags select to another.
    fn wanted_from(&self, chosen: &[bool], to: StackIx) -> Option<Vec<StackIx>> {
        let mut from: Vec<Option<StackIx>> = vec![None; chosen.len()];
        let mut seen: Vec<bool> = chosen.to_vec();
        let mut open: VecDeque<StackIx> = (0u32..)
            .zip(chosen)
            .filter(|(_, c)| **c)
            .map(|(i, _)| i)
            .collect();
        while let Some(stack) = open.pop_front() {
            if stack == to {
                let mut path = vec![to];
                while let Some(before) = path.last().and_then(|s| *from.get(*s as usize)?) {
                    path.push(before);
                }
                path.reverse();
                return Some(path);
            }
            for wanted in self.memo.related.selection.wants.wanted_by(stack) {
                if let Some(slot) = seen.get_mut(*wanted as usize).filter(|s| !**s) {
                    *slot = true;
                    if let Some(slot) = from.get_mut(*wanted as usize) {
                        *slot = Some(stack);
                    }
                    open.push_back(*wanted);
                }
            }
        }
        None
    }

    fn chain(&self, flags: &Flags, path: &[StackIx]) -> Reasons {
        let mut reasons = Reasons::new();
        if let Some((first, node)) = path
            .first()
            .and_then(|s| Some((*s, self.memo.model.stacks.get(*s)?)))
        {
            let (for_it, _) = self.by_flags(flags, first, node);
            for (text, place) in for_it {
                reasons.push((format!("of `{}`: {text}", node.path), place));
            }
        }
        for pair in path.windows(2) {
            let (Some(from), Some(to)) = (pair.first(), pair.last()) else {
                continue;
            };
            let (name, other) = (
                self.memo.model.stacks.path(*from),
                self.memo.model.stacks.path(*to),
            );
            let entry = self
                .entry(*from, Attribute::Wants, *to)
                .map(|place| (format!("`{name}` wants `{other}`"), Some(place)))
                .or_else(|| {
                    let place = self.entry(*to, Attribute::WantedBy, *from)?;
                    Some((format!("`{other}` is wanted by `{name}`"), Some(place)))
                });
            reasons.extend(entry);
        }
        reasons
    }

    fn entry(&self, stack: StackIx, attribute: Attribute, target: StackIx) -> Option<Place> {
        let node = self.memo.model.stacks.get(stack)?;
        let mut entries = self.memo.related.entries.of(stack);
        let entry = entries.find(|e| e.attribute == attribute && e.targets.contains(&UnitIx(target)))?;
        Some(self.place(node, entry.at))
    }

    fn place(&self, node: &Node, at: u32) -> Place {
        Place::anchor(node.file, self.engine, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::Fixture;
    use applyorder_core::engine::RunOptions;
    use camino::Utf8PathBuf;

    const PROJECT: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n\
        //- /w/a/stack.tm\nstack {\n  tags = [\"net\"]\n  wants = [\"/b\"]\n}\n\
        //- /w/b/stack.tm\nstack {\n  tags = [\"db\"]\n}\n//- /w/b/f.tf\n\n//- /w/b/c/stack.tm\nstack {\n  wanted_by = [\"/b\"]\n}\n\
        //- /w/d/stack.tm\nstack {\n  watch = [\"../shared/x\"]\n}\n//- /w/shared/x\n\n\
        //- /w/.tmtriggers/a/changed-1.tm.hcl\ntrigger {\n  type = changed\n  context = stack\n}\n\
        //- /w/.tmtriggers/b/ignore-1.tm.hcl\ntrigger {\n  type = ignore-change\n  context = stack\n}\n";

    fn why(stack: &str, options: RunOptions) -> (Option<bool>, Vec<String>) {
        let fixture = Fixture::with_options(crate::ALONE, PROJECT, options);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let units = &project.resolution.variants[0].units;
        let unit = units.iter().position(|u| &*u.name == stack).unwrap();
        let found = why_selected(
            applyorder_core::engine::EngineIx(0),
            &project.resolution,
            UnitIx(unit as u32),
        )
        .unwrap();
        (found.selected, found.reasons.into_iter().map(|r| r.0).collect())
    }

    fn changed(files: &[&str]) -> RunOptions {
        RunOptions {
            changed_files: Some(files.iter().map(Utf8PathBuf::from).collect()),
            ..RunOptions::default()
        }
    }

    fn tags(tags: &str) -> RunOptions {
        RunOptions {
            tags: vec![tags.to_owned()],
            ..RunOptions::default()
        }
    }

    /// Terramate 0.17.2 lists all stacks of an untracked repository that is in the tree, even a work tree.
    #[test]
    fn a_repository_in_the_tree_is_new_with_all_in_it() {
        assert_eq!(why("/b/c", changed(&["/w/b/"])).0, Some(true));
        assert_eq!(why("/b", changed(&["/w/b/"])).0, Some(true));
        assert_eq!(why("/d", changed(&["/w/b/"])).0, Some(false));
        assert_eq!(why("/d", changed(&["/w/d/new/"])).0, Some(true));
    }

    /// As Terramate 0.17.2 follows them.
    #[test]
    fn a_module_whose_source_is_a_template_without_variables_is_followed() {
        let is_changed = |source: &str| {
            let module =
                format!("//- /w/d/m.tf\nmodule \"m\" {{\n  source = {source}\n}}\n//- /w/mod/m.tf\n\n");
            let fixture = Fixture::with_options(
                crate::ALONE,
                &(PROJECT.to_owned() + &module),
                changed(&["/w/mod/m.tf"]),
            );
            let (_, project) = fixture.analysis.projects().next().unwrap();
            let units = &project.resolution.variants[0].units;
            let unit = units.iter().position(|u| &*u.name == "/d").unwrap();
            let engine = applyorder_core::engine::EngineIx(0);
            why_selected(engine, &project.resolution, UnitIx(unit as u32))
                .unwrap()
                .selected
        };
        assert_eq!(is_changed("\"../mod\""), Some(true));
        assert_eq!(is_changed("\"${\"../mod\"}\""), Some(true));
        assert_eq!(is_changed("\"../${\"mod\"}\""), Some(true));
        assert_eq!(is_changed("\"../${var.mod}\""), Some(false));
        assert_eq!(is_changed("lower(\"../MOD\")"), Some(false));
    }

    #[test]
    fn all_without_flags() {
        let (selected, reasons) = why("/a", RunOptions::default());
        assert_eq!(selected, Some(true));
        assert_eq!(reasons, ["no flag limits the run: every stack is selected"]);
    }

    #[test]
    fn wishes_are_followed_from_what_the_flags_select() {
        let (selected, reasons) = why("/b/c", tags("net"));
        assert_eq!(selected, Some(true));
        assert_eq!(
            reasons,
            [
                "its tags do not match `--tags net`",
                "of `/a`: its tags match `--tags net`",
                "`/a` wants `/b/c`",
            ],
            "a directory stands for the stacks below it too"
        );
        let list = RunOptions {
            command: Some("list".to_owned()),
            ..tags("net")
        };
        let (selected, reasons) = why("/b/c", list);
        assert_eq!(selected, Some(false));
        assert!(
            reasons[1].contains("`run` would select it with `/a`"),
            "{reasons:?}"
        );
        let (selected, reasons) = why("/d", tags("net"));
        assert_eq!(selected, Some(false));
        assert_eq!(
            reasons,
            ["its tags do not match `--tags net`", "no selected stack wants it"]
        );
    }

    #[test]
    fn files_count_for_the_nearest_stack_for_what_watches_them_and_as_triggers() {
        let is = |stack: &str, files: &[&str]| why(stack, changed(files));
        let (selected, reasons) = is("/b", &["/w/b/f.tf"]);
        assert_eq!(
            (selected, &*reasons[0]),
            (Some(true), "its file `/b/f.tf` changed")
        );
        assert_eq!(is("/d", &["/w/b/f.tf"]).0, Some(false));
        assert_eq!(is("/b", &["/w/b/c/deep/x"]).0, Some(false), "the nearest only");
        let (selected, reasons) = is("/d", &["/w/shared/x"]);
        assert_eq!(
            (selected, &*reasons[0]),
            (Some(true), "its watched file `/shared/x` changed")
        );
        assert_eq!(is("/a", &["/w/.tmtriggers/a/changed-1.tm.hcl"]).0, Some(true));
        assert_eq!(
            is("/a", &["/w/.tmtriggers/a/gone.tm.hcl"]).0,
            Some(false),
            "a trigger that is gone says nothing"
        );
        assert_eq!(
            is("/b", &["/w/b/f.tf", "/w/.tmtriggers/b/ignore-1.tm.hcl"]).0,
            Some(false)
        );
        assert_eq!(is("/a", &["/elsewhere/a/x"]).0, Some(false));
    }

    #[test]
    fn what_is_rejected_has_no_answer() {
        let (selected, reasons) = why("/a", tags("~x"));
        assert_eq!(selected, None);
        assert!(reasons[0].contains("--tags"), "{reasons:?}");
    }
}
