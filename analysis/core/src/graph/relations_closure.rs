//! Which nodes reach which while edges are added one by one.

/// Reachability from awaited to waiting nodes (Italiano's incremental closure on bit rows): new edges lead from
/// a waiting to an awaited node. Rows are the smaller side; if that is the waiting one, everything is kept in
/// the reversed graph.
pub(super) struct Closure {
    reversed: bool,
    /// Per row the columns it reaches.
    reached: Bits,
    /// Per column the rows that reach it.
    reaching: Bits,
    /// Per row other rows that reach it; possibly not all. They contain everything that it reaches.
    covered: Bits,
}

impl Closure {
    pub(super) fn new(waiters: usize, awaited: usize) -> Self {
        let reversed = waiters < awaited;
        let (rows, columns) = if reversed {
            (waiters, awaited)
        } else {
            (awaited, waiters)
        };
        Self {
            reversed,
            reached: Bits::new(rows, columns),
            reaching: Bits::new(columns, rows),
            covered: Bits::new(rows, rows),
        }
    }

    /// The number of words of memory that [`Closure::new`] would take.
    pub(super) fn words(waiters: usize, awaited: usize) -> u64 {
        let (rows, columns) = (waiters.min(awaited) as u64, waiters.max(awaited) as u64);
        rows * columns.div_ceil(64) + (rows + columns) * rows.div_ceil(64)
    }

    fn place(&self, waiter: u32, awaited: u32) -> (usize, usize) {
        if self.reversed {
            (waiter as usize, awaited as usize)
        } else {
            (awaited as usize, waiter as usize)
        }
    }

    /// Records that the awaited node reaches the waiting one without any new edge.
    pub(super) fn set_reaches(&mut self, awaited: u32, waiter: u32) {
        let (row, column) = self.place(waiter, awaited);
        self.reached.set(row, column);
        self.reaching.set(column, row);
    }

    /// Whether the awaited node reaches the waiting one, so that an edge back would close a cycle.
    pub(super) fn closes_cycle(&self, waiter: u32, awaited: u32) -> bool {
        let (row, column) = self.place(waiter, awaited);
        self.reached.get(row, column)
    }

    /// Adds the edge from the waiting to the awaited node; returns how many words were looked at.
    pub(super) fn add(&mut self, waiter: u32, awaited: u32) -> u64 {
        let (row, column) = self.place(waiter, awaited);
        let mut cost = self.reaching.width as u64;
        for word in 0..self.reaching.width {
            let before = self.reaching.row(column)[word];
            let mut grow = before & !self.covered.row(row)[word];
            self.covered.row_mut(row)[word] |= before;
            while grow != 0 {
                let other = word * 64 + grow.trailing_zeros() as usize;
                grow &= grow - 1;
                cost += self.reached.width as u64;
                self.take_over(other, row);
            }
        }
        cost
    }

    /// Adds to row `other` everything that row `row` reaches.
    fn take_over(&mut self, other: usize, row: usize) {
        for word in 0..self.reached.width {
            let mut new = self.reached.row(row)[word] & !self.reached.row(other)[word];
            self.reached.row_mut(other)[word] |= new;
            while new != 0 {
                let column = word * 64 + new.trailing_zeros() as usize;
                new &= new - 1;
                self.reaching.set(column, other);
            }
        }
    }
}

/// Rows of bits.
struct Bits {
    width: usize,
    words: Vec<u64>,
}

impl Bits {
    fn new(rows: usize, columns: usize) -> Self {
        let width = columns.div_ceil(64);
        Self {
            width,
            words: vec![0; rows * width],
        }
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..(row + 1) * self.width]
    }

    fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.width..(row + 1) * self.width]
    }

    fn get(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64] >> (column % 64) & 1 == 1
    }

    fn set(&mut self, row: usize, column: usize) {
        self.row_mut(row)[column / 64] |= 1 << (column % 64);
    }
}
