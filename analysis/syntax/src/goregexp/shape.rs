//! The size of an expression, without its tree.

/// The properties of an expression that the limits apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The largest product of nested counts.
    pub(super) repeats: u32,
    /// Instructions.
    pub(super) size: u64,
    /// Levels of the tree.
    pub(super) height: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One character: adjacent ones become one string, alternatives one class.
    Literal,
    /// One character of several.
    Class,
    Other,
}

impl Shape {
    pub(super) const LITERAL: Self = Self::leaf(Kind::Literal);
    pub(super) const CLASS: Self = Self::leaf(Kind::Class);
    /// An assertion, or nothing.
    pub(super) const POSITION: Self = Self::leaf(Kind::Other);

    const fn leaf(kind: Kind) -> Self {
        Self {
            repeats: 1,
            size: 1,
            height: 1,
            kind,
        }
    }

    const fn around(self, size: u64) -> Self {
        Self {
            repeats: self.repeats,
            size,
            height: self.height + 1,
            kind: Kind::Other,
        }
    }

    /// The shape of an expression with `*`, `+` or `?`.
    pub(super) fn starred(operator: char) -> impl Fn(Self) -> Self {
        move |sub| sub.around(sub.size.saturating_add(if operator == '*' { 2 } else { 1 }))
    }

    /// `{low,high}` around it; without `high`, `{low,}`.
    pub(super) fn counted(self, low: u32, high: Option<u32>) -> Self {
        let times = |n: u32| u64::from(n).saturating_mul(self.size);
        let size = match high {
            None if low == 0 => self.size.saturating_add(2),
            None => times(low).saturating_add(1),
            Some(high) => times(high).saturating_add(u64::from(high.saturating_sub(low))),
        };
        let repeats = match high.unwrap_or(low) {
            // An expression that occurs zero times is not counted, and an unbounded one counts once.
            0 if high.is_some() => 1,
            n => self.repeats.saturating_mul(n.max(1)),
        };
        Self {
            repeats,
            ..self.around(size.max(1))
        }
    }

    const fn is_one_character(self) -> bool {
        matches!(self.kind, Kind::Literal | Kind::Class)
    }
}

/// Several expressions that become one.
#[derive(Clone, Copy, Debug, Default)]
struct Joined {
    parts: u64,
    repeats: u32,
    size: u64,
    height: u64,
    last: Option<Shape>,
}

impl Joined {
    fn add(&mut self, shape: Shape) {
        self.parts += 1;
        self.repeats = self.repeats.max(shape.repeats);
        self.size = self.size.saturating_add(shape.size);
        self.height = self.height.max(shape.height);
        self.last = Some(shape);
    }

    fn ends_in(&self, is_last: impl Fn(Shape) -> bool) -> bool {
        self.last.is_some_and(is_last)
    }

    /// The expression, with `between` instructions between two parts.
    fn shape(self, between: u64) -> Shape {
        match (self.parts, self.last) {
            (0, _) | (_, None) => Shape::POSITION,
            (1, Some(only)) if only.kind != Kind::Literal || self.size == 1 => only,
            (parts, Some(last)) => Shape {
                repeats: self.repeats,
                size: self.size.saturating_add(between.saturating_mul(parts - 1)),
                height: self.height + u64::from(parts > 1),
                kind: if parts > 1 { Kind::Other } else { last.kind },
            },
        }
    }
}

/// A group that is not closed yet, or the whole pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    captures: bool,
    alternatives: Joined,
    sequence: Joined,
    /// The last expression of the sequence: a repetition applies to it alone.
    last: Option<Shape>,
}

impl Frame {
    /// A group.
    pub(super) fn group(captures: bool) -> Self {
        Self {
            captures,
            ..Self::default()
        }
    }

    /// Adds an expression to the sequence.
    pub(super) fn push(&mut self, shape: Shape) {
        if let Some(last) = self.last.replace(shape) {
            self.settle(last);
        }
    }

    fn settle(&mut self, shape: Shape) {
        let literal = |s: Shape| s.kind == Kind::Literal;
        if literal(shape) && self.sequence.ends_in(literal) {
            self.sequence.size = self.sequence.size.saturating_add(1);
        } else {
            self.sequence.add(shape);
        }
    }

    /// Wraps the last expression in another, which is returned; `None` if the sequence is empty.
    pub(super) fn repeat(&mut self, around: impl FnOnce(Shape) -> Shape) -> Option<Shape> {
        let shape = around(self.last?);
        self.last = Some(shape);
        Some(shape)
    }

    /// Ends the sequence.
    pub(super) fn next_alternative(&mut self) {
        if let Some(last) = self.last.take() {
            self.settle(last);
        }
        let sequence = std::mem::take(&mut self.sequence).shape(0);
        let merges = sequence.is_one_character()
            && sequence.size == 1
            && self.alternatives.ends_in(|s| s.is_one_character() && s.size == 1);
        if !merges {
            self.alternatives.add(sequence);
        }
    }

    /// The whole group.
    pub(super) fn closed(mut self) -> Shape {
        self.next_alternative();
        let inner = self.alternatives.shape(1);
        if self.captures {
            inner.around(inner.size.saturating_add(2))
        } else {
            inner
        }
    }
}
