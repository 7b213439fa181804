//! Serving rows of news: the news of a row goes to the predecessors of its positions.

use super::codes::MAX_SEEDS;
use super::dispatcher::Dispatcher;
use super::graph::{HalfBoard, HalfGraph, Origin};
use super::last_resort::leading_to;
use super::news::{News, Waiting};
use super::prefetch::prefetch;
use super::task::Task;
use super::updating::Updating;
use crate::rows::Class;

/// The positions of a row that are served at once, beside the rest of a word of news.
const SERVED_AT_ONCE: usize = 128;
/// The lists of the classes hold what is served at once, and the list of `Class::NONE` up to
/// twice as many.
const LIST_LEN: usize = 2 * (SERVED_AT_ONCE + 64);
/// Classes are below this.
const CLASSES: usize = Class::count(MAX_SEEDS);
/// How many rows ahead the memory of a row to be served is asked for.
const ROWS_AHEAD: usize = 12;

/// The positions of a row that are served at once: by class of the move that leads to them,
/// the ranks of the half-boards of the opponent before it.
///
/// What stays on its side is the same before and after the move, so the list of
/// [`Class::STAYS`] is that of the positions themselves.
#[derive(Debug)]
pub(super) struct Gathered {
    lists: Vec<u32>,
    lens: [u16; CLASSES],
}

impl Gathered {
    /// The memory in bytes.
    pub(super) const MEMORY: usize = CLASSES * LIST_LEN * size_of::<u32>();

    pub(super) fn new() -> Gathered {
        Gathered {
            lists: vec![0; CLASSES * LIST_LEN],
            lens: [0; CLASSES],
        }
    }

    /// Adds a position with this half-board of the mover, which is the one with this rank.
    #[inline(always)]
    fn add(&mut self, number: usize, own: u32, half_board: HalfBoard, graph: &HalfGraph) {
        self.lists[number] = own;
        let origins = graph.origins(half_board);
        for origin in origins.first_two() {
            self.add_origin(origin);
        }
        if origins.has_more() {
            for &origin in graph.more_origins(half_board) {
                self.add_origin(origin);
            }
        }
    }

    #[inline(always)]
    fn add_origin(&mut self, origin: Origin) {
        let class = origin.class().index();
        let len = &mut self.lens[class];
        self.lists[class * LIST_LEN + usize::from(*len)] = origin.rank();
        *len += 1;
    }

    /// The list of a class if there is anything in it.
    #[inline(always)]
    fn list(&self, class: Class) -> Option<&[u32]> {
        let len = self.lens[class.index()];
        (len > 0).then(|| &self.lists[class.index() * LIST_LEN..][..usize::from(len)])
    }

    fn clear(&mut self) {
        self.lens = [0; CLASSES];
    }
}

/// A worker that serves its rows.
pub(super) struct Serving<'w, 'a> {
    pub(super) id: usize,
    pub(super) task: Task<'a>,
    pub(super) gathered: &'w mut Gathered,
    pub(super) dispatcher: &'w mut Dispatcher<'a>,
    pub(super) updating: Updating<'w, 'a>,
}

impl Serving<'_, '_> {
    /// Takes all news to the predecessors, and what it settles to theirs, until no worker
    /// has any work left.
    pub(super) fn run(&mut self) {
        loop {
            self.serve_all();
            // What comes meanwhile may lead to more reports, but not to orders.
            self.dispatcher.send_all(&mut self.updating);
            self.updating.reporter.send_all();
            let all_served = self.updating.reporter.news.all_served();
            if all_served && !self.task.exchange.wait_for_work(self.id) {
                return;
            }
        }
    }

    /// Serves the worker's rows until none waits.
    fn serve_all(&mut self) {
        loop {
            let mut served = false;
            for opponents_seeds in 0..=self.task.seeds {
                let queue = self.updating.reporter.news.queue(opponents_seeds);
                for &ahead in queue.iter().take(ROWS_AHEAD) {
                    self.prefetch_row(opponents_seeds, ahead);
                }
                // What comes to wait meanwhile is served in the next round.
                for _ in 0..queue.len() {
                    let rows = &mut self.updating.reporter.news;
                    let Some(waiting) = rows.pop(opponents_seeds) else {
                        break;
                    };
                    if let Some(&ahead) = rows.queue(opponents_seeds).get(ROWS_AHEAD - 1) {
                        self.prefetch_row(opponents_seeds, ahead);
                    }
                    self.serve(opponents_seeds, waiting);
                    served = true;
                }
                self.updating.reporter.receive();
                while self.dispatcher.receive(&mut self.updating) {}
            }
            if !served {
                self.dispatcher.carry_out_own(&mut self.updating);
                if self.updating.reporter.news.all_served() {
                    return;
                }
            }
        }
    }

    fn prefetch_row(&self, opponents_seeds: u8, waiting: Waiting) {
        (self.updating.reporter.news).prefetch_row(opponents_seeds, waiting);
        let half_board = self.half_board(opponents_seeds, waiting);
        for worker in 0..self.task.workers() {
            let predecessors = self.task.graph.predecessors(worker, half_board);
            prefetch(predecessors.memory(), 0);
        }
    }

    /// The opponent's half-board of a row.
    fn half_board(&self, opponents_seeds: u8, waiting: Waiting) -> HalfBoard {
        let rank = self.task.layouts[self.id].rank(waiting.local);
        (self.task.graph.half_boards(opponents_seeds)).with_rank(rank)
    }

    /// Takes the news of a row to all predecessors.
    fn serve(&mut self, opponents_seeds: u8, waiting: Waiting) {
        let Task { graph, .. } = self.task;
        let own_seeds = self.task.seeds - opponents_seeds;
        let half_board = self.half_board(opponents_seeds, waiting);
        let own_half_boards = graph.half_boards(own_seeds);

        let words = self.task.layouts[self.id].news_len(opponents_seeds);
        let mut next = 0;
        while next < words {
            // Gather the children's half-boards, and the half-boards of the opponent that
            // they come from, class by class.
            let gathered = &mut *self.gathered;
            let row = self.updating.reporter.news.row(opponents_seeds, waiting);
            let mut children = 0;
            while next < row.len() && children < SERVED_AT_ONCE {
                let mut word = std::mem::take(&mut row[next]);
                let first = (next * 64) as u32;
                next += 1;
                while word != 0 {
                    let own = first + word.trailing_zeros();
                    word &= word - 1;
                    gathered.add(children, own, own_half_boards.with_rank(own), graph);
                    children += 1;
                }
            }
            if children == 0 {
                continue;
            }
            // A child whose mover has no seeds was not made by feeding.
            let stays = if own_seeds == 0 { 0 } else { children };
            self.gathered.lens[Class::STAYS.index()] = stays as u16;
            if !self.task.last_resorts.is_empty() {
                self.take_to_last_resorts(half_board, children, waiting.news);
            }
            for worker in 0..self.task.workers() {
                self.take_to_predecessors(worker, opponents_seeds, half_board, waiting.news);
            }
            self.gathered.clear();
        }
        self.dispatcher.carry_out_enough(&mut self.updating);
    }

    /// Orders what was gathered from one worker, for all predecessors that it owns.
    #[inline(always)]
    fn take_to_predecessors(
        &mut self,
        worker: usize,
        opponents_seeds: u8,
        half_board: HalfBoard,
        news: News,
    ) {
        let Serving {
            task,
            gathered,
            dispatcher,
            updating,
            ..
        } = self;
        let own_seeds = task.seeds - opponents_seeds;
        let layout = &task.layouts[worker];
        for (class, half_boards) in task.graph.predecessors(worker, half_board) {
            let crossed = class.crossing().seeds;
            if crossed > own_seeds {
                break;
            }
            let Some(opponents) = gathered.list(class) else {
                continue;
            };
            let groups = half_boards.len();
            let orders = dispatcher.orders(worker, groups, opponents.len() * groups, updating);
            let before = opponents_seeds + crossed;
            let rows = (half_boards.iter()).map(|local| (layout.row_start(before, local), local));
            orders.add(before, rows, opponents, news);
        }
    }

    /// Orders the predecessors by moves that are legal only as a last resort.
    #[cold]
    fn take_to_last_resorts(&mut self, half_board: HalfBoard, children: usize, news: News) {
        for found in leading_to(self.task.last_resorts, half_board) {
            if !self.gathered.lists[..children].contains(&found.child_own) {
                continue;
            }
            let (owner, local) = self.task.graph.ownership.place(found.own);
            let row = self.task.layouts[owner].row_start(found.own_seeds, local);
            let orders = self.dispatcher.orders(owner, 1, 1, &mut self.updating);
            let rows = [(row, local)].into_iter();
            orders.add(found.own_seeds, rows, &[found.opponents], news);
        }
    }
}
