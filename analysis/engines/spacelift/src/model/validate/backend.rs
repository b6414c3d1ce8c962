//! `backend` and `cloud`: where the module keeps its own state.
//!
//! Source: Terraform 1.11: `validate` does not look at them, `init` and `plan` decode them by their schemas. What is missing
//! or has a value that the backend rejects may be given on the command line. OpenTofu 1.10, `static_scope.go` and
//! `Backend.Decode`: it evaluates the arguments before it reads the modules.

use applyorder_syntax::hcl::eval::{Marks, Value};
use applyorder_syntax::hcl::{Block, Expr};
use applyorder_syntax::text::Span;
use rustc_hash::FxHashSet;

use super::super::Wrong;
use super::Repeated;
use super::backends::{Fault, Given, arguments, backend_name, named, values};
use super::bodies::Open;
use super::walk::{Walk, scene};
use crate::read::is_json;

/// What is wrong, and where.
type Found = Vec<(Span, Fault)>;

fn invalid(why: String) -> Fault {
    Fault::Invalid("config", why)
}

impl<'a> Walk<'_, '_, 'a> {
    /// Checks a block `backend`.
    pub(super) fn backend(&mut self, backend: Block<'a>, file: usize) {
        let kind = backend.labels().next().map_or("", |label| label.text);
        self.of_own_state(kind, backend, file);
    }

    /// Checks a block `cloud`.
    pub(super) fn cloud(&mut self, cloud: Block<'a>, file: usize) {
        self.of_own_state("cloud", cloud, file);
    }

    fn of_own_state(&mut self, kind: &str, block: Block<'a>, file: usize) {
        let has_overrides = self.validate.own().is_none_or(|own| !own.overriding.is_empty());
        if self.validate.number != 0 || has_overrides {
            return;
        }
        let is_tofu = self.validate.world.is_tofu();
        let mut found = Found::new();
        if let Err(fault) = backend_name(kind) {
            found.push((block.header_span(), fault));
            return self.tell_state(found, block, file);
        }
        let mut given = self.configuration(kind, block, file, &mut found);
        for inner in block.body().blocks() {
            let nested = format!("{kind}.{}", inner.kind());
            if arguments(&nested, is_tofu).is_ok() {
                let inside = self.configuration(&nested, inner, file, &mut found);
                given.insert(inner.kind().into(), Value::object(inside));
            }
        }
        if found.is_empty()
            && let Err(fault) = values(kind, &given, true)
        {
            let fault = match fault {
                // Nothing of it may be given elsewhere.
                Fault::Invalid(..) if block.kind() == "cloud" => fault,
                Fault::Invalid(name, why) | Fault::Open(name, why) => Fault::Open(name, why),
            };
            found.push((block.header_span(), fault));
        }
        self.tell_state(found, block, file);
    }

    fn tell_state(&mut self, found: Found, block: Block<'a>, file: usize) {
        for (span, fault) in found {
            match fault {
                Fault::Invalid(_, why) => {
                    let place = self.place_of(file, span);
                    self.tell_of_plan("terraform", block.kind(), place, Wrong::Type(why));
                }
                Fault::Open(_, why) => {
                    self.validate.leave_plan_open(self.spot(file, span), &why);
                }
            }
        }
    }

    /// Checks the arguments and the blocks of a block by the schema of a name. Returns the values of the arguments.
    fn configuration(&mut self, kind: &str, block: Block<'a>, file: usize, found: &mut Found) -> Given {
        let mut given = Given::new();
        let is_tofu = self.validate.world.is_tofu();
        let all = match arguments(kind, is_tofu) {
            Ok(all) => all,
            Err(fault) => {
                found.push((block.header_span(), fault));
                return given;
            }
        };
        let is_block = |name: &str| arguments(&format!("{kind}.{name}"), is_tofu).is_ok();
        let source = self.validate.world.sources.get(file);
        // In JSON blocks are written like arguments.
        let is_native =
            source.is_some_and(|source| !is_json(self.validate.world.cx.path(source.id).as_str()));
        for attribute in block.body().attributes() {
            let (name, expr) = (attribute.name(), attribute.value());
            let why = match named(kind, &all, name, is_tofu) {
                Err(fault) => {
                    found.push((attribute.name_span(), fault));
                    continue;
                }
                Ok(_) if is_block(name) && is_native => Some("it is a block".to_owned()),
                Ok(_) if is_block(name) => None,
                Ok(argument) => {
                    let value = match is_tofu {
                        true => Ok(self.known_early((block, file), name, expr)),
                        false => self.constant(expr).map(Some),
                    };
                    match value {
                        Ok(Some(value)) => {
                            let why = argument.refuses(&value);
                            given.insert(name.into(), value);
                            why
                        }
                        Ok(None) => None,
                        Err(why) => Some(why),
                    }
                }
            };
            let fault = why.map(|why| invalid(format!("`{name}`: {why}")));
            found.extend(fault.map(|fault| (expr.span(), fault)));
        }
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for inner in block.body().blocks() {
            let word = inner.kind();
            let fault = match named(kind, &all, word, is_tofu) {
                Err(fault) => Some(fault),
                Ok(_) if !is_block(word) => Some(invalid(format!("`{word}` is an argument"))),
                Ok(argument) if argument.is_single() && seen.contains(word) => {
                    Some(invalid(format!("only one block `{word}` is allowed")))
                }
                Ok(_) => None,
            };
            seen.insert(word);
            found.extend(fault.map(|fault| (inner.header_span(), fault)));
        }
        given
    }

    /// The value of an argument, which OpenTofu evaluates before it reads the modules; what is wrong with that is told.
    fn known_early(
        &mut self,
        (backend, file): (Block<'a>, usize),
        name: &str,
        expr: Expr<'a>,
    ) -> Option<Value> {
        let mut found = None;
        self.of_plan(|walk| {
            if let Some(why) = walk.validate.not_known_early(expr) {
                return walk.say_of("terraform", "backend", expr, file, why);
            }
            let scene = scene(Repeated::No, "backend");
            let value = walk.eval(&scene, name, expr, file, &Open::new(backend, file));
            if value.all_marks().has(Marks::SENSITIVE) {
                return walk.say_of("terraform", "backend", expr, file, "it must not be sensitive");
            }
            found = Some(value);
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, stacks, verdict};

    /// The results of `terraform init` 1.11.4, which comes before `plan`.
    #[test]
    fn where_the_state_is_is_checked_by_its_schema() {
        for (block, ok) in [
            ("cloud {\n    organization = \"o\"\n  }", Some(true)),
            ("cloud {\n    nope = 1\n  }", Some(false)),
            ("cloud {\n    nope {}\n  }", Some(false)),
            ("cloud {\n    organization = []\n  }", Some(false)),
            (
                "cloud {\n    workspaces {\n      name = \"x\"\n    }\n  }",
                Some(true),
            ),
            (
                "cloud {\n    workspaces {\n      tags = { a = \"b\" }\n    }\n  }",
                Some(true),
            ),
            (
                "cloud {\n    workspaces {\n      tags = 1\n    }\n  }",
                Some(false),
            ),
            (
                "cloud {\n    workspaces {\n      nam = \"x\"\n    }\n  }",
                Some(false),
            ),
            (
                "cloud {\n    workspaces {\n      name = \"x\"\n      tags = [\"a\"]\n    }\n  }",
                Some(false),
            ),
            (
                "cloud {\n    workspaces {\n    }\n    workspaces {\n    }\n  }",
                Some(false),
            ),
            ("cloud {\n    workspaces = { name = \"x\" }\n  }", Some(false)),
            (
                "backend \"remote\" {\n    workspaces {\n      name = \"x\"\n    }\n  }",
                Some(true),
            ),
            (
                "backend \"remote\" {\n    workspaces {\n      nam = \"x\"\n    }\n  }",
                Some(false),
            ),
            (
                "backend \"remote\" {\n    workspaces {\n      name = []\n    }\n  }",
                Some(false),
            ),
            (
                "backend \"remote\" {\n    workspaces {\n      name {}\n    }\n  }",
                Some(false),
            ),
            (
                "backend \"s3\" {\n    assume_role {\n      role_arn = \"x\"\n    }\n  }",
                Some(false),
            ),
            (
                "backend \"kubernetes\" {\n    exec {\n      nope = 1\n    }\n  }",
                Some(false),
            ),
            ("backend \"local\" {\n    path = \"x\"\n  }", Some(true)),
            // The command line may give another one.
            ("backend \"local\" {\n    path = \"\"\n  }", None),
        ] {
            let text = format!("{}terraform {{\n  {block}\n}}\n", stacks(&["a"]));
            let fixture = module(&text, RunOptions::default());
            let verdicts = ["validate", "plan"].map(|command| verdict(&fixture, command));
            assert_eq!(verdicts, [Some(true), ok], "{block}");
        }
        let text = format!(
            "{}//- /w/state.tf.json\n{{\"terraform\": {{\"backend\": {{\"remote\": {{\"workspaces\": [{{\"name\": \
             \"x\"}}]}}}}}}}}\n",
            stacks(&["a"])
        );
        let fixture = module(&text, RunOptions::default());
        assert_eq!(verdict(&fixture, "plan"), Some(true));
    }
}
