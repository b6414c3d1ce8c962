//! What is read.

use super::*;

#[test]
fn what_cannot_be_read_stops_terramate() {
    for (error, rule) in [
        (ReadError::PermissionDenied, "unreadable-file"),
        (ReadError::IsDirectory, "unreadable-file"),
        (ReadError::LinkLoop, "unreadable-file"),
    ] {
        let found = project("stack {\n}\n")
            .error("t/stack.tm", error.clone())
            .findings();
        assert_eq!(
            found,
            [format!("{rule} t/stack.tm «» error load: reading config file")],
            "{error:?}"
        );
    }
    let found = project("stack {\n}\n").error("t/stack.tm", ReadError::TooLarge(1 << 40));
    assert!(found.findings()[0].starts_with("limit-reached t/stack.tm «»"));
}

#[test]
fn instances_that_cannot_be_read_stop_terramate() {
    for (error, words) in [
        (ReadError::NotFound, "open t/x.tm.yml: no such file or directory"),
        (
            ReadError::IsDirectory,
            "yaml: input error: read /w/t/x.tm.yml: is a directory",
        ),
        (ReadError::PermissionDenied, "open t/x.tm.yml: permission denied"),
        (
            ReadError::LinkLoop,
            "open t/x.tm.yml: too many levels of symbolic links",
        ),
    ] {
        let found = project("stack {\n}\n//- t/.tmskip\n\n")
            .error("t/x.tm.yml", error.clone())
            .findings();
        let expected = format!("unreadable-file t/x.tm.yml «» error load: {words}");
        assert!(found.contains(&expected), "{error:?}: {found:?}");
    }
}

#[test]
fn other_files_are_not_looked_at() {
    finds(
        "//- s/stack.tm\nstack {\n}\n//- s/.hidden.tm\nstack {{\n//- s/x.tm.json\n{\n//- s/main.tf\nbroken {\n//- .dir/x.tm\n{\n",
        &[],
    );
}
