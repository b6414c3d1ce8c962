use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::engines::tazuna) struct Fingerprint(u64, u64);

#[derive(Clone, Default)]
pub(in crate::engines::tazuna) struct Mix(FxHasher, std::hash::DefaultHasher);

impl Mix {
    pub(in crate::engines::tazuna) fn add(&mut self, value: &(impl Hash + ?Sized)) {
        value.hash(&mut self.0);
        value.hash(&mut self.1);
    }

    pub(in crate::engines::tazuna) fn finish(&self) -> Fingerprint {
        Fingerprint(self.0.finish(), self.1.finish())
    }
}
