//! The layout of the public Awari score database (DOI 10.48338/vu01-11wjke).
//!
//! A file `scores.N` holds a signed byte for each position with `N` seeds. A position is
//! `p[0]` to `p[11]`, the mover's houses first; positions are in lexicographic order of
//! `p[11]`, `p[10]`, … `p[0]`. Positions whose opponent has seeds in all six houses are left
//! out: no move leads to them, because a move leaves the sown house empty.

use std::io::{self, BufReader, Read, Write};

use super::PIECE;
use granero_game::Position;
use granero_table::index::{Layer, half};
use granero_table::rows::Matrix;

/// The number of positions in the file of a layer, a byte for each:
/// `C(n + 11, 11) - C(n + 5, 11)`.
///
/// ```
/// # use granero::{export::awari, index::Layer};
/// assert_eq!(awari::len(Layer::new(5).unwrap()), 4_368);
/// assert_eq!(awari::len(Layer::new(6).unwrap()), 12_375);
/// ```
pub fn len(layer: Layer) -> u64 {
    // Take a seed from each of the opponent's houses: then the positions left out are all
    // positions with six seeds fewer.
    let fewer = layer.seeds().checked_sub(6).and_then(Layer::new);
    layer.len() - fewer.map_or(0, Layer::len)
}

/// Writes the values of a layer in the order of the database; `values` are in the order of the
/// index. Calls `written` now and then with the number of positions written since its last call.
///
/// # Panics
///
/// If there are not as many values as the layer has positions.
///
/// ```
/// # use granero::{Cycles, Ruleset, export::awari, index::Layer, solver};
/// let layers = solver::solve_all((Ruleset::Awari, Cycles::Split), 7, 1);
/// let mut bytes = Vec::new();
/// awari::write(Layer::new(7).unwrap(), layers[7].as_ref().low(), &mut bytes, |_| ())?;
/// assert_eq!(bytes.len(), 31_812);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(
    layer: Layer,
    values: &[i8],
    out: &mut impl Write,
    mut written: impl FnMut(u64),
) -> io::Result<()> {
    assert_eq!(values.len() as u64, layer.len());
    let order = DatabaseOrder::new(layer);
    let mut bytes = Vec::with_capacity(2 * PIECE);
    for opponents in order.opponents() {
        let column = order.column(opponents);
        bytes.extend(column.map(|number| values[number] as u8));
        if bytes.len() >= PIECE {
            out.write_all(&bytes)?;
            written(bytes.len() as u64);
            bytes.clear();
        }
    }
    out.write_all(&bytes)?;
    written(bytes.len() as u64);
    Ok(())
}

/// The result of comparing a layer with a file of the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The number of positions compared: all that the database has of the layer.
    pub positions: u64,
    /// The number of these with another value there.
    pub different: u64,
    /// The first differences, in the order of the database, at most [`KEPT_DIFFERENCES`].
    pub first: Vec<Difference>,
}

/// A position that has another value in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The position.
    pub position: Position,
    /// Its value here.
    pub ours: i8,
    /// Its value there.
    pub theirs: i8,
}

/// The most [differences](Difference) that a comparison keeps.
pub const KEPT_DIFFERENCES: usize = 10;

/// Compares the values of a layer with a file of the database; `values` are in the order of the
/// index. Calls `compared` now and then with the number of positions compared since its last call.
///
/// # Errors
///
/// When the file cannot be read, or ends before the layer does.
///
/// # Panics
///
/// If there are not as many values as the layer has positions.
///
/// ```
/// # use granero::{export::awari, index::Layer};
/// let layer = Layer::new(0).unwrap();
/// assert_eq!(awari::compare(layer, &[0], &[0][..], |_| ())?.different, 0);
/// assert!(awari::compare(layer, &[0], &[][..], |_| ()).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn compare(
    layer: Layer,
    values: &[i8],
    file: impl Read,
    mut compared: impl FnMut(u64),
) -> io::Result<Comparison> {
    assert_eq!(values.len() as u64, layer.len());
    let order = DatabaseOrder::new(layer);
    let mut file = BufReader::with_capacity(PIECE, file);
    let mut comparison = Comparison::default();
    let mut reported = 0;
    let mut bytes = Vec::new();
    for opponents in order.opponents() {
        let column = order.column(opponents);
        bytes.resize(column.len(), 0);
        file.read_exact(&mut bytes)?;
        for (number, &byte) in column.zip(&bytes) {
            let (ours, theirs) = (values[number], byte as i8);
            if ours != theirs {
                comparison.different += 1;
                if comparison.first.len() < KEPT_DIFFERENCES
                    && let Some(position) = layer.position(number as u64)
                {
                    comparison.first.push(Difference {
                        position,
                        ours,
                        theirs,
                    });
                }
            }
        }
        comparison.positions += bytes.len() as u64;
        if comparison.positions - reported >= PIECE as u64 {
            compared(comparison.positions - reported);
            reported = comparison.positions;
        }
    }
    compared(comparison.positions - reported);
    Ok(comparison)
}

/// The order of the positions of a layer in the database.
struct DatabaseOrder {
    layer: Layer,
    /// By the mover's seeds: the ranks of the half-boards in the order of the database, which sorts
    /// them by the last house first.
    movers: Vec<Vec<half::Rank>>,
}

impl DatabaseOrder {
    fn new(layer: Layer) -> DatabaseOrder {
        let rank = |mut houses: [u8; 6]| {
            houses.reverse();
            half::rank(houses)
        };
        DatabaseOrder {
            layer,
            movers: (0..=layer.seeds())
                .map(|seeds| half::all(seeds).map(rank).collect())
                .collect(),
        }
    }

    /// The opponent's half-boards in order, without those that have no empty house.
    fn opponents(&self) -> impl Iterator<Item = [u8; 6]> {
        // House a comes last; the seeds left by houses b to f are split between it and the mover.
        let b_to_f = half::all(self.layer.seeds());
        let all =
            b_to_f.flat_map(|[f, e, d, c, b, left]| (0..=left).map(move |a| [a, b, c, d, e, f]));
        all.filter(|houses| houses.contains(&0))
    }

    /// The numbers in the index of the positions with this half-board of the opponent, in the
    /// order of the database.
    fn column(&self, opponents: [u8; 6]) -> impl ExactSizeIterator<Item = usize> {
        let own_seeds = self.layer.seeds() - opponents.iter().sum::<u8>();
        let column = Matrix::new(self.layer, own_seeds).column(half::rank(opponents));
        let movers = self.movers[usize::from(own_seeds)].iter();
        movers.map(move |&mover| column(mover))
    }
}
