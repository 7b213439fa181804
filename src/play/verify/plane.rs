//! The two planes of positions with bounds, by the side to move.

use std::ops::{Index, IndexMut};

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

/// A `T` for each plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByPlane<T> {
    pub(super) other: T,
    pub(super) favoured: T,
}

impl<T> ByPlane<T> {
    pub(super) fn as_mut(&mut self) -> ByPlane<&mut T> {
        ByPlane {
            other: &mut self.other,
            favoured: &mut self.favoured,
        }
    }

    pub(super) fn map<U>(self, mut make: impl FnMut(T) -> U) -> ByPlane<U> {
        ByPlane {
            other: make(self.other),
            favoured: make(self.favoured),
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (Plane, &mut T)> {
        [
            (Plane::Other, &mut self.other),
            (Plane::Favoured, &mut self.favoured),
        ]
        .into_iter()
    }
}

impl<T> Index<Plane> for ByPlane<T> {
    type Output = T;

    fn index(&self, plane: Plane) -> &T {
        match plane {
            Plane::Other => &self.other,
            Plane::Favoured => &self.favoured,
        }
    }
}

impl<T> IndexMut<Plane> for ByPlane<T> {
    fn index_mut(&mut self, plane: Plane) -> &mut T {
        match plane {
            Plane::Other => &mut self.other,
            Plane::Favoured => &mut self.favoured,
        }
    }
}
