//! The values that the root's variables are given.
//!
//! What the user names with `--var` and `--var-file` is certain; files next to the module may belong to another
//! one, so they are only likely. Just before Terraform starts, all of them are certain, and so is the environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::layer::Pass;
use applyorder_syntax::hcl::eval::{
    self, Budget, EvalErrorKind, FunctionRef, Lookup, NoVariables, Scope, Traversal, Value,
};
use applyorder_syntax::hcl::{self, ExprKind, Item, SyntaxErrorKind};
use camino::{Utf8Path, Utf8PathBuf};

use crate::config::WORKSPACE;
use crate::read::{self, ProblemKind, TfFacts, is_json};

/// See the module.
#[derive(Default)]
pub(crate) struct Inputs {
    /// By the name of the variable, the one that is set last.
    values: BTreeMap<String, Set>,
    /// Whether files next to the module, and the environment, are certain too.
    pub(crate) is_certain: bool,
    /// Whether the module is run by a service, which has its own values and workspace.
    pub(crate) is_remote: bool,
    /// The workspace that the environment sets.
    pub(crate) workspace: Option<String>,
    /// Where the chosen workspace is stored.
    pub(crate) stored_workspace: Utf8PathBuf,
    /// What is wrong in the files.
    pub(crate) faults: Vec<ValuesFault>,
}

/// What Terraform rejects in a file of values when it plans.
#[derive(Clone, Debug)]
pub(crate) struct ValuesFault {
    pub(crate) place: Place,
    pub(crate) what: ValuesFaultKind,
    /// Whether the file may have changed by then.
    pub(crate) is_likely: bool,
}

/// See [`ValuesFault`].
#[derive(Clone, Debug)]
pub(crate) enum ValuesFaultKind {
    /// It is not valid HCL or JSON.
    Syntax(String),
    /// The value of a name cannot be determined without names and functions.
    Expression(String, String),
    /// A block of this type.
    Block(String),
    /// The command line sets a variable that the root does not declare: its name, and the one that was probably meant.
    Undeclared(String, Option<String>),
}

/// The scope of files of values, which has no names and no functions.
struct Nothing;

impl Scope for Nothing {
    fn variable(&self, traversal: Traversal<'_>, budget: &Budget) -> Lookup {
        NoVariables::default().variable(traversal, budget)
    }

    fn function(&self, _: &str) -> FunctionRef {
        FunctionRef::Missing
    }
}

/// A value that is set for a variable.
struct Set {
    given: Given,
    /// What it depends on, if it is only likely.
    from: Option<String>,
    /// What Terraform rejects if it evaluates it.
    fault: Option<ValuesFault>,
}

enum Given {
    Value(Value),
    /// As written on the command line: what it means depends on the variable's type.
    Text(String),
}

impl Inputs {
    /// Reads the values for a root with these files. `automatic`: the files of values that Terraform reads by itself.
    pub(crate) fn read(pass: &Pass<'_>, automatic: &[Utf8PathBuf], root: &[Arc<TfFacts>]) -> Self {
        let is_remote = is_remote(root);
        let mut inputs = Self {
            is_certain: crate::invocation::is_handed_over(pass) && !is_remote,
            is_remote,
            workspace: pass.options.one(&WORKSPACE).map(str::to_owned),
            stored_workspace: crate::invocation::data_dir(pass).join("environment"),
            ..Self::default()
        };
        for (name, text) in crate::invocation::environment(pass.options) {
            inputs.set_text(name, text, Some(format!("`TF_VAR_{name}`")));
        }
        for path in automatic {
            let name = path.file_name().unwrap_or_default().to_owned();
            inputs.file(pass, path, Some(&format!("`{name}`")));
        }
        for path in crate::invocation::var_files(pass) {
            inputs.file(pass, &path, None);
        }
        for (name, text) in crate::invocation::vars(pass.options) {
            inputs.set_text(name, text, None);
        }
        inputs
    }

    fn set_text(&mut self, name: &str, text: &str, from: Option<String>) {
        let set = Set {
            given: Given::Text(text.to_owned()),
            from,
            fault: None,
        };
        self.values.insert(name.to_owned(), set);
    }

    /// Adds what is wrong with the values that Terraform evaluates: of each variable that the root declares the one that
    /// is set last.
    ///
    /// Source: `backendrun.ParseUndeclaredVariableValues` of Terraform 1.11.
    pub(crate) fn add_rejected(&mut self, is_declared: impl Fn(&str) -> bool) {
        let evaluated = self.values.iter_mut().filter(|(name, _)| is_declared(name));
        self.faults
            .extend(evaluated.filter_map(|(_, set)| set.fault.take()));
    }

    fn file(&mut self, pass: &Pass<'_>, path: &Utf8Path, from: Option<&str>) {
        let Ok(read) = pass.cx.facts::<TfFacts>(path) else {
            return;
        };
        // A file of values may have any name. What is read from a plain text has no places of its own.
        let own = read.facts.text.as_ref().map(|text| read::values(path, text));
        let facts = own.as_ref().unwrap_or(&read.facts);
        let place = |at| match own {
            Some(_) => Place::file(read.file),
            None => pass.cx.place(read.file, at),
        };
        let is_likely = from.is_some() && !self.is_certain;
        let fault = |place, what| ValuesFault {
            place,
            what,
            is_likely,
        };
        for problem in &facts.problems {
            let why = match &problem.kind {
                ProblemKind::NotJson(why) => format!("invalid JSON: {why}"),
                ProblemKind::Syntax { message, .. } => message.clone(),
                ProblemKind::Limit(_) => continue,
            };
            self.faults
                .push(fault(place(problem.at), ValuesFaultKind::Syntax(why)));
        }
        let budget = Budget::default();
        for item in facts.tree.body().items() {
            let attribute = match item {
                Item::Attribute(attribute) => attribute,
                Item::Block(block) => {
                    let at = place(facts.at(block.header_span()));
                    let what = ValuesFaultKind::Block(block.kind().to_owned());
                    self.faults.push(fault(at, what));
                    continue;
                }
            };
            let name = attribute.name();
            let outcome = eval::evaluate(attribute.value(), u32::MAX, &Nothing, &budget);
            // Strings in JSON are not templates here.
            let rejected = outcome.errors.iter().find(|e| e.kind != EvalErrorKind::Limit);
            let rejected = rejected.filter(|_| !is_json(path.as_str()));
            let fault = rejected.map(|error| {
                let what = ValuesFaultKind::Expression(name.to_owned(), error.message.clone());
                fault(place(facts.at(error.place.span)), what)
            });
            let set = Set {
                given: Given::Value(placeless(outcome.value)),
                from: from.map(str::to_owned),
                fault,
            };
            self.values.insert(name.to_owned(), set);
        }
    }

    /// The value of a variable, and what it depends on if it is only likely. `is_text`: a string is used as it is.
    pub(crate) fn value(&self, name: &str, is_text: bool) -> Option<(Value, Option<&str>)> {
        let Set { given, from, .. } = self.values.get(name)?;
        let value = match given {
            Given::Value(value) => value.clone(),
            Given::Text(text) if is_text => Value::string(text),
            Given::Text(text) => expression(text)
                .unwrap_or_else(|_| Value::unknown("its value on the command line cannot be read")),
        };
        Some((value, from.as_deref()))
    }

    /// Why the text given for a variable, whose type makes it an expression, has no value; and whether that is only
    /// likely.
    pub(crate) fn refused(&self, name: &str) -> Option<(String, bool)> {
        let set = self.values.get(name)?;
        let Given::Text(text) = &set.given else {
            return None;
        };
        let why = expression(text).err()?;
        Some((why, set.from.is_some() && !self.is_certain))
    }
}

/// Whether the root module is run by a service, which has its own values for variables.
fn is_remote(root: &[Arc<TfFacts>]) -> bool {
    root.iter().any(|facts| {
        let all = facts.tree.body().blocks();
        let mut inner = all
            .filter(|b| b.kind() == "terraform")
            .flat_map(|b| b.body().blocks().collect::<Vec<_>>());
        inner.any(|b| {
            let is_backend = b.kind() == "backend" && b.labels().any(|l| l.text == "remote");
            b.kind() == "cloud" || is_backend
        })
    })
}

/// The place of a value in a file of values is not a place in the configuration.
fn placeless(mut value: Value) -> Value {
    value.place = None;
    value
}

/// The value of an expression that refers to nothing, or why it has none.
///
/// Source: `VariableParsingMode.Parse` of Terraform 1.11: it is read as if it were in parentheses.
fn expression(text: &str) -> Result<Value, String> {
    let tree = hcl::parse(&format!("value = (\n{text}\n)\n"));
    let mut errors = tree.errors().into_iter();
    if let Some(error) = errors.find(|error| error.kind != SyntaxErrorKind::Limit) {
        return Err(error.message.clone());
    }
    let mut items = tree.body().items();
    let alone = match (items.next(), items.next()) {
        (Some(Item::Attribute(attribute)), None) => Some(attribute.value().kind()),
        _ => None,
    };
    let Some(ExprKind::Paren(inner)) = alone else {
        return Err("expected one expression".to_owned());
    };
    let outcome = eval::evaluate(inner, u32::MAX, &Nothing, &Budget::default());
    match outcome.errors.iter().find(|e| e.kind != EvalErrorKind::Limit) {
        Some(error) => Err(error.message.trim_end_matches('.').to_owned()),
        None => Ok(placeless(outcome.value)),
    }
}

/// The files that values are read from.
pub(crate) fn files(pass: &Pass<'_>, automatic: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let mut files = automatic.to_vec();
    files.extend(crate::invocation::var_files(pass));
    files
}

#[cfg(test)]
mod tests {
    use applyorder_core::diagnostic::Severity;
    use applyorder_core::engine::RunOptions;

    use crate::config::{VAR, VAR_FILE};
    use crate::tests::{module, stacks, verdict};

    #[test]
    fn what_is_wrong_in_a_file_of_values_is_said_and_rejects_what_it_is_given_to() {
        let head = "variable \"v\" {\n  default = \"x\"\n}\n";
        let of = |file: &str, values: &str, options: RunOptions| {
            let text = format!("{head}{}//- /w/{file}\n{values}\n", stacks(&["zz"]));
            let fixture = module(&text, options);
            let (_, project) = fixture.analysis.projects().next().expect("a project");
            let ok = |command: &str| verdict(&fixture, command);
            let found = project.resolution.diagnostics.iter();
            let found: Vec<String> = found
                .filter(|d| d.severity >= Severity::Warning)
                .map(|d| format!("{} {}", d.severity.as_str(), d.rule.id))
                .collect();
            ((ok("validate"), ok("plan")), found)
        };
        let given = || RunOptions::default().with(&VAR_FILE, ["/w/given.tfvars"]);
        for (values, rule) in [
            ("v = upper(\"x\")", "spacelift/invalid-expression"),
            ("v = var.v", "spacelift/invalid-expression"),
            ("v = \"x\"\nvariable \"w\" {\n}", "unknown-field"),
            ("v =", "syntax-error"),
            ("v = \"x\"\nv = \"x\"", "syntax-error"),
        ] {
            let (verdicts, found) = of("given.tfvars", values, given());
            assert_eq!(verdicts, (Some(true), Some(false)), "{values}");
            assert!(found.contains(&format!("error {rule}")), "{values}: {found:?}");
            // The file may belong to another module, or change before Terraform runs.
            let (verdicts, found) = of("terraform.tfvars", values, RunOptions::default());
            assert_eq!(verdicts, (Some(true), None), "{values}");
            assert!(found.contains(&format!("warning {rule}")), "{values}: {found:?}");
        }
        // Any name is accepted, and only the extension `.json` has a meaning.
        for (file, values) in [
            ("given", "v = upper(\"x\")"),
            ("given.hcl", "v = var.v"),
            ("given.json", "{\"v\": "),
        ] {
            let given = RunOptions::default().with(&VAR_FILE, [format!("/w/{file}")]);
            assert_eq!(of(file, values, given).0, (Some(true), Some(false)), "{file}");
        }
        let fine = ((Some(true), Some(true)), vec![]);
        // Terraform evaluates neither the value of an undeclared variable nor one that is set again.
        assert_eq!(of("given.tfvars", "w = upper(\"x\")", given()), fine);
        let twice = "v = upper(\"x\")\n//- /w/b.tfvars\nv = \"y\"";
        let both = RunOptions::default().with(&VAR_FILE, ["/w/given.tfvars", "/w/b.tfvars"]);
        assert_eq!(of("given.tfvars", twice, both), fine);
        assert_eq!(of("given.tfvars", "v = \"a-$${b}\"", given()), fine);
        // Terraform rejects a value of an undeclared variable on the command line, and accepts it in a file.
        assert_eq!(of("given.tfvars", "w = 1", given()), fine);
        let given = || RunOptions::default().with(&VAR, ["w=1"]);
        let (verdicts, found) = of("other.tfvars", "", given());
        assert_eq!(verdicts, (Some(true), Some(false)));
        assert_eq!(found, ["error spacelift/undeclared-variable"]);
        let given = RunOptions::default().with(&VAR, ["v=1"]);
        assert_eq!(of("other.tfvars", "", given), fine);
    }

    /// What `terraform plan -var` 1.11 says.
    #[test]
    fn a_text_of_the_command_line_is_an_expression_if_the_type_has_parts() {
        let of = |ty: &str, value: &str| {
            let head = format!("variable \"v\" {{\n{ty}}}\n{}", stacks(&["zz"]));
            let given = RunOptions::default().with(&VAR, [format!("v={value}")]);
            let fixture = module(&head, given);
            let (_, project) = fixture.analysis.projects().next().expect("a project");
            let mut verdicts = project.resolution.verdicts.iter();
            let ok = verdicts.find(|v| v.command == "plan").expect("a verdict").ok;
            let found = project.resolution.diagnostics.iter();
            let errors = found.filter(|d| d.severity == Severity::Error);
            (ok, errors.map(|d| d.message.clone()).collect::<Vec<_>>())
        };
        for (ty, value) in [
            ("string", "null"),
            ("string", ""),
            ("string", "[a"),
            ("number", "1"),
            ("bool", "true"),
            ("list(string)", "null"),
            ("list(string)", "[]"),
            ("list(string)", "[\n\"a\",\n\"b\"]"),
            ("map(string)", "{ a = \"b\" } # c"),
            ("any", "[1]"),
            ("any", "1"),
        ] {
            assert_eq!(
                of(&format!("  type = {ty}\n"), value),
                (Some(true), vec![]),
                "{ty} {value}"
            );
        }
        assert_eq!(of("", "[a"), (Some(true), vec![]));
        for (ty, value, why) in [
            ("number", "null", "a number is required"),
            ("number", "", "a number is required"),
            ("bool", "", "a bool is required"),
            ("bool", "null", "a bool is required"),
            ("list(string)", "", ""),
            ("list(string)", "a", "no variable named \"a\""),
            ("list(string)", "[", ""),
            ("list(string)", "[]) + (1", ""),
            ("list(string)", "[])\nx = ([]", ""),
            ("map(string)", "{a=[b]}", "no variable named \"b\""),
            ("map(string)", "tomap({})", "no function named \"tomap\""),
            ("map(string)", "\"x\"", "map of string is required"),
            ("any", "a", "no variable named \"a\""),
        ] {
            let (ok, errors) = of(&format!("  type = {ty}\n"), value);
            assert_eq!((ok, errors.len()), (Some(false), 1), "{ty} {value}: {errors:?}");
            assert!(errors[0].contains(why), "{ty} {value}: {errors:?}");
        }
    }
}
