//! The inputs of a computation as a 128-bit number.

use std::hash::{Hash, Hasher};

use siphasher::sip128::{Hasher128, SipHasher13};

/// The hash of everything that was mixed in. Two different inputs give the same hash with a chance of about one
/// in 2^64 per billion billion pairs, which is treated as never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The fingerprint of one value.
    #[must_use]
    pub fn of(value: &(impl Hash + ?Sized)) -> Self {
        let mut mix = Mix::default();
        mix.add(value);
        mix.finish()
    }
}

/// A fingerprint being built.
#[derive(Clone, Copy, Default)]
pub struct Mix(SipHasher13);

impl Mix {
    /// Mixes a value in. The order matters.
    pub fn add(&mut self, value: &(impl Hash + ?Sized)) {
        value.hash(&mut self.0);
    }

    /// The fingerprint of all that was mixed in.
    #[must_use]
    pub fn finish(&self) -> Fingerprint {
        Fingerprint(self.0.finish128().as_u128())
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_order_count() {
        assert_eq!(Fingerprint::of("a"), Fingerprint::of("a"));
        assert_ne!(Fingerprint::of("a"), Fingerprint::of("b"));
        assert_ne!(Fingerprint::of(&(1u32, 2u32)), Fingerprint::of(&(2u32, 1u32)));
        assert_ne!(
            Fingerprint::of(&["ab", "c"][..]),
            Fingerprint::of(&["a", "bc"][..])
        );
    }
}
