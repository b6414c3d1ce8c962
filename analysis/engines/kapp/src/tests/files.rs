//! Files as they are given to kapp, and bytes that are not a text.

use super::{declared, declared_in, memory};
use applyorder_core::engine::RunOptions;
use applyorder_core::files::{MemoryFiles, ReadError};

#[test]
fn a_file_that_is_given_twice_has_two_origins() {
    let text = "//- app/a.yaml\nkind: Service\nmetadata: {name: s}\n";
    let given = ["app", "app/a.yaml", "./app"].map(str::to_owned);
    let analysis = declared(text, given.to_vec(), RunOptions::default(), None);
    let (_, project) = analysis.projects().next().unwrap();
    let error = &project.resolution.verdicts.first().unwrap().errors[0];
    let line = |origin: &str| {
        format!(
            "\n- Expected 'apiVersion' on resource 'service/s () cluster' to be non-empty (file '{origin}' doc 1)"
        )
    };
    let expected = ["a.yaml", "app/a.yaml", "a.yaml"].map(line).concat();
    assert_eq!(error.message, format!("Validation errors:{expected}"));
}

/// What kapp says about an app of some files that is given like this.
fn said(text: &str, given: &[&str]) -> Option<String> {
    let given = given.iter().map(|path| (*path).to_owned()).collect();
    let analysis = declared(text, given, RunOptions::default(), None);
    let (_, project) = analysis.projects().next().unwrap();
    let verdict = project.resolution.verdicts.first().unwrap();
    assert_eq!(verdict.ok, Some(verdict.errors.is_empty()));
    Some(verdict.errors.first()?.message.clone())
}

#[test]
fn what_a_path_passes_through_is_a_directory() {
    let text = "//- app/b.yaml\nkind: Service\napiVersion: v1\nmetadata: {name: s}\n//- a.yaml\n";
    for given in [
        "app/",
        "./app",
        "app/.",
        "app//b.yaml",
        "app/../app/b.yaml",
        "/w/app/",
        "/w/app/b.yaml",
    ] {
        assert_eq!(said(text, &[given]), None, "{given}");
    }
    for given in ["nope", "nope/", "nope/../app", "./nope", "app/nope/x"] {
        let says = format!("stat {given}: no such file or directory");
        assert_eq!(said(text, &["app", given]), Some(says));
    }
    for given in [
        "a.yaml/",
        "a.yaml/.",
        "a.yaml/x",
        "a.yaml/../app",
        "./app/b.yaml/x/y",
    ] {
        let says = format!("stat {given}: not a directory");
        assert_eq!(said(text, &["app", given]), Some(says));
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_as_kapp_names_it() {
    let says = |error: ReadError, given: &str| {
        let mut files = memory("//- app/a.yaml\n");
        files.insert_error("/w/app/b.yaml", error);
        let analysis = declared_in(files, vec![given.to_owned()], RunOptions::default(), None);
        let (_, project) = analysis.projects().next().unwrap();
        project.resolution.verdicts.first().unwrap().errors[0]
            .message
            .clone()
    };
    // Links to nothing and to a directory.
    assert_eq!(
        says(ReadError::NotFound, "app"),
        "open b.yaml: no such file or directory"
    );
    assert_eq!(says(ReadError::IsDirectory, "app"), "read b.yaml: is a directory");
    let denied = "open ./app/b.yaml: permission denied";
    assert_eq!(says(ReadError::PermissionDenied, "./app/b.yaml"), denied);
}

#[test]
fn bytes_that_are_not_utf8_are_refused_in_go_yamls_words() {
    let says = |bytes: &[u8]| {
        let mut files = MemoryFiles::new();
        files.insert("/w/a.yaml", bytes);
        let analysis = declared_in(files, vec!["a.yaml".to_owned()], RunOptions::default(), None);
        let (_, project) = analysis.projects().next().unwrap();
        let text = &project.resolution.verdicts.first().unwrap().errors[0].message;
        text.strip_prefix("error converting YAML to JSON: ")
            .unwrap_or(text)
            .to_owned()
    };
    for (bytes, words) in [
        (&b"a: \xff"[..], "invalid leading UTF-8 octet"),
        (b"a: \xe9t\xe9\n", "invalid trailing UTF-8 octet"),
        (b"a: \xf0\x9f", "incomplete UTF-8 octet sequence"),
        // What is decoded before it is noticed before it.
        (b"a: \x01\nb: \xff", "control characters are not allowed"),
        (b"a: b: c\nb: \x01\nc: \xff", "control characters are not allowed"),
        (b"a: b: c\nb: \xff\nc: \x01", "invalid leading UTF-8 octet"),
        (
            b"a: 1\n---\nb: \x01\nc: \xff",
            "control characters are not allowed",
        ),
        (
            b"a: b: c\n---\nb: \x01\n\xff",
            "mapping values are not allowed in this context",
        ),
        (b"a: \xf0\x9f\n---\nb: c", "incomplete UTF-8 octet sequence"),
        (b"a: \xf0\x9f\nb: c", "invalid trailing UTF-8 octet"),
        (b"a: \xc0\x80", "invalid length of a UTF-8 sequence"),
        (b"a: \xed\xa0\x80", "invalid Unicode character"),
        (b"a: \xf5\x80\x80\x80", "invalid Unicode character"),
    ] {
        assert_eq!(says(bytes), format!("yaml: {words}"));
    }
    assert_eq!(
        says(b"a: b\n---\n[]\n---\n\xff: a\n").split(':').next(),
        Some("error unmarshaling JSON")
    );
    assert_eq!(says(b"\xff: a\n--- x\n"), "invalid Yaml document separator: x");
    // go-yaml decodes UTF-16, and kapp's own line break after it is one byte.
    assert_eq!(
        says(b"\xff\xfea\0:\0 \0b\0\n\0"),
        "yaml: incomplete UTF-16 character"
    );
    assert_eq!(says(b"\xff\xfe"), "yaml: incomplete UTF-16 character");
}

#[test]
fn bytes_that_kapp_does_not_decode_or_decodes_otherwise_leave_the_verdict_open() {
    let verdict = |bytes: &[u8]| {
        let mut files = MemoryFiles::new();
        files.insert("/w/a.yaml", bytes);
        let analysis = declared_in(files, vec!["a.yaml".to_owned()], RunOptions::default(), None);
        let (_, project) = analysis.projects().next().unwrap();
        project.resolution.verdicts.first().unwrap().ok
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let behind = |count: usize| [map, "...\n", &"#".repeat(count), "\n"].concat().into_bytes();
    assert_eq!(verdict(&[&behind(600), &b"\xff\n"[..]].concat()), None);
    assert_eq!(verdict(&[&behind(1), &b"\xff\n"[..]].concat()), Some(false));
    assert_eq!(
        verdict(&[&behind(600), &b"\xff\n---\n[]\n"[..]].concat()),
        Some(false)
    );
    let wide = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = format!("\u{feff}{text}");
        text.encode_utf16().flat_map(order).collect()
    };
    assert_eq!(verdict(&wide(map, u16::to_be_bytes)), None);
    assert_eq!(verdict(&wide(map, u16::to_le_bytes)), Some(false));
    assert_eq!(
        verdict(&wide(&format!("a: b: c\n{map}"), u16::to_le_bytes)),
        Some(false)
    );
    assert_eq!(
        verdict(&wide(&format!("{map}---\n# x\n"), u16::to_le_bytes)),
        None
    );
}
