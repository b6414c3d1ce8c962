//! `templatefile`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::convert::convert;
use super::super::expr::Evaluator;
use super::super::marks::Marks;
use super::super::ops::{derived, derived_not_null};
use super::super::scope::{
    FileAnswer, FileRequest, FunctionRef, Logic, Lookup, Reads, Scope, Templates, Traversal, no_such_variable,
};
use super::super::types::Type;
use super::super::value::{Data, Place, Unknown, Value};
use super::super::{Budget, EvalErrorKind, evaluate};
use super::args::Fault;
use super::function::{Function, Param, Ret};
use super::table::{A, S};
use crate::hcl::{self, Call, SyntaxErrorKind, is_identifier};
use crate::text::Span;

/// The meaning of the names in a template.
struct Inside<'a> {
    outer: &'a dyn Scope,
    variables: &'a BTreeMap<Arc<str>, Value>,
    sort: Sort,
}

/// A function of which Terraform rejects each call in a template, if its arguments have the right types.
const fn refused(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, params, Ret::Any, |_| Err(Fault::new(REFUSED_HERE)))
        .shallow()
        .typed(|_| Err(Fault::new(REFUSED_HERE)))
}

const REFUSED_HERE: &str = "it cannot be called in this template";

/// The functions that Terraform rejects in templates: two that render one, then those that read files, which it
/// rejects only in the template of a `templatestring`.
///
/// Source: Terraform 1.11, `makeRenderTemplateFunc`.
static REFUSED: [Function; 12] = [
    refused("templatefile", &[S, A]),
    refused("templatestring", &[S, A]),
    refused("file", &[S]),
    refused("fileexists", &[S]),
    refused("fileset", &[S, S]),
    refused("filebase64", &[S]),
    refused("filebase64sha256", &[S]),
    refused("filebase64sha512", &[S]),
    refused("filemd5", &[S]),
    refused("filesha1", &[S]),
    refused("filesha256", &[S]),
    refused("filesha512", &[S]),
];

impl Scope for Inside<'_> {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        match self.variables.get(traversal.root) {
            Some(value) => Lookup::Value {
                value: value.clone(),
                steps: 0,
            },
            None => Lookup::Missing(no_such_variable(traversal.root)),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        let plain = name.strip_prefix("core::").unwrap_or(name);
        let renders = plain.ends_with("templatefile") || plain.ends_with("templatestring");
        match self.outer.templates() {
            Templates::Unknown if renders => return FunctionRef::Opaque(&super::OTHER),
            Templates::Flat if renders || self.sort == Sort::Text => {
                let mut known = REFUSED.iter().filter(|refused| refused.name == plain);
                if let Some(refused) = known.next() {
                    return FunctionRef::Known(refused);
                }
            }
            _ => {}
        }
        self.outer.function(name)
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        self.outer.file(request)
    }

    fn not_computed(&self, place: Place, why: &str) {
        self.outer.not_computed(place, why);
    }

    fn is_exact(&self) -> bool {
        self.outer.is_exact()
    }

    fn logic(&self) -> Logic {
        self.outer.logic()
    }

    fn templates(&self) -> Templates {
        self.outer.templates()
    }
}

/// The text of a file, read as a template.
pub(super) fn templatefile(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span) -> Value {
    let args: Vec<_> = call.args().iter().collect();
    let [path, variables] = args.as_slice() else {
        return evaluator.failed_call(call, span, "it takes 2 arguments");
    };
    let (path, variables) = (evaluator.eval(*path), evaluator.eval(*variables));
    let likely = path.has_heuristic();
    let is_open = variables.as_unknown().is_some_and(|u| u.ty == Type::Dynamic);
    // Variables of unknown type have no known marks.
    let marks = match is_open {
        true => Marks::NONE,
        false => path.marks | variables.all_marks(),
    };
    let variables = variables.without_marks();
    let name = match (path.as_str(), path.as_unknown()) {
        (Some(name), _) => name.to_owned(),
        (None, Some(unknown)) => return derived(unknown, Type::Dynamic, likely).marked(marks),
        (None, None) => return evaluator.failed_call(call, span, "a path is required"),
    };
    let text = match evaluator.scope().file(FileRequest::Read(&name, Reads::Text)) {
        FileAnswer::Text(text) => text,
        FileAnswer::Fails(message) => return evaluator.failed_call(call, span, &message),
        FileAnswer::Missing {
            message,
            is_forgotten,
        } => {
            evaluator.missing_path(span, &name);
            return evaluator.missing_file(span, message, is_forgotten, Type::Dynamic);
        }
        FileAnswer::Unknown(why) => return evaluator.not_computed(span, &why),
        FileAnswer::Bool(_) | FileAnswer::Names(_) | FileAnswer::NotYet => {
            return evaluator.not_computed(span, "the file cannot be read");
        }
    };
    let value = render(evaluator, (call, span), &text, &variables, Sort::Any);
    value.likely(likely).marked(marks)
}

/// A text that is read from elsewhere, parsed as a template.
pub(super) fn templatestring(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span) -> Value {
    of_text(evaluator, call, span, Sort::Text)
}

/// The same as in OpenTofu and Terramate.
pub(super) fn any_templatestring(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span) -> Value {
    of_text(evaluator, call, span, Sort::Any)
}

/// What a template may evaluate to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A string, and it is not written in the call.
    Text,
    /// If it is a single interpolation, the value of that.
    Any,
}

fn of_text(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span, sort: Sort) -> Value {
    let args: Vec<_> = call.args().iter().collect();
    let [template, variables] = args.as_slice() else {
        return evaluator.failed_call(call, span, "it takes 2 arguments");
    };
    let is_refused = sort == Sort::Text && !template.is_reference();
    let ty = match sort {
        Sort::Text => Type::String,
        Sort::Any => Type::Dynamic,
    };
    let (template, variables) = (evaluator.eval(*template), evaluator.eval(*variables));
    let likely = template.has_heuristic();
    let template = match sort {
        Sort::Text => template,
        // It is converted before the variables are looked at.
        Sort::Any => match convert(&template, &Type::String) {
            Ok(text) if text.is_null() => return evaluator.failed_call(call, span, "the template is null"),
            Ok(text) => text,
            Err(why) => return evaluator.failed_call(call, span, &why),
        },
    };
    // What any value may result from may be null.
    let unknown_result = |unknown: &Unknown, likely: bool| match sort {
        Sort::Text => derived_not_null(unknown, ty.clone(), likely),
        Sort::Any => derived(unknown, ty.clone(), likely),
    };
    if variables.is_null() {
        return evaluator.failed_call(call, span, "the variables are null");
    }
    let of_variables = variables.all_marks();
    let variables = variables.without_marks();
    if let Some(unknown) = variables.as_unknown() {
        return unknown_result(unknown, likely || variables.heuristic).marked(of_variables);
    }
    if is_refused {
        let message = "the template must be a reference to a string";
        return evaluator.failed_call(call, span, message);
    }
    if template.is_null() {
        return evaluator.failed_call(call, span, "the template is null");
    }
    if sort == Sort::Text && template.as_unknown().is_none() && template.as_str().is_none() {
        return evaluator.failed_call(call, span, "the template must be a string");
    }
    match convert(&template, &Type::String) {
        Ok(Value {
            data: Data::String(text),
            ..
        }) => {
            let value = render(evaluator, (call, span), &text, &variables, sort).likely(likely);
            value.marked(of_variables | template.marks)
        }
        Ok(other) => match other.as_unknown() {
            Some(unknown) => unknown_result(unknown, likely).marked(of_variables),
            None => evaluator.not_computed(span, "the template cannot be read"),
        },
        Err(why) => evaluator.failed_call(call, span, &why),
    }
}

/// Renders a template with the members of an object.
fn render(
    evaluator: &mut Evaluator<'_>,
    (call, span): (Call<'_>, Span),
    text: &str,
    variables: &Value,
    sort: Sort,
) -> Value {
    let likely = variables.heuristic;
    let Some(fields) = variables.members() else {
        return match variables.as_unknown() {
            Some(unknown) => derived(unknown, Type::Dynamic, likely),
            None => evaluator.failed_call(call, span, "the variables must be an object"),
        };
    };
    let open = |evaluator: &mut Evaluator<'_>, why: &str| {
        evaluator.scope().not_computed(evaluator.place(span), why);
        evaluator.not_computed(span, why)
    };
    let rejected = |evaluator: &mut Evaluator<'_>, why: &str| {
        let why = format!("the template: {}", why.trim_end_matches('.'));
        evaluator.failed_call(call, span, &why)
    };
    if let Some(name) = fields.keys().find(|name| !is_identifier(name)) {
        let why = format!("\"{name}\" is not a valid name of a variable");
        return evaluator.failed_call(call, span, &why);
    }
    if !evaluator.spend(text.len() / 16 + 1, span) {
        return evaluator.not_computed(span, "a limit was reached");
    }
    let alone = interpolation(text).filter(|_| sort == Sort::Any).map(|inner| {
        let source = format!("template = (\n{inner}\n)\n");
        (hcl::parse(&source), false)
    });
    let read = match alone.filter(|(tree, _)| tree.is_clean()) {
        Some(alone) => Some(alone),
        None => as_expression(text).map(|(source, is_open)| (hcl::parse(&source), is_open)),
    };
    let Some((tree, is_open)) = read else {
        return open(evaluator, "the template cannot be read");
    };
    let mut errors = tree.errors().into_iter();
    if let Some(error) = errors.find(|error| error.kind != SyntaxErrorKind::Limit) {
        return rejected(evaluator, &error.message);
    }
    let Some(attribute) = tree.body().attribute("template").filter(|_| tree.is_clean()) else {
        return open(evaluator, "the template cannot be read");
    };
    // All names are checked, whether they are evaluated or not.
    let mut names = attribute.value().free_names().into_iter();
    if let Some((name, _)) = names.find(|(name, _)| !fields.contains_key(*name)) {
        return rejected(evaluator, &no_such_variable(name));
    }
    let inside = Inside {
        outer: evaluator.scope(),
        variables: fields,
        sort,
    };
    let outcome = evaluate(attribute.value(), u32::MAX, &inside, evaluator.budget);
    let is_error = |kind: EvalErrorKind| kind != EvalErrorKind::Limit && !kind.is_missing();
    if let Some(error) = outcome.errors.iter().find(|e| is_error(e.kind)) {
        return rejected(evaluator, &error.message);
    }
    for error in &outcome.errors {
        if let EvalErrorKind::Missing { is_forgotten } = error.kind {
            return evaluator.missing_file(span, error.message.clone(), is_forgotten, Type::Dynamic);
        }
    }
    if outcome.value.is_null() && evaluator.scope().templates() == Templates::Flat {
        return rejected(evaluator, "its result is null");
    }
    let value = match outcome.value.as_str() {
        Some(text) if is_open => Value::string(text.strip_suffix('\n').unwrap_or(text)),
        _ => outcome.value,
    };
    let mut value = value.likely(likely);
    value.place = Some(evaluator.place(span));
    value
}

/// The candidate for the expression of a text that is a single interpolation.
fn interpolation(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("${")?.strip_suffix('}')?;
    let inner = inner.strip_prefix('~').unwrap_or(inner);
    let inner = inner.strip_suffix('~').unwrap_or(inner);
    // A comment would hide the end.
    (!inner.contains('#') && !inner.contains("//")).then_some(inner)
}

/// The text as a heredoc, and whether a line end was added at its end.
fn as_expression(text: &str) -> Option<(String, bool)> {
    let mut marker = "EOT".to_owned();
    while text.contains(&marker) {
        marker.push('_');
        if marker.len() > 64 {
            return None;
        }
    }
    let is_open = !text.ends_with('\n');
    let end = if is_open { "\n" } else { "" };
    Some((format!("template = <<{marker}\n{text}{end}{marker}\n"), is_open))
}

#[cfg(test)]
mod tests {
    use super::super::super::{NoVariables, Outcome};
    use super::*;

    struct Files(Templates);

    impl Scope for Files {
        fn variable(&self, traversal: Traversal<'_>, budget: &Budget) -> Lookup {
            match traversal.root {
                "reads" => Lookup::Value {
                    value: Value::string("${fileexists(x)}"),
                    steps: 0,
                },
                _ => NoVariables::default().variable(traversal, budget),
            }
        }

        fn function(&self, name: &str) -> FunctionRef {
            let name = name.strip_prefix("core::").unwrap_or(name);
            NoVariables::default().function(name)
        }

        fn templates(&self) -> Templates {
            self.0
        }

        fn file(&self, request: FileRequest<'_>) -> FileAnswer {
            match request {
                FileRequest::Read("unused", _) => FileAnswer::Text("${x ? 1 : y}".to_owned()),
                FileRequest::Read("empty", _) => {
                    FileAnswer::Text("%{ for y in x }${z}%{ endfor }".to_owned())
                }
                FileRequest::Read("outer", _) => {
                    FileAnswer::Text("(${templatefile(x, { x = x })})".to_owned())
                }
                FileRequest::Read("guarded", _) => {
                    FileAnswer::Text("${try(core::templatefile(x, { x = x }), \"none\")}".to_owned())
                }
                FileRequest::Read("a", _) => {
                    FileAnswer::Text("x: ${name}\n%{ for y in list }- ${y}\n%{ endfor }".to_owned())
                }
                FileRequest::Read("one", _) => FileAnswer::Text("${ x ~}".to_owned()),
                FileRequest::Read("two", _) => FileAnswer::Text("${x}}${x}".to_owned()),
                FileRequest::Read("unclosed", _) => FileAnswer::Text("%{ for x in [1] }${x}".to_owned()),
                FileRequest::Read("b", _) => FileAnswer::Text("${gone}".to_owned()),
                _ => FileAnswer::Unknown("not there".to_owned()),
            }
        }
    }

    fn rendered(call: &str) -> Outcome {
        rendered_as(call, Templates::Unknown)
    }

    fn rendered_as(call: &str, templates: Templates) -> Outcome {
        let text = format!("x = {call}\n");
        let tree = crate::hcl::parse(&text);
        let value = tree.body().attribute("x").unwrap().value();
        evaluate(value, 0, &Files(templates), &Budget::default())
    }

    #[test]
    fn one_interpolation_alone_gives_its_value() {
        let outcome = rendered("templatefile(\"one\", { x = [1] })");
        assert_eq!(outcome.value.elements().map(<[Value]>::len), Some(1));
        let two = rendered("templatefile(\"two\", { x = 1 })");
        assert_eq!(two.value.as_str(), Some("1}1"));
    }

    #[test]
    fn a_template_is_rendered_with_only_its_variables() {
        let outcome = rendered("templatefile(\"a\", { name = \"n\", list = [\"p\", \"q\"] })");
        assert_eq!(outcome.value.as_str(), Some("x: n\n- p\n- q\n"));
        let unknown = rendered("templatefile(\"c\", {})");
        assert!(unknown.value.as_unknown().is_some() && unknown.errors.is_empty());
    }

    #[test]
    fn a_name_in_a_template_must_be_a_variable_even_if_it_is_not_evaluated() {
        for call in [
            "templatefile(\"unused\", { x = true })",
            "templatefile(\"one\", { x = 1, \"y z\" = 2 })",
            "templatefile(\"empty\", { x = [] })",
        ] {
            assert_eq!(rendered(call).errors.len(), 1, "{call}");
        }
        assert!(
            rendered("templatefile(\"empty\", { x = [], z = 1 })")
                .errors
                .is_empty()
        );
    }

    /// Calls with the result that each engine has: a string, or whether it fails.
    #[test]
    fn engines_differ_in_templates_in_templates() {
        let said = |call: &str, templates: Templates| {
            let outcome = rendered_as(call, templates);
            let text = outcome.value.as_str().map(str::to_owned);
            (text, outcome.errors.len())
        };
        let outer = "templatefile(\"outer\", { x = \"one\" })";
        assert_eq!(said(outer, Templates::Nested), (Some("(one)".to_owned()), 0));
        assert_eq!(said(outer, Templates::Unknown), (None, 0));
        assert_eq!(said(outer, Templates::Flat), (None, 1));
        let guarded = "templatefile(\"guarded\", { x = \"one\" })";
        assert_eq!(said(guarded, Templates::Flat), (Some("none".to_owned()), 0));
        let null = "templatefile(\"one\", { x = null })";
        assert_eq!(said(null, Templates::Flat), (None, 1));
        assert_eq!(said(null, Templates::Nested), (None, 0));
        let reads = "templatestring(reads, { x = \"one\" })";
        assert_eq!(said(reads, Templates::Flat), (None, 1));
        let computed = "templatestring(lower(reads), { x = \"one\" })";
        assert_eq!(said(computed, Templates::Flat), (None, 1));
    }

    #[test]
    fn what_is_wrong_in_a_template_is_an_error_of_the_call() {
        for call in ["templatefile(\"b\", {})", "templatefile(\"unclosed\", {})"] {
            let outcome = rendered(call);
            assert_eq!(outcome.errors.len(), 1, "{call}");
            assert!(
                outcome.errors[0].message.contains("the template: "),
                "{:?}",
                outcome.errors
            );
        }
    }
}
