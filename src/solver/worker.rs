//! One worker: retrograde analysis of the positions that it owns.
//!
//! News of settled positions goes to their predecessors, and settles some of them, until
//! nothing changes. What that means is up to its caller: what is known of a position is a byte,
//! and two tables say what each kind of news makes of it (see `split` and `bounds`).

use super::dispatcher::Dispatcher;
use super::news::Table;
use super::reporter::Reporter;
use super::scanner::{Found, ScannedPiece, Scanner};
use super::serving::{Gathered, Serving};
use super::task::Task;
use super::updating::{JustSettled, Updating};

/// One worker and all that it owns.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    id: usize,
    task: Task<'a>,
    /// What is known of positions: once, or twice if each can be reached by either side.
    bytes: Vec<Vec<u8>>,
    scanner: Scanner,
    reporter: Reporter<'a>,
    dispatcher: Dispatcher<'a>,
    gathered: Gathered,
    just_settled: JustSettled,
}

impl<'a> Worker<'a> {
    /// The memory in bytes for what it has at hand.
    pub(super) const MEMORY: usize =
        Scanner::MEMORY + Reporter::MEMORY + Gathered::MEMORY + JustSettled::MEMORY;

    /// A worker and its bytes. If there are two for each position, the first kind of news
    /// concerns the second of them, and the second kind the first.
    pub(super) fn new(id: usize, task: Task<'a>, bytes: Vec<Vec<u8>>) -> Worker<'a> {
        Worker {
            id,
            task,
            bytes,
            scanner: Scanner::new(),
            reporter: Reporter::new(id, task),
            dispatcher: Dispatcher::new(id, task),
            gathered: Gathered::new(),
            just_settled: JustSettled::new(),
        }
    }

    /// The seeds of the layer.
    pub(super) fn seeds(&self) -> u8 {
        self.task.seeds
    }

    /// Ends the work, and returns the bytes.
    pub(super) fn into_bytes(self) -> Vec<Vec<u8>> {
        self.bytes
    }

    /// Goes through some of the bytes, by pieces of rows; `look` says which positions of
    /// the piece are settled.
    ///
    /// It finds the positions as they were when it began: the orders of other workers wait.
    /// After the last of some scans, [`settle`](Worker::settle) must be called.
    pub(super) fn scan(
        &mut self,
        which: usize,
        look: impl FnMut(ScannedPiece, &mut [u8], &mut Found),
    ) {
        let layout = &self.task.layouts[self.id];
        let bytes = &mut self.bytes[which];
        (self.scanner).scan(layout, bytes, &mut self.reporter, look);
    }

    /// Takes all news to the predecessors, and what it settles to theirs, until no worker
    /// has any work left. `tables` say what either kind of news does.
    pub(super) fn settle(&mut self, tables: &[Table; 2]) {
        let updating = Updating {
            layout: &self.task.layouts[self.id],
            concerned: if self.bytes.len() == 2 {
                [1, 0]
            } else {
                [0, 0]
            },
            bytes: &mut self.bytes,
            tables,
            just_settled: &mut self.just_settled,
            reporter: &mut self.reporter,
        };
        let mut serving = Serving {
            id: self.id,
            task: self.task,
            gathered: &mut self.gathered,
            dispatcher: &mut self.dispatcher,
            updating,
        };
        serving.run();
    }
}
