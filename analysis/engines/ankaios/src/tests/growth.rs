//! Time grows at most linearly with the size of a manifest: eight manifests compared with one of eight times
//! the size.

use std::fmt::Write;
use std::time::{Duration, Instant};

use applyorder_analysis::fixture::Fixture;

/// The factor by which one may take longer than eight of an eighth: 1 is linear, 8 is quadratic.
const GROWTH: u32 = 3;
const GRAIN: Duration = Duration::from_millis(20);

fn took(text: &str, times: u32) -> Duration {
    let tree = format!("//- /m.ank.yaml\n{text}");
    let start = Instant::now();
    for _ in 0..times {
        let fixture = Fixture::new(crate::ALONE, &tree);
        assert!(fixture.analysis.projects().next().is_some());
    }
    start.elapsed()
}

fn check(name: &str, n: usize, text: impl Fn(usize) -> String) {
    let (small, large) = (text(n), text(8 * n));
    let (mut eight, mut one) = (Duration::ZERO, Duration::MAX);
    // The time that a busy machine adds differs between attempts.
    for _ in 0..6 {
        eight = eight.max(took(&small, 8));
        one = one.min(took(&large, 1));
        if one < eight * GROWTH + GRAIN {
            return;
        }
    }
    panic!("{name}: {eight:?} for eight manifests, {one:?} for one of that size");
}

/// Workloads `w0`, `w1`, ..., each with some further fields.
fn workloads(count: usize, rest: impl Fn(usize) -> String) -> String {
    let mut text = "apiVersion: v1\nworkloads:\n".to_owned();
    for i in 0..count {
        let rest = rest(i);
        writeln!(
            text,
            "  w{i:05}: {{runtime: podman, agent: a, runtimeConfig: 'image: x'{rest}}}"
        )
        .unwrap();
    }
    text
}

fn needs(names: impl Iterator<Item = (usize, &'static str)>) -> String {
    let all: Vec<String> = names.map(|(i, c)| format!("w{i:05}: ADD_COND_{c}")).collect();
    format!(", dependencies: {{{}}}", all.join(", "))
}

#[test]
fn graphs_take_time_as_they_are_long() {
    // Ankaios' own search takes longest if the first name needs the second, and so on.
    check("chain", 200, |n| {
        workloads(n, |i| {
            needs((i + 1 < n).then_some((i + 1, "RUNNING")).into_iter())
        })
    });
    check("chain of no agent", 200, |n| {
        workloads(n, |i| {
            needs(i.checked_sub(1).map(|p| (p, "SUCCEEDED")).into_iter())
        })
        .replacen("agent: a", "agent: ''", 1)
    });
    check("star", 200, |n| {
        workloads(n, |i| needs((i > 0).then_some((0, "RUNNING")).into_iter()))
    });
    check("fan", 200, |n| {
        workloads(n, |i| needs((1..n).filter(|_| i == 0).map(|p| (p, "SUCCEEDED"))))
    });
    check("ring", 200, |n| {
        workloads(n, |i| needs(std::iter::once(((i + 1) % n, "FAILED"))))
    });
    check("names that nobody has", 200, |n| {
        workloads(n, |i| needs(std::iter::once((i + 50_000, "RUNNING"))))
    });
    check("many in many conditions", 100, |n| {
        workloads(n, |i| {
            let before = |by: usize| i.checked_sub(by);
            needs(
                before(1)
                    .map(|p| (p, "RUNNING"))
                    .into_iter()
                    .chain(before(2).map(|p| (p, "SUCCEEDED"))),
            )
        })
    });
    check("one line", 200, |n| {
        let lines = workloads(n, |_| String::new());
        let all: Vec<&str> = lines.lines().skip(2).map(str::trim).collect();
        format!("{{apiVersion: v1, workloads: {{{}}}}}\n", all.join(", "))
    });
    check("faults", 200, |n| {
        workloads(n, |_| {
            ", restartPolicy: never, dependencies: [a], tags: 5".to_owned()
        })
    });
}

#[test]
fn templates_take_time_as_they_are_long() {
    let with = |text: &str, config: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: b\n    configs: {{x: c}}\n    runtimeConfig: '{text}'\nconfigs:\n  c: {config}\n"
        )
    };
    for piece in [
        "{{x.k}}",
        "{{! c }}",
        "{{!-- c }}",
        "{{#if x.k}}v{{/if}}",
        "{{",
        "{{x",
        "\\{{x}}",
        "{{#if x}}",
        "{{nope}}",
        "a\n\n    {{x.k}}",
    ] {
        check(piece, 300, |n| with(&piece.repeat(n), "{k: v}"));
    }
    check("loops", 100, |n| {
        let list: Vec<&str> = (0..n).map(|_| "v").collect();
        with("{{#each x}}{{this}}{{/each}}", &format!("[{}]", list.join(", ")))
    });
}
