//! Our own limits on work that a small input can make large.

/// The steps that one piece of work may take. Exceeding it is reported (`limit-reached`); nothing is guessed.
///
/// Each piece has a limit of its own and keeps what it used, so that a project's total does not depend on
/// threads or on what was already known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: u64,
    used: u64,
}

impl Budget {
    /// A budget of this many steps.
    #[must_use]
    pub const fn new(limit: u64) -> Self {
        Self { limit, used: 0 }
    }

    /// Spends some steps; `false` once there are not enough, and from then on.
    #[must_use]
    pub const fn spend(&mut self, steps: u64) -> bool {
        self.used = self.used.saturating_add(steps);
        self.used <= self.limit
    }

    /// Whether more was requested than available.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.used > self.limit
    }

    /// The steps used, at most one request past the limit.
    #[must_use]
    pub const fn used(&self) -> u64 {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_stays_spent() {
        let mut budget = Budget::new(10);
        assert!(budget.spend(10) && !budget.is_spent());
        assert!(!budget.spend(1) && budget.is_spent());
        assert!(!budget.spend(0));
    }
}
