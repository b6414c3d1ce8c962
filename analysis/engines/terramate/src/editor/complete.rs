//! Completion in a `stack` block: its attributes, and in their lists paths of stacks, and tags.

use std::collections::BTreeSet;

use applyorder_core::engine::EngineIx;

use super::attributes;
use super::list_at::{ListAt, list_at};
use crate::State;
use crate::load::relative::relative_path;
use crate::model::symbols::TAG;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Completion, CompletionKind, Joins, Operation, UnitIx, Variant};
use applyorder_core::engine::{ProjectView, View};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::text::Span;

/// Candidates at a byte offset of a file.
pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let Some(list) = list_at(&source.text, offset) else {
        let mut projects = analysis.projects_of(file).into_iter();
        let is_ours = projects.any(|project| project.seed.engine == engine);
        let found = is_ours.then(|| attributes::complete(&source.text, offset));
        return found.flatten().unwrap_or_default();
    };
    let typed = Span::new(list.word.start, offset).slice(&source.text);
    let mut out = Vec::new();
    for project in analysis.projects_of(file) {
        let memo = project.resolution.state.clone();
        let memo = memo.and_then(|m| m.downcast::<State>().ok());
        let (Some(memo), true) = (memo, project.seed.engine == engine) else {
            continue;
        };
        let Some((own, _)) = memo.model.loaded.tree.of_file.get(&file).copied() else {
            continue;
        };
        let at = Place {
            project,
            memo: &memo,
            own,
            list: &list,
        };
        match list.attribute {
            "tags" => {
                let within = Within {
                    others: list.others.clone(),
                    ..Within::default()
                };
                at.tags(list.word, &within, |_| true, &mut out);
            }
            "after" | "before" | "wants" | "wanted_by" => {
                if typed.starts_with("tag:") {
                    at.filter(&source.text, offset, &mut out);
                } else {
                    at.paths(typed, &mut out);
                    if "tag:".starts_with(typed) {
                        at.filters(&mut out);
                    }
                }
            }
            _ => {}
        }
    }
    out
}

struct Place<'a> {
    project: ProjectView<'a>,
    memo: &'a State,
    /// The directory of the stack that is edited.
    own: u32,
    list: &'a ListAt<'a>,
}

/// What is around a tag in its list or filter.
#[derive(Default)]
struct Within<'a> {
    /// Tags that are already there.
    others: Vec<&'a str>,
    /// The stacks that have the tags that the filter also requires.
    having: Option<BTreeSet<UnitIx>>,
    /// The stacks that the filter means in any case.
    also: BTreeSet<UnitIx>,
}

impl Place<'_> {
    fn add(
        &self,
        label: &str,
        span: Span,
        (kind, detail): (CompletionKind, String),
        stacks: impl Iterator<Item = u32>,
        out: &mut Vec<Completion>,
    ) {
        out.push(Completion {
            label: label.to_owned(),
            span,
            insert: self.written(label),
            detail: Some(detail),
            kind,
            joins: self.joins(stacks),
        });
    }

    /// An entry with what it still lacks around it.
    fn written(&self, entry: &str) -> Option<String> {
        match (self.list.quoted, self.list.bare) {
            (true, _) => None,
            (false, true) => Some(format!("[{}]", quote(entry))),
            (false, false) => Some(quote(entry)),
        }
    }

    /// What an entry that means some stacks would order.
    fn joins(&self, stacks: impl Iterator<Item = u32>) -> Option<Joins> {
        let reversed = match self.list.attribute {
            "after" => false,
            "before" => true,
            _ => return None,
        };
        let dir = self.memo.model.loaded.tree.dirs.get(self.own as usize)?;
        let own = self.memo.model.stacks.at(&dir.path)?;
        let variant = self.project.resolution.variants.first()?;
        let name = |stack: u32| Some(variant.units.get(stack as usize)?.name.clone());
        Some(Joins {
            unit: Some(name(own)?),
            others: stacks.filter_map(name).collect(),
            reversed,
            operation: Operation::Apply,
            place: None,
        })
    }

    /// Whether a directory is the own one or one above it: naming it would include the own stack.
    fn is_around(&self, dir: u32, end: u32) -> bool {
        (dir..end).contains(&self.own)
    }

    /// Directories that are stacks or contain some, written in the style of the typed prefix.
    fn paths(&self, typed: &str, out: &mut Vec<Completion>) {
        let Some(own) = self.memo.model.loaded.tree.dirs.get(self.own as usize) else {
            return;
        };
        let relative = typed.starts_with('.');
        let variant = self.project.resolution.variants.first();
        let layers = variant.map(Variant::layers_in_words).unwrap_or_default();
        for (index, dir) in (0u32..).zip(&self.memo.model.loaded.tree.dirs) {
            if self.is_around(index, dir.end) {
                continue;
            }
            let below_own = (self.own..own.end).contains(&index);
            if below_own && self.list.attribute == "after" {
                // Nested stacks run later in any case.
                continue;
            }
            let label = if relative {
                relative_path(&own.path, &dir.path)
            } else {
                dir.path.to_string()
            };
            if self.list.others.contains(&label.as_str()) {
                continue;
            }
            let (kind, detail) = match self.memo.model.stacks.at(&dir.path) {
                Some(stack) => {
                    let layer = layers.get(stack as usize).and_then(Option::as_ref);
                    let word = layer.map_or_else(|| "stack".to_owned(), |layer| format!("stack, {layer}"));
                    (CompletionKind::Unit, word)
                }
                None => match self.memo.model.stacks.below(index, dir.end).len() {
                    0 => continue,
                    1 => (CompletionKind::Directory, "directory of 1 stack".to_owned()),
                    n => (CompletionKind::Directory, format!("directory of {n} stacks")),
                },
            };
            let stacks = self.memo.model.stacks.below(index, dir.end);
            let stacks = stacks.iter().map(|unit| unit.0);
            self.add(&label, self.list.word, (kind, detail), stacks, out);
        }
    }

    /// Tags after `tag:`. The filter may contain several; this is about the one at the cursor.
    fn filter(&self, text: &str, offset: u32, out: &mut Vec<Completion>) {
        let word = self.list.word;
        let start = word.start + 4;
        if offset < start {
            return;
        }
        let before = Span::new(start, offset).slice(text);
        let part = before.rfind([':', ',']).map_or(0, |i| i + 1);
        let behind = Span::new(offset, word.end).slice(text);
        let rest = behind.find([':', ',']).unwrap_or(behind.len());
        let span = Span::from_usize(start as usize + part, offset as usize + rest);
        let (ahead, after) = (before.get(..part).unwrap_or(""), behind.get(rest..).unwrap_or(""));
        // There may be other tags next to it that a stack must also have, and other sets of tags around it.
        let (sets_before, own_before) = ahead.rsplit_once(',').unwrap_or(("", ahead));
        let (own_behind, sets_behind) = after.split_once(',').unwrap_or((after, ""));
        let beside = own_before.split(':').chain(own_behind.split(':'));
        let beside: Vec<&str> = beside.filter(|tag| !tag.is_empty()).collect();
        let sets = sets_before.split(',').chain(sets_behind.split(','));
        let also = sets.filter_map(|set| self.having(&set.split(':').collect::<Vec<_>>()));
        let within = Within {
            others: ahead.split([':', ',']).collect(),
            having: self.having(&beside),
            also: also.flatten().collect(),
        };
        self.tags(span, &within, |units| self.means_others(units), out);
        // Terramate rejects a repeated entry.
        let [typed, rest] = [before.get(..part), behind.get(rest..)].map(Option::unwrap_or_default);
        let is_there = |tag: &str| {
            let entry = format!("tag:{typed}{tag}{rest}");
            self.list.others.contains(&entry.as_str())
        };
        out.retain(|completion| !is_there(&completion.label));
    }

    /// Filters of one tag each, before `tag:` is typed.
    fn filters(&self, out: &mut Vec<Completion>) {
        let mut tags = Vec::new();
        let wanted = |units: &[UnitIx]| self.means_others(units);
        self.tags(self.list.word, &Within::default(), wanted, &mut tags);
        for mut tag in tags {
            tag.label = format!("tag:{}", tag.label);
            tag.insert = self.written(&tag.label);
            if !self.list.others.contains(&tag.label.as_str()) {
                out.push(tag);
            }
        }
    }

    /// The directory of a stack, and the end of those below it.
    fn extent(&self, stack: UnitIx) -> Option<(u32, u32)> {
        let model = &self.memo.model;
        let dir = model.stacks.get(stack.0)?.dir;
        Some((dir, model.loaded.tree.dirs.get(dir as usize)?.end))
    }

    /// A stack and those below it, which an entry that means the stack also means.
    fn within(&self, stack: UnitIx) -> Vec<UnitIx> {
        let below = |(dir, end)| self.memo.model.stacks.below(dir, end).to_vec();
        self.extent(stack).map_or_else(Vec::new, below)
    }

    /// Whether some stacks include neither the own one nor one around it.
    fn means_others(&self, units: &[UnitIx]) -> bool {
        let around = |unit: &UnitIx| {
            let extent = self.extent(*unit);
            extent.is_some_and(|(dir, end)| self.is_around(dir, end))
        };
        !units.iter().any(around)
    }

    /// The stacks that have all of some tags; empty if there are no tags.
    fn having(&self, tags: &[&str]) -> Option<BTreeSet<UnitIx>> {
        let symbols = || self.project.resolution.symbols.iter().filter(|s| s.kind == TAG);
        let of = |tag: &&str| -> BTreeSet<UnitIx> {
            let symbol = symbols().find(|symbol| *symbol.name == **tag);
            symbol.map_or_else(BTreeSet::new, |symbol| symbol.units.iter().copied().collect())
        };
        let sets = tags.iter().filter(|tag| !tag.is_empty()).map(of);
        sets.reduce(|all, some| all.intersection(&some).copied().collect())
    }

    /// Tags that are not there yet.
    fn tags(
        &self,
        span: Span,
        within: &Within<'_>,
        wanted: impl Fn(&[UnitIx]) -> bool,
        out: &mut Vec<Completion>,
    ) {
        for symbol in self.project.resolution.symbols.iter().filter(|s| s.kind == TAG) {
            let meant = symbol.units.iter().copied();
            let has_all = |unit: &UnitIx| within.having.as_ref().is_none_or(|all| all.contains(unit));
            let meant: Vec<UnitIx> = meant.filter(has_all).collect();
            // A tag that only the cursor's stack has is the one that is being typed.
            if within.others.contains(&&*symbol.name) || !wanted(&meant) {
                continue;
            }
            let only_here = symbol.units.len() == 1
                && symbol
                    .units
                    .first()
                    .is_some_and(|u| self.memo.model.stacks.get(u.0).is_some_and(|n| n.dir == self.own));
            if only_here {
                continue;
            }
            let detail = match symbol.units.len() {
                1 => "tag of 1 stack".to_owned(),
                n => format!("tag of {n} stacks"),
            };
            let all: BTreeSet<UnitIx> = meant.iter().chain(&within.also).copied().collect();
            let stacks = all.iter().flat_map(|unit| self.within(*unit));
            let stacks = stacks.map(|unit| unit.0);
            let about = (CompletionKind::Symbol, detail);
            self.add(&symbol.name, span, about, stacks, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::Fixture;

    const PROJECT: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n\
        //- /w/net/vpc/stack.tm\nstack {\n  tags = [\"net\"]\n}\n\
        //- /w/net/dns/stack.tm\nstack {\n  tags = [\"net\", \"dns\"]\n}\n";

    fn labels(stack: &str) -> Vec<String> {
        let fixture = Fixture::new(crate::ALONE, &format!("{PROJECT}//- /w/app/stack.tm\n{stack}"));
        let engine = applyorder_core::engine::EngineIx(0);
        complete(&*fixture.analysis, engine, fixture.file, fixture.offset)
            .into_iter()
            .map(|c| c.insert.unwrap_or(c.label))
            .collect()
    }

    #[test]
    fn paths_of_stacks_and_of_directories() {
        assert_eq!(
            labels("stack {\n  after = [\"/$0\"]\n}\n"),
            ["/net", "/net/dns", "/net/vpc"]
        );
        assert_eq!(
            labels("stack {\n  after = [\"/net/dns\", \"../$0\"]\n}\n"),
            ["../net", "../net/dns", "../net/vpc"]
        );
        assert_eq!(
            labels("stack {\n  after = [$0]\n}\n"),
            [
                "\"/net\"",
                "\"/net/dns\"",
                "\"/net/vpc\"",
                "\"tag:dns\"",
                "\"tag:net\""
            ]
        );
    }

    #[test]
    fn in_a_file_that_is_half_typed() {
        assert_eq!(
            labels("stack {\n  before = [\"/n$0\n}\n"),
            ["/net", "/net/dns", "/net/vpc"]
        );
    }

    #[test]
    fn the_brackets_of_a_list_are_written_with_its_first_entry() {
        assert_eq!(labels("stack {\n  tags = $0\n}\n"), ["[\"dns\"]", "[\"net\"]"]);
        assert_eq!(
            labels("stack {\n  wants = $0\n}\n"),
            [
                "[\"/net\"]",
                "[\"/net/dns\"]",
                "[\"/net/vpc\"]",
                "[\"tag:dns\"]",
                "[\"tag:net\"]"
            ]
        );
        assert_eq!(labels("stack {\n  name = $0\n}\n"), [""; 0]);
    }

    #[test]
    fn existing_entries_of_the_list_are_omitted() {
        assert_eq!(
            labels("stack {\n  wants = [\"/net\", \"$0\", \"/net/vpc\", \"tag:net\"]\n}\n"),
            ["/net/dns", "tag:dns"]
        );
    }

    #[test]
    fn tags_after_their_prefix() {
        assert_eq!(labels("stack {\n  after = [\"tag:$0\"]\n}\n"), ["dns", "net"]);
        assert_eq!(labels("stack {\n  after = [\"tag:net:$0\"]\n}\n"), ["dns"]);
        assert_eq!(
            labels("stack {\n  after = [\"tag:net\", \"tag:$0\"]\n}\n"),
            ["dns"]
        );
        assert_eq!(
            labels("stack {\n  tags = [\"dns\"]\n  after = [\"tag:$0\"]\n}\n"),
            ["net"],
            "`tag:dns` would be the stack itself"
        );
        assert_eq!(labels("stack {\n  tags = [\"$0\"]\n}\n"), ["dns", "net"]);
    }

    #[test]
    fn a_filter_of_several_tags_means_those_that_have_them() {
        let of = |filter: &str| {
            let text = format!(
                "{PROJECT}//- /w/lone/stack.tm\nstack {{\n  tags = [\"lone\"]\n}}\n//- /w/app/stack.tm\nstack {{\n  tags = \
                 [\"dns\"]\n  after = [\"tag:{filter}\"]\n}}\n"
            );
            let fixture = Fixture::new(crate::ALONE, &text);
            let engine = applyorder_core::engine::EngineIx(0);
            let found = complete(&*fixture.analysis, engine, fixture.file, fixture.offset);
            let one = |c: Completion| format!("{} {}", c.label, c.joins.unwrap().others.join(" "));
            found.into_iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(of("net:$0"), ["dns /net/dns", "lone "]);
        assert_eq!(of("$0:net"), ["dns /net/dns", "lone ", "net /net/dns /net/vpc"]);
        assert_eq!(
            of("net,$0"),
            ["lone /lone /net/dns /net/vpc"],
            "`dns` would be the stack itself"
        );
        assert_eq!(of("lone,net:$0"), ["dns /lone /net/dns"]);
        assert_eq!(of("net:$0,lone"), ["dns /lone /net/dns", "lone /lone"]);
    }

    #[test]
    fn a_tag_means_the_stacks_below_as_well() {
        let stacks = "//- /w/net/vpc/peering/stack.tm\nstack {\n}\n//- /w/app/stack.tm\nstack {\n  after = [\"tag:$0\"]\n}\n";
        let fixture = Fixture::new(crate::ALONE, &format!("{PROJECT}{stacks}"));
        let engine = applyorder_core::engine::EngineIx(0);
        let found = complete(&*fixture.analysis, engine, fixture.file, fixture.offset);
        let of_net = found.iter().find(|c| c.label == "net").unwrap();
        let others: Vec<&str> = of_net
            .joins
            .iter()
            .flat_map(|j| &j.others)
            .map(|name| &**name)
            .collect();
        assert_eq!(others, ["/net/dns", "/net/vpc", "/net/vpc/peering"]);
    }

    #[test]
    fn stacks_around_are_left_out_and_those_below_where_they_run_later() {
        let text = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n\
            //- /w/a/b/c/stack.tm\nstack {\n}\n//- /w/a/stack.tm\nstack {\n}\n//- /w/z/stack.tm\nstack {\n}\n\
            //- /w/a/b/stack.tm\nstack {\n  ATTRIBUTE = [\"$0\"]\n}\n";
        let labels = |attribute: &str| -> Vec<String> {
            let fixture = Fixture::new(crate::ALONE, &text.replace("ATTRIBUTE", attribute));
            let engine = applyorder_core::engine::EngineIx(0);
            let found = complete(&*fixture.analysis, engine, fixture.file, fixture.offset);
            found.into_iter().map(|c| c.label).collect()
        };
        assert_eq!(labels("after"), ["/z"]);
        assert_eq!(labels("before"), ["/a/b/c", "/z"]);
    }
}
