//! The only module that changes files. A file is never written in place: its new text goes into a file next to it, is
//! flushed, and then renamed over it. An interruption leaves either the old text or the new one, complete.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};

use camino::{Utf8Path, Utf8PathBuf};

/// Operations that change the disk. Tests use an implementation that fails at each step.
pub(crate) trait Disk {
    /// Creates and flushes a new file, with the given permissions if any.
    fn create(&self, path: &Utf8Path, text: &[u8], like: Option<Permissions>) -> io::Result<()>;
    fn rename(&self, from: &Utf8Path, to: &Utf8Path) -> io::Result<()>;
    fn remove_file(&self, path: &Utf8Path) -> io::Result<()>;
    fn create_dir(&self, path: &Utf8Path) -> io::Result<()>;
    fn remove_dir(&self, path: &Utf8Path) -> io::Result<()>;
}

/// The disk of this machine.
pub(crate) struct Machine;

impl Disk for Machine {
    fn create(&self, path: &Utf8Path, text: &[u8], like: Option<Permissions>) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        if let Some(permissions) = like {
            file.set_permissions(permissions)?;
        }
        file.write_all(text)?;
        file.sync_all()
    }

    fn rename(&self, from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
        fs::rename(from, to)?;
        flush_directory(to);
        Ok(())
    }

    fn remove_file(&self, path: &Utf8Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir(&self, path: &Utf8Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn remove_dir(&self, path: &Utf8Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}

/// Not every system can flush directories; the name then reaches the disk later.
fn flush_directory(of: &Utf8Path) {
    let dir = of.parent().filter(|dir| !dir.as_str().is_empty());
    let _ = File::open(dir.unwrap_or(Utf8Path::new("."))).and_then(|dir| dir.sync_all());
}

/// Replaces a file's text if it is still `before`. Permissions are kept; a link stays a link.
///
/// # Errors
/// When it cannot be written, or its text differs. Then it is unchanged.
pub(crate) fn replace(disk: &dyn Disk, path: &Utf8Path, before: &[u8], after: &[u8]) -> io::Result<()> {
    let path = path.canonicalize_utf8()?;
    let (_, permissions) = read(&path)?;
    let temporary = temporary_path(&path);
    let staged = stage(disk, &temporary, after, Some(permissions)).and_then(|()| match read(&path)? {
        (now, _) if now == before => disk.rename(&temporary, &path),
        _ => Err(io::Error::other("modified in the meantime")),
    });
    staged.inspect_err(|_| discard(disk, &temporary))
}

/// Gives a file this text, regardless of its previous content. A special file, such as a pipe, is written to directly.
///
/// # Errors
/// When it cannot be written. A regular file is then unchanged.
pub(crate) fn put(disk: &dyn Disk, path: &Utf8Path, text: &[u8]) -> io::Result<()> {
    let path = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let permissions = match OpenOptions::new().write(true).open(&path) {
        Ok(mut file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return file.write_all(text);
            }
            Some(metadata.permissions())
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let temporary = temporary_path(&path);
    stage(disk, &temporary, text, permissions)
        .and_then(|()| disk.rename(&temporary, &path))
        .inspect_err(|_| discard(disk, &temporary))
}

/// Creates a directory and its parents if they do not exist.
///
/// # Errors
/// When it cannot be created.
pub(crate) fn create_dirs(path: &Utf8Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// The text of a file that is about to change, and its permissions.
pub(crate) fn read(path: &Utf8Path) -> io::Result<(Vec<u8>, Permissions)> {
    let mut file = File::open(path)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok((text, file.metadata()?.permissions()))
}

fn stage(disk: &dyn Disk, temporary: &Utf8Path, text: &[u8], like: Option<Permissions>) -> io::Result<()> {
    match disk.create(temporary, text, like.clone()) {
        // Left over from an earlier interruption.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            disk.remove_file(temporary)?;
            disk.create(temporary, text, like)
        }
        done => done,
    }
}

fn discard(disk: &dyn Disk, temporary: &Utf8Path) {
    let _ = disk.remove_file(temporary);
}

/// The path of the temporary file with the new text. Hidden, and without an extension that any tool reads.
fn temporary_path(path: &Utf8Path) -> Utf8PathBuf {
    path.with_file_name(format!(".{}.applyorder-new", path.file_name().unwrap_or("file")))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    /// A disk that fails at one step: only there, or from there on, as if the program had been killed.
    pub(crate) struct Failing {
        pub(crate) steps_left: Cell<usize>,
        pub(crate) killed: bool,
    }

    impl Failing {
        pub(crate) fn at(step: usize, killed: bool) -> Self {
            Self {
                steps_left: Cell::new(step),
                killed,
            }
        }

        /// Counts a step; fails if it is the failing one.
        fn step(&self) -> io::Result<()> {
            match self.steps_left.get() {
                0 => {
                    if !self.killed {
                        self.steps_left.set(usize::MAX);
                    }
                    Err(io::Error::other("no space left"))
                }
                left => {
                    self.steps_left.set(left - 1);
                    Ok(())
                }
            }
        }

        /// Whether it has failed.
        pub(crate) fn has_failed(&self) -> bool {
            let left = self.steps_left.get();
            left > usize::MAX / 2 || self.killed && left == 0
        }
    }

    impl Disk for Failing {
        fn create(&self, path: &Utf8Path, text: &[u8], like: Option<Permissions>) -> io::Result<()> {
            let was_dead = self.killed && self.steps_left.get() == 0;
            self.step().inspect_err(|_| {
                // A write in progress fails halfway.
                if !was_dead {
                    let _ = Machine.create(path, text.get(..text.len() / 2).unwrap_or(text), None);
                }
            })?;
            Machine.create(path, text, like)
        }

        fn rename(&self, from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
            self.step()?;
            Machine.rename(from, to)
        }

        fn remove_file(&self, path: &Utf8Path) -> io::Result<()> {
            self.step()?;
            Machine.remove_file(path)
        }

        fn create_dir(&self, path: &Utf8Path) -> io::Result<()> {
            self.step()?;
            Machine.create_dir(path)
        }

        fn remove_dir(&self, path: &Utf8Path) -> io::Result<()> {
            self.step()?;
            Machine.remove_dir(path)
        }
    }

    fn text(path: &Utf8Path) -> Vec<u8> {
        read(path).unwrap().0
    }

    #[test]
    fn a_file_has_the_old_text_or_the_new_one() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        let file = dir.join("a");
        for killed in [false, true] {
            for step in 0..4 {
                fs::write(&file, "before").unwrap();
                let disk = Failing::at(step, killed);
                let done = replace(&disk, &file, b"before", b"after").is_ok();
                assert_eq!(text(&file), if done { &b"after"[..] } else { b"before" });
                assert_eq!(done, !disk.has_failed() || step >= 2);
                // Leftovers of an interruption do not block later writes.
                if !done {
                    replace(&Machine, &file, b"before", b"after").unwrap();
                }
                assert_eq!(text(&file), b"after");
                assert_eq!(dir.read_dir_utf8().unwrap().count(), 1);
            }
        }
    }

    #[test]
    fn another_text_is_not_overwritten() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        fs::write(dir.join("a"), "another").unwrap();
        assert!(replace(&Machine, &dir.join("a"), b"before", b"after").is_err());
        assert_eq!(text(&dir.join("a")), b"another");
        assert_eq!(dir.read_dir_utf8().unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        let (file, link) = (dir.join("a"), dir.join("link"));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        replace(&Machine, &link, b"before", b"after").unwrap();
        put(&Machine, &link, b"again").unwrap();
        assert_eq!(text(&file), b"again");
        assert!(link.is_symlink());
        assert_eq!(read(&file).unwrap().1.mode() & 0o777, 0o640);
        put(&Machine, Utf8Path::new("/dev/null"), b"gone").unwrap();
    }
}
