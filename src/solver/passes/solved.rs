//! A layer that is solved. Its values stay where they were found, in the planes.

use rayon::prelude::*;
use zerocopy::{FromBytes, IntoBytes};

use crate::graph::half_graph::HalfGraph;
use crate::graph::layout::Layout;
use granero_game::Measured;
use granero_table::index::Layer;
use granero_table::rows::{LayerValues, Matrix, Row, UnreachableHalves};

/// The values of a layer, or its bounds.
#[derive(Debug)]
pub struct SolvedLayer<'s> {
    graph: &'s HalfGraph,
    layout: Layout,
    values: Measured<Solved>,
}

/// A byte for each position: first as the solver leaves it, then its value.
#[derive(Debug)]
pub(crate) struct Solved {
    /// A plane.
    pub(crate) plane: Vec<u8>,
    /// The rest of each row: the unreachable positions. First these are the best results of captures.
    pub(crate) unreachable: Vec<u8>,
    /// By byte of the plane: the value.
    pub(crate) decode: [i8; 256],
}

impl<'s> SolvedLayer<'s> {
    pub(crate) fn new(
        graph: &'s HalfGraph,
        layout: Layout,
        mut values: Measured<Solved>,
    ) -> SolvedLayer<'s> {
        for (_, solved) in values.as_mut() {
            let Solved { plane, decode, .. } = solved;
            let value = |byte: &mut u8| *byte = decode[usize::from(*byte)] as u8;
            plane.par_iter_mut().with_min_len(1 << 16).for_each(value);
        }
        SolvedLayer {
            graph,
            layout,
            values,
        }
    }

    /// The layer.
    pub fn layer(&self) -> Layer {
        self.layout.layer()
    }

    /// Where the values of its positions lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// For each measure, the planes of the bounds of children, and the best results of captures.
    fn children_and_unreachable(&mut self) -> Measured<(&[i8], &mut [u8])> {
        match &mut self.values {
            Measured::Value(Solved {
                plane, unreachable, ..
            }) => Measured::Value((signed(plane), unreachable)),
            Measured::Bounds { low, high } => Measured::Bounds {
                low: (signed(&high.plane), &mut low.unreachable),
                high: (signed(&low.plane), &mut high.unreachable),
            },
        }
    }

    /// Finds the values of the unreachable positions, if all rows of the layer are here.
    pub(crate) fn complete(&mut self) {
        let (graph, layout) = (self.graph, self.layout.clone());
        for (_, (plane, unreachable)) in self.children_and_unreachable() {
            let children = Children {
                graph,
                layout: &layout,
                plane,
            };
            children.work_out(unreachable);
        }
    }

    /// The best results of captures in the unreachable positions, for each measure.
    pub fn unreachable_mut(&mut self) -> Measured<&mut [u8]> {
        self.children_and_unreachable()
            .map(|(_, unreachable)| unreachable)
    }

    /// The values of all positions, or their bounds.
    pub fn values(&self) -> Measured<SolvedValues<'_>> {
        self.values.as_ref().map(|solved| SolvedValues {
            graph: self.graph,
            layout: &self.layout,
            plane: signed(&solved.plane),
            unreachable: signed(&solved.unreachable),
        })
    }

    /// The values in index order.
    pub(crate) fn in_order(&self) -> Measured<Vec<i8>> {
        let layer = self.layout.layer();
        self.values().map(|solved| {
            let mut values = vec![0; layer.len() as usize];
            for matrix in Matrix::all(layer) {
                let rows = matrix.par_rows(&mut values);
                rows.for_each(|(row, values)| solved.copy(row, 0, values));
            }
            values
        })
    }
}

fn signed(bytes: &[u8]) -> &[i8] {
    <[i8]>::ref_from_bytes(bytes).expect("bytes have no other alignment")
}

/// The values of the children of positions.
struct Children<'a> {
    graph: &'a HalfGraph,
    layout: &'a Layout,
    plane: &'a [i8],
}

impl Children<'_> {
    /// Makes the best captures of the unreachable positions their values.
    fn work_out(&self, unreachable: &mut [u8]) {
        let Children { graph, layout, .. } = *self;
        for matrix in Matrix::all(layout.layer()) {
            let own_seeds = matrix.own_seeds();
            let row_len = layout.unreachable_row_len(own_seeds);
            if row_len == 0 {
                continue;
            }
            let halves = UnreachableHalves::new(&graph.rows, matrix);
            let first = layout.unreachable_start(own_seeds, 0);
            let rows = &mut unreachable[first..][..matrix.rows() as usize * row_len];
            let rows = rows.par_chunks_exact_mut(row_len).enumerate();
            rows.for_each(|(own, best)| {
                let row = matrix.row(graph.numbering.rank(own_seeds, own as u32));
                let best = <[i8]>::mut_from_bytes(best.as_mut_bytes());
                let best = best.expect("bytes have no other alignment");
                let column = |movers_seeds, left| self.column(movers_seeds, left);
                halves.work_out(&graph.rows, row, best, column);
            });
        }
    }

    /// The values of all positions with a half-board of the opponent, given its rank and the
    /// mover's seeds: by the rank of the mover's.
    fn column(&self, movers_seeds: u8, opponents: u32) -> impl Fn(u32) -> i8 {
        let numbering = &self.graph.numbering;
        let column = numbering.number(self.layout.seeds() - movers_seeds, opponents);
        let numbers = numbering.numbers(movers_seeds);
        let start = self.layout.row_start(movers_seeds, 0) + column as usize;
        let row_len = self.layout.row_len(movers_seeds);
        move |own| self.plane[start + numbers[own as usize] as usize * row_len]
    }
}

/// Values as the solver leaves them.
#[derive(Clone, Copy, Debug)]
pub struct SolvedValues<'a> {
    graph: &'a HalfGraph,
    layout: &'a Layout,
    plane: &'a [i8],
    unreachable: &'a [i8],
}

/// A row of values by number of the opponent's half-board: first the plane, then the rest.
struct SolvedRow<'a> {
    /// By rank.
    numbers: &'a [u32],
    plane: &'a [i8],
    unreachable: &'a [i8],
}

impl SolvedRow<'_> {
    #[inline(always)]
    fn get(&self, number: u32) -> i8 {
        let number = number as usize;
        match number.checked_sub(self.plane.len()) {
            None => self.plane[number],
            Some(place) => self.unreachable[place],
        }
    }
}

impl<'a> SolvedValues<'a> {
    fn solved_row(&self, row: Row) -> SolvedRow<'a> {
        let numbering = &self.graph.numbering;
        let own = numbering.number(row.own_seeds(), row.rank());
        let own = self.graph.row(row.own_seeds(), own);
        let start = self.layout.row_start(row.own_seeds(), own);
        let unreachable = self.layout.unreachable_start(row.own_seeds(), own);
        SolvedRow {
            numbers: numbering.numbers(row.opponents_seeds()),
            plane: &self.plane[start..][..self.layout.row_len(row.own_seeds())],
            unreachable: &self.unreachable[unreachable..]
                [..self.layout.unreachable_row_len(row.own_seeds())],
        }
    }
}

impl LayerValues for SolvedValues<'_> {
    fn layer(&self) -> Layer {
        self.layout.layer()
    }

    #[inline(always)]
    fn row(&self, row: Row) -> impl Fn(usize) -> i8 {
        let row = self.solved_row(row);
        move |opponents| row.get(row.numbers[opponents])
    }

    fn copy(&self, row: Row, from: usize, to: &mut [i8]) {
        let row = self.solved_row(row);
        for (to, &number) in to.iter_mut().zip(&row.numbers[from..]) {
            *to = row.get(number);
        }
    }

    fn pieces(&self) -> impl Iterator<Item = &[i8]> {
        [self.plane, self.unreachable].into_iter()
    }
}
