//! The Spacelift cases: `cases/spacelift/README.md` documents the fields.

use applyorder_analysis::engine::{Resolution, RunOptions};
use applyorder_analysis::workspace::Project;
use applyorder_spacelift::{Plan, Report, Simulation, State, plan};
use serde_json::{Value, json};

use crate::runner::{Case, differs};
use crate::spacelift_support::project;

pub(crate) fn compare(case: &Case) -> Vec<String> {
    let Some(found) = project(&case.dir, options(&case.expected)) else {
        return vec!["the directory is no project".to_owned()];
    };
    let resolution = &found.resolution;
    let plan = plan(resolution).expect("a resolution has a plan");
    let mut out = one(case, &case.expected, resolution, &plan);
    // If it depends on whether files may be read, either answer is correct.
    if !out.is_empty()
        && let Some(other) = case.expected.get("alt_resolved").and_then(Value::as_object)
    {
        let mut expected = case.expected.clone();
        expected["unknown"] = json!([]);
        for (key, value) in other {
            expected[key] = value.clone();
        }
        let second = one(case, &expected, resolution, &plan);
        if second.len() < out.len() {
            out = second;
        }
    }
    out
}

fn options(expected: &Value) -> RunOptions {
    let mut options = RunOptions::default();
    let option = |name: &str| {
        let engines = applyorder_engines::all();
        engines.options().into_iter().find(|o| o.name == name)
    };
    if let (Some(Value::Object(values)), Some(var)) = (expected.get("tfvars"), option("var")) {
        let pairs = values.iter().map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        });
        options.set(var, pairs.collect());
    }
    options
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    let mut found: Vec<String> = list.filter_map(|v| v.as_str().map(str::to_owned)).collect();
    found.sort();
    found
}

fn one(case: &Case, expected: &Value, resolution: &Resolution, plan: &Plan) -> Vec<String> {
    let mut out = Vec::new();
    let edges: Vec<Value> = plan.edges.iter().map(|e| json!([e.from, e.to])).collect();
    out.extend(differs(
        "edges",
        &sorted(&expected["edges"]),
        &sorted(&json!(edges)),
    ));
    let references = plan.references.iter().map(|r| {
        json!({ "downstream": r.downstream, "upstream": r.upstream, "output": r.output, "input": r.input,
            "trigger_always": r.trigger_always })
    });
    let references = sorted(&Value::Array(references.collect()));
    out.extend(differs(
        "references",
        &sorted(&expected["references"]),
        &references,
    ));
    out.extend(differs(
        "external",
        &strings(&expected["external"]),
        &plan.external,
    ));
    let mut unknown = plan.unresolved.clone();
    unknown.sort();
    unknown.dedup();
    out.extend(differs("unknown", &strings(&expected["unknown"]), &unknown));
    out.extend(differs("layers", &expected["layers"], &layers(resolution)));
    let errors: Vec<&Report> = plan.reports.iter().filter(|r| r.is_error).collect();
    out.extend(differs("ok", &expected["ok"].as_bool(), &Some(errors.is_empty())));
    out.extend(exactly(&expected["errors"], &errors));
    for warning in expected["warnings"].as_array().into_iter().flatten() {
        if !plan.reports.iter().any(|r| r.is_warning && agrees(warning, r)) {
            out.push(format!("warnings: no {warning}"));
        }
    }
    for run in expected["simulate"].as_array().into_iter().flatten() {
        out.extend(simulated(case, expected, run));
    }
    if let Some(destroy) = expected.get("destroy") {
        let order = plan.destroy.as_ref().map_or(Value::Null, |order| json!(order));
        out.extend(differs("destroy.order", &destroy["order"], &order));
        let guaranteed = Some(plan.destroy_is_guaranteed);
        out.extend(differs(
            "destroy.guaranteed",
            &destroy["guaranteed"].as_bool(),
            &guaranteed,
        ));
    }
    out
}

fn sorted(list: &Value) -> Vec<String> {
    let mut all: Vec<String> = list.as_array().into_iter().flatten().map(canonical).collect();
    all.sort();
    all
}

/// A value with its keys sorted, as a text.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut all: Vec<String> = fields
                .iter()
                .map(|(k, v)| format!("{k}: {}", canonical(v)))
                .collect();
            all.sort();
            format!("{{{}}}", all.join(", "))
        }
        other => other.to_string(),
    }
}

fn layers(resolution: &Resolution) -> Value {
    let variant = &resolution.variants[0];
    let name = |unit: &applyorder_analysis::engine::UnitIx| variant.units[unit.0 as usize].name.to_string();
    match &variant.apply.layers {
        None => Value::Null,
        Some(layers) => {
            let named = layers.iter().map(|layer| {
                let mut names: Vec<String> = layer.iter().map(name).collect();
                names.sort();
                json!(names)
            });
            Value::Array(named.collect())
        }
    }
}

/// Whether a report matches what a case expects.
fn agrees(expected: &Value, found: &Report) -> bool {
    let subject = expected["subject"].as_str().unwrap_or("");
    let place = |text: &str| {
        found
            .at
            .iter()
            .any(|at| at == text || at.starts_with(&format!("{text}.")))
    };
    // A block and its argument are interchangeable.
    let is_block = |at: &String| at.rsplit_once('.').is_some_and(|(block, _)| block == subject);
    let is_subject = found.subject == subject || found.at.iter().any(|at| at == subject || is_block(at));
    let at = match &expected["at"] {
        Value::Null => true,
        Value::String(at) => place(at) || found.subject == *at,
        list => {
            let mut own = found.at.clone();
            own.sort();
            strings(list) == own
        }
    };
    let members = expected["members"].is_null() || strings(&expected["members"]) == found.members;
    let first = expected["first"].is_null() || expected["first"].as_str() == found.first.as_deref();
    expected["kind"].as_str() == Some(&found.kind) && is_subject && at && members && first
}

/// The errors are exactly these. An error about a stack that waits for itself may be reported for its duplicate as
/// well, or not.
fn exactly(expected: &Value, found: &[&Report]) -> Vec<String> {
    let mut left: Vec<&Report> = found.to_vec();
    let mut out = Vec::new();
    let of_self = |first: &Value| {
        let is_it = |r: &&Report| {
            r.kind == "self-dependency" && r.at.iter().any(|at| Some(at.as_str()) == first.as_str())
        };
        found.iter().any(is_it)
    };
    for error in expected.as_array().into_iter().flatten() {
        match left.iter().position(|r| agrees(error, r)) {
            Some(at) => drop(left.remove(at)),
            None if error["kind"] == "duplicate-dependency" && of_self(&error["first"]) => {}
            None => out.push(format!("errors: no {error}")),
        }
    }
    out.extend(
        left.iter()
            .map(|r| format!("errors: {} {} {:?} is not expected", r.kind, r.subject, r.at)),
    );
    out
}

fn simulated(case: &Case, expected: &Value, run: &Value) -> Vec<String> {
    let mut options = options(expected);
    options.changed = Some(strings(&run["changed"]));
    options.failed = strings(&run["failed"]);
    let engines = applyorder_engines::all();
    let unchanged = engines
        .options()
        .into_iter()
        .find(|o| o.name == "unchanged-output");
    options.set(
        unchanged.expect("the option is there"),
        strings(&run["outputs_unchanged"]),
    );
    let project: std::sync::Arc<Project> = project(&case.dir, options).expect("it is a project");
    let plan = plan(&project.resolution).expect("a resolution has a plan");
    let what = format!("simulate {} {}", run["changed"], run["failed"]);
    let Some((Some(chain), Some(direct))) = &plan.simulated else {
        return vec![format!("{what}: nothing is simulated")];
    };
    let mut out = compare_run(&what, run, chain, &project);
    let other = run.get("alt").unwrap_or(run);
    out.extend(compare_run(&format!("{what} support"), other, direct, &project));
    // The displayed order is the documented model.
    let variant = &project.resolution.variants[0];
    if let Some(waves) = run.get("waves") {
        out.extend(differs(
            &format!("{what} layers"),
            waves,
            &layers(&project.resolution),
        ));
    }
    let shown = variant.selected.as_ref().map(Vec::len);
    out.extend(differs(
        &format!("{what} selected"),
        &Some(strings(&run["runs"]).len()),
        &shown,
    ));
    out
}

fn compare_run(what: &str, run: &Value, found: &Simulation, project: &Project) -> Vec<String> {
    let units = &project.resolution.variants[0].units;
    let names = |wanted: fn(State) -> bool| {
        let all = found
            .states
            .iter()
            .zip(units)
            .filter(|(state, _)| wanted(**state));
        let mut names: Vec<String> = all.map(|(_, unit)| unit.name.to_string()).collect();
        names.sort();
        names
    };
    let runs = names(|s| matches!(s, State::Runs | State::Fails));
    let skipped = names(|s| matches!(s, State::Skipped | State::Held));
    let mut out = Vec::new();
    out.extend(differs(&format!("{what} runs"), &strings(&run["runs"]), &runs));
    out.extend(differs(
        &format!("{what} skipped"),
        &strings(&run["skipped"]),
        &skipped,
    ));
    out
}
