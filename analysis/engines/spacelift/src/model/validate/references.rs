//! The names in an expression, whether they are evaluated or not.
//!
//! Source: Terraform 1.11 checks all references of an expression before it evaluates it.

use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::{Number, Place};
use applyorder_syntax::hcl::{Expr, ExprKind, ObjectKey, TemplatePart};
use applyorder_syntax::text::Span;
use rustc_hash::FxHashSet;

use super::super::fault::{FaultKind, FaultText};
use super::super::key::Key;
use super::super::module::{Decl, Module};
use super::own::{OF_REMOTE, REMOTE};
use super::{Around, Repeated, Validate, traversal};
use crate::schema::{self, DATA, OF_DATA};

const NO_EACH: &str = "\"each\" is used where there is no \"for_each\".";
const NO_COUNT: &str = "\"count\" is used where there is no \"count\" argument.";

/// The names in an argument of a call that need another way of repeating it, and why. Terraform rejects them when it plans
/// an instance.
pub(in super::super) fn of_other_repetition(
    expr: Expr<'_>,
    call: &Decl<'_>,
    file: u32,
) -> Vec<(Place, &'static str)> {
    let repeated = Repeated::of(call);
    let all = named(expr, file).into_iter();
    let wrong = all.filter_map(|named| match named.root {
        "each" if repeated != Repeated::Each => Some((named.place, NO_EACH)),
        "count" if repeated != Repeated::Count => Some((named.place, NO_COUNT)),
        _ => None,
    });
    wrong.collect()
}

/// A name with what follows it, up to the first computed key.
pub(super) struct Named<'t> {
    pub(super) root: &'t str,
    pub(super) steps: Vec<Step<'t>>,
    /// Whether a written `true`, `false` or `null` is the key after the steps.
    pub(super) has_no_key: bool,
    pub(super) place: Place,
}

#[derive(Clone, PartialEq)]
pub(super) enum Step<'t> {
    Attr(&'t str),
    Key(Key),
}

impl<'t> Named<'t> {
    /// The name after the first one.
    pub(super) fn first(&self) -> Option<&'t str> {
        match self.steps.first() {
            Some(Step::Attr(name)) => Some(name),
            _ => None,
        }
    }
}

/// A name that an expression defines itself, and where it is in scope.
struct Bound<'t> {
    name: &'t str,
    within: Span,
    /// The collection that is iterated over, where it is not in scope.
    but: Option<Span>,
}

impl<'a> Validate<'_, 'a> {
    /// The same for an expression that is not evaluated.
    pub(super) fn references_alone(&self, expr: Expr<'a>, file: u32, around: &Around<'_>) {
        let outside = self.no_outputs.take();
        self.references(expr, file, around);
        for (at, text) in self.no_outputs.replace(outside) {
            self.fault(at, &text, around);
        }
    }

    /// The same for an expression that is written at a place as a string.
    pub(super) fn references_elsewhere(&self, expr: Expr<'_>, place: Place, around: &Around<'_>) {
        let outside = self.no_outputs.take();
        for named in named(expr, place.file) {
            self.reference(&Named { place, ..named }, around);
        }
        for (at, text) in self.no_outputs.replace(outside) {
            self.fault(at, &text, around);
        }
    }

    /// Records why names in an expression are rejected, except for outputs that do not exist.
    pub(super) fn references(&self, expr: Expr<'a>, file: u32, around: &Around<'_>) {
        for named in named(expr, file) {
            let hidden = around.names.iter().any(|(name, _)| *name == named.root);
            let is_own = named.root == "data"
                && around
                    .data
                    .iter()
                    .any(|&(ty, name)| named.steps.starts_with(&[Step::Attr(ty), Step::Attr(name)]));
            if is_own {
                self.looked_up(&named, around);
            } else if !hidden {
                self.reference(&named, around);
            }
        }
    }

    /// Why OpenTofu cannot evaluate an expression before it reads the modules; the end of a sentence.
    ///
    /// Source: OpenTofu 1.10, `static_scope.go`.
    pub(super) fn not_known_early(&self, expr: Expr<'a>) -> Option<&'static str> {
        const STATIC: &[&str] = &["local", "var", "path", "terraform", "tofu"];
        let locals = self.own().map(|own| &own.locals);
        let mut read = FxHashSet::default();
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            for name in named(expr, 0) {
                if !STATIC.contains(&name.root) {
                    return Some("only what is known before the modules are read may be used here");
                }
                let local = name.first().filter(|_| name.root == "local");
                let attr = local.and_then(|local| locals?.get(local));
                open.extend(attr.filter(|attr| read.insert(attr.name)).map(|attr| attr.expr));
            }
        }
        None
    }

    fn reference(&self, named: &Named<'_>, around: &Around<'_>) {
        let Some(own) = self.own() else {
            return;
        };
        let first = named.first();
        let is_tofu = self.world.is_tofu();
        let wrong = |message: &str| self.reject(named.place, message, around);
        let may_be = |repeated| around.repeated == repeated || around.repeated == Repeated::Perhaps;
        match (named.root, first) {
            ("tofu", None) if is_tofu => wrong("The \"tofu\" object cannot be accessed directly."),
            ("var" | "local" | "module" | "each" | "count" | "path" | "terraform", None) => {
                wrong(&format!(
                    "The \"{}\" object cannot be accessed directly.",
                    named.root
                ));
            }
            ("self", None) => wrong("The \"self\" object cannot be accessed directly."),
            ("var", Some(name)) => self.declared(named, name, FaultKind::UndeclaredVariable, own, around),
            ("local", Some(name)) => self.declared(named, name, FaultKind::UndeclaredLocal, own, around),
            ("module", Some(name)) => self.call(named, name, own, around),
            ("each", Some("key" | "value")) if may_be(Repeated::Each) => {}
            ("each", Some("key" | "value")) => wrong(NO_EACH),
            ("each", Some(name)) => wrong(&format!("The \"each\" object has no attribute \"{name}\".")),
            ("count", Some("index")) if may_be(Repeated::Count) => {}
            ("count", Some("index")) => wrong(NO_COUNT),
            ("count", Some(name)) => wrong(&format!("The \"count\" object has no attribute \"{name}\".")),
            ("self", Some(_)) if around.has_self => {}
            ("self", Some(_)) => wrong("\"self\" has no meaning here."),
            ("path", Some("cwd" | "module" | "root")) => {}
            ("path", Some(name)) => wrong(&format!("The \"path\" object has no attribute \"{name}\".")),
            ("terraform" | "tofu", Some("applying")) if is_tofu => {
                let why = "whether `applying` exists depends on the version of OpenTofu";
                self.leave_open_at(named.place, why);
            }
            // Later versions have more.
            ("terraform", Some("workspace" | "applying")) => {}
            ("tofu", Some("workspace")) if is_tofu => {}
            ("terraform" | "tofu", Some(name)) if is_tofu || named.root == "terraform" => {
                wrong(&format!(
                    "The \"{}\" object has no attribute \"{name}\".",
                    named.root
                ));
            }
            ("data", _) => self.resource(named, 0, BlockSort::Data, own, around),
            ("ephemeral", _) => self.ephemeral(named, own, around),
            // Actions are those of later versions; without one, it is the type of a resource.
            ("action", Some(_)) if own.has_actions => {}
            ("resource", _) => self.resource(named, 0, BlockSort::Resource, own, around),
            _ => self.resource(named, usize::MAX, BlockSort::Resource, own, around),
        }
    }

    /// `ephemeral.TYPE.name`; what follows is not checked.
    fn ephemeral(&self, named: &Named<'_>, own: &Module<'_>, around: &Around<'_>) {
        let [Step::Attr(ty), Step::Attr(name), ..] = named.steps.as_slice() else {
            let message = "\"ephemeral\" must be followed by a type and a name.";
            return self.reject(named.place, message, around);
        };
        if !own.has_gap && !own.ephemeral.contains(&(*ty, *name)) {
            let message = format!("The ephemeral resource \"{ty}.{name}\" is not declared.");
            self.reject(named.place, &message, around);
        }
    }

    /// A data source of a check, `data.TYPE.name`.
    fn looked_up(&self, named: &Named<'_>, around: &Around<'_>) {
        let [Step::Attr(ty), Step::Attr(name), Step::Attr(attribute), ..] = named.steps.as_slice() else {
            return;
        };
        let is_known = match schema::schema(true, ty) {
            Some(schema) => {
                schema.attributes.contains_key(attribute) || schema.blocks.contains_key(attribute)
            }
            None => *ty != REMOTE || OF_REMOTE.contains(attribute),
        };
        if !is_known {
            let is_likely = *ty != REMOTE && !self.world.knows_provider();
            let subject = format!("data.{ty}.{name}.{attribute}");
            let text = FaultText::new(FaultKind::UnsupportedAttribute, subject).likely(is_likely);
            self.fault(named.place, &text, around);
        }
    }

    /// `var.x` and `local.x`.
    fn declared(
        &self,
        named: &Named<'_>,
        name: &str,
        kind: FaultKind,
        own: &Module<'_>,
        around: &Around<'_>,
    ) {
        let is_local = kind == FaultKind::UndeclaredLocal;
        let is_there = if is_local {
            own.locals.contains_key(name)
        } else {
            own.variables.contains_key(name)
        };
        if is_there || own.has_gap {
            return;
        }
        let known = if is_local {
            own.known_locals()
        } else {
            own.known_variables()
        };
        let near = self.compared.nearest(name, known);
        let text = FaultText::new(kind, format!("{}.{name}", named.root)).near(name, near);
        self.fault(named.place, &text, around);
    }

    /// `module.m`, and the output after it.
    fn call(&self, named: &Named<'_>, name: &str, own: &Module<'_>, around: &Around<'_>) {
        let Some(call) = own.call(name).and_then(|number| own.calls.get(number)) else {
            if !own.has_gap {
                let near = self.compared.nearest(name, own.known_calls());
                let text = FaultText::new(FaultKind::UndeclaredModule, format!("module.{name}"));
                self.fault(named.place, &text.near(name, near), around);
            }
            return;
        };
        if around.is_named_only {
            return;
        }
        if let [_, Step::Key(_), Step::Key(_), ..] = &*named.steps {
            let message = "Module instance objects do not support this operation.";
            return self.reject(named.place, message, around);
        }
        let at = usize::from(Repeated::of(call) != Repeated::No);
        let output = match (named.steps.get(1), named.steps.get(1 + at)) {
            (Some(Step::Key(_)), _) if at == 0 => return,
            (_, Some(Step::Attr(output))) => *output,
            _ => return,
        };
        let child = self.called(call).map(|(_, child)| child);
        let Some(child) = child.filter(|c| !c.has_gap && c.output(output).is_none()) else {
            return;
        };
        let near = self.compared.nearest(output, child.known_outputs());
        let path = &self.path;
        let subject = format!("{path}module.{name}.{output}");
        let text = FaultText::new(FaultKind::UndeclaredOutput, subject).near(output, near);
        let text = text.related(call.header(), "the module is called here");
        self.no_outputs.borrow_mut().push((named.place, text));
    }

    /// `TYPE.name` and `data.TYPE.name`; `skip` steps precede the type, which is the root if there are none.
    fn resource(
        &self,
        named: &Named<'_>,
        skip: usize,
        sort: BlockSort,
        own: &Module<'_>,
        around: &Around<'_>,
    ) {
        let attr = |at: usize| match named.steps.get(at) {
            Some(Step::Attr(name)) => Some(*name),
            _ => None,
        };
        let (ty, at) = match skip {
            usize::MAX => (Some(named.root), 0),
            skip => (attr(skip), skip + 1),
        };
        let (Some(ty), Some(name)) = (ty, attr(at)) else {
            let message = match sort {
                BlockSort::Data => "\"data\" must be followed by a type and a name.",
                BlockSort::Resource => "The type of a resource must be followed by its name.",
            };
            return self.reject(named.place, message, around);
        };
        let is_data = sort == BlockSort::Data;
        let Some(decl) = own.resource(is_data, ty, name).and_then(|n| own.resources.get(n)) else {
            if !own.has_gap {
                self.undeclared(named, (is_data, ty, name), own, around);
            }
            return;
        };
        self.instance(named, at + 1, decl, around);
    }

    fn undeclared(
        &self,
        named: &Named<'_>,
        (is_data, ty, name): (bool, &str, &str),
        own: &Module<'_>,
        around: &Around<'_>,
    ) {
        self.fault(
            named.place,
            &FaultText::undeclared(own, &self.compared, &self.path, (is_data, ty, name)),
            around,
        );
    }

    /// The step at `at` is the first after the name of a resource.
    fn instance(&self, named: &Named<'_>, at: usize, decl: &Decl<'_>, around: &Around<'_>) {
        let address = || format!("{}{}", self.path, decl.address());
        let repeated = Repeated::of(decl);
        let by = decl.attr("count").or_else(|| decl.attr("for_each"));
        let rest = match (named.steps.get(at), by) {
            (Some(Step::Key(key)), None) => {
                let text = FaultText::new(FaultKind::UnexpectedInstanceKey, address())
                    .near(&key.to_string(), Some(""))
                    .related(decl.name_spot(), "it has neither `count` nor `for_each`");
                return self.fault(named.place, &text, around);
            }
            (Some(Step::Attr(_)), Some(by)) => {
                let added = match (around.repeated, repeated) {
                    (Repeated::Count, Repeated::Count) => Some("[count.index]"),
                    (Repeated::Each, Repeated::Each) => Some("[each.key]"),
                    _ => None,
                };
                let text = FaultText::new(FaultKind::MissingInstanceKey, address())
                    .near("", added)
                    .related(by.value(), format!("it has `{}`", by.name));
                return self.fault(named.place, &text, around);
            }
            (None, _) if named.has_no_key && named.steps.len() == at => {
                let message = "The key of an instance must be a string or a whole number.";
                return self.reject(named.place, message, around);
            }
            (Some(Step::Key(_)), Some(_)) => at + 1,
            _ => at,
        };
        let name = match named.steps.get(rest) {
            Some(Step::Attr(name)) => name,
            Some(Step::Key(_)) => {
                let message = "Only attribute access is allowed here, using the dot operator.";
                return self.reject(named.place, message, around);
            }
            None => return,
        };
        let unsupported = |near: Option<&str>, is_likely: bool| {
            let text = FaultText::new(FaultKind::UnsupportedAttribute, format!("{}.{name}", address()));
            self.fault(named.place, &text.near(name, near).likely(is_likely), around);
        };
        if decl.ty() == DATA && !decl.is_data() && !OF_DATA.contains(name) {
            return unsupported(nearest(name, OF_DATA.iter().copied()), false);
        }
        if decl.ty() == REMOTE && decl.is_data() && !OF_REMOTE.contains(name) {
            return unsupported(nearest(name, OF_REMOTE.iter().copied()), false);
        }
        let Some(schema) = schema::schema(decl.is_data(), decl.ty()) else {
            return;
        };
        if schema.attributes.contains_key(name) || schema.blocks.contains_key(name) {
            let behind = named.steps.get(rest..).unwrap_or_default();
            if let Some(why) = traversal::refused(schema, behind) {
                let text = FaultText::new(FaultKind::InvalidExpression, why);
                self.fault(named.place, &text.likely(!self.world.knows_provider()), around);
            }
            return;
        }
        let known = schema.attributes.keys().chain(schema.blocks.keys());
        unsupported(nearest(name, known.copied()), !self.world.knows_provider());
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockSort {
    Resource,
    Data,
}

/// The names in an expression that it does not define itself.
pub(super) fn named<'t>(expr: Expr<'t>, file: u32) -> Vec<Named<'t>> {
    // Most expressions are a name with attributes, or have none.
    match expr.kind() {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Null => return Vec::new(),
        ExprKind::GetAttr { .. } if expr.as_names().is_some() => {
            return chain(expr, file).into_iter().collect();
        }
        _ => {}
    }
    let mut found = Vec::new();
    let mut bound: Vec<Bound<'t>> = Vec::new();
    // Words that are not references, such as keys of objects.
    let mut bare: FxHashSet<Span> = FxHashSet::default();
    let mut inner: Option<Span> = None;
    for node in expr.walk() {
        let span = node.span();
        let is_inner = inner == Some(span);
        inner = match node.kind() {
            ExprKind::GetAttr { source, .. }
            | ExprKind::LegacyIndex { source, .. }
            | ExprKind::Index { source, .. } => Some(source.span()),
            _ => None,
        };
        match node.kind() {
            ExprKind::For(by) => {
                let names = by.key_var().into_iter().chain([by.value_var()]);
                let but = Some(by.collection().span());
                bound.extend(names.map(|name| Bound {
                    name,
                    within: span,
                    but,
                }));
            }
            ExprKind::Template(template) => {
                let mut open: Vec<_> = template.parts().iter().collect();
                while let Some(part) = open.pop() {
                    match part {
                        TemplatePart::If { then, otherwise, .. } => {
                            open.extend(then.iter().chain(otherwise.iter()));
                        }
                        TemplatePart::For {
                            key_var,
                            value_var,
                            body,
                            ..
                        } => {
                            let names = key_var.into_iter().chain([value_var]);
                            bound.extend(names.map(|name| Bound {
                                name,
                                within: span,
                                but: None,
                            }));
                            open.extend(body.iter());
                        }
                        _ => {}
                    }
                }
            }
            ExprKind::Object(object) => bare.extend(object.items().filter_map(|item| match item.key {
                ObjectKey::Name(_, span) => Some(span),
                ObjectKey::Expr(_) => None,
            })),
            _ if is_inner || bare.contains(&span) => {}
            _ => found.extend(chain(node, file)),
        }
    }
    found.retain(|named: &Named<'_>| {
        let at = named.place.span;
        !bound.iter().any(|b| {
            b.name == named.root && b.within.contains(at) && b.but.is_none_or(|but| !but.contains(at))
        })
    });
    found
}

/// A name with its steps.
fn chain<'t>(top: Expr<'t>, file: u32) -> Option<Named<'t>> {
    let mut steps: Vec<Option<Step<'t>>> = Vec::new();
    // For the first step after the known ones: they are visited from the last one.
    let mut has_no_key = false;
    let mut at = top;
    let root = loop {
        at = match at.kind() {
            ExprKind::GetAttr { source, name, .. } => {
                steps.push(Some(Step::Attr(name)));
                source
            }
            ExprKind::LegacyIndex { source, number } => {
                steps.push(number.parse().ok().map(|n| Step::Key(Key::Int(n))));
                source
            }
            ExprKind::Index { source, key } => {
                // A number that is not a key is a fraction, or too large.
                let is_literal = matches!(
                    key.kind(),
                    ExprKind::Bool(_) | ExprKind::Null | ExprKind::Number(_)
                );
                let key = match key.kind() {
                    ExprKind::Number(text) => {
                        let whole = Number::parse(text).and_then(Number::as_i64);
                        whole.and_then(|n| u64::try_from(n).ok()).map(Key::Int)
                    }
                    _ => key.as_text().map(|text| Key::Str(text.into())),
                };
                if key.is_none() {
                    has_no_key = is_literal;
                }
                steps.push(key.map(Step::Key));
                source
            }
            ExprKind::Variable(root) => break root,
            _ => return None,
        };
    };
    steps.reverse();
    Some(Named {
        root,
        steps: steps.into_iter().map_while(|step| step).collect(),
        has_no_key,
        place: Place {
            file,
            span: top.span(),
        },
    })
}
