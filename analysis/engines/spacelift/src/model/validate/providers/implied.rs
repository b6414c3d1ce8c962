//! The source of a provider for which a module does not declare one.
//!
//! Source: Terraform 1.11: `init` and `validate` of a module that has no `required_providers`.

use super::super::super::Wrong;
use super::super::super::module::Decl;
use super::super::super::provider;
use super::super::super::world::World;
use super::super::walk::{Scene, Walk};
use super::{Config, OWN};

/// Where Terraform takes it from where a module does not say. Its registry has none there.
const IMPLIED: &str = "hashicorp/spacelift";

/// Whether a module that does not say where the provider comes from needs one that does not exist: another module says it,
/// and no other provider is installed.
pub(in super::super::super) fn lacks_implied(world: &World<'_>) -> bool {
    let says = |module: usize| {
        let declared = world.providers_of(module);
        declared.is_some_and(|all| all.required.values().any(|source| source == OWN))
    };
    (0..world.modules.len()).any(says) && !provider::is_locked(world, IMPLIED)
}

impl<'a> Walk<'_, '_, 'a> {
    /// A module that does not say where Spacelift's provider comes from needs another one than those that do.
    /// What a caller passes under its name is reported where it is passed.
    pub(super) fn implied(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        let world = self.validate.world;
        let Some(own) = world
            .providers_of(self.validate.number)
            .filter(|own| !own.is_open)
        else {
            return;
        };
        let named = decl.attr("provider").map(|attr| Config::read(attr.expr));
        let name = match &named {
            Some(Some(config)) => config.name.as_str(),
            Some(None) => return,
            None => decl.ty().split('_').next().unwrap_or_default(),
        };
        if own.source(name) != IMPLIED || own.given.contains(name) || !world.lacks_implied() {
            return;
        }
        let first = world.modules.get(self.validate.number);
        let mut all = first.into_iter().flat_map(|module| &module.resources);
        // Once in a module is enough.
        let of_it = |other: &&Decl<'_>| other.ty().split('_').next() == Some(name);
        let is_first = all
            .find(of_it)
            .is_none_or(|first| first.header() == decl.header());
        if is_first {
            let why = format!(
                "the module does not say where it comes from: Terraform looks for `{IMPLIED}`, which its registry does not have"
            );
            // A mirror may have it.
            let open = format!("whether `{IMPLIED}` is installed is unknown");
            self.validate.leave_open(decl.header(), &open);
            let place = (self.place)(decl.header());
            self.tell_likely(scene.address, "provider", place, Wrong::Condition(why));
        }
    }
}
