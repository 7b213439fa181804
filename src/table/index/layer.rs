//! Layers: the positions with the same number of seeds, numbered.

use super::half::{self, Rank};
use granero_game::position::join;
use granero_game::{MAX_SEEDS, Position};

/// All positions with the same number of seeds, in the order of their numbers.
///
/// ```
/// use granero::index::Layer;
/// use granero::Position;
///
/// let layer = Layer::new(3).unwrap();
/// assert_eq!(layer.len(), 364);
/// assert_eq!(layer.positions().count(), 364);
///
/// let position: Position = "0 0 0 0 0 1 2 0 0 0 0 0".parse()?;
/// let index = layer.index(&position);
/// assert_eq!(layer.position(index), Some(position));
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layer {
    // Invariant: at most `MAX_SEEDS`.
    seeds: u8,
}

impl Layer {
    /// The layer with `seeds` seeds, `None` above 48.
    pub const fn new(seeds: u8) -> Option<Layer> {
        if seeds <= MAX_SEEDS {
            Some(Layer { seeds })
        } else {
            None
        }
    }

    /// The layer of a position.
    pub fn of(position: &Position) -> Layer {
        Layer {
            seeds: position.seeds(),
        }
    }

    /// All layers, from 0 seeds up to 48.
    ///
    /// ```
    /// # use granero::index::Layer;
    /// assert_eq!(Layer::all().map(|layer| layer.len()).sum::<u64>(), 1_399_358_844_975);
    /// ```
    pub fn all() -> impl DoubleEndedIterator<Item = Layer> {
        (0..=MAX_SEEDS).map(|seeds| Layer { seeds })
    }

    /// The number of seeds.
    pub const fn seeds(self) -> u8 {
        self.seeds
    }

    /// The number of positions: `C(seeds + 11, 11)`.
    #[allow(clippy::len_without_is_empty, reason = "no layer is empty")]
    pub const fn len(self) -> u64 {
        MATRIX_STARTS[self.seeds as usize][self.seeds as usize + 1]
    }

    /// The number of the first position with `own_seeds` seeds on the mover's side, where a matrix begins.
    /// One seed more than the layer has gives the end of the last matrix, [`len`](Layer::len).
    ///
    /// ```
    /// use granero::index::Layer;
    ///
    /// let layer = Layer::new(2).unwrap();
    /// // With no, one and two seeds of the mover's: 21, 6 · 6 and 21 positions.
    /// assert_eq!([0, 1, 2, 3].map(|own| layer.matrix_start(own)), [0, 21, 57, 78]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `own_seeds` is more than one above the seeds of the layer.
    #[inline]
    pub fn matrix_start(self, own_seeds: u8) -> u64 {
        assert!(own_seeds <= self.seeds + 1);
        MATRIX_STARTS[self.seeds as usize][own_seeds as usize]
    }

    /// The number of a position of this layer, from 0 up to
    /// [`len`](Layer::len) - 1.
    ///
    /// # Panics
    ///
    /// If the position has a different number of seeds.
    #[inline]
    pub fn index(self, position: &Position) -> u64 {
        assert_eq!(position.seeds(), self.seeds, "the seeds of the layer");
        let own_seeds = position.own_seeds();
        let row = u64::from(half::rank(position.own()).0);
        let column = u64::from(half::rank(position.opponents()).0);
        self.matrix_start(own_seeds) + row * self.row_len(own_seeds) + column
    }

    /// The position with a number, `None` from [`len`](Layer::len) on.
    ///
    /// ```
    /// use granero::index::Layer;
    ///
    /// let layer = Layer::new(4).unwrap();
    /// assert_eq!(layer.position(0).unwrap().to_string(), "0 0 0 0 0 0 0 0 0 0 0 4");
    /// assert_eq!(layer.position(layer.len()), None);
    /// ```
    #[inline]
    pub fn position(self, index: u64) -> Option<Position> {
        if index >= self.len() {
            return None;
        }
        let starts = &MATRIX_STARTS[self.seeds as usize][..=self.seeds as usize];
        let own_seeds = starts.partition_point(|&start| start <= index) as u8 - 1;
        let in_matrix = index - self.matrix_start(own_seeds);
        let row_len = self.row_len(own_seeds);
        // The ranks of half-boards fit into 32 bits.
        let row = Rank((in_matrix / row_len) as u32);
        let column = Rank((in_matrix % row_len) as u32);
        let own = half::unrank(own_seeds, row);
        let opponents = half::unrank(self.seeds - own_seeds, column);
        Some(Position::from_valid(join(own, opponents)))
    }

    /// All positions of the layer in the order of their numbers.
    pub fn positions(self) -> impl Iterator<Item = Position> {
        self.positions_from(0)
    }

    /// The positions of the layer from a number on, in order; none from
    /// [`len`](Layer::len) on.
    pub fn positions_from(self, index: u64) -> impl Iterator<Item = Position> {
        let first = self.position(index);
        let first = first.map(|position| (position.own(), position.opponents()));
        let all = std::iter::successors(first, |&(own, opponents)| following(own, opponents));
        all.map(|(own, opponents)| Position::from_valid(join(own, opponents)))
    }

    /// The length of the rows of a matrix: the number of the opponent's half-boards.
    const fn row_len(self, own_seeds: u8) -> u64 {
        half::count(self.seeds - own_seeds) as u64
    }
}

/// The half-boards of the position that follows in the order.
fn following(own: [u8; 6], opponents: [u8; 6]) -> Option<([u8; 6], [u8; 6])> {
    if let Some(opponents) = half::next(opponents) {
        return Some((own, opponents));
    }
    // The row ends: all the opponent's seeds are in house a.
    let opponents_seeds = opponents[0];
    if let Some(own) = half::next(own) {
        return Some((own, half::first(opponents_seeds)));
    }
    // The matrix ends: the next one has a seed more on the mover's side.
    let own_seeds = own[0];
    let opponents_seeds = opponents_seeds.checked_sub(1)?;
    Some((half::first(own_seeds + 1), half::first(opponents_seeds)))
}

const SIZES: usize = MAX_SEEDS as usize + 1;

/// The first positions of the matrices of a layer, by the seeds of the layer and the mover's, and the end
/// of the last matrix.
static MATRIX_STARTS: [[u64; SIZES + 1]; SIZES] = {
    let mut starts = [[0; SIZES + 1]; SIZES];
    let mut seeds = 0;
    while seeds < SIZES {
        let mut own = 0;
        while own <= seeds {
            let rows = half::count(own as u8) as u64;
            let row_len = half::count((seeds - own) as u8) as u64;
            starts[seeds][own + 1] = starts[seeds][own] + rows * row_len;
            own += 1;
        }
        seeds += 1;
    }
    starts
};
