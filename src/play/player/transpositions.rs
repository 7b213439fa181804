//! The transposition table: what a search has found of positions, for when it reaches them again.
//! Several orders of moves lead to most positions, and the next, deeper search to all of them.

use super::evaluation::Score;
use granero_game::rules::board::Board;

/// A table of positions by their hash. A newer entry replaces an older one in the same place.
pub(super) struct Transpositions {
    places: Vec<Entry>,
    /// The number of places with an entry.
    taken: usize,
}

/// The result of searching a position.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) board: Board,
    /// The number of moves that the search looked ahead; 0 for no entry.
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

const NOTHING: Entry = Entry {
    board: Board {
        own: 0,
        opponents: 0,
    },
    depth: 0,
    kind: ScoreKind::Exactly,
    house: 0,
    score: 0,
};

impl Transpositions {
    pub(super) fn new() -> Transpositions {
        Transpositions {
            places: vec![NOTHING; FEWEST],
            taken: 0,
        }
    }

    /// The entry of a board.
    pub(super) fn find(&self, board: Board) -> Option<Entry> {
        let entry = self.places[self.place(board)];
        (entry.depth > 0 && entry.board == board).then_some(entry)
    }

    /// Keeps an entry with a depth above 0.
    pub(super) fn keep(&mut self, entry: Entry) {
        // The table grows with the search, so short searches need not clear much memory.
        if self.taken > self.places.len() / 2 && self.places.len() < MOST {
            let larger = vec![NOTHING; self.places.len() * 4];
            let entries = std::mem::replace(&mut self.places, larger);
            for entry in entries.into_iter().filter(|entry| entry.depth > 0) {
                let place = self.place(entry.board);
                self.places[place] = entry;
            }
        }
        let place = self.place(entry.board);
        self.taken += usize::from(self.places[place].depth == 0);
        self.places[place] = entry;
    }

    fn place(&self, board: Board) -> usize {
        board.hash() as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::draw;

    #[test]
    fn what_is_found_was_kept() {
        assert_eq!(size_of::<Entry>(), 24);
        let mut table = Transpositions::new();
        let boards: Vec<Board> = draw(20, 3).take(20_000).map(|p| Board::of(&p)).collect();
        let entry = |board: Board| Entry {
            board,
            depth: 1 + (board.hash() % 60) as u8,
            kind: ScoreKind::AtLeast,
            house: (board.hash() % 6) as u8,
            score: board.hash() as Score,
        };
        for &board in &boards {
            table.keep(entry(board));
            assert!(table.find(board).is_some());
        }
        assert!(table.places.len() > FEWEST);
        let recalled = boards.iter().filter_map(|&board| {
            let found = table.find(board)?;
            let expected = entry(board);
            assert_eq!(
                (found.depth, found.house, found.score),
                (expected.depth, expected.house, expected.score)
            );
            Some(board)
        });
        assert!(recalled.count() > boards.len() / 2);
        assert!(
            table
                .find(Board::of(&granero_game::Position::START))
                .is_none()
        );
    }
}
