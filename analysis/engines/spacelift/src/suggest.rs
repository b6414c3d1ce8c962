//! What would have to be written for one stack to wait for another.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Resolution, UnitIx, Variant};

use crate::Found;
use crate::model::{Destructor, NodeKind, Of, Project, Stack, StackIx, seen_from};

/// For a run that applies: the dependency of `then` on `first`, and where the last one of `then` is written.
pub(crate) fn dependency(
    resolution: &Resolution,
    variant: &Variant,
    [first, then]: [UnitIx; 2],
) -> Option<(String, Place)> {
    let project = project(resolution)?;
    let stack = |unit: UnitIx| project.stacks.get(unit.0 as usize);
    let (upstream, stack) = (stack(first)?, stack(then)?);
    if project.is_blueprint {
        let (_, place) = variant.entries(then, "depends_on")?;
        let mut keys = plain_keys(project, then.0);
        keys.push(upstream.address.clone());
        return Some((format!("depends_on: [{}]", keys.join(", ")), place));
    }
    let (_, place) = variant.entries(then, "depends_on_stack_id")?;
    let (own, upstream) = (id_of(stack, stack)?, id_of(stack, upstream)?);
    let text = format!("a spacelift_stack_dependency of stack_id = {own}, depends_on_stack_id = {upstream}");
    Some((text, place))
}

/// For a run that destroys: what makes `first` go before `then`, and where the destructor of `first` says so.
pub(crate) fn destruction(resolution: &Resolution, [first, then]: [UnitIx; 2]) -> Option<(String, Place)> {
    let project = project(resolution)?;
    let (first, then) = (destructor(project, first.0)?, destructor(project, then.0)?);
    let inside = seen_from(&first.resource, &then.resource)?;
    let mut names: Vec<&str> = first
        .waits_for
        .iter()
        .filter_map(|named| seen_from(&first.resource, named))
        .collect();
    names.push(inside);
    let text = format!("depends_on = [{}]", names.join(", "));
    Some((text, first.depends_on.unwrap_or(first.header)))
}

fn project(resolution: &Resolution) -> Option<&Project> {
    let found: &Found = resolution.state.as_ref()?.downcast_ref()?;
    Some(&found.project)
}

/// The only destructor of a stack, as far as it is active.
fn destructor(project: &Project, stack: StackIx) -> Option<&Destructor> {
    let mut own = project.destructors.iter().filter(|d| d.stack == Some(stack));
    let only = own.next().filter(|d| d.deactivated == Some(false))?;
    own.next().is_none().then_some(only)
}

/// The id of a stack as the module of another one writes it.
fn id_of(from: &Stack, stack: &Stack) -> Option<String> {
    match stack.address.strip_prefix("slug:") {
        Some(slug) if stack.kind == NodeKind::External => Some(format!("{slug:?}")),
        _ => Some(format!("{}.id", seen_from(&from.address, &stack.address)?)),
    }
}

/// The keys in a blueprint's `depends_on`: what a reference names needs no entry there.
fn plain_keys(project: &Project, stack: StackIx) -> Vec<Arc<str>> {
    let own = (0u32..).zip(&project.dependencies);
    let own = own.filter(|(number, d)| {
        d.stack.stack() == Some(stack) && !project.references.iter().any(|r| r.of == Of::Dependency(*number))
    });
    own.map(|(_, d)| d.upstream.text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;
    use applyorder_core::engine::{Engine, RunOptions};

    use super::*;
    use crate::tests::{dependency as depends, module, stacks};

    /// What is suggested for one unit to wait for another when applying, and when destroying.
    fn suggested(fixture: &Fixture, first: &str, then: &str) -> [Option<String>; 2] {
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let resolution = &project.resolution;
        let variant = &resolution.variants[0];
        let unit = |name: &str| {
            let at = variant.units.iter().position(|u| &*u.name == name);
            UnitIx(u32::try_from(at.expect(name)).unwrap())
        };
        let ends = [unit(first), unit(then)];
        [
            crate::ENGINE.to_order(resolution, variant, ends),
            crate::ENGINE.to_order_deletion(resolution, variant, ends),
        ]
        .map(|found| found.map(|(text, _)| text))
    }

    #[test]
    fn a_dependency_and_an_entry_of_a_destructor() {
        let text = [
            stacks(&["a", "b", "c"]),
            depends("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            depends("e", "spacelift_stack.a.id", "\"far\""),
            "module \"m\" {\n  source = \"./m\"\n}\n".to_owned(),
            "resource \"spacelift_stack_destructor\" \"a\" {\n  stack_id = spacelift_stack.a.id\n  depends_on = \
             [spacelift_stack_destructor.b]\n}\n"
                .to_owned(),
            "resource \"spacelift_stack_destructor\" \"b\" {\n  stack_id = spacelift_stack.b.id\n}\n".to_owned(),
            "resource \"spacelift_stack_destructor\" \"c\" {\n  stack_id = spacelift_stack.c.id\n}\n".to_owned(),
            format!("//- /w/m/main.tf\n{}", stacks(&["a"])),
        ];
        let fixture = module(&text.concat(), RunOptions::default());
        let said = |stack: &str, upstream: &str| {
            Some(format!(
                "a spacelift_stack_dependency of stack_id = {stack}, depends_on_stack_id = {upstream}"
            ))
        };
        let (a, c) = ("spacelift_stack.a", "spacelift_stack.c");
        assert_eq!(
            suggested(&fixture, c, a),
            [
                said("spacelift_stack.a.id", "spacelift_stack.c.id"),
                Some("depends_on = [spacelift_stack_destructor.a]".to_owned())
            ]
        );
        assert_eq!(
            suggested(&fixture, a, c),
            [
                said("spacelift_stack.c.id", "spacelift_stack.a.id"),
                Some("depends_on = [spacelift_stack_destructor.b, spacelift_stack_destructor.c]".to_owned())
            ]
        );
        assert_eq!(
            suggested(&fixture, "slug:far", c)[0],
            said("spacelift_stack.c.id", "\"far\"")
        );
        // Only outputs lead from one module into another.
        assert_eq!(suggested(&fixture, "module.m.spacelift_stack.a", c)[0], None);
    }

    #[test]
    fn a_key_of_a_blueprint() {
        let text = "//- /w/blueprint.yaml\nstacks:\n  - key: net\n    vcs: {}\n  - key: db\n    vcs: {}\n  - key: app\n    \
                    vcs: {}\n    depends_on: [net]\n";
        let fixture = Fixture::with_options(crate::ALONE, text, RunOptions::default());
        assert_eq!(
            suggested(&fixture, "db", "app")[0].as_deref(),
            Some("depends_on: [net, db]")
        );
    }
}
