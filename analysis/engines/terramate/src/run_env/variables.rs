//! The variables that an expression names.

use rustc_hash::FxHashSet;

use applyorder_syntax::hcl::{Expr, ExprKind, ObjectKey, TemplatePart};
use applyorder_syntax::text::Span;

/// A variable, and the names after it as far as they are written literally: `global.a["b"]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variable<'t> {
    pub(super) root: &'t str,
    pub(super) span: Span,
    pub(super) names: Vec<&'t str>,
    /// Whether anything follows it.
    pub(super) has_steps: bool,
}

/// The variables of an expression that it does not bind itself.
pub(super) fn variables(expr: Expr<'_>) -> Vec<Variable<'_>> {
    let all = expr.descendants();
    let mut bound: FxHashSet<&str> = FxHashSet::default();
    // Bare keys of objects look like variables.
    let mut keys: FxHashSet<Span> = FxHashSet::default();
    for one in &all {
        match one.kind() {
            ExprKind::For(node) => bound.extend(node.key_var().into_iter().chain([node.value_var()])),
            ExprKind::Object(object) => keys.extend(object.items().filter_map(|item| match item.key {
                ObjectKey::Name(_, span) => Some(span),
                ObjectKey::Expr(_) => None,
            })),
            ExprKind::Template(template) => {
                let mut open = vec![template.parts()];
                while let Some(parts) = open.pop() {
                    for part in parts.iter() {
                        match part {
                            TemplatePart::If { then, otherwise, .. } => open.extend([then, otherwise]),
                            TemplatePart::For {
                                key_var,
                                value_var,
                                body,
                                ..
                            } => {
                                bound.extend(key_var.into_iter().chain([value_var]));
                                open.push(body);
                            }
                            _ => {}
                        }
                    }
                }
            }
            _ => {}
        }
    }
    // What is before a step was already visited with it.
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    let mut found = Vec::new();
    for one in all {
        if !seen.insert(one.span()) || keys.contains(&one.span()) {
            continue;
        }
        let mut steps = Vec::new();
        let mut at = one;
        while let ExprKind::GetAttr { source, .. }
        | ExprKind::LegacyIndex { source, .. }
        | ExprKind::Index { source, .. } = at.kind()
        {
            steps.push(at);
            seen.insert(source.span());
            at = source;
        }
        let ExprKind::Variable(root) = at.kind() else {
            continue;
        };
        if bound.contains(root) {
            continue;
        }
        let mut names = Vec::new();
        for step in steps.iter().rev() {
            match step.kind() {
                ExprKind::GetAttr { name, .. } => names.push(name),
                ExprKind::Index { key, .. } => match key.kind() {
                    ExprKind::Number(_) => {}
                    ExprKind::Template(text) => match text.as_text() {
                        Some(text) => names.push(text),
                        None => break,
                    },
                    _ => break,
                },
                _ => {}
            }
        }
        found.push(Variable {
            root,
            span: at.span(),
            names,
            has_steps: !steps.is_empty(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use applyorder_syntax::hcl;

    fn shown(text: &str) -> Vec<String> {
        let tree = hcl::parse(&format!("x = {text}\n"));
        let value = tree.body().attribute("x").unwrap().value();
        let found = super::variables(value);
        let shown = found.iter().map(|v| format!("{} {}", v.root, v.names.join(".")));
        shown.map(|s| s.trim_end().to_owned()).collect()
    }

    #[test]
    fn they_have_the_names_that_are_written() {
        assert_eq!(shown("global.a.b"), ["global a.b"]);
        assert_eq!(shown("global.a[\"b\"].c[0].d"), ["global a.b.c.d"]);
        assert_eq!(shown("global.a[global.b].c"), ["global a", "global b"]);
        assert_eq!(shown("global.a[*].b"), ["global a"]);
        assert_eq!(
            shown("\"${global.a}-${terramate.stack.name}\""),
            ["global a", "terramate stack.name"]
        );
        assert_eq!(shown("tm_try(global.a, global)"), ["global a", "global"]);
    }

    #[test]
    fn what_an_expression_binds_is_not_one_of_them() {
        assert_eq!(
            shown("[for k, v in global.a : \"${k}${v.x}${global.b}\"]"),
            ["global a", "global b"]
        );
        assert_eq!(shown("{ a = 1, (global.b) = c.d }"), ["global b", "c d"]);
        assert_eq!(shown("\"%{for x in global.a}${x}%{endfor}\""), ["global a"]);
    }
}
