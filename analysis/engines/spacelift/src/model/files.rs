//! What functions read: files inside of the repository, at literal paths.

use applyorder_core::files::{FileKind, ReadError, join_clean};
use applyorder_syntax::hcl::eval::{FileAnswer, FileRequest, Reads};
use camino::Utf8Path;

use super::fileset;
use super::world::World;
use crate::read::TfFacts;

/// Answers a question about files that a function in a module asks.
///
/// Terraform reads them when it plans, in the directory that it runs in. A file that is not in the repository may exist
/// by then, created by what runs before or mounted by Spacelift. So it is only likely that `fileexists` of it is false,
/// that a `fileset` without files is empty, and that a function that reads it fails. If some files of a set exist, the
/// repository contains all of them. What Terraform itself creates exists too late. Just before Terraform runs, all of
/// this is certain.
pub(crate) fn answer(world: &World<'_>, number: usize, request: FileRequest<'_>) -> FileAnswer {
    let (FileRequest::Read(path, _)
    | FileRequest::Exists(path)
    | FileRequest::Set(path, _)
    | FileRequest::Absolute(path)) = request;
    let at = join_clean(world.root, path);
    if path.starts_with('~') || !at.starts_with(&world.repository) {
        return FileAnswer::Unknown(format!("`{path}` is outside the repository"));
    }
    match request {
        FileRequest::Read(_, reads) => {
            world.read.borrow_mut().insert(at.clone());
            match world.cx.facts::<TfFacts>(&at) {
                Ok(read) => match &read.facts.text {
                    Some(text) => FileAnswer::Text(text.to_string()),
                    None => FileAnswer::Unknown(format!("`{path}` is read as configuration")),
                },
                Err(ReadError::NotFound) => {
                    let message = format!("the file `{path}` does not exist");
                    match world.inputs.is_certain {
                        true => FileAnswer::Fails(message),
                        false => FileAnswer::Missing {
                            message,
                            // What is hashed or encoded is often built.
                            is_forgotten: reads == Reads::Text && is_forgotten(world, number, &at),
                        },
                    }
                }
                Err(_) => FileAnswer::Unknown(format!("`{path}` cannot be read")),
            }
        }
        FileRequest::Exists(_) => match world.cx.kind(&at, true) {
            Some(FileKind::File) => FileAnswer::Bool(true),
            Some(FileKind::Directory) => FileAnswer::Fails(format!("`{path}` is a directory")),
            Some(_) => FileAnswer::Unknown(format!("`{path}` is not a file")),
            None if world.inputs.is_certain => FileAnswer::Bool(false),
            None => FileAnswer::NotYet,
        },
        FileRequest::Set(_, pattern) => match fileset::files(world, (path, &at), pattern) {
            FileAnswer::Names(names) if names.is_empty() && !world.inputs.is_certain => FileAnswer::NotYet,
            answer => answer,
        },
        FileRequest::Absolute(_) => FileAnswer::Unknown("where Terraform runs is unknown".to_owned()),
    }
}

/// Whether a file that is not there seems to be forgotten: its directory is there, and nothing makes the module.
fn is_forgotten(world: &World<'_>, number: usize, at: &Utf8Path) -> bool {
    let is_generated = world
        .loaded
        .modules
        .get(number)
        .is_none_or(|own| own.is_generated);
    let is_directory = |at: &Utf8Path| world.cx.kind(at, true) == Some(FileKind::Directory);
    !is_generated && at.parent().is_some_and(is_directory)
}
