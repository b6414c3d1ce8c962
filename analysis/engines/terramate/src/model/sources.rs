//! What is in the files of a project.

use std::sync::Arc;

use crate::load::tree::{ConfigFile, Dir};
use crate::read::{FileFacts, Marks};
use applyorder_core::engine::{Cx, Read};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Mix;

/// The facts of some files, by the numbers of the files.
pub(crate) struct Sources {
    read: Vec<Result<Read<FileFacts>, ReadError>>,
    /// Of each of them.
    marks: Vec<Marks>,
    /// Of all of them.
    all_marks: Marks,
}

impl Sources {
    pub(super) fn of<'f>(cx: &Cx<'_>, files: impl Iterator<Item = &'f ConfigFile>) -> Self {
        let read: Vec<_> = files.map(|f| cx.read::<FileFacts>(f.file)).collect();
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
