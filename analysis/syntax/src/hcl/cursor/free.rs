//! The variables of an expression that it does not define itself.

use std::rc::Rc;

use super::{Expr, ExprKind, ObjectKey, TemplatePart};
use crate::text::Span;

/// The names that are defined at a place, the innermost first.
enum Names<'t> {
    None,
    More([Option<&'t str>; 2], Rc<Names<'t>>),
}

impl<'t> Names<'t> {
    fn with(outer: &Rc<Self>, key: Option<&'t str>, value: &'t str) -> Rc<Self> {
        Rc::new(Self::More([key, Some(value)], outer.clone()))
    }

    fn has(&self, name: &str) -> bool {
        let mut at = self;
        while let Self::More(own, outer) = at {
            if own.contains(&Some(name)) {
                return true;
            }
            at = outer;
        }
        false
    }
}

enum Open<'t> {
    Expr(Expr<'t>),
    Part(TemplatePart<'t>),
}

impl<'t> Expr<'t> {
    /// The variables in an expression that no `for` around them defines, with their places, in any order; whether they
    /// are evaluated or not.
    #[must_use]
    pub fn free_names(&self) -> Vec<(&'t str, Span)> {
        let mut found = Vec::new();
        let mut open = vec![(Open::Expr(*self), Rc::new(Names::None))];
        while let Some((at, names)) = open.pop() {
            let at = match at {
                Open::Expr(at) => at,
                Open::Part(TemplatePart::Literal(..)) => continue,
                Open::Part(TemplatePart::Interpolation(value, _)) => value,
                Open::Part(TemplatePart::If {
                    condition,
                    then,
                    otherwise,
                }) => {
                    let parts = then.iter().chain(otherwise.iter());
                    open.extend(parts.map(|part| (Open::Part(part), names.clone())));
                    condition
                }
                Open::Part(TemplatePart::For {
                    key_var,
                    value_var,
                    collection,
                    body,
                }) => {
                    let inside = Names::with(&names, key_var, value_var);
                    open.extend(body.iter().map(|part| (Open::Part(part), inside.clone())));
                    collection
                }
            };
            match at.kind() {
                ExprKind::Variable(name) if !names.has(name) => found.push((name, at.span())),
                ExprKind::Template(template) => {
                    let parts = template.parts();
                    open.extend(parts.iter().map(|part| (Open::Part(part), names.clone())));
                }
                ExprKind::Object(object) => {
                    for item in object.items() {
                        if let ObjectKey::Expr(key) = item.key {
                            open.push((Open::Expr(key), names.clone()));
                        }
                        open.push((Open::Expr(item.value), names.clone()));
                    }
                }
                ExprKind::For(by) => {
                    let inside = Names::with(&names, by.key_var(), by.value_var());
                    let parts = by.key().into_iter().chain([by.value()]).chain(by.condition());
                    open.extend(parts.map(|part| (Open::Expr(part), inside.clone())));
                    open.push((Open::Expr(by.collection()), names));
                }
                _ => {
                    let parts = at.ids().into_iter().map(|id| at.at.expr(id));
                    open.extend(parts.map(|part| (Open::Expr(part), names.clone())));
                }
            }
        }
        found
    }

    /// Whether it is a reference: a variable with attributes, keys and splats.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        let mut at = *self;
        loop {
            at = match at.kind() {
                ExprKind::GetAttr { source, .. }
                | ExprKind::LegacyIndex { source, .. }
                | ExprKind::Index { source, .. }
                | ExprKind::Splat { source, .. } => source,
                ExprKind::Variable(_) => return true,
                _ => return false,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;

    fn free(text: &str) -> Vec<String> {
        let tree = parse(&format!("x = {text}\n"));
        let value = tree.body().attribute("x").unwrap().value();
        let mut names: Vec<_> = value
            .free_names()
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_for_defines_is_free_only_outside_of_it() {
        assert_eq!(free("[for k, v in v.all : k + v.x + a.b if c]"), ["a", "c", "v"]);
        assert_eq!(
            free("{ a = b, (c) = d, e : [for e in f : e] }"),
            ["b", "c", "d", "f"]
        );
        assert_eq!(
            free("\"${i} %{ for i in l }${i}${j}%{ endfor } ${i}\""),
            ["i", "i", "j", "l"]
        );
        assert_eq!(free("\"%{ if a }${b}%{ else }${c}%{ endif }\""), ["a", "b", "c"]);
        assert_eq!(
            free("f(a[*].b, c.*.d, e[g], h == \"i\" ? j : null)"),
            ["a", "c", "e", "g", "h", "j"]
        );
    }

    #[test]
    fn a_reference_has_only_steps_after_a_variable() {
        let is_reference = |text: &str| {
            let tree = parse(&format!("x = {text}\n"));
            tree.body().attribute("x").unwrap().value().is_reference()
        };
        assert!(
            ["a", "a.b[c + 1].0.d", "a[*].b"]
                .iter()
                .all(|text| is_reference(text))
        );
        assert!(
            !["(a)", "f(a).b", "a + b", "1", "\"${a}\""]
                .iter()
                .any(|text| is_reference(text))
        );
    }
}
