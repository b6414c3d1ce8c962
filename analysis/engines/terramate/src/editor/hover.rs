//! What a hover shows about a stack besides what runs around it: its position in Terramate's own sequence.

use applyorder_core::engine::{UnitIx, Variant};

/// The paragraphs on a stack: "Without `--parallel` it runs 3rd of 12."
pub(crate) fn hover(variant: &Variant, unit: UnitIx) -> Vec<String> {
    turn(variant, unit).into_iter().collect()
}

fn turn(variant: &Variant, unit: UnitIx) -> Option<String> {
    let sequence = variant.apply.sequence.as_ref()?;
    let at = sequence.iter().position(|u| *u == unit)? + 1;
    let turn = ordinal(at);
    Some(format!(
        "Without `--parallel` it runs {turn} of {}.",
        sequence.len()
    ))
}

fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::Fixture;

    fn paragraphs(path: &str) -> Vec<String> {
        let fixture = Fixture::new(
            crate::ALONE,
            "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n\
             //- /w/a/stack.tm\nstack {\n}\n//- /w/a/b/stack.tm\nstack {\n}\n//- /w/a/b/c/stack.tm\nstack {\n}\n\
             //- /w/z/stack.tm\nstack {\n  after = [\"/a\"]\n}\n//- /w/y/stack.tm\nstack {\n  after = [\"/a/b\"]\n}\n",
        );
        let project = fixture.analysis.projects().next().unwrap().1;
        let variant = &project.resolution.variants[0];
        let unit = variant.units.iter().position(|u| &*u.name == path).unwrap();
        hover(variant, UnitIx(unit as u32))
    }

    #[test]
    fn the_turn_in_the_sequence() {
        assert_eq!(paragraphs("/a/b"), ["Without `--parallel` it runs 2nd of 5."]);
        // `/a` and `/a/b` also represent all stacks below them.
        assert_eq!(paragraphs("/y"), ["Without `--parallel` it runs 4th of 5."]);
    }

    #[test]
    fn ordinals() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th"
        );
    }
}
