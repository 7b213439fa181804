//! The two planes of positions with bounds, by the side to move.

use granero_game::Measure;

/// The positions in which one of the two sides is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// The other side is to move.
    Other,
    /// The favoured side is to move.
    Favoured,
}

impl Plane {
    pub(super) const ALL: [Plane; 2] = [Plane::Other, Plane::Favoured];

    /// The plane of the children: each move changes the side to move.
    pub(super) fn of_children(self) -> Plane {
        match self {
            Plane::Other => Plane::Favoured,
            Plane::Favoured => Plane::Other,
        }
    }

    /// The bound that the positions promise to the side to move.
    pub(super) fn measure(self) -> Measure {
        match self {
            Plane::Other => Measure::Low,
            Plane::Favoured => Measure::High,
        }
    }
}

/// A `T` for each plane, in the order of [`Plane::ALL`].
pub(super) type ByPlane<T> = [T; 2];
