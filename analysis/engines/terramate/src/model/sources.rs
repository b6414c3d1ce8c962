//! What is in the files of a project.

use std::sync::Arc;

use camino::Utf8Path;

use crate::load::tree::{ConfigFile, Dir};
use crate::read::{FileFacts, Marks};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Read};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Mix;
use applyorder_syntax::hcl;

/// The facts of some files, by the numbers of the files.
pub(crate) struct Sources {
    read: Vec<Result<Read<FileFacts>, ReadError>>,
    /// The facts of each of them.
    marks: Vec<Marks>,
    /// The facts of all of them.
    all_marks: Marks,
}

impl Sources {
    pub(super) fn of<'f>(cx: &Cx<'_>, files: impl Iterator<Item = &'f ConfigFile>) -> Self {
        let read: Vec<_> = files.map(|f| read(cx, f.file, &f.path)).collect();
        let of_file = |read: &Result<Read<FileFacts>, ReadError>| {
            let read = read.as_ref();
            read.map_or(Marks::UNREADABLE, |read| read.facts.marks)
        };
        let marks: Vec<Marks> = read.iter().map(of_file).collect();
        Self {
            all_marks: marks.iter().fold(Marks::default(), |all, own| all | *own),
            marks,
            read,
        }
    }

    /// The marks of all files together.
    pub(crate) const fn all_marks(&self) -> Marks {
        self.all_marks
    }

    /// The marks of the files of a directory together.
    pub(crate) fn marks(&self, dir: &Dir) -> Marks {
        let first = dir.first as usize;
        let own = self.marks.get(first..first + dir.files.len());
        let own = own.unwrap_or_default().iter();
        own.fold(Marks::default(), |all, own| all | *own)
    }

    /// The files of a directory.
    pub(crate) fn all<'s>(
        &'s self,
        dir: &'s Dir,
    ) -> impl Iterator<Item = (&'s ConfigFile, &'s Result<Read<FileFacts>, ReadError>)> + Clone {
        let first = dir.first as usize;
        let own = self.read.get(first..first + dir.files.len()).unwrap_or_default();
        dir.files.iter().zip(own)
    }

    /// The readable files of a directory.
    pub(crate) fn files<'s>(
        &'s self,
        dir: &'s Dir,
    ) -> impl Iterator<Item = (&'s ConfigFile, &'s Arc<FileFacts>)> + Clone {
        self.all(dir)
            .filter_map(|(f, read)| Some((f, &read.as_ref().ok()?.facts)))
    }

    /// The same with the numbers of the facts' shapes.
    pub(crate) fn shaped<'s>(&'s self, dir: &'s Dir) -> impl Iterator<Item = &'s Read<FileFacts>> + Clone {
        self.all(dir).filter_map(|(_, read)| read.as_ref().ok())
    }

    /// Mixes in everything that is in a directory.
    pub(crate) fn mix(&self, dir: &Dir, mix: &mut Mix) {
        for (file, read) in self.all(dir) {
            match read {
                Ok(read) => mix.add(&(file.file, read.shape)),
                Err(error) => mix.add(&(file.file, error.to_string())),
            }
        }
    }
}

/// The facts of a file that was read by its path. A file that Terramate reads and we do not is beyond a limit
/// of ours.
pub(super) fn read(cx: &Cx<'_>, file: FileId, path: &Utf8Path) -> Result<Read<FileFacts>, ReadError> {
    match cx.read(file) {
        Err(ReadError::NotUtf8(_)) if cx.bytes(path).is_ok_and(|b| is_strange_in_comments_only(&b)) => {
            Err(ReadError::NotRead("bytes in a comment that are not UTF-8"))
        }
        read => read,
    }
}

/// Whether the parts that are not UTF-8 are in comments, where Terramate accepts them.
fn is_strange_in_comments_only(bytes: &[u8]) -> bool {
    let mut text = String::with_capacity(bytes.len());
    let mut strange = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            strange.push(text.len());
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    let tree = hcl::parse(&text);
    let comments = tree.comments();
    // Both are in the order of the text.
    let mut comments = comments.iter().map(|c| c.span).peekable();
    strange.iter().all(|at| {
        while comments.next_if(|c| c.end as usize <= *at).is_some() {}
        comments.peek().is_some_and(|c| c.start as usize <= *at)
    })
}

#[cfg(test)]
mod tests {
    use super::is_strange_in_comments_only;

    /// As Terramate 0.17.2 takes them.
    #[test]
    fn terramate_takes_any_bytes_in_comments() {
        for text in [
            &b"globals {\n}\n# \xff\n"[..],
            b"/* \xff */ globals {\n}\n",
            b"# \xff",
            b"// \xc3\x28 x\nglobals {}\n",
            b"globals {\n a = 1 # \xff\n}\n# \xfe\xff\n",
            b"globals {\n a = [ # \xff\n]\n}\n",
        ] {
            assert!(is_strange_in_comments_only(text), "{}", text.escape_ascii());
        }
        for text in [
            &b"globals {\n a = \"\xff\"\n}\n"[..],
            b"\xff\n",
            b"globals {\n \xff = 1\n}\n",
            b"globals {\n a = <<E\n\xff\nE\n}\n",
            b"# \xff\n\xff\n# \xff\n",
            b"a = \"# \xff\"\n",
        ] {
            assert!(!is_strange_in_comments_only(text), "{}", text.escape_ascii());
        }
    }
}
