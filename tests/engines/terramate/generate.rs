//! Random projects: directories, stacks, entries of all sorts, and mistakes in some of them.

use super::Question;
use crate::random::Random;
use std::path::Path;

const NAMES: [&str; 9] = ["a", "b", "c", "a-b", "a.b", "net", "vpc", "x1", "zz"];
const TAGS: [&str; 6] = ["a", "b", "prod", "net", "a.b", "k8s/x"];
const ODD: [&str; 22] = [
    "tag:a:b",
    "tag:a,b",
    "tag:",
    "tag:a:",
    "tag:a,",
    "tag:_x",
    "tag:~a",
    "Tag:a",
    "/nope",
    "../nope",
    "",
    ".",
    "..",
    "/a/*",
    "/file.txt",
    "../../..",
    "a",
    "b",
    "../../net",
    "./c",
    "/.hidden",
    "//a",
];
const ATTRIBUTES: [&str; 10] = [
    "name = 1",
    "after2 = []",
    "watch = [\"/nope\"]",
    "watch = [\"/\"]",
    "watch = [\"/file.txt\"]",
    "description = null",
    "foo {}",
    "tags = [\"A\"]",
    "id = \"no id!\"",
    "name = \"${global.x}\"",
];
const BLOCKS: [&str; 12] = [
    "stack {}",
    "foo {}",
    "x = 1",
    "import {\n  source = \"/file.txt\"\n}",
    "import {\n  source = \"/shared/globals.tm\"\n}",
    "import {\n  source = \"./self.tm\"\n}",
    "generate_hcl \"x\" {}",
    "script \"a\" {}",
    "globals {\n  a = 1\n}",
    "vendor {}\nvendor {}",
    "stack {",
    "terramate {\n  required_version = \"> 0.1.0\"\n}",
];

/// A project: paths below its root, and their texts. A path that ends with `/` is a directory.
pub(crate) struct Project {
    files: Vec<(String, String)>,
    dirs: Vec<String>,
}

/// Makes a project.
pub(crate) fn project(r: &mut Random) -> Project {
    let mut dirs = vec!["/".to_owned()];
    for _ in 0..1 + r.below(9) {
        let above = r.pick(&dirs).clone();
        if above.matches('/').count() > 3 {
            continue;
        }
        let dir = format!("{}/{}", above.trim_end_matches('/'), r.pick(&NAMES));
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    let odd = r.one_in(3);
    let root =
        "terramate {\n  required_version = \"> 0.0.1\"\n  required_version_allow_prereleases = true\n}\n";
    let mut files = vec![
        ("/terramate.tm.hcl".to_owned(), root.to_owned()),
        ("/file.txt".to_owned(), "x".to_owned()),
    ];
    if odd {
        files.push((
            "/shared/globals.tm".to_owned(),
            "globals {\n  x = 1\n}\n".to_owned(),
        ));
        files.push(("/.hidden/stack.tm".to_owned(), "stack {}\n".to_owned()));
    }
    for dir in &dirs {
        files.push((format!("{}/", dir.trim_end_matches('/')), String::new()));
        let stack = if dir == "/" { r.one_in(10) } else { !r.one_in(7) };
        if stack {
            let name = *r.pick(&["stack.tm.hcl", "stack.tm", "s.tm"]);
            files.push((
                format!("{}/{name}", dir.trim_end_matches('/')),
                text(r, &dirs, dir, odd),
            ));
        }
        if odd && dir != "/" && r.one_in(20) {
            files.push((format!("{dir}/.tmskip"), String::new()));
        }
    }
    Project { files, dirs }
}

fn text(r: &mut Random, dirs: &[String], dir: &str, odd: bool) -> String {
    let mut text = "stack {\n".to_owned();
    if r.one_in(2) {
        let count = 1 + r.below(3);
        let start = r.below(TAGS.len());
        let tags: Vec<String> = (0..count)
            .map(|i| format!("\"{}\"", TAGS[(start + i) % TAGS.len()]))
            .collect();
        text.push_str(&format!("  tags = [{}]\n", tags.join(", ")));
    }
    for (name, one_in) in [("after", 2), ("before", 5), ("wants", 8), ("wanted_by", 12)] {
        if !r.one_in(one_in) {
            continue;
        }
        let mut entries: Vec<String> = Vec::new();
        for _ in 0..1 + r.below(3) {
            let entry = format!("\"{}\"", entry(r, dirs, dir, odd));
            if !entries.contains(&entry) || (odd && r.one_in(10)) {
                entries.push(entry);
            }
        }
        let list = entries.join(", ");
        let value = match r.below(12) {
            0 => format!("tm_concat([{list}], [])"),
            1 => format!("[for x in [{list}] : x]"),
            2 => format!("true ? [{list}] : []"),
            _ => format!("[{list}]"),
        };
        text.push_str(&format!("  {name} = {value}\n"));
    }
    if odd && r.one_in(12) {
        text.push_str(&format!("  {}\n", r.pick(&ATTRIBUTES)));
    }
    if r.one_in(6) {
        let id = if odd && r.one_in(3) {
            (*r.pick(&["same", "SAME", "other"])).to_owned()
        } else {
            dir.replace(['/', '.'], "_")
        };
        text.push_str(&format!("  id = \"{id}\"\n"));
    }
    text.push_str("}\n");
    if odd && r.one_in(20) {
        text.push_str(&format!("{}\n", r.pick(&BLOCKS)));
    }
    text
}

fn entry(r: &mut Random, dirs: &[String], from: &str, odd: bool) -> String {
    let target = r.pick(dirs).clone();
    match r.below(20) {
        0..=9 => target,
        10..=14 => relative(from, &target),
        15..=17 => format!("tag:{}", r.pick(&TAGS)),
        _ if odd => (*r.pick(&ODD)).to_owned(),
        _ => target,
    }
}

fn relative(from: &str, to: &str) -> String {
    let parts = |path: &str| {
        path.split('/')
            .filter(|p| !p.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut path: Vec<String> = vec!["..".to_owned(); from.len() - shared];
    path.extend(to.into_iter().skip(shared));
    if path.is_empty() {
        ".".to_owned()
    } else {
        path.join("/")
    }
}

impl Project {
    /// A selection to ask about.
    pub(crate) fn question(&self, r: &mut Random) -> Question {
        let tag = |r: &mut Random| (*r.pick(&["a", "b", "prod", "a:b", "a,net", "k8s/x"])).to_owned();
        Question {
            run: false,
            cwd: if r.one_in(3) {
                r.pick(&self.dirs).clone()
            } else {
                "/".to_owned()
            },
            tags: r.one_in(4).then(|| tag(r)),
            no_tags: r.one_in(10).then(|| (*r.pick(&TAGS)).to_owned()),
        }
    }

    /// Puts the project on the disk.
    pub(crate) fn write(&self, root: &Path) {
        for (path, text) in &self.files {
            let path = root.join(path.trim_start_matches('/'));
            if text.is_empty() && path.to_string_lossy().ends_with('/') {
                std::fs::create_dir_all(&path).unwrap();
                continue;
            }
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
        }
    }

    /// Its files, for people.
    pub(crate) fn shown(&self) -> String {
        let files = self.files.iter().filter(|(path, _)| !path.ends_with('/'));
        files.map(|(path, text)| format!("-- {path}\n{text}")).collect()
    }
}
