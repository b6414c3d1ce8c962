//! `cycle` of Terramate's order: of several stacks, and of one whose entry includes it from above.

use super::without;
use crate::model::refs::Meaning;
use crate::read::Attribute;
use crate::scope::{Directory, Set, Whole};
use applyorder_core::diagnostic::{Diagnostic, Fix, FixStep, Place, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::cycle::RULE;
use applyorder_syntax::hcl::edit::quote;

/// Entries that mean a directory above their stack.
pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let scope = &dir.scope;
    for (stack, node, entry) in dir.own_entries() {
        let Meaning::Directory { path, .. } = &entry.meaning else {
            continue;
        };
        if *path == node.path {
            continue;
        }
        let message = format!(
            "`{}` includes `{}` itself, which would run {} itself",
            entry.text,
            node.path,
            entry.attribute.name()
        );
        let mut d = Diagnostic::new(&RULE, scope.place(node, entry), message);
        if let Some(above) = scope.stacks.at(path) {
            if entry.attribute == Attribute::After {
                d = d.note("a stack already runs after its parents");
            }
            if let Some(header) = scope.header(above) {
                d = d.related(header, "parent stack");
            }
        }
        let mut d = without(d, node);
        d.fixes.extend(scope.siblings(node, entry, path));
        found.push(scope.of_own_cycle(stack, entry, d));
    }
}

/// One finding for each set of stacks that wait for each other.
pub(super) fn check_set(set: &Set<'_>, found: &mut Vec<Finding>) {
    found.extend(set.cycles.iter().map(|cycle| {
        let mut d = cycle.diagnostic.clone();
        d.fixes.extend(swap(set, d.place));
        set.scope.of_cycle(set.is_reported, d)
    }));
}

/// The entry at a place, moved from `after` to `before` or the other way round.
fn swap(set: &Set<'_>, place: Place) -> Option<Fix> {
    let scope = &set.scope;
    let mut nodes = set
        .members
        .iter()
        .filter_map(|s| Some((*s, scope.stacks.get(*s)?)));
    let (node, entry) = nodes.find_map(|(stack, node)| {
        let entry = scope.entries.of(stack).find(|e| scope.place(node, *e) == place)?;
        Some((node, entry))
    })?;
    let block = node.stack()?;
    let (name, list) = match entry.attribute {
        Attribute::After => ("before", &block.before),
        Attribute::Before => ("after", &block.after),
        _ => return None,
    };
    let add = if list.name.is_some() {
        FixStep::AppendEntry(scope.at(node.file, list.at), entry.text.to_string())
    } else {
        let header = scope.at(node.file, block.header);
        FixStep::InsertKeyBefore(header, name.to_owned(), format!("[{}]", quote(&entry.text)))
    };
    Some(Fix {
        title: format!("move `{}` to `{name}`", entry.text),
        safety: Safety::Unsafe,
        steps: vec![FixStep::RemoveEntry(place), add],
    })
}

/// Terramate's own message about its cycle.
pub(super) fn check_reported(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let scope = &whole.scope;
    let Some(path) = scope
        .related
        .cycle
        .as_ref()
        .filter(|_| !scope.rejects_entries(true))
    else {
        return;
    };
    let Some(node) = path.first().and_then(|s| scope.stacks.get(*s)) else {
        return;
    };
    let rule = scope.related.cause.map(|c| c.rule(scope.stacks, scope.entries));
    let d = Diagnostic::new(rule.unwrap_or(&RULE), Place::file(node.file), "");
    found.push(scope.rejected_cycle(path, d).silent());
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    const BESIDE: &str = "//- /w/s/b/s.tm\nstack {\n  tags = [\"x\", \"far\"]\n}\n//- /w/s/c/d/s.tm\nstack {\n}\n//- /w/s/e/x.tm\n";

    #[test]
    fn siblings_are_named_instead_of_a_directory_above() {
        let own = "//- /w/s/a/s.tm\nstack {\n  after = [\"/s\", \"/q\"]\n}\n//- /w/q/s.tm\nstack {\n}\n";
        let checked = check(&RULE, &format!("{own}{BESIDE}"));
        assert_eq!(
            checked.fixed(1),
            "//- /w/s/a/s.tm\nstack {\n  after = [\"/s/b\", \"/s/c\", \"/q\"]\n}\n"
        );
        let relative = own.replace("\"/s\"", "\"..\"");
        let checked = check(&RULE, &format!("{relative}{BESIDE}"));
        assert_eq!(
            checked.fixed(1),
            "//- /w/s/a/s.tm\nstack {\n  after = [\"../b\", \"../c\", \"/q\"]\n}\n"
        );
    }
}
