//! The transposition table: what a search has found of positions, for when it reaches them again.
//! Several orders of moves lead to most positions, and the next, deeper search to all of them.

use super::evaluation::Score;
use granero_game::{House, Position};

/// A table of positions by their hash. A newer entry replaces an older one in the same place.
pub(super) struct Transpositions {
    places: Vec<Option<Entry>>,
    taken: usize,
}

/// The result of searching a position.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) position: Position,
    /// The number of moves that the search looked ahead.
    pub(super) depth: u8,
    pub(super) kind: ScoreKind,
    /// The best house found.
    pub(super) house: House,
    pub(super) score: Score,
}

/// The meaning of an entry's score.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScoreKind {
    Exactly,
    AtLeast,
    AtMost,
}

/// The first and the largest number of places. The largest takes 72 MiB.
const FEWEST: usize = 1 << 10;
const MOST: usize = 1 << 22;

impl Transpositions {
    pub(super) fn new() -> Transpositions {
        Transpositions {
            places: vec![None; FEWEST],
            taken: 0,
        }
    }

    /// The entry of a position.
    pub(super) fn find(&self, position: &Position) -> Option<Entry> {
        self.places[self.place(position)].filter(|entry| entry.position == *position)
    }

    /// Keeps the result of a search.
    pub(super) fn keep(&mut self, entry: Entry) {
        // The table grows with the search, so short searches stay within the caches of the processor.
        if self.taken > self.places.len() / 2 && self.places.len() < MOST {
            let larger = vec![None; 4 * self.places.len()];
            for entry in std::mem::replace(&mut self.places, larger)
                .into_iter()
                .flatten()
            {
                let place = self.place(&entry.position);
                self.places[place] = Some(entry);
            }
        }
        let place = self.place(&entry.position);
        self.taken += usize::from(self.places[place].is_none());
        self.places[place] = Some(entry);
    }

    fn place(&self, position: &Position) -> usize {
        position.hash_code() as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::draw;

    #[test]
    fn what_is_found_was_kept() {
        assert_eq!(size_of::<Option<Entry>>(), 18);
        let mut table = Transpositions::new();
        let positions: Vec<Position> = draw(20, 3).take(20_000).collect();
        let expected = |position: &Position| {
            let hash = position.hash_code();
            Entry {
                position: *position,
                depth: 1 + (hash % 60) as u8,
                kind: ScoreKind::AtLeast,
                house: House::ALL[(hash % 6) as usize],
                score: hash as Score,
            }
        };
        for position in &positions {
            table.keep(expected(position));
            assert!(table.find(position).is_some());
        }
        assert!(table.places.len() > FEWEST);
        let found = positions.iter().filter_map(|position| {
            let (found, kept) = (table.find(position)?, expected(position));
            let facts = |entry: Entry| (entry.depth, entry.house, entry.score);
            assert_eq!(facts(found), facts(kept));
            Some(position)
        });
        assert!(found.count() > positions.len() / 2);
    }
}
