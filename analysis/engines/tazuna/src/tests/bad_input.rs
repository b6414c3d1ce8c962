//! Files that cannot be read, or should not be: a finding names them, and the rest is analyzed.

use std::fmt::Write;
use std::sync::Arc;

use camino::Utf8Path;

use super::{of_rule, project, shown, tree, verdict};
use applyorder_analysis::workspace::Workspace;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::{DirEntries, FileKind, Files, MemoryFiles, ReadError};

const SOUND: &str = "spec: {manifests: [{name: a, type: kustomize, path: .}]}\n";

fn including(file: &str) -> String {
    format!(
        "spec:\n  manifests:\n    - includes: [{{path: {file}}}]\n    - {{name: b, type: kustomize, path: .}}\n"
    )
}

/// Makes reading a file fail.
fn unreadable(files: &mut MemoryFiles, path: &str, error: &ReadError) {
    match error {
        ReadError::NotUtf8(at) => {
            let bytes = [&b"#".repeat(*at)[..], b"\xff\n"].concat();
            files.insert(path, bytes.as_slice());
        }
        _ => files.insert_error(path, error.clone()),
    }
}

#[test]
fn unreadable_includes_are_named() {
    for (error, rule, ok) in [
        (ReadError::PermissionDenied, "unreadable-file", Some(false)),
        (ReadError::IsDirectory, "unreadable-file", Some(false)),
        (ReadError::LinkLoop, "unreadable-file", Some(false)),
        (ReadError::NotUtf8(3), "unreadable-file", Some(false)),
        (ReadError::TooLarge(1 << 40), "limit-reached", None),
        (ReadError::NoMemory(1 << 40), "limit-reached", None),
        (ReadError::Outside, "limit-reached", None),
        (
            ReadError::Other("input/output error".to_owned()),
            "unreadable-file",
            Some(false),
        ),
    ] {
        let mut tree = tree(&format!(
            "//- tazuna.yaml\n{}//- sub/tazuna.yaml\n{SOUND}",
            including("x.yaml")
        ));
        unreadable(&mut tree.files, "/w/x.yaml", &error);
        let analysis = tree.analysis();
        let found = of_rule(&analysis, rule);
        assert_eq!(found.len(), 1, "{error:?}: {:?}", shown(&analysis));
        assert!(found[0].message.contains("x.yaml"), "{}", found[0].message);
        assert_eq!(verdict(project(&analysis), "check").ok, ok, "{error:?}");
        assert_eq!(analysis.projects().count(), 2, "{error:?}");
        // An unreadable file may declare anything: nothing dangles.
        assert!(of_rule(&analysis, "unknown-dependency").is_empty());
    }
}

/// As Go's `os.ReadFile` reports it.
#[test]
fn what_cannot_be_read_is_reported_in_the_words_of_go() {
    for (error, words) in [
        (ReadError::IsDirectory, "read F: is a directory"),
        (ReadError::NotDirectory, "open F: not a directory"),
        (ReadError::PermissionDenied, "open F: permission denied"),
        (ReadError::LinkLoop, "open F: too many levels of symbolic links"),
        (
            ReadError::Other("File name too long (os error 36)".to_owned()),
            "open F: file name too long",
        ),
    ] {
        let root = format!("//- tazuna.yaml\n{}", including("x.yaml"));
        for (file, before) in [
            ("tazuna.yaml", ""),
            ("x.yaml", "failed to open include file: x.yaml: "),
        ] {
            let mut tree = tree(&root);
            tree.files.insert_error(format!("/w/{file}"), error.clone());
            let analysis = tree.analysis();
            let told = &verdict(project(&analysis), "check").errors[0].message;
            assert_eq!(*told, format!("{before}{}", words.replace('F', file)));
        }
    }
    let analysis = tree(&including("\"a\\0b.yaml\"")).analysis();
    let check = verdict(project(&analysis), "check");
    assert_eq!(check.stage, Some("includes"));
    assert_eq!(
        check.errors[0].message,
        "failed to open include file: a\0b.yaml: open a\0b.yaml: invalid argument"
    );
}

#[test]
fn utf_16_is_past_our_limits_and_no_error_of_tazuna() {
    for bom in [[0xff, 0xfe], [0xfe, 0xff]] {
        for file in ["/w/x.yaml", "/w/tazuna.yaml"] {
            let mut tree = tree(&format!(
                "//- tazuna.yaml\n{}//- x.yaml\n{SOUND}",
                including("x.yaml")
            ));
            tree.files.insert(file, &bom[..]);
            let analysis = tree.analysis();
            assert_eq!(
                of_rule(&analysis, "limit-reached").len(),
                1,
                "{:?}",
                shown(&analysis)
            );
            assert_eq!(verdict(project(&analysis), "check").ok, None);
        }
    }
}

#[test]
fn an_unreadable_root_is_named() {
    for (error, rule, stage) in [
        (ReadError::PermissionDenied, "unreadable-file", Some("read")),
        (ReadError::IsDirectory, "unreadable-file", Some("read")),
        (ReadError::NotUtf8(0), "syntax-error", Some("decode")),
        (ReadError::TooLarge(1 << 30), "limit-reached", None),
        (ReadError::NoMemory(1 << 30), "limit-reached", None),
        (ReadError::Outside, "limit-reached", None),
    ] {
        let mut tree = tree(&format!("//- sub/tazuna.yaml\n{SOUND}"));
        unreadable(&mut tree.files, "/w/tazuna.yaml", &error);
        let analysis = tree.analysis();
        let found = of_rule(&analysis, rule);
        assert_eq!(found.len(), 1, "{error:?}");
        assert!(found[0].message.contains("tazuna.yaml"));
        let (_, unreadable) = analysis
            .projects()
            .find(|(_, p)| p.seed.root == "/w/tazuna.yaml")
            .unwrap();
        assert_eq!(verdict(&unreadable.resolution, "check").stage, stage);
    }
}

#[test]
fn a_directory_of_that_name_is_not_read() {
    let mut files = MemoryFiles::new();
    files.insert("/w/tazuna.yaml/tazuna.yaml", SOUND);
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), RunOptions::default());
    workspace.offer(
        &["/w/tazuna.yaml".into(), "/w/tazuna.yaml/tazuna.yaml".into()],
        Offer::Found,
    );
    workspace.refresh();
    let found = shown(&workspace.analysis());
    assert_eq!(
        found,
        ["unreadable-file tazuna.yaml «» error check:read! apply:read! destroy:read!"]
    );
}

/// Files of which one is deleted before it is read.
struct Vanishing(MemoryFiles);

impl Files for Vanishing {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        if path.as_str().contains("gone") {
            return Err(ReadError::NotFound);
        }
        self.0.read(path)
    }
    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        self.0.list(dir)
    }
    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        self.0.kind(path, follow_links)
    }
    fn canonical(&self, path: &Utf8Path) -> Option<camino::Utf8PathBuf> {
        self.0.canonical(path)
    }
    fn vcs_root(&self, dir: &Utf8Path) -> Option<camino::Utf8PathBuf> {
        self.0.vcs_root(dir)
    }
}

#[test]
fn a_file_that_vanishes_is_named() {
    let mut files = MemoryFiles::new();
    files.insert("/w/gone/tazuna.yaml", SOUND);
    files.insert("/w/a/tazuna.yaml", including("gone.yaml"));
    files.insert("/w/a/gone.yaml", SOUND);
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(Vanishing(files)), RunOptions::default());
    workspace.offer(
        &["/w/gone/tazuna.yaml".into(), "/w/a/tazuna.yaml".into()],
        Offer::Found,
    );
    workspace.refresh();
    let found = shown(&workspace.analysis());
    assert_eq!(
        found,
        [
            "unreadable-file a/tazuna.yaml «gone.yaml» error check:includes! apply:includes! destroy:includes!",
            "unreadable-file gone/tazuna.yaml «» error check:read! apply:read! destroy:read!",
        ]
    );
}

#[test]
fn binary_and_deep_files_are_answered() {
    let binary = "spec:\n  a: \"\0\u{1}\"\n";
    let found = tree(binary).findings();
    assert!(found.iter().any(|f| f.starts_with("syntax-error")), "{found:?}");
    let deep = format!("spec: {}", "[".repeat(10_000));
    let analysis = tree(&deep).analysis();
    assert!(!shown(&analysis).is_empty());
    let nested = format!("a: {}{}\n{SOUND}", "[".repeat(500), "]".repeat(500));
    let analysis = tree(&nested).analysis();
    assert_eq!(
        of_rule(&analysis, "limit-reached").len(),
        1,
        "{:?}",
        shown(&analysis)
    );
    assert_eq!(verdict(project(&analysis), "check").ok, None);
}

#[test]
fn alias_bombs_are_bounded() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..20 {
        let before = format!("*a{}, ", i - 1).repeat(9);
        writeln!(bomb, "a{i}: &a{i} [{before}]").unwrap();
    }
    let text = format!("{bomb}{SOUND}");
    let found = tree(&text).findings();
    assert!(
        found
            .iter()
            .any(|f| f.starts_with("syntax-error") && f.contains("decode!")),
        "{found:?}"
    );
    // Many manifests that share one long list: what is read stays bounded.
    let names: Vec<String> = (0..3000).map(|i| format!("n{i}")).collect();
    let mut wide = format!("x: &x [{}]\nspec:\n  manifests:\n", names.join(", "));
    for i in 0..3000 {
        writeln!(wide, "    - {{name: n{i}, type: kustomize, path: ., tags: *x}}").unwrap();
    }
    let found = tree(&wide).findings();
    assert!(!found.is_empty());
}

#[test]
fn include_loops_end() {
    let text = format!(
        "//- tazuna.yaml\n{}//- a.yaml\n{}//- b.yaml\n{}",
        including("a.yaml"),
        including("b.yaml"),
        including("a.yaml")
    );
    let analysis = tree(&text).analysis();
    assert_eq!(
        of_rule(&analysis, "tazuna/include-cycle").len(),
        1,
        "{:?}",
        shown(&analysis)
    );
}

#[test]
fn roots_that_include_each_other_are_one_project_each_way() {
    let text = format!(
        "//- a/tazuna.yaml\n{}//- b/tazuna.yaml\n{}",
        including("../b/tazuna.yaml"),
        including("../a/tazuna.yaml")
    );
    let analysis = tree(&text).analysis();
    let roots: Vec<&str> = analysis.projects().map(|(_, p)| p.seed.root.as_str()).collect();
    assert_eq!(roots, ["/w/a/tazuna.yaml"]);
}

/// What replaces a file.
enum Bad {
    Bytes(Vec<u8>),
    Error(ReadError),
    Directory,
    Nothing,
}

/// Every kind of bad input, with the rule that names it.
fn all_bad() -> Vec<(&'static str, Bad, &'static str)> {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..20 {
        let before = format!("*a{}, ", i - 1).repeat(9);
        writeln!(bomb, "a{i}: &a{i} [{before}]").unwrap();
    }
    let deep = format!("a: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let deep_block = format!("a:\n  {}x\n", "- ".repeat(10_000));
    let read = "unreadable-file";
    vec![
        ("missing", Bad::Nothing, "missing-file"),
        ("unreadable", Bad::Error(ReadError::PermissionDenied), read),
        (
            "too large",
            Bad::Error(ReadError::TooLarge(1 << 40)),
            "limit-reached",
        ),
        ("a loop of links", Bad::Error(ReadError::LinkLoop), read),
        ("a directory", Bad::Directory, read),
        (
            "binary",
            Bad::Bytes(b"\x7fELF\0\x01\x02\x03".to_vec()),
            "syntax-error",
        ),
        ("not UTF-8", Bad::Bytes(b"spec: \xff\n".to_vec()), read),
        ("deep brackets", Bad::Bytes(deep.into_bytes()), "limit-reached"),
        (
            "deep blocks",
            Bad::Bytes(deep_block.into_bytes()),
            "limit-reached",
        ),
        ("alias bomb", Bad::Bytes(bomb.into_bytes()), "syntax-error"),
    ]
}

/// The finding of the other project, and the findings that name the bad file.
fn beside_bad(at: &str, with_root: bool, bad: Bad) -> (usize, Vec<String>) {
    let root = if with_root {
        including("bad.yaml")
    } else {
        String::new()
    };
    let mut tree = tree(
        "//- good/tazuna.yaml\nspec:\n  manifests:\n    - {name: g, type: kustomize, path: ., dependsOn: [gone]}\n",
    );
    if with_root {
        tree.files.insert("/w/bad/tazuna.yaml", root.as_str());
    }
    match bad {
        Bad::Bytes(bytes) => tree.files.insert(at, bytes),
        Bad::Error(error) => tree.files.insert_error(at, error),
        Bad::Directory => tree.files.insert(format!("{at}/keep"), ""),
        Bad::Nothing => {}
    }
    let mut workspace = tree.workspace();
    workspace.offer(&[at.into()], Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let good = of_rule(&analysis, "unknown-dependency").len();
    let name = Utf8Path::new(at).file_name().unwrap();
    let mut named = Vec::new();
    for file in analysis.files_with_findings() {
        let path = analysis.path(file).to_owned();
        for finding in analysis.findings_of(file) {
            let d = finding.diagnostic;
            if path == at || d.message.contains(name) {
                named.push(d.rule.id.to_owned());
            }
        }
    }
    (good, named)
}

#[test]
fn each_bad_include_is_named_and_the_rest_is_analysed() {
    for (what, bad, rule) in all_bad() {
        let (good, named) = beside_bad("/w/bad/bad.yaml", true, bad);
        assert_eq!(good, 1, "{what}");
        assert!(named.iter().any(|n| n == rule), "{what}: {named:?}");
    }
}

#[test]
fn each_bad_root_is_named_and_the_rest_is_analysed() {
    for (what, bad, rule) in all_bad() {
        let rule = match what {
            // It was not requested; the command line reports it itself.
            "missing" => continue,
            "not UTF-8" => "syntax-error",
            _ => rule,
        };
        let (good, named) = beside_bad("/w/bad/tazuna.yaml", false, bad);
        assert_eq!(good, 1, "{what}");
        assert!(named.iter().any(|n| n == rule), "{what}: {named:?}");
    }
}

#[test]
fn what_is_not_ours_is_never_reported_on() {
    let text =
        format!("//- tazuna.yaml\n{SOUND}//- other.yaml\nspec: [\n//- deployment.yaml\nkind: Deployment\n");
    let mut tree = tree(&text);
    tree.files.insert("/w/secret.bin", [0u8, 255]);
    let mut workspace = tree.workspace();
    workspace.offer(
        &[
            "/w/other.yaml".into(),
            "/w/deployment.yaml".into(),
            "/w/secret.bin".into(),
        ],
        Offer::Opened,
    );
    workspace.refresh();
    let analysis = workspace.analysis();
    assert_eq!(shown(&analysis), [""; 0]);
    assert_eq!(analysis.projects().count(), 1);
}

#[test]
fn a_long_file_included_again_and_again_is_past_our_limits() {
    let mut text = String::from("//- tazuna.yaml\nspec:\n  manifests:\n    - includes:\n");
    text.push_str(&"        - {path: many.yaml}\n".repeat(150));
    text.push_str("        - {path: one.yaml}\n//- many.yaml\nspec:\n  manifests:\n");
    for i in 0..2_000 {
        writeln!(text, "    - {{name: n{i}, type: kustomize, path: .}}").unwrap();
    }
    write!(text, "//- one.yaml\n{SOUND}").unwrap();
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(tree(&text).files), RunOptions::default());
    workspace.offer(&["/w/tazuna.yaml".into()], Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let resolution = project(&analysis);
    // The first time, as often again as the limit allows, and what follows.
    assert_eq!(resolution.variants[0].units.len(), 2_000 + 200_000 + 1);
    let said = of_rule(&analysis, "limit-reached");
    let again = |d: &Diagnostic| d.message.contains("`many.yaml` is included again");
    assert_eq!(said.into_iter().filter(again).count(), 49);
    // Includes are read before names are compared.
    assert_eq!(verdict(resolution, "check").ok, None);
    assert_eq!(verdict(resolution, "apply").ok, None);
}

#[test]
fn environments_past_our_limits_are_not_rendered() {
    let mut text = String::from("spec:\n  environments:\n");
    for i in 0..100 {
        writeln!(text, "    e{i}: {{}}").unwrap();
    }
    text.push_str("  manifests:\n    - {name: 'a{{.Environment}}', type: kustomize, path: .}\n");
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(tree(&text).files), RunOptions::default());
    workspace.offer(&["/w/tazuna.yaml".into()], Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let resolution = project(&analysis);
    // 64 distinct ones, and the others together.
    assert_eq!(resolution.variants.len(), 65);
    let of = |name: &str| {
        let verdicts = resolution.verdicts.iter();
        let mut own = verdicts.filter(|v| v.command == "check" && v.environment.as_deref() == Some(name));
        own.next().map(|v| (v.ok, v.because.clone()))
    };
    assert_eq!(of("e1"), Some((Some(true), None)));
    let because = Some("more than 64 environments".to_owned());
    assert_eq!(of("e99"), Some((None, because)));
    assert_eq!(of_rule(&analysis, "limit-reached").len(), 1);
    assert!(of_rule(&analysis, "tazuna/undeclared-environment").is_empty());
}
