//! The number of moves of best play to the next capture.

use super::own_side::OwnSideGraph;
use super::split::SplitGraph;
use granero_game::rules::Turn;
use granero_game::{Cycles, Position};
use granero_table::index::Layer;
use granero_table::{TableError, Tables};

/// The number of moves of best play to the next capture or to the end of the game. The winner
/// hurries, and the loser delays, as in a [`Line`](super::Line).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// This number, the capture included; 0 if the game is over.
    Moves(usize),
    /// Best moves never lead to a capture or to the end: play is endless.
    Endless,
    /// The search reached its limit, or the tables do not say which moves are best.
    Unknown,
}

impl Distance {
    /// The bytes of memory that [`of_layer`](Distance::of_layer) takes for each position, about.
    pub const BYTES_OF_LAYER: u64 = 300;

    /// The number of moves, if there is one.
    pub fn moves(self) -> Option<usize> {
        match self {
            Distance::Moves(moves) => Some(moves),
            Distance::Endless | Distance::Unknown => None,
        }
    }

    /// Finds the distances of all positions of a layer, in the order of the index. This is much faster
    /// than a search for each, but takes about [300 bytes](Distance::BYTES_OF_LAYER) of memory for each
    /// position. `None` if positions have bounds: best play from a position then depends on where the line
    /// began.
    ///
    /// # Errors
    ///
    /// When the layer is beyond the tables, a file is damaged or cannot be read, or there is too little
    /// memory.
    ///
    /// ```
    /// use granero::Tables;
    /// use granero::index::Layer;
    /// use granero::line::Distance;
    ///
    /// let layer = Layer::new(5).unwrap();
    /// let all = Distance::of_layer(Tables::sample(), layer)?.unwrap();
    /// assert_eq!(all.into_iter().filter_map(Distance::moves).max(), Some(58));
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn of_layer(tables: &Tables, layer: Layer) -> Result<Option<Vec<Distance>>, TableError> {
        tables.have(layer.seeds())?;
        if tables.cycles() == Cycles::OwnSide {
            return Ok(None);
        }
        tables.ask_for_memory(layer, Distance::BYTES_OF_LAYER)?;
        let graph = SplitGraph::of_layer(tables, layer)?;
        let distance = |(position, moves): (Position, Option<usize>)| {
            Ok(match moves.map_or(Distance::Endless, Distance::Moves) {
                Distance::Moves(0) => Distance::Moves(0),
                _ if tables.value(&position)?.is_none() => Distance::Unknown,
                found => found,
            })
        };
        let all = layer.positions().zip(graph.distances).map(distance);
        all.collect::<Result<_, TableError>>().map(Some)
    }

    /// Searches for the distance of a position, as for a line; looks at about `limit` positions at most.
    /// The distance is unknown if the position has two different bounds, because best play then depends
    /// on how cycles are decided, and if deciding tables have cut off the value, because they do not tell
    /// the best move.
    ///
    /// ```
    /// use granero::Tables;
    /// use granero::line::Distance;
    ///
    /// let position = "1 0 0 0 0 0 0 0 0 0 0 5".parse()?;
    /// let distance = Distance::of(Tables::sample(), &position, 1000)?;
    /// assert_eq!(distance, Distance::Moves(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(tables: &Tables, position: &Position, limit: usize) -> Result<Distance, TableError> {
        if let Turn::Over(_) = tables.rules().turn(position) {
            return Ok(Distance::Moves(0));
        }
        let Some(value) = tables.value(position)? else {
            return Ok(Distance::Unknown);
        };
        match tables.cycles() {
            Cycles::Split => {
                let graph = SplitGraph::explore(tables, position, limit, &mut |_| true)?;
                Ok(match graph.way_out() {
                    Some(moves) => Distance::Moves(moves.len()),
                    None if graph.whole => Distance::Endless,
                    None => Distance::Unknown,
                })
            }
            Cycles::OwnSide if value.low() != value.high() => Ok(Distance::Unknown),
            Cycles::OwnSide => {
                let graph = OwnSideGraph::explore(tables, position, false, limit, &mut |_| {})?;
                Ok(match graph.map(|graph| graph.way()) {
                    Some((moves, None)) => Distance::Moves(moves.len()),
                    Some((_, Some(_))) => Distance::Endless,
                    None => Distance::Unknown,
                })
            }
        }
    }
}
