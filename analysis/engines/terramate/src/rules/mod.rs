//! The list of the rules, and texts that several of them share.

#[cfg(test)]
pub(super) mod fixture;

mod cycle;
mod duplicate_dependency;
mod duplicate_key;
mod duplicate_name;
mod experiment_off;
mod exponential_run;
mod id_missing;
mod import_invalid;
mod inert_dependency;
mod invalid_name;
mod invalid_value;
mod limit_reached;
mod missing_field;
mod missing_file;
mod order_cycle_partial;
mod output_without_order;
pub(crate) mod redundant_dependency;
mod ref_above_root;
mod ref_broad;
mod ref_glob;
mod ref_tag_prefix;
mod root_missing;
mod root_nested_config;
mod root_stack_order;
mod run_environment;
mod self_dependency;
mod stack_duplicate;
mod stack_function;
mod stack_in_import;
mod stack_label;
mod stack_nested_block;
mod stack_unreachable;
mod stack_variable;
mod syntax_error;
mod tag_empty;
mod unknown_dependency;
mod unknown_field;
mod unreadable_file;
mod unresolved;
mod unsupported_version;
mod wants_cycle;
mod wrong_type;

use std::sync::Arc;

use super::Terramate;
use super::load::tree::Dir;
use super::load::{Ancestor, around};
use super::model::imports::Imports;
use super::model::sources::Sources;
use super::model::{self, Model};
use super::names::new_id;
use super::problems::{CRASH, Fault, Problem, not_evaluated};
use super::relate::{self, Related};
use super::scope::loading::{Experiments, Loading};
use super::scope::{BlockKey, Directory, InFile, Prints, Scope, Set, Sets, Whole};
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Safety};
use applyorder_core::engine::Cx;
#[cfg(test)]
use applyorder_core::engine::EngineIx;
use applyorder_core::layer::{
    Block, Checked, Environment, Finding, Listed, Pass, Unknown, check_certain, check_project, check_source,
    count_rules, rules_listed,
};
use applyorder_core::rules::{self as shared, Rule};

use crate::judge;
use crate::model::stacks::Node;

/// A rule as it is listed.
type Look = Listed<Terramate>;

/// How each rule is checked.
const RULES: &[Look] = &[
    Look::source(&shared::unreadable_file::RULE, unreadable_file::check).certain(),
    Look::source(&shared::syntax_error::RULE, syntax_error::check).certain(),
    Look::source(&shared::limit_reached::RULE, limit_reached::check).certain(),
    Look::source(&shared::unresolved::RULE, unresolved::check).certain(),
    Look::source(&stack_label::RULE, stack_label::check).certain(),
    Look::source(&stack_nested_block::RULE, stack_nested_block::check).certain(),
    Look::source(&stack_variable::RULE, stack_variable::check).certain(),
    Look::source(&stack_function::RULE, stack_function::check).certain(),
    Look::source(&shared::wrong_type::RULE, wrong_type::check).certain(),
    Look::source(&shared::duplicate_dependency::RULE, duplicate_dependency::check).certain(),
    Look::source(&shared::unknown_field::RULE, unknown_field::check).certain(),
    Look::source(&shared::missing_field::RULE, missing_field::check).certain(),
    Look::source(&shared::invalid_value::RULE, invalid_value::check).certain(),
    Look::source(&import_invalid::RULE, import_invalid::check).certain(),
    Look::source(&stack_in_import::RULE, stack_in_import::check).certain(),
    Look::source(&stack_duplicate::RULE, stack_duplicate::check).certain(),
    Look::source(&shared::duplicate_key::RULE, duplicate_key::check).certain(),
    Look::source(&shared::duplicate_name::RULE, duplicate_name::check),
    Look::source(&experiment_off::RULE, experiment_off::check).certain(),
    Look::source(&root_nested_config::RULE, root_nested_config::check).certain(),
    Look::source(&shared::missing_file::RULE, missing_file::check).certain(),
    Look::source(&shared::invalid_name::RULE, invalid_name::check).certain(),
    Look::source(&tag_empty::RULE, tag_empty::check).certain(),
    Look::source(&shared::unknown_dependency::RULE, unknown_dependency::check),
    Look::source(&ref_tag_prefix::RULE, ref_tag_prefix::check).certain(),
    Look::source(&ref_glob::RULE, ref_glob::check).certain(),
    Look::source(&ref_above_root::RULE, ref_above_root::check),
    Look::source(&ref_broad::RULE, ref_broad::check),
    Look::source(&shared::self_dependency::RULE, self_dependency::check),
    Look::source(&shared::cycle::RULE, cycle::check),
    Look::source(&root_stack_order::RULE, root_stack_order::check),
    Look::source(&id_missing::RULE, id_missing::check).certain(),
    Look::project(&shared::missing_field::RULE, missing_field::check_whole),
    Look::project(&shared::wrong_type::RULE, wrong_type::check_whole),
    Look::project(&shared::duplicate_name::RULE, duplicate_name::check_environments),
    Look::project(&shared::invalid_value::RULE, invalid_value::check_whole),
    Look::project(&shared::syntax_error::RULE, syntax_error::check_instances),
    Look::project(&shared::duplicate_key::RULE, duplicate_key::check_instances),
    Look::project(&shared::unknown_field::RULE, unknown_field::check_instances),
    Look::project(&shared::invalid_name::RULE, invalid_name::check_instances),
    Look::project(&shared::unreadable_file::RULE, unreadable_file::check_names),
    Look::project(&shared::unreadable_file::RULE, unreadable_file::check_instances),
    Look::project(&run_environment::RULE, run_environment::check),
    Look::project(&shared::limit_reached::RULE, limit_reached::check_run),
    Look::project(&shared::unsupported_version::RULE, unsupported_version::check),
    Look::project(&output_without_order::RULE, output_without_order::check),
    Look::project(&exponential_run::RULE, exponential_run::check),
    Look::project(&shared::inert_dependency::RULE, inert_dependency::check),
    Look::project(&stack_unreachable::RULE, stack_unreachable::check),
    Look::project(&wants_cycle::RULE, wants_cycle::check),
    Look::project(&shared::cycle::RULE, cycle::check_reported),
    Look::project(
        &shared::unknown_dependency::RULE,
        unknown_dependency::check_warnings,
    ),
    Look::idle(&shared::redundant_dependency::RULE),
    // In `OF_SETS`.
    Look::elsewhere(&order_cycle_partial::RULE),
    // Without a root, it is the only finding.
    Look::elsewhere(&root_missing::RULE),
];

/// How rules are checked in sets of stacks that wait for each other.
static OF_SETS: &[Listed<Sets>] = &[
    Listed::source(&shared::cycle::RULE, |set, found| cycle::check_set(set, found)),
    Listed::source(&order_cycle_partial::RULE, |set, found| {
        order_cycle_partial::check(set, found)
    }),
];

/// The rules that only Terramate has.
pub(crate) static OWN: [&Rule; count_rules(RULES, true)] = rules_listed(RULES, true);

/// The shared rules that Terramate's files can break.
pub(crate) static SHARED: [&Rule; count_rules(RULES, false)] = rules_listed(RULES, false);

/// Checks a project.
pub(crate) fn check<'a>(pass: &Pass<'a>, model: &'a Model, related: &'a Related) -> Vec<Checked> {
    let scope = Scope::new(pass.cx.engine_index(), model, related);
    let mut unknown: Vec<Unknown> = open_stages(model).collect();
    let project = InProject {
        scope,
        cx: pass.cx,
        experiments: &Experiments::of(model),
    };
    let blocks = if model.loaded.is_rootless {
        let (_, mut found) = project.on_the_way();
        found.push(root_missing::check(&scope, !found.is_empty()));
        vec![Arc::new(Block::new(found))]
    } else {
        project.blocks(&mut unknown)
    };
    vec![Checked {
        blocks,
        unknown,
        environments: vec![Environment::default()],
    }]
}

/// Checks one file of a project as far as little of the rest is needed.
pub(crate) fn check_part(pass: &Pass<'_>, file: FileId) -> Vec<Finding> {
    let path = pass.cx.path(file);
    let Some(loaded) = around(pass, &path).filter(|loaded| !loaded.is_rootless) else {
        return Vec::new();
    };
    let model = Arc::new(model::model(pass, &Arc::new(loaded)));
    let related = relate::relate(pass, &model);
    let project = InProject {
        scope: Scope::new(pass.cx.engine_index(), &model, &related),
        cx: pass.cx,
        experiments: &Experiments::of(&model),
    };
    let tree = &model.loaded.tree;
    let index = tree.of_file.get(&file).map(|(dir, _)| *dir);
    let Some((index, dir)) = index.and_then(|index| Some((index, tree.dirs.get(index as usize)?))) else {
        return Vec::new();
    };
    let (ends_at, _) = project.on_the_way();
    let mut found = project.of_dir((index, dir), ends_at, |dir| {
        let mut found = check_certain(RULES, dir);
        unknown_dependency::check_certain(dir, &mut found);
        found
    });
    found.retain(|finding| finding.diagnostic.place.file == file);
    found
}

/// What is unknown, by the stage whose outcome depends on it.
fn open_stages(model: &Model) -> impl Iterator<Item = Unknown> {
    let unknowns = &model.unknowns;
    // After all that is known about that directory, whose block comes after that of the path upwards.
    let value = unknowns.load_in.map(|dir| (dir as usize + 1, u32::MAX));
    let stages = [
        (judge::ROOT, &model.loaded.elsewhere, None),
        (judge::LOAD, &unknowns.load, value),
        (judge::STACKS, &unknowns.stacks, None),
        (judge::VALUES, &unknowns.why, None),
    ];
    stages.into_iter().filter_map(|(stage, why, at)| {
        Some(Unknown {
            command: None,
            stage,
            at,
            because: why.clone()?,
            leaves_later: false,
        })
    })
}

/// A project that is being checked.
struct InProject<'a, 'e> {
    scope: Scope<'a>,
    cx: &'a Cx<'a>,
    experiments: &'e Experiments,
}

impl<'a> InProject<'a, '_> {
    /// The path upwards, then the directories by their numbers, then the sets of stacks that wait for each
    /// other, then what is found across them: [`Related::rank`] relies on this order.
    fn blocks(&self, unknown: &mut Vec<Unknown>) -> Vec<Arc<Block>> {
        let (scope, cx) = (self.scope, self.cx);
        let (ends_at, on_the_way) = self.on_the_way();
        let prints = Prints::new(cx, scope, self.experiments, ends_at);
        let mut blocks = vec![Arc::new(Block::new(on_the_way))];
        blocks.extend(self.of_dirs(&prints, ends_at));
        let whole = Whole::new(scope, cx, blocks.get(1..).unwrap_or_default());
        unknown.extend(whole.unknown());
        let across = check_project(RULES, &whole);
        let table = cx.memo().table::<BlockKey, Block>();
        let sets = scope.related.cyclic.iter().enumerate();
        blocks.extend(sets.map(|(number, members)| {
            let of_set = || check_source(OF_SETS, &Set::new(scope, number, members));
            table.get(prints.of_set(number, members), || Block::new(of_set()))
        }));
        // What is found across directories is small, and computed in every pass.
        blocks.push(Arc::new(Block::new(across)));
        blocks
    }

    fn of_dirs(&self, prints: &Prints<'_>, ends_at: Option<u32>) -> Vec<Arc<Block>> {
        let (scope, cx) = (self.scope, self.cx);
        let dirs = (0u32..).zip(&scope.tree.dirs);
        let with_files: Vec<(u32, &Dir)> = dirs.filter(|(_, dir)| dir.has_configuration()).collect();
        let keys: Vec<BlockKey> = with_files
            .iter()
            .map(|(index, dir)| prints.of(*index, dir))
            .collect();
        let make = |at: usize, _: &BlockKey| {
            let of_dir = |one: &(u32, &Dir)| self.of_dir(*one, ends_at, |dir| check_source(RULES, dir));
            Block::new(with_files.get(at).map_or_else(Vec::new, of_dir))
        };
        let made = cx.memo().table::<BlockKey, Block>().get_all(keys, make);
        let empty = Arc::new(Block::new(Vec::new()));
        let mut made = made.into_iter();
        let dirs = scope.tree.dirs.iter();
        dirs.map(|dir| match dir.has_configuration() {
            true => made.next().unwrap_or_else(|| empty.clone()),
            false => empty.clone(),
        })
        .collect()
    }

    /// What `check` finds in a directory.
    fn of_dir<T>(
        &self,
        (index, dir): (u32, &Dir),
        ends_at: Option<u32>,
        check: impl FnOnce(&Directory<'_>) -> T,
    ) -> T {
        let (sources, imports) = (&self.scope.model.sources, self.scope.model.imports(index));
        let problems = self.loading(dir, sources, imports).all_problems(self.cx);
        check(&Directory::new(
            self.scope,
            (index, dir),
            problems,
            ends_at == Some(index),
        ))
    }

    /// Terramate's errors in the first directory with an error on the path upwards, with the number of that
    /// directory if it is part of the project.
    fn on_the_way(&self) -> (Option<u32>, Vec<Finding>) {
        let (scope, model) = (self.scope, self.scope.model);
        let mut apart = model.apart.iter();
        for at in &model.loaded.ancestors {
            let (index, dir, sources, imports) = match at {
                Ancestor::Known(index) => {
                    let Some(dir) = scope.tree.dirs.get(*index as usize) else {
                        break;
                    };
                    (Some(*index), dir, &model.sources, model.imports(*index))
                }
                Ancestor::Apart(dir) => {
                    let Some(own) = apart.next() else { break };
                    (None, &**dir, &own.sources, &own.imports)
                }
            };
            let problems = self.loading(dir, sources, imports).problems();
            if let Some(dir) =
                Directory::on_the_way(scope, dir, problems, index.is_some() && !model.loaded.is_rootless)
            {
                return (index, check_source(RULES, &dir));
            }
        }
        (None, Vec::new())
    }

    fn loading<'d>(&'d self, dir: &'d Dir, sources: &'d Sources, imports: &'d Imports) -> Loading<'d> {
        Loading {
            engine: self.scope.engine,
            dir,
            sources,
            imports,
            experiments: self.experiments,
        }
    }
}

/// How a rule words a problem in a file, if the problem belongs to the rule.
type Worded = fn(&Problem, InFile) -> Option<Diagnostic>;

/// Each problem in a file belongs to one rule.
const IN_FILES: [Worded; 13] = [
    syntax_error::worded,
    limit_reached::worded,
    unresolved::worded,
    stack_label::worded,
    stack_nested_block::worded,
    stack_variable::worded,
    stack_function::worded,
    wrong_type::worded,
    duplicate_dependency::worded,
    unknown_field::worded,
    missing_field::worded,
    invalid_value::worded,
    import_invalid::worded,
];

/// A problem in a file, worded by the rule that it belongs to.
fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    IN_FILES.iter().find_map(|worded| worded(problem, file))
}

/// The rules that a problem in a file belongs to.
#[cfg(test)]
pub(crate) fn claimed_by(problem: &Problem) -> Vec<&'static str> {
    let file = InFile::new(EngineIx(0), FileId(0));
    let worded = IN_FILES.iter().filter_map(|worded| worded(problem, file));
    worded.map(|d| d.rule.id).collect()
}

/// A finding of an import, with the text of the finding that it repeats.
fn restated(d: Diagnostic, inside: Diagnostic) -> Diagnostic {
    d.related(inside.place, inside.message)
}

/// An attribute of a stack that cannot be evaluated.
fn evaluation(rule: &'static Rule, problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let Fault::Evaluation {
        attribute,
        message,
        function,
        ..
    } = &problem.fault
    else {
        return None;
    };
    let words = not_evaluated(attribute, message);
    let d = Diagnostic::new(rule, file.place(problem.at), message.clone()).engine_message(words);
    Some(match function {
        Some(name) => replaced(d, format!("replace with `tm_{name}`"), format!("tm_{name}")),
        None => d,
    })
}

/// With a note if Terramate crashes instead of reporting it.
fn noting_crash(d: Diagnostic) -> Diagnostic {
    match d.engine_message.as_deref() {
        Some(words) if words.starts_with(CRASH) => d.note("Terramate crashes because of it"),
        _ => d,
    }
}

/// With another text in its place.
fn replaced(d: Diagnostic, title: String, text: String) -> Diagnostic {
    let step = FixStep::Replace(d.place, text);
    d.fix(title, Safety::Unsafe, vec![step])
}

/// A finding about a stack's id, which a new one can replace.
fn with_new_id(d: Diagnostic, path: &str) -> Diagnostic {
    let step = FixStep::SetValue(d.place, new_id(path));
    d.fix("replace with a new id", Safety::Unsafe, vec![step])
}

/// A finding about a stack's own entry, which can be removed.
fn without(d: Diagnostic, node: &Node) -> Diagnostic {
    let step = FixStep::RemoveEntry(d.place);
    let d = d.unit(node.path.clone());
    d.fix("remove the entry", Safety::Unsafe, vec![step])
}

/// A `terramate` block with one setting, to be put at the end of a file.
fn setting(path: &str, value: &str) -> String {
    let mut names: Vec<&str> = std::iter::once("terramate").chain(path.split('.')).collect();
    let key = names.pop().unwrap_or_default();
    let mut text = String::from("\n");
    for (depth, name) in names.iter().enumerate() {
        text.push_str(&format!("{}{name} {{\n", "  ".repeat(depth)));
    }
    text.push_str(&format!("{}{key} = {value}\n", "  ".repeat(names.len())));
    for depth in (0..names.len()).rev() {
        text.push_str(&format!("{}}}\n", "  ".repeat(depth)));
    }
    text
}
