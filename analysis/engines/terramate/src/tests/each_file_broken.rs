//! A project in which every file is broken in a different way: each is reported, though Terramate stops at the
//! first directory.

use super::project;
use applyorder_core::files::ReadError;

/// Broken files, each in its own directory, with the expected report.
const BROKEN: [(&str, &str, &str); 30] = [
    ("stack {\n", "syntax-error", "«stack {»"),
    (
        "stack {\n  name = \"a\"\n  name = \"b\"\n}\n",
        "syntax-error",
        "«name»",
    ),
    ("stack {\n  after = [\"x\n}\n", "syntax-error", "«\"x»"),
    ("stack {\n  name = @\n}\n", "syntax-error", "«@»"),
    ("/* open\nstack {\n}\n", "syntax-error", "«/*"),
    ("nothing {\n}\n", "unknown-field", "«nothing»"),
    ("x = 1\n", "unknown-field", "«x»"),
    ("stack {\n  depends_on = []\n}\n", "unknown-field", "«depends_on»"),
    (
        "import {\n  source = \"/lib/x.tm\"\n  y = 1\n}\n",
        "unknown-field",
        "«y»",
    ),
    ("vendor \"x\" {\n}\n", "missing-field", "«vendor"),
    ("generate_file \"a\" {\n}\n", "missing-field", "«generate_file"),
    ("assert {\n  message = \"\"\n}\n", "missing-field", "«assert»"),
    ("script \"a\" {\n}\n", "terramate/experiment-off", "«script"),
    ("stack {\n}\nstack {\n}\n", "terramate/stack-duplicate", "«stack»"),
    (
        "stack {\n  inner {\n  }\n}\n",
        "terramate/stack-nested-block",
        "«inner»",
    ),
    (
        "import {\n  source = \"gone/x.tm\"\n}\n",
        "terramate/import-invalid",
        "«\"gone/x.tm\"»",
    ),
    (
        "import {\n  source = \"/sound/stack.tm\"\n}\n",
        "terramate/stack-in-import",
        "«\"/sound/stack.tm\"»",
    ),
    ("stack {\n  name = 1\n}\n", "wrong-type", "«1»"),
    ("stack {\n  after = \"x\"\n}\n", "wrong-type", "«\"x\"»"),
    ("stack {\n  tags = [1]\n}\n", "wrong-type", "«1»"),
    (
        "stack {\n  before = tm_toset([\"/sound\"])\n}\n",
        "wrong-type",
        "«tm_toset",
    ),
    (
        "stack {\n  after = [\"/sound\", \"/sound\"]\n}\n",
        "duplicate-dependency",
        "«\"/sound\"»",
    ),
    (
        "stack {\n  after = global.x\n}\n",
        "terramate/stack-variable",
        "«global",
    ),
    (
        "stack {\n  after = concat([])\n}\n",
        "terramate/stack-function",
        "«concat»",
    ),
    (
        "stack {\n  watch = [\"/sound\"]\n}\n",
        "invalid-value",
        "«\"/sound\"»",
    ),
    ("stack {\n  id = \"a b\"\n}\n", "invalid-name", "«\"a b\"»"),
    ("stack {\n  tags = [\"A\"]\n}\n", "invalid-name", "«\"A\"»"),
    (
        "stack {\n  after = [\"tag:~x\"]\n}\n",
        "invalid-value",
        "«\"tag:~x\"»",
    ),
    ("stack {\n  after = [\".\"]\n}\n", "self-dependency", "«\".\"»"),
    (
        "stack {\n  wants = [\"gone\"]\n}\n",
        "unknown-dependency",
        "«\"gone\"»",
    ),
];

#[test]
fn each_is_reported() {
    let mut files =
        "//- lib/x.tm\nglobals {\n}\n//- sound/stack.tm\nstack {\n  after = [\"gone\"]\n}\n".to_owned();
    for (i, (text, _, _)) in BROKEN.iter().enumerate() {
        files.push_str(&format!("//- d{i:02}/x.tm\n{text}"));
    }
    let found = project(&files)
        .error("unreadable/x.tm", ReadError::PermissionDenied)
        .error("large/x.tm", ReadError::TooLarge(1 << 40))
        .findings();
    for (i, (text, rule, under)) in BROKEN.iter().enumerate() {
        let at = format!("{rule} d{i:02}/x.tm ");
        assert!(
            found.iter().any(|f| f.starts_with(&at) && f.contains(under)),
            "{text}: {:?}",
            found
                .iter()
                .filter(|f| f.contains(&format!("d{i:02}")))
                .collect::<Vec<_>>()
        );
    }
    for file in ["unreadable-file unreadable/x.tm", "limit-reached large/x.tm"] {
        assert!(found.iter().any(|f| f.starts_with(file)), "{file}: {found:?}");
    }
    assert!(
        found
            .iter()
            .any(|f| f.starts_with("unknown-dependency sound/stack.tm «\"gone\"»")),
        "{found:?}"
    );
}

#[test]
fn terramate_itself_says_what_is_wrong_in_the_first_directory() {
    let files = "//- b/x.tm\nnothing {\n}\n//- a/x.tm\nstack {\n  name = 1\n  x = 2\n}\n//- a/y.tm\nz = 1\n";
    let analysis = project(files).analysis();
    let (_, project) = analysis.projects().next().unwrap();
    let verdict = &project.resolution.verdicts[0];
    let subjects: Vec<&str> = verdict.errors.iter().map(|e| e.subject.as_str()).collect();
    assert_eq!((verdict.stage, subjects), (Some("load"), vec!["/a"; 3]));
}
