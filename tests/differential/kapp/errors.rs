//! Every error of kapp for the text of manifests and Configs: its exact message, and the text that our finding marks.
//! If Go is installed, kapp's own packages confirm the messages.
//!
//! A row of `errors/*.txt` starts with `=== RUN STAGE RULE at TEXT`: the run that reports it (deploy, delete, or update
//! over what follows `=== existing`), the stage, the rule by which we report it, and the first line of the text that
//! our finding marks. The manifests follow, then kapp's message after `=== says`.

use super::*;

const ROWS: [&str; 7] = [
    include_str!("errors/reading.txt"),
    include_str!("errors/preparing.txt"),
    include_str!("errors/annotations.txt"),
    include_str!("errors/configs.txt"),
    include_str!("errors/comparing.txt"),
    include_str!("errors/versions.txt"),
    include_str!("errors/cycles.txt"),
];

struct Row<'a> {
    run: &'a str,
    stage: &'a str,
    rule: &'a str,
    at: &'a str,
    text: &'a str,
    existing: Option<&'a str>,
    says: &'a str,
}

impl<'a> Row<'a> {
    fn parse(row: &'a str) -> Self {
        let (head, body) = row.split_once('\n').expect("a head");
        let (head, at) = head.split_once(" at ").unwrap_or((head, ""));
        let mut words = head.split(' ');
        let mut word = || words.next().expect("a run, a stage and a rule");
        let (manifests, says) = body.split_once("=== says\n").expect("kapp's words");
        let (text, existing) = match manifests.split_once("=== existing\n") {
            Some((text, existing)) => (text, Some(existing)),
            None => (manifests, None),
        };
        Self {
            run: word(),
            stage: word(),
            rule: word(),
            at,
            text,
            existing,
            says: says.trim_end(),
        }
    }

    fn input(&self) -> Input {
        Input {
            files: vec![("a.yaml".to_owned(), self.text.to_owned())],
            existing: self.existing.map(str::to_owned),
        }
    }

    /// The differences from what we should report.
    fn check(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let command = if self.run == "delete" { "delete" } else { "deploy" };
        let analysis = analysed(&self.input(), self.existing.is_some());
        shared::resolved(&analysis, |resolution, _| {
            let verdict = resolution.verdicts.iter().find(|v| v.command == command);
            let verdict = verdict.expect("a verdict");
            let says = verdict.errors.first().map(|e| e.message.as_str());
            if (verdict.ok, verdict.stage, says) != (Some(false), Some(self.stage), Some(self.says)) {
                wrong.push(format!("{:?} {:?} {says:?}", verdict.ok, verdict.stage));
            }
        });
        let mut found = Vec::new();
        for finding in analysis.findings() {
            let d = &finding.diagnostic;
            let text = analysis.source(d.place.file).map_or("", |s| &s.text);
            let under = analysis.span(d.place).slice(text);
            found.push((d.rule.id, under.lines().next().unwrap_or("").to_owned()));
        }
        if !found.contains(&(self.rule, self.at.to_owned())) {
            wrong.push(format!("no {} at {:?}, only {found:?}", self.rule, self.at));
        }
        wrong
    }
}

#[test]
fn each_error_has_the_words_of_kapp_and_a_finding_at_its_place() {
    let rows: Vec<Row<'_>> = ROWS
        .iter()
        .flat_map(|file| file.split("\n\n=== ").skip(1))
        .map(Row::parse)
        .collect();
    let inputs: Vec<Input> = rows.iter().map(Row::input).collect();
    let answers = shared::oracle().map(|oracle| ask(&oracle, inputs.iter(), RUNS.0));
    if answers.is_none() {
        skip(
            "kapp's packages",
            "tests/differential/kapp/oracle cannot be built (is Go installed?)",
        );
    }
    let mut wrong: Vec<String> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        wrong.extend(
            row.check()
                .iter()
                .map(|line| format!("{line}\n{}{}", row.text, row.says)),
        );
        let Some(answer) = answers.as_ref().and_then(|a| a.get(i)) else {
            continue;
        };
        let (stage, texts) = (&answer[row.run]["stage"], &answer[row.run]["errors"]);
        let alike = texts.as_array().is_some_and(|t| t.contains(&json!(row.says)));
        if *stage != json!(row.stage) || !alike {
            wrong.push(format!("kapp says {stage} {texts}\n{}{}", row.text, row.says));
        }
    }
    println!("{} errors", rows.len());
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n\n")
    );
}
