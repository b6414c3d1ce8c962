//! Whether the provider that a project uses is of the version whose schema is known.

use applyorder_syntax::go::constraint::{Constraints, Version};
use applyorder_syntax::hcl::{self, Body, ExprKind, Tree};
use camino::Utf8PathBuf;

use super::module::Module;
use super::world::World;
use crate::load::Loaded;
use crate::read::{PROVIDERS, TfFacts};
use crate::schema::VERSION;

/// The file in which Terraform records the selected versions.
pub(super) fn lock_file(loaded: &Loaded) -> Option<Utf8PathBuf> {
    Some(loaded.modules.first()?.dir.join(".terraform.lock.hcl"))
}

/// Whether arguments are those of the known version. Without a lock file Terraform takes the newest that all
/// constraints admit.
pub(super) fn is_known(world: &World<'_>) -> bool {
    if let Some(locked) = locked(world) {
        return locked == VERSION;
    }
    let Some(known) = Version::parse(VERSION) else {
        return false;
    };
    let mut texts = world
        .sources
        .iter()
        .flat_map(|s| constraints(s.facts.tree.body()));
    texts.all(|text| Constraints::parse(text).is_ok_and(|all| all.admit(&known)))
}

/// Whether the lock file of the root has a provider of a source: then it is installed from somewhere.
pub(super) fn is_locked(world: &World<'_>, source: &str) -> bool {
    world.lock().is_some_and(|tree| {
        let mut labels = tree.body().blocks().flat_map(|b| b.labels().collect::<Vec<_>>());
        labels.any(|label| label.text.ends_with(source))
    })
}

/// The lock file of the root.
pub(super) fn lock(world: &World<'_>) -> Option<Tree> {
    let read = world.cx.facts::<TfFacts>(&lock_file(world.loaded)?).ok()?;
    read.facts.text.as_deref().map(hcl::parse)
}

/// The version that the lock file of the root has.
fn locked(world: &World<'_>) -> Option<String> {
    let blocks = world.lock()?.body().blocks();
    let mut own = blocks.filter(|b| b.kind() == "provider" && b.labels().any(|l| is_own(l.text)));
    let version = own.next()?.body().attribute("version")?;
    version.value().as_text().map(str::to_owned)
}

/// Whether a module says that it needs a provider of a name.
pub(super) fn is_required(world: &World<'_>, module: &Module<'_>, name: &str) -> bool {
    let files = module.files.iter().filter_map(|file| world.sources.get(*file));
    files.into_iter().any(|source| {
        let body = source.facts.tree.body();
        let terraform = body.blocks().filter(|b| b.kind() == "terraform");
        terraform.into_iter().any(|block| {
            let inner = block.body().blocks().filter(|b| b.kind() == PROVIDERS);
            inner
                .into_iter()
                .any(|block| block.body().attribute(name).is_some())
        })
    })
}

fn is_own(source: &str) -> bool {
    source.ends_with("/spacelift") || source == "spacelift"
}

/// What a file says of the version of the provider.
fn constraints<'t>(body: Body<'t>) -> Vec<&'t str> {
    let mut found = Vec::new();
    let all = body.blocks().filter(|b| b.kind() == "terraform");
    let all = all.flat_map(|b| b.body().blocks().collect::<Vec<_>>());
    for block in all.filter(|b| b.kind() == PROVIDERS) {
        for attribute in block.body().attributes() {
            let value = attribute.value();
            // Before 0.13 only the version was written there.
            if let Some(text) = value.as_text().filter(|_| is_own(attribute.name())) {
                found.push(text);
            }
            let ExprKind::Object(object) = value.kind() else {
                continue;
            };
            let text = |wanted: &str| {
                let item = object.items().find(|item| item.key.as_text() == Some(wanted));
                item.and_then(|item| item.value.as_text())
            };
            if text("source").map_or_else(|| is_own(attribute.name()), is_own) {
                found.extend(text("version"));
            }
        }
    }
    found
}
