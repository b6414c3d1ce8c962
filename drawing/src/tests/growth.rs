//! Time grows with the size of a project, whatever its shape.

#[path = "../../../analysis/syntax/src/growth.rs"]
mod clock;

use self::clock::Growth;
use super::apply;
use super::folding::numbered;
use super::pictures::many_to_many;
use crate::Format;

#[test]
fn a_picture_of_ten_times_the_units_takes_ten_times_as_long() {
    let mut growth = Growth::of(|text: &str| {
        let drawing = apply(text);
        for format in [Format::Svg, Format::Mermaid, Format::Dot, Format::Html] {
            assert!(!drawing.write(format).is_empty());
        }
        assert!(drawing.data().is_object());
    });
    // Up to the limit for unfolded layout there is nothing to compare.
    growth.check("a chain", 400, |n| {
        numbered(n, |m| m.checked_sub(1).into_iter().collect())
    });
    growth.check("a ring", 400, |n| numbered(n, |m| vec![(m + 1) % n]));
    growth.check("side by side", 400, |n| numbered(n, |_| vec![]));
    growth.check("random", 400, |n| {
        numbered(n, |m| {
            if m < 2 {
                vec![]
            } else {
                vec![(m * 7919) % m, (m * 104_729) % m]
            }
        })
    });
    growth.check("many to many", 200, |n| many_to_many(n / 2, n / 2));
    growth.check("unknown", 400, |n| numbered(n, |m| vec![m + n]));
    growth.finish();
}
