//! Mistakes and rare constructs in random projects: blocks, values, imports, links, IDs, versions.

use super::generate::{Project, below};
use crate::random::Random;

/// The contents of the root's `terramate` block.
pub(super) const VERSIONS: [&str; 20] = [
    "  required_version = \"\"\n",
    "  required_version = \">= 0.17\"\n",
    "  required_version = \"~> 0.17.0\"\n",
    "  required_version = \"~> 0.17\"\n",
    "  required_version = \"0.17.2\"\n",
    "  required_version = \"= 0.17.1\"\n",
    "  required_version = \"> 1.0.0\"\n",
    "  required_version = \"< 0.17\"\n",
    "  required_version = \"!= 0.17.2\"\n",
    "  required_version = \"> 0.1, < 2\"\n",
    "  required_version = \"> 0.1 < 2\"\n",
    "  required_version = \"nonsense\"\n",
    "  required_version = \">= 0.17.2-rc1\"\n",
    "  required_version = \">= 0.17.2-rc1\"\n  required_version_allow_prereleases = true\n",
    "  required_version = \"~> 0.17.0-beta1\"\n  required_version_allow_prereleases = true\n",
    "  required_version = \">= 1.0\"\n  required_version_allow_prereleases = true\n",
    "  required_version = 1\n",
    "  required_version = global.x\n",
    "  required_version = \"${\"> 0.1\"}\"\n",
    "  required_version = \"> 0.1\"\n  nope = 1\n",
];

const ATTRIBUTES: [&str; 69] = [
    "name = 1",
    "name = null",
    "name = \"\"",
    "name = \"${1}x\"",
    "name = <<-EOT\n    x\n  EOT",
    "after2 = []",
    "depends_on = [\"/a\"]",
    "watch = [\"/nope\"]",
    "watch = [\"/\"]",
    "watch = [\"/file.txt\"]",
    "watch = [\"../../../../../../x\"]",
    "watch = [\"\"]",
    "watch = [\".\"]",
    "description = null",
    "description = true",
    "foo {}",
    "tags = [\"A\"]",
    "tags = [\"\"]",
    "tags = [\"-a\"]",
    "tags = [\"a-\"]",
    "tags = [\"a b\"]",
    "tags = [\"9\"]",
    "tags = [\"ä\"]",
    "tags = [\"a\", \"a\"]",
    "tags = \"a\"",
    "tags = {}",
    "id = \"no id!\"",
    "id = 7",
    "id = null",
    "name = \"${global.x}\"",
    "name = terramate.stack.name",
    "name = \"${let.x}\"",
    "name = x",
    "wants = \"/a\"",
    "wants = null",
    "wants = [null]",
    "wants = [1]",
    "wants = [true, \"/a\"]",
    "wants = [[\"/a\"]]",
    "wants = tm_toset([\"/a\"])",
    "wants = tm_tolist(tm_toset([\"/a\"]))",
    "wants = tm_fileset(\".\", \"*\")",
    "wants = concat([\"/a\"], [])",
    "wants = tm_nope()",
    "wants = tm_concat()",
    "wants = tm_jsondecode(\"[\")",
    "wants = tm_split(\",\", \"/a,/b\")",
    "wants = [for k, v in { x = \"/a\", y = \"/b\" } : v]",
    "wants = [for x in [\"/a\", \"/b\"] : x if x != \"/a\"]",
    "wants = [tm_format(\"/%s\", \"a\"), tm_join(\"/\", [\"\", \"b\"])]",
    "wants = tm_ternary(true, [\"/a\"], [\"/b\"])",
    "wants = [tm_lower(\"/A\"), tm_trimsuffix(\"/b/\", \"/\")]",
    "wants = [\"/a\", \"/\\u0061\"]",
    "wants = [\"/${\"a\"}\", \"%{if true}/b%{endif}\"]",
    "wants = tm_flatten([[\"/a\"], [[\"/b\"]]])",
    "wants = tm_sort([\"/b\", \"/a\"])",
    "wants = tm_slice([\"/b\", \"/a\", \"/c\"], 0, 2)",
    "wants = tm_fileexists(\"s.tm\") ? [\"/a\"] : [\"/b\"]",
    "wants = [tm_lower(\"/\u{130}\")]",
    "wants = [tm_yamldecode(\"\")]",
    "wants = [tm_format(\"%[1]s\", \"/a\", 1)]",
    "wants = [tm_ternary(true, \"%{ for x in [\"/a\"] }${x}%{ endfor }\", 1)]",
    "wants = [3 > \"Inf\" ? 1 : \"/b\"]",
    "wants = [for x in [{ a = 1 }, null, \"x\"] : tm_upper(\"/${x == null}\")]",
    "wants = tm_tolist([{ a = 1 }, null, \"x\"])",
    "wants = [tm_abspath(\"/a\")]",
    "wants = tm_compact([\"/a\", \"\"])",
    "from_bundle_file = 1",
    "wants = [\"/a\"",
];

/// One line, or more, of a `stack` block.
pub(super) fn attribute(r: &mut Random) -> &'static str {
    r.text(&ATTRIBUTES)
}

const BLOCKS: [&str; 77] = [
    "stack {}",
    "stack \"label\" {}",
    "foo {}",
    "foo \"a\" {\n  x = 1\n}",
    "x = 1",
    "generate_hcl \"x\" {}",
    "generate_hcl \"x\" {\n  content {\n    a = b\n  }\n}",
    "generate_hcl {\n  content {\n  }\n}",
    "generate_hcl \"x\" \"y\" {\n  content {\n  }\n}",
    "generate_file \"x\" {}",
    "generate_file \"x\" {\n  content = global.nope\n}",
    "generate_file \"x\" {\n  content = \"\"\n  content = \"\"\n}",
    "generate_hcl \"x\" {\n  lets {\n    a = 1\n  }\n  content {\n  }\n}",
    "generate_hcl \"x\" {\n  lets {\n    a = 1\n  }\n  lets {\n    a = 1\n  }\n  content {\n  }\n}",
    "generate_hcl \"x\" {\n  lets \"l\" {\n    a = 1\n  }\n  content {\n  }\n}",
    "generate_hcl \"x\" {\n  assert {\n    assertion = true\n  }\n  content {\n  }\n}",
    "generate_file \"x\" {\n  content = \"\"\n  stack_filter {\n    project_paths = [\"/a\"]\n  }\n}",
    "generate_file \"x\" {\n  content = \"\"\n  stack_filter {\n    project_paths = \"/a\"\n  }\n}",
    "generate_file \"/x\" {\n  content = \"\"\n  context = root\n  stack_filter {\n    project_paths = [\"/a\"]\n  }\n}",
    "generate_file \"/x\" {\n  content = \"\"\n  context = \"root\"\n}",
    "assert {}",
    "assert {\n  assertion = false\n  message = \"m\"\n}",
    "assert {\n  assertion = false\n  message = \"m\"\n  warning = true\n}",
    "assert \"x\" {\n  assertion = false\n  message = \"m\"\n}",
    "script \"a\" {}",
    "script \"a\" {\n  job {\n    command = [\"x\"]\n  }\n}",
    "script \"a\" {\n  job {\n    commands = [[\"x\"]]\n  }\n}",
    "script \"a\" {\n  job {\n  }\n}",
    "script \"a\" {\n  job {\n    command = [\"x\"]\n    commands = []\n  }\n}",
    "script {\n  job {\n    command = [\"x\"]\n  }\n}",
    "script \"a\" \"b\" {\n  description = \"x\"\n  job {\n    command = [\"x\"]\n  }\n}",
    "script \"a\" {\n  job {\n    command = [\"x\"]\n  }\n}\nscript \"a\" {\n  job {\n    command = [\"x\"]\n  }\n}",
    "script \"a\" {\n  lets {\n    x = 1\n  }\n  job {\n    name = \"x\"\n    command = [let.x]\n  }\n}",
    "sharing_backend \"a\" {\n  type = terraform\n  filename = \"x\"\n  command = [\"x\"]\n}",
    "sharing_backend \"a\" {\n  type = \"terraform\"\n  filename = \"x\"\n  command = [\"x\"]\n}",
    "sharing_backend \"a\" {\n  filename = \"x\"\n}",
    "sharing_backend {\n  type = terraform\n  filename = \"x\"\n  command = [\"x\"]\n}",
    "input \"a\" {\n  backend = \"a\"\n  value = 1\n  from_stack_id = \"x\"\n}",
    "input \"a\" {\n  backend = \"a\"\n}",
    "input {\n  backend = \"a\"\n  value = 1\n  from_stack_id = \"x\"\n}",
    "output \"a\" {\n  backend = \"a\"\n  value = 1\n}",
    "output \"a\" {\n  value = 1\n}",
    "output \"a\" \"b\" {\n  backend = \"a\"\n  value = 1\n}",
    "globals {\n  a = 1\n}",
    "globals {\n  a = 1\n}\nglobals {\n  a = 2\n}",
    "globals {\n  a = 1\n}\nglobals {\n  b = 2\n}",
    "globals \"a\" {\n  a = 1\n}\nglobals \"a\" {\n  a = 2\n}",
    "globals \"a\" \"b\" {\n  a = 1\n}",
    "globals {\n  foo {\n  }\n}",
    "globals {\n  map \"x\" {\n    for_each = []\n    key = 1\n    value = 1\n  }\n}",
    "globals {\n  map \"x\" {\n    for_each = []\n  }\n}",
    "globals {\n  map {\n    for_each = []\n    key = 1\n    value = 1\n  }\n}",
    "globals {\n  map \"x\" {\n    for_each = []\n    key = 1\n    value = 1\n  }\n}\nglobals {\n  map \"x\" {\n    value = 2\n    for_each = []\n    key = 1\n  }\n}",
    "generate_hcl \"x\" {\n  lets {\n    map \"m\" {\n      for_each = []\n      key = 1\n      value = 1\n    }\n  }\n  lets {\n    map \"m\" {\n      for_each = []\n      key = 1\n      value = 1\n    }\n  }\n  content {\n  }\n}",
    "vendor {\n}",
    "vendor {\n}\nvendor {\n}",
    "vendor \"x\" {\n}",
    "vendor {\n  dir = \"/v\"\n}",
    "stack {",
    "}",
    "globals {\n  a = [1,\n}",
    "globals {\n  a = \"x\n}",
    "globals {\n  a = 1\n  a = 2\n}",
    "globals {\n  a = 1 b = 2\n}",
    "globals {\n  a = <<EOT\nx\n}",
    "globals { a = 1 }",
    "globals { a = 1, b = 2 }",
    "terramate {\n  required_version = \"> 0.1.0\"\n}",
    "terramate {\n  required_version = \"\"\n}",
    "terramate {\n  config {\n    run {\n      env {\n        A = \"b\"\n      }\n    }\n  }\n}",
    "terramate {\n  config {\n    experiments = [\"scripts\"]\n  }\n}",
    "terramate {\n  config {\n    change_detection {\n      terragrunt {\n        enabled = \"auto\"\n      }\n    }\n  }\n}",
    "terramate {\n  config {\n    change_detection {\n      git {\n        untracked = \"off\"\n        uncommitted = false\n      }\n    }\n  }\n}",
    "terramate {\n  foo {\n  }\n}",
    "terramate \"x\" {\n}",
    "terramate {\n  config {\n    git {\n      default_branch = \"x\"\n    }\n  }\n  config {\n    git {\n      default_branch = \"y\"\n    }\n  }\n}",
    "terramate {\n  config \"x\" {\n  }\n}",
];

/// One block, or two.
pub(super) fn block(r: &mut Random) -> &'static str {
    r.text(&BLOCKS)
}

/// Files to import; `D` is the importing directory.
const SHARED: [(&str, &str); 16] = [
    ("/shared/globals.tm", "globals {\n  x = 1\n}\n"),
    ("/shared/more.tm", "globals \"a\" {\n  y = 1\n}\n"),
    (
        "/shared/script.txt",
        "script \"s\" {\n  job {\n    command = [\"x\"]\n  }\n}\n",
    ),
    ("/shared/stack.txt", "stack {\n}\n"),
    ("/shared/broken.txt", "globals {\n  x =\n}\n"),
    ("/shared/unknown.txt", "foo {\n}\n"),
    ("/shared/attribute.txt", "foo = 1\n"),
    ("/shared/inside.txt", "generate_hcl \"x\" {\n  foo = 1\n}\n"),
    (
        "/shared/version.txt",
        "terramate {\n  required_version = \"> 0.1\"\n}\n",
    ),
    (
        "/shared/settings.txt",
        "terramate {\n  config {\n    experiments = [\"scripts\"]\n  }\n}\n",
    ),
    ("/shared/vendor.txt", "vendor {\n}\n"),
    (
        "/shared2/chain.txt",
        "import {\n  source = \"/shared/globals.tm\"\n}\n",
    ),
    (
        "/shared2/chain2.txt",
        "import {\n  source = \"../shared/stack.txt\"\n}\n",
    ),
    (
        "/shared2/loop.txt",
        "import {\n  source = \"/shared3/loop.txt\"\n}\n",
    ),
    (
        "/shared3/loop.txt",
        "import {\n  source = \"/shared2/loop.txt\"\n}\n",
    ),
    ("/shared3/same.txt", "import {\n  source = \"./x.txt\"\n}\n"),
];

const SOURCES: [&str; 50] = [
    "\"/shared/globals.tm\"",
    "\"/shared/*.tm\"",
    "\"/shared/*.txt\"",
    "\"/shared/**\"",
    "\"/sh*/globals.tm\"",
    "\"/shared/g?obals.tm\"",
    "\"/shared/[a-g]*.tm\"",
    "\"/shared/[!a-g]*.tm\"",
    "\"/shared/[^a-g]*.tm\"",
    "\"/shared/{globals,more}.tm\"",
    "\"/shared/[.tm\"",
    "\"/shared/nope.tm\"",
    "\"/shared/nope*.tm\"",
    "\"/shared\"",
    "\"/shared/\"",
    "\"/shared/.\"",
    "\"/shared/..\"",
    "\"/shared/../shared/more.tm\"",
    "\"//shared/more.tm\"",
    "\"/shared/script.txt\"",
    "\"/shared/stack.txt\"",
    "\"/shared/broken.txt\"",
    "\"/shared/unknown.txt\"",
    "\"/shared/attribute.txt\"",
    "\"/shared/inside.txt\"",
    "\"/shared/version.txt\"",
    "\"/shared/settings.txt\"",
    "\"/shared/vendor.txt\"",
    "\"/shared2/chain.txt\"",
    "\"/shared2/chain2.txt\"",
    "\"/shared2/*.txt\"",
    "\"/shared2/loop.txt\"",
    "\"/shared3/same.txt\"",
    "\"./self.tm\"",
    "\"self.tm\"",
    "\"../x.tm\"",
    "\"/x.tm\"",
    "\"\"",
    "\"/\"",
    "\"../../../../../../etc/hostname\"",
    "\"../shared/globals.tm\"",
    "\"../../shared/globals.tm\"",
    "\"/shared/globals.tm\"\n  other = 1",
    "1",
    "null",
    "global.x",
    "tm_upper(\"x\")",
    "\"/shared/${\"globals\"}.tm\"",
    "[\"/shared/globals.tm\"]",
    "\"/.hidden/x.tm\"",
];

/// Adds one or two oddities.
pub(super) fn add(r: &mut Random, project: &mut Project) {
    for _ in 0..1 + r.below(2) {
        match r.below(9) {
            0..=2 => imports(r, project),
            3 | 4 => links(r, project),
            5 => skips(r, project),
            6 | 7 => blocks(r, project),
            _ => files(r, project),
        }
    }
}

fn imports(r: &mut Random, project: &mut Project) {
    for (path, text) in SHARED {
        if !project.files.iter().any(|(p, _)| p == path) {
            project.text(path, text);
        }
    }
    let dir = r.pick(&project.dirs).clone();
    let mut text = String::new();
    for _ in 0..1 + r.below(2) {
        let source = r.text(&SOURCES);
        text.push_str(&format!("import {{\n  source = {source}\n}}\n"));
    }
    if r.one_in(20) {
        text.push_str(r.text(&[
            "import {\n}\n",
            "import \"x\" {\n  source = \"/shared/more.tm\"\n}\n",
            "import {\n  source = \"/shared/more.tm\"\n  foo {\n  }\n}\n",
        ]));
    }
    if r.one_in(4) {
        text.push_str(r.text(&[
            "globals {\n  x = 2\n}\n",
            "vendor {\n}\n",
            "globals \"a\" {\n  y = 2\n}\n",
        ]));
    }
    project.text(&below(&dir, "import.tm"), &text);
}

fn links(r: &mut Random, project: &mut Project) {
    let (dir, other) = (r.pick(&project.dirs).clone(), r.pick(&project.dirs).clone());
    let up = "../".repeat(dir.matches('/').count() - usize::from(dir == "/"));
    let other = format!("{up}.{other}");
    let (name, to) = match r.below(6) {
        0 => ("link", other),
        1 => ("link.tm", other),
        2 => ("dangling.tm", "nowhere".to_owned()),
        3 => ("linked.tm", format!("{up}./file.txt")),
        4 => {
            project.text("/real.txt", "stack {\n  after = [\"/\"]\n}\n");
            ("real.tm", format!("{up}./real.txt"))
        }
        _ => ("dangling", "nowhere".to_owned()),
    };
    let path = below(&dir, name);
    if name == "link" && r.one_in(2) {
        let from = r.pick(&project.dirs).clone();
        let text = format!("stack {{\n  after = [\"{path}\"]\n}}\n");
        project.text(&below(&from, "zzz/stack.tm"), &text);
    }
    project.files.push((path, super::generate::Content::Link(to)));
}

fn skips(r: &mut Random, project: &mut Project) {
    let dir = r.pick(&project.dirs).clone();
    if dir == "/" && !r.one_in(4) {
        return;
    }
    if r.one_in(4) {
        project.text(&below(&dir, ".tmskip/x"), "");
    } else {
        project.text(&below(&dir, ".tmskip"), "");
    }
    project.left_out.push(dir);
}

fn blocks(r: &mut Random, project: &mut Project) {
    let dir = r.pick(&project.dirs).clone();
    let name = r.text(&["a.tm", "zz.tm.hcl"]);
    project.text(&below(&dir, name), &format!("{}\n", block(r)));
}

fn files(r: &mut Random, project: &mut Project) {
    let dir = r.pick(&project.dirs).clone();
    match r.below(9) {
        0 => {
            project.text(&below(&dir, ".hidden/stack.tm"), "stack {}\n");
            project.left_out.push(below(&dir, ".hidden"));
        }
        1 => project.text(&below(&dir, ".hidden/stack.tm"), "stack {\n"),
        2 => project.text(&below(&dir, ".tm"), "stack {\n"),
        3 => project.text(&below(&dir, "x.tm.json"), "{\"stack\": {}}\n"),
        4 => project.text(&below(&dir, "dir.tm/stack.tm"), "stack {\n}\n"),
        5 => project.text(&below(&dir, "bom.tm"), "\u{feff}globals {\n  bom = 1\n}\n"),
        6 => project.text(&below(&dir, "crlf.tm"), "globals {\r\n  crlf = 1\r\n}\r\n"),
        7 => project.text(&below(&dir, "x.tmgen"), "foo = 1\n"),
        _ => project.text(
            &below(&dir, "empty.tm"),
            r.text(&["", "# only\n", "/* open\n", "\t\n"]),
        ),
    }
}
