//! The transposition table: what a search has found of positions, for when it reaches them again.
//! Several orders of moves lead to most positions, and the next, deeper search to all of them.

use std::cell::Cell;

use super::evaluation::Score;
use granero_game::rules::board::Board;

/// A table of positions by their hash. A newer entry replaces an older one in the same place.
///
/// Its memory, but at most 24 MiB of it, stays with the thread for the next search, which would wait for the system
/// to clear new memory.
pub(super) struct Transpositions {
    places: Vec<Entry>,
    /// The number of places in use. The rest is left from earlier searches.
    length: usize,
    /// The number of places with an entry of this search.
    taken: usize,
    /// The number of this search. Entries with another one are left from earlier searches.
    number: u16,
}

thread_local! {
    /// The number of the last search, and the memory of its table.
    static KEPT: Cell<(u16, Vec<Entry>)> = const { Cell::new((0, Vec::new())) };
}

/// The result of searching a position.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) board: Board,
    /// The number of the search; 0 for no entry.
    number: u16,
    /// The number of moves that the search looked ahead.
    pub(super) depth: u8,
    pub(super) kind: ScoreKind,
    /// The number of the best house found.
    pub(super) house: u8,
    pub(super) score: Score,
}

/// The meaning of an entry's score.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScoreKind {
    Exactly,
    AtLeast,
    AtMost,
}

/// The first and the largest number of places. The largest takes 96 MiB.
const FEWEST: usize = 1 << 10;
const MOST: usize = 1 << 22;

/// The most places that stay with a thread after a search.
const MOST_KEPT: usize = 1 << 20;

const NOTHING: Entry = Entry {
    board: Board {
        own: 0,
        opponents: 0,
    },
    number: 0,
    depth: 0,
    kind: ScoreKind::Exactly,
    house: 0,
    score: 0,
};

impl Transpositions {
    pub(super) fn new() -> Transpositions {
        let (last, mut places) = KEPT.take();
        let number = last.checked_add(1).unwrap_or_else(|| {
            places.clear();
            1
        });
        places.resize(places.len().max(FEWEST), NOTHING);
        Transpositions {
            places,
            length: FEWEST,
            taken: 0,
            number,
        }
    }

    /// The entry of a board.
    pub(super) fn find(&self, board: Board) -> Option<Entry> {
        let entry = self.places[self.place(board)];
        (entry.number == self.number && entry.board == board).then_some(entry)
    }

    /// Keeps the result of a search.
    pub(super) fn keep(
        &mut self,
        board: Board,
        depth: u8,
        kind: ScoreKind,
        house: u8,
        score: Score,
    ) {
        // The table grows with the search, so short searches stay within the caches of the processor.
        if self.taken > self.length / 2 && self.length < MOST {
            let before = self.length;
            self.length *= 4;
            let most = self.places.len().max(self.length);
            self.places.resize(most, NOTHING);
            for number in 0..before {
                let entry = self.places[number];
                let place = self.place(entry.board);
                if entry.number == self.number && place != number {
                    self.places[place] = entry;
                    self.places[number].number = 0;
                }
            }
        }
        let place = self.place(board);
        let number = self.number;
        self.taken += usize::from(self.places[place].number != number);
        self.places[place] = Entry {
            board,
            number,
            depth,
            kind,
            house,
            score,
        };
    }

    fn place(&self, board: Board) -> usize {
        board.hash() as usize & (self.length - 1)
    }
}

impl Drop for Transpositions {
    fn drop(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        if places.len() > MOST_KEPT {
            places.truncate(MOST_KEPT);
            places.shrink_to_fit();
        }
        KEPT.set((self.number, places));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::draw;

    #[test]
    fn what_is_found_was_kept() {
        assert_eq!(size_of::<Entry>(), 24);
        let boards: Vec<Board> = draw(20, 3).take(20_000).map(|p| Board::of(&p)).collect();
        let expected = |board: Board| {
            let depth = 1 + (board.hash() % 60) as u8;
            let house = (board.hash() % 6) as u8;
            (depth, house, board.hash() as Score)
        };
        let recalled = |table: &Transpositions| {
            let found = boards.iter().filter_map(|&board| {
                let found = table.find(board)?;
                assert_eq!((found.depth, found.house, found.score), expected(board));
                Some(board)
            });
            found.count()
        };
        // Later searches find the memory of the first, but nothing in it, even if numbers begin again.
        let counts = [0, 1, u16::MAX].map(|last| {
            let (_, mut places) = KEPT.take();
            for entry in places.iter_mut().filter(|entry| entry.number != 0) {
                entry.number = 1;
            }
            KEPT.set((last, places));
            let mut table = Transpositions::new();
            assert_eq!((table.length, recalled(&table)), (FEWEST, 0));
            for &board in &boards {
                let (depth, house, score) = expected(board);
                table.keep(board, depth, ScoreKind::AtLeast, house, score);
                assert!(table.find(board).is_some());
            }
            assert!(table.length > FEWEST);
            recalled(&table)
        });
        assert!(counts[0] > boards.len() / 2);
        assert_eq!(counts, [counts[0]; 3]);
        // Of a large table only a part stays.
        let mut table = Transpositions::new();
        table.places.resize(MOST, NOTHING);
        drop(table);
        let (last, places) = KEPT.take();
        assert_eq!((last, places.len()), (2, MOST_KEPT));
        assert!(places.capacity() < MOST);
    }
}
