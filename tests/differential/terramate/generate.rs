//! Random projects: directories, stacks, entries of all kinds, and mistakes in some of them.

use super::Question;
use super::odd;
use crate::random::Random;
use std::io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
use std::path::Path;

const NAMES: [&str; 13] = [
    "a", "b", "c", "a-b", "a.b", "net", "vpc", "x1", "zz", "Net", "äö", "a b", "模",
];
pub(super) const TAGS: [&str; 6] = ["a", "b", "prod", "net", "a.b", "k8s/x"];
const ODD: [&str; 36] = [
    "tag:a:b",
    "tag:a,b",
    "tag:",
    "tag:,",
    "tag:a:",
    "tag::a",
    "tag:a,",
    "tag:a,,b",
    "tag:a:b,prod:net",
    "tag:a b",
    "tag: a",
    " tag:a",
    "tag:_x",
    "tag:~a",
    "tag:Ä",
    "Tag:a",
    ":tag:a",
    "/nope",
    "../nope",
    "",
    ".",
    "..",
    "/a/*",
    "/file.txt",
    "../../..",
    "../../../..",
    "a",
    "b",
    "../../net",
    "./c",
    "/.hidden",
    "//a",
    "/a/",
    "/a/../b",
    "/ä\u{308}",
    "/",
];

/// What is at a path.
pub(super) enum Content {
    Text(String),
    Dir,
    /// A symbolic link with this target, verbatim.
    Link(String),
}

/// A project: paths below its root, and their contents.
pub(crate) struct Project {
    pub(super) files: Vec<(String, Content)>,
    /// The directories that can contain stacks, including `/`.
    pub(super) dirs: Vec<String>,
    /// Directories that Terramate skips.
    pub(super) left_out: Vec<String>,
}

/// Makes a project.
pub(crate) fn project(r: &mut Random) -> Project {
    let mut dirs = vec!["/".to_owned()];
    for _ in 0..1 + r.below(9) {
        let above = r.pick(&dirs).clone();
        if above.matches('/').count() > 3 {
            continue;
        }
        let dir = below(&above, r.text(&NAMES));
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    let odd = r.one_in(2);
    let mut project = Project {
        files: Vec::new(),
        dirs,
        left_out: Vec::new(),
    };
    project.text("/file.txt", "x");
    let version = if odd && r.one_in(8) {
        r.text(&odd::VERSIONS)
    } else {
        "  required_version = \"> 0.0.1\"\n  required_version_allow_prereleases = true\n"
    };
    let experiments = match r.below(4) {
        0 => "",
        _ if !odd => "",
        1 => "  config {\n    experiments = [\"scripts\"]\n  }\n",
        _ => "  config {\n    experiments = [\"scripts\", \"outputs-sharing\"]\n  }\n",
    };
    project.text(
        "/terramate.tm.hcl",
        &format!("terramate {{\n{version}{experiments}}}\n"),
    );
    for dir in project.dirs.clone() {
        project.files.push((dir.clone(), Content::Dir));
        let stack = if dir == "/" { r.one_in(10) } else { !r.one_in(7) };
        if stack {
            let name = r.text(&["stack.tm.hcl", "stack.tm", "s.tm"]);
            let text = text(r, &project.dirs, &dir, odd);
            project.text(&below(&dir, name), &text);
        }
    }
    if odd {
        odd::add(r, &mut project);
    }
    project
}

/// The path of a name in a directory.
pub(super) fn below(dir: &str, name: &str) -> String {
    format!("{}/{name}", dir.trim_end_matches('/'))
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
        let value = match r.below(16) {
            0 => format!("tm_concat([{list}], [])"),
            1 => format!("[for x in [{list}] : x]"),
            2 => format!("true ? [{list}] : []"),
            3 => format!("tm_try(global.x, [{list}])"),
            4 => format!("tm_tolist([{list}])"),
            5 => format!("tm_distinct([{list}])"),
            _ => format!("[{list}]"),
        };
        text.push_str(&format!("  {name} = {value}\n"));
    }
    if odd && r.one_in(20) {
        text.push_str(&format!("  {}\n", odd::attribute(r)));
    }
    if r.one_in(6) {
        let id = if odd && r.one_in(3) {
            (r.text(&["same", "SAME", "other", "", "übel"])).to_owned()
        } else {
            dir.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        };
        text.push_str(&format!("  id = \"{id}\"\n"));
    }
    text.push_str("}\n");
    if odd && r.one_in(20) {
        text.push_str(&format!("{}\n", odd::block(r)));
    }
    text
}

fn entry(r: &mut Random, dirs: &[String], from: &str, odd: bool) -> String {
    let target = r.pick(dirs).clone();
    match r.below(20) {
        0..=9 => target,
        10..=14 => relative(from, &target),
        15..=17 => format!("tag:{}", r.pick(&TAGS)),
        _ if odd => (r.text(&ODD)).to_owned(),
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
    pub(super) fn text(&mut self, path: &str, text: &str) {
        self.files.push((path.to_owned(), Content::Text(text.to_owned())));
    }

    /// A selection to ask about.
    pub(crate) fn question(&self, r: &mut Random) -> Question {
        let filters = [
            "a", "b", "prod", "a:b", "a,net", "k8s/x", "a:b,prod", "a:", "a,", ",", "A", "a b", "~a", "",
        ];
        let filter = |r: &mut Random| {
            let most = if r.one_in(4) { filters.len() } else { 7 };
            filters[r.below(most)].to_owned()
        };
        let cwd = match r.below(12) {
            0..=3 => r.pick(&self.dirs).clone(),
            4 if !self.left_out.is_empty() => r.pick(&self.left_out).clone(),
            _ => "/".to_owned(),
        };
        let tags = if r.one_in(4) { 1 + r.below(2) } else { 0 };
        let no_tags = if r.one_in(10) { 1 + r.below(2) } else { 0 };
        let unwanted = ["a", "b", "prod", "net", "a,b", "k8s/x", "a:b", "a,", "~a"];
        Question {
            run: false,
            root: self.root_of(&cwd),
            cwd,
            tags: (0..tags).map(|_| filter(r)).collect(),
            no_tags: (0..no_tags)
                .map(|_| {
                    let most = if r.one_in(4) { unwanted.len() } else { 6 };
                    unwanted[r.below(most)].to_owned()
                })
                .collect(),
        }
    }

    /// The nearest directory at or above one that declares a required version.
    fn root_of(&self, dir: &str) -> String {
        let mut at = dir;
        loop {
            let requires = self.files.iter().any(|(path, content)| {
                let own = path.rsplit_once('/').map(|(dir, _)| dir) == Some(at.trim_end_matches('/'));
                own && (path.ends_with(".tm") || path.ends_with(".hcl"))
                    && matches!(content, Content::Text(text) if text.contains("required_version ="))
            });
            if requires || at == "/" {
                return at.to_owned();
            }
            at = match at.rsplit_once('/') {
                Some(("", _)) | None => "/",
                Some((above, _)) => above,
            };
        }
    }

    /// Writes the project to the disk. Existing files stay: both sides read the same disk.
    pub(crate) fn write(&self, root: &Path) {
        for (path, content) in &self.files {
            let path = root.join(path.trim_start_matches('/'));
            let parent = std::fs::create_dir_all(path.parent().unwrap());
            let written = parent.and_then(|()| match content {
                Content::Text(text) => std::fs::write(&path, text),
                Content::Dir => std::fs::create_dir_all(&path),
                Content::Link(to) => link(to, &path),
            });
            match written.map_err(|e| e.kind()) {
                Ok(()) | Err(AlreadyExists | NotADirectory | IsADirectory) => {}
                Err(other) => panic!("{}: {other}", path.display()),
            }
        }
    }

    /// Its files, human-readable.
    pub(crate) fn shown(&self) -> String {
        let shown = |(path, content): &(String, Content)| match content {
            Content::Text(text) => format!("-- {path}\n{text}"),
            Content::Dir => format!("-- {path}/\n"),
            Content::Link(to) => format!("-- {path} -> {to}\n"),
        };
        self.files.iter().map(shown).collect()
    }
}

#[cfg(unix)]
fn link(to: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) -> std::io::Result<()> {
    Ok(())
}
