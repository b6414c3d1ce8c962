//! Units as the user writes them: `NAME`, or `ENGINE:PROJECT#NAME` if a name alone is ambiguous.

use std::collections::BTreeSet;

use applyorder_analysis::engine::{Unit, UnitIx, Variant};
use applyorder_analysis::graph::NodeId;
use applyorder_analysis::workspace::{Project, ProjectIx};

use crate::escape;
use crate::exit::Failure;
use crate::selectors::did_you_mean;
use crate::session::Session;

/// A unit in one variant of one project.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    /// The project's index.
    pub ix: ProjectIx,
    /// The project.
    pub project: &'a Project,
    /// The variant.
    pub variant: &'a Variant,
    /// The unit's index.
    pub unit: UnitIx,
}

impl Found<'_> {
    /// The unit's node in the order graphs.
    #[must_use]
    pub const fn node(&self) -> NodeId {
        NodeId(self.unit.0)
    }
}

/// Every variant that has a unit with that name, in order; all in one project.
///
/// # Errors
/// When the unit is unknown (with the nearest name), or when several projects have one.
pub fn find<'a>(session: &'a Session, text: &str) -> Result<Vec<Found<'a>>, Failure> {
    of_one_project(session, text, all(session, text), "unknown unit")
}

/// The declaration of a unit, whether one project has it or several that read the same file. `unknown`: the message if
/// there is none.
///
/// # Errors
/// As for [`find`].
pub fn find_declared<'a>(session: &'a Session, text: &str, unknown: &str) -> Result<Found<'a>, Failure> {
    let found = all(session, text);
    let declared = |found: &Found<'_>| found.variant.units.get(found.unit.0 as usize).map(Unit::place);
    let found = match found.split_first() {
        Some((first, others)) if others.iter().all(|other| declared(other) == declared(first)) => {
            return Ok(*first);
        }
        _ => of_one_project(session, text, found, unknown)?,
    };
    let first = found.first().copied();
    first.ok_or_else(|| Failure::new(format!("{unknown} `{}`", escape::line(text))))
}

/// [`find`] of two units. If one name alone is ambiguous, the project of the other one is used.
///
/// # Errors
/// As for [`find`].
pub fn find_two<'a>(session: &'a Session, [a, b]: [&str; 2]) -> Result<[Vec<Found<'a>>; 2], Failure> {
    let mut found = [a, b].map(|text| all(session, text));
    let [of_a, of_b] = found.each_ref().map(|found| projects(found));
    let mut both = of_a.intersection(&of_b);
    if let (Some(meant), None) = (both.next(), both.next()) {
        for found in &mut found {
            found.retain(|f| f.ix == *meant);
        }
    }
    let [in_a, in_b] = found;
    Ok([
        of_one_project(session, a, in_a, "unknown unit")?,
        of_one_project(session, b, in_b, "unknown unit")?,
    ])
}

fn all<'a>(session: &'a Session, text: &str) -> Vec<Found<'a>> {
    let mut found: Vec<Found<'a>> = Vec::new();
    for (ix, project) in session.projects() {
        let key = session.key(ix);
        let qualified = text
            .strip_prefix(key.as_str())
            .and_then(|rest| rest.strip_prefix('#'));
        for variant in &project.resolution.variants {
            let is_meant = |unit: &Unit| {
                let name = &*unit.name;
                let shown = escape::line(name);
                [Some(text), qualified]
                    .into_iter()
                    .flatten()
                    .any(|t| t == name || t == shown)
            };
            let at = variant.units.iter().position(is_meant);
            if let Some(unit) = at.and_then(|i| u32::try_from(i).ok()).map(UnitIx) {
                found.push(Found {
                    ix,
                    project,
                    variant,
                    unit,
                });
            }
        }
    }
    found
}

fn projects(found: &[Found<'_>]) -> BTreeSet<ProjectIx> {
    found.iter().map(|f| f.ix).collect()
}

fn of_one_project<'a>(
    session: &'a Session,
    text: &str,
    found: Vec<Found<'a>>,
    unknown: &str,
) -> Result<Vec<Found<'a>>, Failure> {
    let projects = projects(&found);
    let shown = escape::line(text);
    match projects.len() {
        0 => {
            let names: BTreeSet<&str> = session
                .projects()
                .flat_map(|(_, p)| p.resolution.variants.iter().flat_map(|v| &v.units))
                .map(|u| &*u.name)
                .collect();
            let hint = if names.is_empty() {
                ": no project found".to_owned()
            } else {
                suggested(text, &names)
            };
            Err(Failure::new(format!("{unknown} `{shown}`{hint}")))
        }
        1 => Ok(found),
        _ => {
            let forms: Vec<String> = projects
                .iter()
                .map(|ix| format!("{}#{shown}", session.key(*ix)))
                .collect();
            Err(Failure::new(format!(
                "{shown}: several projects have a unit of that name; write {}",
                forms.join(" or ")
            )))
        }
    }
}

/// The unit that was probably meant: one whose name contains the text, else the nearest.
fn suggested(text: &str, names: &BTreeSet<&str>) -> String {
    let part = |name: &&&str| {
        let mut parts = name.split(['/', '@', '.', ' ']);
        !text.is_empty() && parts.any(|part| part == text)
    };
    match names.iter().find(part) {
        Some(name) => format!("; did you mean `{}`?", escape::line(name)),
        None => did_you_mean(text, names.iter().copied()),
    }
}

/// The environments of a variant as text; `None` if the engine has none or there is only one way to run.
#[must_use]
pub fn environments(project: &Project, variant: &Variant) -> Option<String> {
    if project.resolution.variants.len() < 2 && variant.environments.iter().all(Option::is_none) {
        return None;
    }
    let words: Vec<String> = variant
        .environments
        .iter()
        .map(|e| environment(e.as_deref().unwrap_or("")))
        .collect();
    Some(words.join(", "))
}

/// The environments of a variant as a remark on an answer: `same in production and staging` if all environments give
/// the same result.
#[must_use]
pub fn holds_in(project: &Project, variant: &Variant) -> Option<String> {
    if project.resolution.variants.len() > 1 {
        return environments(project, variant);
    }
    if let [Some(only)] = &variant.environments[..] {
        return Some(environment(only));
    }
    let named = variant.environments.iter().flatten();
    let mut names: Vec<String> = named.map(|name| environment(name)).collect();
    let last = names.pop()?;
    Some(if names.is_empty() {
        format!("same in {last}")
    } else {
        format!("same in {} and {last}", names.join(", "))
    })
}

/// An environment as text; `""` means that none is given.
#[must_use]
pub fn environment(name: &str) -> String {
    if name.is_empty() {
        "(none)".to_owned()
    } else {
        escape::line(name).into_owned()
    }
}
