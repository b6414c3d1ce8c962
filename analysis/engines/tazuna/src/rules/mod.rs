//! The rules, listed once, and what several of them use.

mod apply_name_warning;
mod coerced_scalar;
mod cycle;
mod destroy_order;
mod duplicate_dependency;
mod duplicate_key;
mod duplicate_name;
mod extra_document;
mod field_case;
mod implicit_order_lost;
mod include_cycle;
mod include_group_field_ignored;
mod include_path_empty;
mod included_header_ignored;
mod included_path_base;
mod invalid_name;
mod invalid_value;
mod limit_reached;
mod merge_overrides;
mod missing_field;
mod missing_file;
mod nested_include;
mod no_manifests;
mod null_list_entry;
mod order_contradicts_declaration;
mod removed_parallel;
mod self_dependency;
mod slots;
mod syntax_error;
mod tag_splits_dependency;
pub(super) mod undeclared_environment;
mod unknown_dependency;
mod unknown_field;
mod unknown_test_type;
mod unreadable_file;
mod unreadable_root;
mod unresolved;
mod unsupported_version;
mod wrong_type;

use std::sync::Arc;

pub(super) use self::slots::{check, rank};

use super::Tazuna;
use super::load::Include;
use super::model::{DependsOnEntry, FileUnit, IncludeOutcome, Nested, Part};
use super::read::Text;
use super::scope::{Source, Whole};
use applyorder_core::diagnostic::{Diagnostic, Place, Related, Severity};
use applyorder_core::engine::{Dependency, UnitIx};
use applyorder_core::layer::{Finding, Listed, check_project, check_source, count_rules, rules_listed};
use applyorder_core::rules::{self as shared, Rule};

/// The rules that only Tazuna has.
pub(super) static OWN: [&Rule; count_rules(RULES, true)] = rules_listed(RULES, true);

/// The shared rules that apply to Tazuna's files.
pub(super) static SHARED: [&Rule; count_rules(RULES, false)] = rules_listed(RULES, false);

/// How each rule is checked.
const RULES: &[Listed<Tazuna>] = &[
    Listed::source(&shared::syntax_error::RULE, |scope, found| {
        syntax_error::check(scope, found)
    }),
    Listed::source(&shared::wrong_type::RULE, |scope, found| {
        wrong_type::check(scope, found)
    }),
    Listed::source(&shared::duplicate_key::RULE, |scope, found| {
        duplicate_key::check(scope, found)
    }),
    Listed::source(&shared::unsupported_version::RULE, |scope, found| {
        unsupported_version::check(scope, found)
    }),
    Listed::source(&shared::invalid_value::RULE, |scope, found| {
        invalid_value::check(scope, found)
    }),
    Listed::source(&shared::missing_field::RULE, |scope, found| {
        missing_field::check(scope, found)
    }),
    Listed::source(&removed_parallel::RULE, |scope, found| {
        removed_parallel::check(scope, found)
    }),
    Listed::source(&shared::missing_file::RULE, |scope, found| {
        missing_file::check(scope, found)
    }),
    Listed::source(&include_path_empty::RULE, |scope, found| {
        include_path_empty::check(scope, found)
    }),
    Listed::source(&shared::limit_reached::RULE, |scope, found| {
        limit_reached::check(scope, found)
    }),
    Listed::source(&shared::unresolved::RULE, |scope, found| {
        unresolved::check(scope, found)
    }),
    Listed::source(&extra_document::RULE, |scope, found| {
        extra_document::check(scope, found)
    }),
    Listed::source(&shared::coerced_scalar::RULE, |scope, found| {
        coerced_scalar::check(scope, found)
    }),
    Listed::source(&shared::field_case::RULE, |scope, found| {
        field_case::check(scope, found)
    }),
    Listed::source(&shared::unknown_field::RULE, |scope, found| {
        unknown_field::check(scope, found)
    }),
    Listed::source(&merge_overrides::RULE, |scope, found| {
        merge_overrides::check(scope, found)
    }),
    Listed::source(&null_list_entry::RULE, |scope, found| {
        null_list_entry::check(scope, found)
    }),
    Listed::source(&unknown_test_type::RULE, |scope, found| {
        unknown_test_type::check(scope, found)
    }),
    Listed::source(&include_group_field_ignored::RULE, |scope, found| {
        include_group_field_ignored::check(scope, found)
    }),
    Listed::source(&shared::unreadable_file::RULE, |scope, found| {
        unreadable_file::check(scope, found)
    }),
    Listed::source(&included_header_ignored::RULE, |scope, found| {
        included_header_ignored::check(scope, found)
    }),
    Listed::source(&include_cycle::RULE, |scope, found| {
        include_cycle::check(scope, found)
    }),
    Listed::source(&nested_include::RULE, |scope, found| {
        nested_include::check(scope, found)
    }),
    Listed::source(&shared::self_dependency::RULE, |scope, found| {
        self_dependency::check(scope, found)
    }),
    Listed::source(&shared::unknown_dependency::RULE, |scope, found| {
        unknown_dependency::check(scope, found)
    }),
    Listed::source(&shared::duplicate_dependency::RULE, |scope, found| {
        duplicate_dependency::check(scope, found)
    }),
    Listed::source(&included_path_base::RULE, |scope, found| {
        included_path_base::check(scope, found)
    }),
    Listed::source(&implicit_order_lost::RULE, |scope, found| {
        implicit_order_lost::check(scope, found)
    }),
    Listed::source(&order_contradicts_declaration::RULE, |scope, found| {
        order_contradicts_declaration::check(scope, found)
    }),
    Listed::source(&tag_splits_dependency::RULE, |scope, found| {
        tag_splits_dependency::check(scope, found)
    }),
    Listed::project(&shared::missing_field::RULE, |scope, found| {
        missing_field::check_names(scope, found)
    }),
    Listed::project(&shared::invalid_name::RULE, |scope, found| {
        invalid_name::check(scope, found)
    }),
    Listed::project(&shared::duplicate_name::RULE, |scope, found| {
        duplicate_name::check(scope, found)
    }),
    Listed::project(&apply_name_warning::RULE, |scope, found| {
        apply_name_warning::check(scope, found)
    }),
    Listed::project(&shared::cycle::RULE, |scope, found| cycle::check(scope, found)),
    Listed::project(&destroy_order::RULE, |scope, found| {
        destroy_order::check(scope, found)
    }),
    Listed::project(&no_manifests::RULE, |scope, found| {
        no_manifests::check(scope, found)
    }),
    Listed::idle(&shared::redundant_dependency::RULE),
    Listed::elsewhere(&undeclared_environment::RULE),
];

/// The findings in a source.
fn of_source(source: &Source<'_>) -> Vec<Finding> {
    check_source(RULES, source)
}

/// The findings in the project as a whole.
fn of_project(whole: &Whole<'_>) -> Vec<Finding> {
    check_project(RULES, whole)
}

/// The entries of `dependsOn` whose target is unknown: the number of the unit, and why.
fn open_references(source: &Source<'_>) -> Vec<(u32, String)> {
    unknown_dependency::open(source)
}

/// The note that Tazuna fails only when it reaches the manifest.
fn later(what: &str) -> String {
    let what = if what.is_empty() {
        String::new()
    } else {
        format!(" {what}")
    };
    format!("`check` does not verify{what}; `apply` fails when it reaches the manifest")
}

/// With the anchor's text as a related place of a finding at [`Text::shown`]. The text there may be used by
/// others too, so that no fix changes it.
fn traced(text: &Text, mut d: Diagnostic) -> Diagnostic {
    if text.via.is_some() {
        d = d.related(text.place, "value here");
        d.fixes.clear();
    }
    d
}

/// A value that comes from an alias is shown at the alias.
fn through(mut d: Diagnostic, written: &Dependency, via: Option<Place>) -> Diagnostic {
    if let Some(via) = via {
        d.place = via;
        d.related.insert(
            0,
            Related {
                place: written.place,
                message: "entry here".to_owned(),
                waits: None,
            },
        );
    }
    d
}

/// The include of a source and its result, if Tazuna gets to read it.
fn include_of<'a>(source: &Source<'a>) -> Option<(&'a Include, &'a IncludeOutcome)> {
    source.include.filter(|_| source.context.related.root_is_certain)
}

/// The includes of the root with their results.
fn includes_of<'a>(source: &Source<'a>) -> impl Iterator<Item = (&'a Include, &'a IncludeOutcome)> {
    let expansion = source.context.expansion;
    let root = source.certain_root();
    let is_broken = move |item: u32| {
        let item = root.and_then(|root| root.piece.view.item(item as usize));
        item.is_none_or(|item| item.manifest.broken)
    };
    let all = root.map_or(&[][..], |_| &expansion.includes.all);
    let all = all.iter().zip(&*expansion.got);
    all.filter(move |(include, _)| !is_broken(include.item))
}

/// The include of a source that includes files itself.
fn nested_of<'a>(source: &Source<'a>) -> Option<(&'a Include, &'a Nested)> {
    let (include, _) = include_of(source)?;
    let (number, _) = source.part?;
    Some((include, source.context.expansion.nested_in(number)?))
}

/// The paths of a source's manifests that do not exist, with where they exist from the file itself.
fn missing_paths<'a>(source: &Source<'a>) -> impl Iterator<Item = (Text, Option<&'a str>)> {
    let part = source.part.filter(|(_, part)| source.context.tells_of(part));
    let answers = part.and_then(|(number, _)| source.context.expansion.paths_of(number));
    let missing = answers.map_or(&[][..], |a| &a.missing).iter();
    missing.filter_map(move |(item, better)| {
        let view = &part?.1.piece.view;
        let path = view.item(*item as usize)?.manifest.path.as_ref()?;
        Some((path.rebased(view.base(*item as usize)), better.as_deref()))
    })
}

/// The part of a source if only its entries decide the order of its manifests.
fn ordered_part<'a>(source: &Source<'a>) -> Option<(u32, &'a Part)> {
    let part = source.part.filter(|(_, part)| source.context.tells_of(part));
    part.filter(|_| source.context.related.dag)
}

/// An entry of `dependsOn` as it is written.
struct Written<'a> {
    /// The number of the unit in its file, and of the entry.
    number: u32,
    k: usize,
    position: u32,
    unit: &'a FileUnit,
    need: &'a DependsOnEntry,
    /// The position of its target unit.
    target: Option<u32>,
}

/// The entries of the manifests of a source, ignoring broken ones.
fn written<'a>(source: &Source<'a>) -> impl Iterator<Item = Written<'a>> {
    let context = source.context;
    source.part.into_iter().flat_map(move |(number, part)| {
        let units = (0u32..).zip(context.expansion.placed(number));
        let units = units.filter(|(_, (_, unit))| !unit.broken);
        units.flat_map(move |(number, (position, unit))| {
            let needs = context.related.needs(position, unit, part).enumerate();
            needs.map(move |(k, (need, target))| Written {
                number,
                k,
                position,
                unit,
                need,
                target,
            })
        })
    })
}

/// An entry of `dependsOn` that refers to another manifest.
struct Entry<'a> {
    position: u32,
    unit: &'a FileUnit,
    need: &'a DependsOnEntry,
    target: u32,
    to: &'a FileUnit,
    to_part: &'a Part,
}

/// The entries of a source that refer to another manifest.
fn entries<'a>(source: &Source<'a>) -> impl Iterator<Item = Entry<'a>> {
    let context = source.context;
    ordered_part(source).into_iter().flat_map(move |(number, part)| {
        let units = context.expansion.placed(number);
        units.flat_map(move |(position, unit)| {
            let needs = context.related.needs(position, unit, part);
            needs.filter_map(move |(need, target)| {
                let target = target.filter(|t| *t != position)?;
                let (to, to_part) = context.expansion.at(target as usize)?;
                Some(Entry {
                    position,
                    unit,
                    need,
                    target,
                    to,
                    to_part,
                })
            })
        })
    })
}

/// An entry in the form shared by all engines, whatever its target.
fn dependency(position: u32, unit: &FileUnit, need: &DependsOnEntry) -> Dependency {
    Dependency {
        unit: UnitIx(position),
        place: need.place,
        attribute: "dependsOn",
        text: need.text.clone(),
        targets: Arc::default(),
        unknown: unit.broken,
    }
}

/// The maximum number of findings of one rule in one file that Tazuna does not report.
const MOST: usize = 2_000;

/// Findings of one rule in one file, up to a maximum.
struct Limited<'f> {
    found: &'f mut Vec<Finding>,
    told: usize,
    /// The place of the first one beyond the maximum, and how many there are.
    more: Option<(Place, usize)>,
}

impl<'f> Limited<'f> {
    fn new(found: &'f mut Vec<Finding>) -> Self {
        Self {
            found,
            told: 0,
            more: None,
        }
    }

    fn tell(&mut self, place: Place, make: impl FnOnce() -> Diagnostic) {
        if self.told < MOST {
            self.told += 1;
            self.found.push(Finding::new(make()));
        } else {
            self.more.get_or_insert((place, 0)).1 += 1;
        }
    }

    fn finish(self) {
        if let Some((place, more)) = self.more {
            let text =
                format!("{more} more findings of one rule are not shown: the maximum per file is {MOST}");
            let d = Diagnostic::new(&shared::limit_reached::RULE, place, text).severity(Severity::Info);
            self.found.push(Finding::new(d));
        }
    }
}
