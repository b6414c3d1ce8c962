//! Tests of the engine as a whole.

mod agreement;
pub(crate) mod blueprints;
mod commands;
mod editing;
mod ids;
mod json;
mod looked_up;
mod nested;
mod opentofu;
mod overrides;
mod pages;
mod providers;
mod state;
mod validate;

use applyorder_analysis::fixture::Fixture;
use applyorder_core::diagnostic::{Diagnostic, Rule, Severity};
use applyorder_core::engine::RunOptions;

/// Some stacks.
pub(crate) fn stacks(names: &[&str]) -> String {
    let stack = |name: &&str| {
        format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n  name       = \"{name}\"\n  repository = \"r\"\n  branch     \
             = \"main\"\n}}\n"
        )
    };
    names.iter().map(stack).collect()
}

/// A dependency of one stack on another.
pub(crate) fn dependency(name: &str, stack: &str, upstream: &str) -> String {
    format!(
        "resource \"spacelift_stack_dependency\" \"{name}\" {{\n  stack_id            = {stack}\n  \
         depends_on_stack_id = {upstream}\n}}\n"
    )
}

/// A reference on a dependency.
pub(crate) fn reference(name: &str, of: &str, output: &str, input: &str) -> String {
    format!(
        "resource \"spacelift_stack_dependency_reference\" \"{name}\" {{\n  stack_dependency_id = {of}\n  \
         output_name         = \"{output}\"\n  input_name          = \"{input}\"\n}}\n"
    )
}

/// A module of one file, and others after it.
pub(crate) fn module(text: &str, options: RunOptions) -> Fixture {
    let fixture = Fixture::with_options(crate::ALONE, &format!("//- /w/main.tf\n{text}"), options.clone());
    for (_, project) in fixture.analysis.projects() {
        let inferred = project.seed.inferred;
        let found =
            applyorder_core::layer::contradictions(&crate::ENGINE, &options, inferred, &project.resolution);
        assert!(found.is_empty(), "{found:#?}\n{text}");
    }
    fixture
}

/// Asserts that a rule reports exactly these texts, in the order of files and of the text.
pub(crate) fn speaks(rule: &Rule, text: &str, sources: &[&str]) {
    let fixture = module(text, RunOptions::default());
    let mut found: Vec<(String, u32, String)> = Vec::new();
    for finding in fixture.analysis.findings() {
        if finding.diagnostic.rule == rule && finding.diagnostic.part_of.is_none() {
            let span = fixture.analysis.span(finding.diagnostic.place);
            let text = span.slice(fixture.text(finding.diagnostic.place.file)).to_owned();
            found.push((
                fixture.analysis.path(finding.diagnostic.place.file).to_string(),
                span.start,
                text,
            ));
        }
    }
    found.sort();
    let found: Vec<&str> = found.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(found, sources, "{} in:\n{text}", rule.id);
}

/// Of what says what is moved, removed or imported: the verdict on `plan`, and the messages of what is wrong.
pub(crate) fn moved_or_imported(text: &str) -> (Option<bool>, Vec<String>) {
    let own = dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
    let many = "resource \"terraform_data\" \"many\" {\n  for_each = toset([\"k\"])\n}\n";
    let call = "module \"m\" {\n  source = \"./m\"\n}\n";
    let child = format!("//- /w/m/main.tf\n{}", stacks(&["in"]));
    let text = format!("{}{own}{many}{call}{text}{child}", stacks(&["a", "b"]));
    let fixture = module(&text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let found = project.resolution.diagnostics.iter();
    let found = found.filter(|d| d.rule.id == "invalid-value");
    (
        verdict(&fixture, "plan"),
        found.map(|d| d.message.clone()).collect(),
    )
}

/// The verdict on a command for the first project; `None` if it is left open.
pub(crate) fn verdict(fixture: &Fixture, command: &str) -> Option<bool> {
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let mut verdicts = project.resolution.verdicts.iter();
    verdicts.find(|v| v.command == command).expect("a verdict").ok
}

/// What a rule finds.
pub(crate) fn found(fixture: &Fixture, rule: &Rule) -> Vec<Diagnostic> {
    let analysis = &fixture.analysis;
    let all = analysis.findings().into_iter();
    all.filter(|f| f.diagnostic.rule == rule)
        .map(|f| (*f.diagnostic).clone())
        .collect()
}

/// That `validate` and `plan` go on and of `apply` it is not known, for a reason; and that a rule finds one thing, a warning.
#[track_caller]
pub(crate) fn leaves_apply_open(text: &str, rule: &Rule, because: &str) {
    let fixture = module(text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let verdicts = project.resolution.verdicts.iter();
    let said: Vec<_> = verdicts
        .map(|v| (v.command, v.ok, v.because.as_deref()))
        .collect();
    assert_eq!(
        said,
        [
            ("validate", Some(true), None),
            ("plan", Some(true), None),
            ("apply", None, Some(because))
        ]
    );
    let severities: Vec<_> = found(&fixture, rule).iter().map(|d| d.severity).collect();
    assert_eq!(severities, [Severity::Warning]);
}

/// The changed files after a fix of a finding.
pub(crate) fn fixed(fixture: &Fixture, finding: &Diagnostic, number: usize) -> String {
    fixture.edited(&fixture.analysis.edits(&finding.fixes[number]))
}

/// The stacks and edges of the only project, one a line: `a`, `a -> b`, with `?` after what is only likely.
pub(crate) fn picture(fixture: &Fixture) -> Vec<String> {
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let plan = crate::plan(&project.resolution).expect("a plan");
    let mut lines: Vec<String> = plan
        .edges
        .iter()
        .map(|edge| {
            format!(
                "{} -> {}{}",
                edge.from,
                edge.to,
                if edge.heuristic { " ?" } else { "" }
            )
        })
        .collect();
    lines.extend(plan.unresolved.iter().map(|at| format!("open {at}")));
    lines.extend(
        plan.reports
            .iter()
            .filter(|r| r.is_error)
            .map(|r| format!("{} {}", r.kind, r.subject)),
    );
    lines
}
