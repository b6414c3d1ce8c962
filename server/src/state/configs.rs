//! Which configurations hold. Where there are many directories, that is found out on another thread; what it may change
//! waits for it, and nothing else.

use applyorder_analysis::workspace::LoadedConfigs;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use tower_lsp_server::ls_types::MessageType;

use super::State;
use crate::event::Event;

/// What is to be loaded, and what is being loaded.
#[derive(Default)]
pub(super) struct ConfigWork {
    /// Whether all have to be loaded.
    is_due: bool,
    /// Whether any may be another.
    everywhere: bool,
    /// The directories in and below which others may hold.
    changed: FxHashSet<Utf8PathBuf>,
    /// The directories that have not been searched yet.
    added: FxHashSet<Utf8PathBuf>,
    /// The directories that were seen to have one: what it declares need not be recognized without it.
    seen: FxHashSet<Utf8PathBuf>,
    /// The number of the load that goes on.
    loading: Option<u64>,
    loads: u64,
}

impl ConfigWork {
    /// Nothing was loaded yet.
    pub(super) fn new() -> Self {
        Self {
            is_due: true,
            ..Self::default()
        }
    }
}

impl State {
    /// Reads all configuration files again at the next [`Self::flush`]: any may have changed.
    pub(crate) fn reload_configs(&mut self) {
        self.configs.is_due = true;
        self.configs.everywhere = true;
    }

    /// The same where only those in some directories may be others.
    pub(super) fn reload_configs_in(&mut self, dirs: impl IntoIterator<Item = Utf8PathBuf>) {
        self.configs.is_due = true;
        self.configs.changed.extend(dirs);
    }

    /// Looks at the next [`Self::flush`] which configuration holds for a file.
    pub(super) fn wants_config(&mut self, file: &Utf8Path) {
        let dir = file.parent().unwrap_or(file);
        self.wants_config_in(dir);
    }

    /// The same for a directory.
    pub(super) fn wants_config_in(&mut self, dir: &Utf8Path) {
        if !self.workspace.knows_config_of(dir) && !self.configs.added.contains(dir) {
            self.configs.added.insert(dir.to_owned());
        }
    }

    /// Looks at the next [`Self::flush`] what is said by the configuration in a directory.
    pub(super) fn saw_config_in(&mut self, dir: &Utf8Path) {
        self.configs.seen.insert(dir.to_owned());
        self.wants_config_in(dir);
    }

    /// Finds out which configurations hold, if others may.
    pub(super) fn load_configs(&mut self) {
        let due = &mut self.configs;
        if !due.is_due && due.added.is_empty() {
            return;
        }
        if due.loading.is_some() {
            let changed: Vec<Utf8PathBuf> = due.changed.iter().cloned().collect();
            self.workspace.await_configs(due.everywhere, &changed);
            return;
        }
        let is_whole = std::mem::take(&mut due.is_due);
        let everywhere = std::mem::take(&mut due.everywhere);
        let changed: Vec<Utf8PathBuf> = due.changed.drain().collect();
        let added: Vec<Utf8PathBuf> = due.added.drain().collect();
        let load = if is_whole {
            self.load_trust();
            let open = self.texts.keys().filter_map(|path| path.parent());
            let folders = &self.folders;
            let seen = self.configs.seen.iter();
            let seen = seen.filter(|dir| folders.iter().any(|folder| dir.starts_with(folder)));
            let dirs = open.map(Utf8Path::to_owned).chain(folders.iter().cloned());
            let dirs = dirs.chain(seen.cloned());
            self.workspace.config_load(&self.config, dirs.collect())
        } else {
            self.workspace.added_config_dirs(&self.config, added)
        };
        if load.is_short() || self.recovering {
            self.take_configs(load.run());
            return;
        }
        self.workspace.await_configs(everywhere, &changed);
        let number = self.configs.loads;
        self.configs.loads += 1;
        self.configs.loading = Some(number);
        let events = self.events.clone();
        self.lanes.run(&self.events, move || {
            let loaded = Box::new(load.run());
            events.send(Event::Configs { number, loaded });
        });
    }

    fn take_configs(&mut self, loaded: LoadedConfigs) {
        match self.workspace.take_configs(loaded) {
            Ok(false) => {}
            Ok(true) => {
                self.configs.is_due = true;
                self.load_configs();
            }
            Err(e) => {
                let text = format!("keeping the previous configuration: {e}");
                self.client.log(MessageType::WARNING, text);
            }
        }
    }

    /// Takes over what was loaded on another thread.
    pub(super) fn configs_loaded(&mut self, number: u64, loaded: LoadedConfigs) {
        if self.configs.loading != Some(number) {
            return;
        }
        self.configs.loading = None;
        self.take_configs(loaded);
        self.is_unflushed = true;
    }

    /// What is under way is of no use any more.
    pub(super) fn abandon_configs(&mut self) {
        let before = std::mem::take(&mut self.configs);
        self.configs = ConfigWork {
            loads: before.loads,
            seen: before.seen,
            ..ConfigWork::default()
        };
        self.reload_configs();
    }
}
