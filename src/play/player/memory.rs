//! What a search has found out about positions, for when it meets them again: most are
//! reached by several orders of moves, and all of them again by the next, deeper search.

use super::evaluation::Score;
use granero_game::rules::board::Board;

/// A table of positions by their hash. A newer note replaces an older one in the same place.
pub(super) struct Memory {
    places: Vec<Note>,
    /// How many of them are taken.
    taken: usize,
}

/// What is known of a position.
#[derive(Clone, Copy)]
pub(super) struct Note {
    pub(super) board: Board,
    /// How many moves ahead the search looked; 0 for no note.
    pub(super) depth: u8,
    pub(super) kind: Kind,
    /// The number of the best house found.
    pub(super) house: u8,
    pub(super) score: Score,
}

/// What the score of a note says of the position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Exactly,
    AtLeast,
    AtMost,
}

/// The first and the largest number of places. The largest takes 96 MiB.
const FEWEST: usize = 1 << 10;
const MOST: usize = 1 << 22;

const NOTHING: Note = Note {
    board: Board {
        own: 0,
        opponents: 0,
    },
    depth: 0,
    kind: Kind::Exactly,
    house: 0,
    score: 0,
};

impl Memory {
    pub(super) fn new() -> Memory {
        Memory {
            places: vec![NOTHING; FEWEST],
            taken: 0,
        }
    }

    /// The note about a board.
    pub(super) fn recall(&self, board: Board) -> Option<Note> {
        let note = self.places[self.place(board)];
        (note.depth > 0 && note.board == board).then_some(note)
    }

    /// Keeps a note of a depth above 0.
    pub(super) fn note(&mut self, note: Note) {
        // It grows with the search, so that short searches need not clear much memory.
        if self.taken > self.places.len() / 2 && self.places.len() < MOST {
            let larger = vec![NOTHING; self.places.len() * 4];
            let notes = std::mem::replace(&mut self.places, larger);
            for note in notes.into_iter().filter(|note| note.depth > 0) {
                let place = self.place(note.board);
                self.places[place] = note;
            }
        }
        let place = self.place(note.board);
        self.taken += usize::from(self.places[place].depth == 0);
        self.places[place] = note;
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
    fn what_is_recalled_was_noted() {
        assert_eq!(size_of::<Note>(), 24);
        let mut memory = Memory::new();
        let boards: Vec<Board> = draw(20, 3).take(20_000).map(|p| Board::of(&p)).collect();
        let note = |board: Board| Note {
            board,
            depth: 1 + (board.hash() % 60) as u8,
            kind: Kind::AtLeast,
            house: (board.hash() % 6) as u8,
            score: board.hash() as Score,
        };
        for &board in &boards {
            memory.note(note(board));
            assert!(memory.recall(board).is_some());
        }
        assert!(memory.places.len() > FEWEST);
        let recalled = boards.iter().filter_map(|&board| {
            let found = memory.recall(board)?;
            let expected = note(board);
            assert_eq!(
                (found.depth, found.house, found.score),
                (expected.depth, expected.house, expected.score)
            );
            Some(board)
        });
        assert!(recalled.count() > boards.len() / 2);
        assert!(
            memory
                .recall(Board::of(&granero_game::Position::START))
                .is_none()
        );
    }
}
