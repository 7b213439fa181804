//! Estimates of what is not proven.

use granero::player::Player;
use granero::{Cycles, House, Position, TableError, Tables};

/// The positions that a search looks at to estimate the moves of one position: a tenth of a second.
pub const POSITIONS: u64 = 100_000;

/// Values of moves in seeds, to the mover, by a search of the player; nothing is proven about them.
#[derive(Clone, Debug, Default)]
pub struct Estimates(Vec<(House, f64)>);

impl Estimates {
    /// Estimates the moves of a position by a search of so many positions, which looks up tables of values.
    pub fn of(
        tables: &Tables,
        position: &Position,
        positions: u64,
    ) -> Result<Estimates, TableError> {
        let player = match tables.cycles() {
            Cycles::Split => Player::new(tables),
            Cycles::OwnSide => Player::without_tables(tables.rules()),
        };
        Estimates::by(player, position, positions)
    }

    /// Estimates the moves of a position by a player.
    pub fn by(
        player: Player<'_>,
        position: &Position,
        positions: u64,
    ) -> Result<Estimates, TableError> {
        let estimates = player.estimate(position, positions)?.into_iter();
        let mut estimates: Vec<_> = estimates
            .map(|(play, seeds)| (play.house, (seeds * 10.0).round() / 10.0))
            .collect();
        estimates.sort_by(|one, other| other.1.total_cmp(&one.1));
        Ok(Estimates(estimates))
    }

    /// The estimate of a move.
    pub fn get(&self, house: House) -> Option<f64> {
        let found = self.0.iter().find(|(other, _)| *other == house);
        found.map(|&(_, seeds)| seeds)
    }

    /// The estimates of all moves, the best first.
    pub fn all(&self) -> &[(House, f64)] {
        &self.0
    }

    /// The estimate of the position: the estimate of its best move.
    pub fn best(&self) -> Option<(House, f64)> {
        self.0.first().copied()
    }
}

/// An estimate: `~+1.5`.
pub fn about(seeds: f64) -> String {
    // No negative zero.
    format!("~{:+.1}", seeds + 0.0)
}
