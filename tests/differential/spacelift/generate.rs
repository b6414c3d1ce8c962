//! Random modules: stacks and what depends on them, other resources of the table with random arguments, and in half of
//! the modules a mistake.

use std::path::Path;

use crate::random::Random;

/// The schemas.
const TABLE: &str = include_str!("../../../analysis/engines/spacelift/src/schema/provider.txt");

/// A module: files and their texts.
pub(crate) struct Module {
    pub(crate) files: Vec<(&'static str, String)>,
}

impl Module {
    pub(crate) fn write(&self, dir: &Path) {
        for (name, text) in &self.files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
}

const HEAD: &str = r#"terraform {
  required_providers {
    spacelift = {
      source = "spacelift-io/spacelift"
    }
  }
}
variable "text" {
  type = string
}
variable "list" {
  type = list(string)
}
variable "on" {
  type = bool
}
variable "any" {
}
locals {
  text = "l"
  list = ["l", "m"]
  map  = { k = "v" }
  up   = upper(local.text)
  on   = true
}
"#;

const CHILD: &str = r#"variable "up" {
  type = string
}
resource "spacelift_stack" "in" {
  name       = "in"
  repository = "r"
  branch     = "b"
}
resource "spacelift_stack_dependency" "in" {
  stack_id            = spacelift_stack.in.id
  depends_on_stack_id = var.up
}
output "id" {
  value = spacelift_stack.in.id
}
"#;

const GIVEN: &str = "text = \"t\"\nlist = [\"t\"]\non = true\nany = \"a\"\n";

/// How the instances of a stack are created.
#[derive(Clone, Copy)]
enum Instances {
    One,
    Count,
    Each,
}

struct Generator {
    random: Random,
    text: String,
    stacks: Vec<(String, Instances)>,
}

/// A module for a seed.
pub(crate) fn module(seed: u64) -> Module {
    let mut generator = Generator {
        random: Random::new(seed),
        text: HEAD.to_owned(),
        stacks: Vec::new(),
    };
    generator.fill();
    let mut files = vec![("given.tfvars", GIVEN.to_owned())];
    if generator.text.contains("module \"child\"") {
        let provider = &HEAD[..HEAD.find("variable").unwrap()];
        let child = format!("{provider}{CHILD}");
        files.push(("child/main.tf", child));
        // What `terraform get` writes.
        let installed = "{\"Modules\":[{\"Key\":\"\",\"Source\":\"\",\"Dir\":\".\"},{\"Key\":\"child\",\"Source\":\"./child\",\
                         \"Dir\":\"child\"}]}";
        files.push((".terraform/modules/modules.json", installed.to_owned()));
    }
    files.push(("main.tf", generator.text));
    Module { files }
}

impl Generator {
    fn fill(&mut self) {
        let many = 2 + self.random.below(3);
        for n in 0..many {
            self.stack(n);
        }
        if self.random.one_in(3) {
            let id = self.id();
            self.text.push_str(&format!(
                "module \"child\" {{\n  source = \"./child\"\n  up     = {id}\n}}\n"
            ));
            self.stacks.push(("module.child".to_owned(), Instances::One));
        }
        let edges = 1 + self.random.below(3);
        for n in 0..edges {
            self.dependency(n);
        }
        let others = self.random.below(3);
        for n in 0..others {
            self.other(n);
        }
        if self.random.one_in(2) {
            self.mistake();
        }
    }

    fn stack(&mut self, n: usize) {
        let name = format!("s{n}");
        let instances =
            *self
                .random
                .pick(&[Instances::One, Instances::One, Instances::Count, Instances::Each]);
        let (by, own) = match instances {
            Instances::One => ("", format!("\"{name}\"")),
            Instances::Count => ("  count = 2\n", format!("\"{name}-${{count.index}}\"")),
            Instances::Each => (
                "  for_each = toset([\"k\", \"l\"])\n",
                format!("\"{name}-${{each.key}}\""),
            ),
        };
        self.text.push_str(&format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n{by}  name = {own}\n  repository = \"r\"\n  branch = \"b\"\n"
        ));
        for _ in 0..self.random.below(3) {
            let line = self.random.text(&[
                "  project_root = local.up\n",
                "  description = var.text\n",
                "  administrative = \"true\"\n",
                "  autodeploy = var.on\n",
                "  labels = var.list\n",
                "  before_plan = concat(local.list, [\"x\"])\n",
                "  github_enterprise {\n    namespace = local.text\n  }\n",
                "  dynamic \"ansible\" {\n    for_each = slice(local.list, 0, 1)\n    content {\n      playbook = ansible.value\n    }\n  }\n",
            ]);
            // Each at most once.
            let word = line.split_whitespace().next().unwrap();
            let start = self.text.rfind("\nresource").unwrap_or(0);
            if !self.text[start..].contains(&format!("  {word} ")) {
                self.text.push_str(line);
            }
        }
        self.text.push_str("}\n");
        self.stacks.push((name, instances));
    }

    /// The ID of some stack.
    fn id(&mut self) -> String {
        let (name, instances) = self.random.pick(&self.stacks).clone();
        if name.starts_with("module.") {
            return format!("{name}.id");
        }
        let key = match instances {
            Instances::One => "",
            Instances::Count => self.random.text(&["[0]", "[1]", "[length(local.list) - 1]"]),
            Instances::Each => self.random.text(&["[\"k\"]", "[\"l\"]", "[local.list[0]]"]),
        };
        let attribute = self.random.text(&["id", "id", "slug"]);
        let plain = format!("spacelift_stack.{name}{key}.{attribute}");
        match self.random.below(6) {
            0 => format!("\"${{{plain}}}\""),
            1 => format!("local.on ? {plain} : {plain}"),
            2 => format!("one([{plain}])"),
            _ => plain,
        }
    }

    fn dependency(&mut self, n: usize) {
        let (from, to) = (self.id(), self.id());
        let ty = "spacelift_stack_dependency";
        self.text.push_str(&format!(
            "resource \"{ty}\" \"d{n}\" {{\n  stack_id = {from}\n  depends_on_stack_id = {to}\n}}\n"
        ));
        if self.random.one_in(3) {
            self.text.push_str(&format!(
                "resource \"{ty}_reference\" \"r{n}\" {{\n  stack_dependency_id = {ty}.d{n}.id\n  output_name = \"o\"\n  \
                 input_name = local.text\n}}\n"
            ));
        }
    }

    /// A resource or data source of the table with its required arguments, and some optional ones.
    fn other(&mut self, n: usize) {
        let headers: Vec<&str> = TABLE.lines().filter(|l| !l.starts_with([' ', '#'])).collect();
        let header = *self.random.pick(&headers);
        let (word, ty) = header.split_once(' ').unwrap();
        let start = TABLE.find(&format!("\n{header}\n")).unwrap() + header.len() + 2;
        let lines: Vec<&str> = TABLE[start..]
            .lines()
            .take_while(|l| l.starts_with(' '))
            .collect();
        self.text.push_str(&format!("{word} \"{ty}\" \"o{n}\" {{\n"));
        for line in lines.iter().filter(|l| !l.starts_with("   ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, kind, need, ..] = words.as_slice() else {
                continue;
            };
            let is_wanted = match *need {
                "required" => !self.random.one_in(25),
                "computed" => self.random.one_in(40),
                _ => self.random.one_in(6),
            };
            if *kind == "block" || !is_wanted {
                continue;
            }
            let value = self.value(kind);
            self.text.push_str(&format!("  {name} = {value}\n"));
        }
        self.text.push_str("}\n");
    }

    /// An expression, most often of a type.
    fn value(&mut self, kind: &str) -> &'static str {
        const ALL: &[&[&str]] = &[
            &[
                "\"x\"",
                "local.text",
                "var.text",
                "\"a-${var.text}\"",
                "spacelift_stack.s0",
                "3",
                "var.on",
                "var.any",
            ],
            &[
                "true",
                "\"false\"",
                "local.on",
                "var.on",
                "!var.on",
                "\"yes\"",
                "1 == 1",
                "null",
            ],
            &[
                "7",
                "\"8\"",
                "length(var.list)",
                "1 + 1",
                "\"x\"",
                "var.text",
                "null",
                "-3",
            ],
            &[
                "[\"x\"]",
                "[1, true]",
                "local.list",
                "var.list",
                "toset(var.list)",
                "[]",
                "[for x in var.list : upper(x)]",
                "[[]]",
            ],
            &[
                "{ a = \"b\" }",
                "local.map",
                "{}",
                "{ a = 1 }",
                "{ for k, v in local.map : v => k }",
                "merge(local.map, {})",
                "{ a = [] }",
                "null",
            ],
        ];
        let own = match kind {
            "string" => 0,
            "bool" => 1,
            "number" => 2,
            _ if kind.starts_with("map") => 4,
            _ => 3,
        };
        let from = if self.random.one_in(8) {
            self.random.below(ALL.len())
        } else {
            own
        };
        self.random.text(ALL[from])
    }

    /// Something wrong, or at least unusual.
    fn mistake(&mut self) {
        let stack = |lines: &str| {
            format!(
                "resource \"spacelift_stack\" \"m\" {{\n  name = \"m\"\n  repository = \"r\"\n  branch = \"b\"\n{lines}}}\n"
            )
        };
        let dependency = |from: &str, to: &str| {
            format!(
                "resource \"spacelift_stack_dependency\" \"m\" {{\n  stack_id = {from}\n  depends_on_stack_id = {to}\n}}\n"
            )
        };
        let good = self.id();
        let found = match self.random.below(44) {
            0 => stack("  context_id = \"x\"\n"),
            1 => stack("  pulumi = []\n"),
            2 => stack("  labels {\n  }\n"),
            3 => stack("  bogus {\n  }\n"),
            4 => stack("  gitlab {\n    namespace = \"a\"\n    bogus = 1\n  }\n"),
            5 => stack("  gitlab {\n  }\n"),
            6 => stack("  gitlab {\n    namespace = \"a\"\n  }\n  gitlab {\n    namespace = \"b\"\n  }\n"),
            7 => stack("  ansible {\n    playbook = \"p\"\n  }\n  terragrunt {\n  }\n"),
            8 => stack("  id = \"m\"\n"),
            9 => stack("  aws_assume_role_policy_statement = \"m\"\n"),
            10 => stack("  opentofu {\n    logging {\n      concise = \"maybe\"\n    }\n  }\n"),
            39 => stack(
                "  dynamic \"gitlab\" {\n    for_each = var.list\n    content {\n      namespac = gitlab.value\n    }\n  }\n",
            ),
            40 => stack(
                "  dynamic \"gitlab\" {\n    for_each = []\n    content {\n      namespac = gitlab.value\n    }\n  }\n",
            ),
            41 => stack(
                "  dynamic \"gitlab\" {\n    for_each = local.list\n    content {\n      namespace = gitlab.value\n    }\n  }\n",
            ),
            42 => stack(
                "  dynamic \"gitlab\" {\n    for_each = [[]]\n    iterator = it\n    content {\n      namespace = it.value\n    }\n  }\n",
            ),
            11 => stack("  dynamic \"bogus\" {\n    for_each = []\n    content {\n    }\n  }\n"),
            12 => stack("  lifecycle {\n    ignore_changes = [name]\n  }\n"),
            13 => stack("  labels = local.text\n"),
            14 => stack("  description = local.list\n"),
            15 => stack("  description = var.list\n"),
            16 => stack("  description = spacelift_stack.s0\n"),
            17 => stack("  for_each = { a = { b = \"c\" } }\n  description = each.value\n"),
            18 => stack("  for_each = { a = { b = \"c\" } }\n  description = each.value.b\n"),
            19 => stack("").replace("\"r\"", "\"\""),
            20 => stack("").replace("\"r\"", "null"),
            21 => stack("").replace("  branch = \"b\"\n", ""),
            22 => stack("").replace("spacelift_stack", "spacelift_stak"),
            23 => stack("") + &stack(""),
            24 => dependency(&good, "spacelift_stack.lost.id"),
            25 => dependency(&good, "spacelift_stack.s0.idd"),
            26 => dependency(&good, "local.lost"),
            27 => dependency(&good, "var.lost"),
            28 => dependency(&good, "module.lost.id"),
            29 => dependency(&good, "module.child.lost"),
            30 => dependency(&good, "spacelift_stack.s0.id"),
            31 => dependency(&good, "spacelift_stack.s1[0].id"),
            32 => dependency(&good, "spacelift_stack.s1[\"z\"].id"),
            33 => dependency(&good, "spacelift_stack.s0"),
            34 => dependency(&good, "[spacelift_stack.s0.id]"),
            35 => dependency(&good, "null"),
            36 => "locals {\n  a = local.b\n  b = local.a\n}\n".to_owned() + &dependency(&good, "local.a"),
            37 => {
                stack("  depends_on = [spacelift_stack_dependency.m]\n")
                    + &dependency("spacelift_stack.m.id", &good)
            }
            38 => dependency(&good, &good),
            _ => dependency(&good, "data.spacelift_stack.lost.id"),
        };
        self.text.push_str(&found);
    }
}
