//! A layer that is solved. The values of reachable positions stay where they were found, in the planes. The
//! values of unreachable positions are found some matrices at a time, when they are counted and hashed.

use std::ops::{Deref, Range};
use std::sync::Arc;

use zerocopy::{FromBytes, IntoBytes};

use super::captures::Captures;
use super::task::SmallerParts;
use crate::bands::scratch_file::ScratchFile;
use crate::graph::{HalfGraph, Layout, Number, Width};
use crate::known::{Cells, Half, Whole};
use granero_game::{Bound, Measured};
use granero_table::bytes::map::{Mapped, MappedMost};
use granero_table::file::sha256::{Sha256, ValuesHash};
use granero_table::file::statistics::{ValueCounts, counts_of_bytes};
use granero_table::first_error::{FirstError, Stopped};
use granero_table::index::Layer;
use granero_table::parallel;
use granero_table::rows::{LayerValues, Matrix, Reach, Row, TurnedLayer, UnreachableHalves};

/// The values of a layer, or its bounds.
#[derive(Debug)]
pub struct SolvedLayer<'s> {
    graph: &'s HalfGraph,
    layout: Layout,
    values: Measured<Solved>,
    /// If they are mapped: the most memory for that.
    most_mapped: Option<MappedMost>,
}

/// The reachable positions.
#[derive(Debug)]
pub(crate) struct Solved {
    /// A byte first is as the solver leaves it, then the value. Half a byte stays as it is.
    pub(crate) plane: Plane,
    /// By code in the plane: the value.
    pub(crate) decode: [i8; 256],
}

/// A plane: in memory, or values that a file holds.
#[derive(Debug)]
pub(crate) enum Plane {
    InMemory(Vec<u8>),
    /// The file is removed when it is not mapped any more.
    InFile(Mapped, #[allow(dead_code)] ScratchFile),
}

impl Deref for Plane {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Plane::InMemory(plane) => plane,
            Plane::InFile(plane, _) => plane.as_ref(),
        }
    }
}

/// The unreachable positions of some matrices: the rest of each row. First these are the best results of
/// captures, then the values.
#[derive(Debug)]
pub struct Unreachable {
    /// Where they begin among the unreachable positions of all rows.
    first: usize,
    /// A byte for each, which is an `i8`.
    pub best: Vec<u8>,
}

impl<'s> SolvedLayer<'s> {
    pub(crate) fn new(
        graph: &'s HalfGraph,
        layout: Layout,
        mut values: Measured<Solved>,
    ) -> SolvedLayer<'s> {
        let is_whole = layout.width() == Width::Byte;
        for (_, solved) in values.as_mut().into_iter().filter(|_| is_whole) {
            if let Plane::InMemory(plane) = &mut solved.plane {
                decode(plane, &solved.decode);
            }
        }
        SolvedLayer {
            graph,
            layout,
            values,
            most_mapped: None,
        }
    }

    /// On Linux, lets mapped pages take memory up to `resident` bytes of the process, and
    /// [a little](MAPPED_LEAST) for each thread.
    pub(crate) fn mapped_within(self, resident: u64) -> SolvedLayer<'s> {
        let least = (rayon::current_num_threads() * MAPPED_LEAST) as u64;
        let (len, planes) = (self.layout.plane_len(), self.values.as_ref().into_iter());
        SolvedLayer {
            most_mapped: MappedMost::within(resident, least, len, planes.count() as u64),
            ..self
        }
    }

    /// Called before bytes of a plane are read: keeps to the memory for mapped pages.
    #[inline(always)]
    fn reads(&self, place: Range<usize>) {
        if let Some(most) = &self.most_mapped
            && most.reads(place)
        {
            self.let_go();
        }
    }

    #[cold]
    fn let_go(&self) {
        for (_, solved) in self.values.as_ref() {
            if let Plane::InFile(plane, _) = &solved.plane {
                plane.let_go();
            }
        }
    }

    /// The places of a plane, for all threads: some at a time if it is mapped.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let len = self.layout.plane_len();
        let piece = match self.most_mapped {
            None => len.max(1),
            Some(_) => rayon::current_num_threads() << 18,
        };
        (0..len).step_by(piece).map(move |begin| {
            let piece = begin..len.min(begin + piece);
            self.reads(piece.clone());
            piece
        })
    }

    /// The layer.
    pub fn layer(&self) -> Layer {
        self.layout.layer()
    }

    /// Where the values of its positions lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The best results of captures in the unreachable positions of some matrices.
    pub fn unreachable_captures<E>(
        &self,
        matrices: Range<u8>,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Measured<Unreachable>, E> {
        let first = FirstError::none();
        let captures = self.find_unreachable_captures(matrices, &mut |seeds, bound, from| {
            smaller(seeds, bound, from).map_err(|error| first.keep(error))
        });
        first.of(captures)
    }

    fn find_unreachable_captures(
        &self,
        matrices: Range<u8>,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<Measured<Unreachable>, Stopped> {
        let pass = Captures {
            graph: self.graph,
            layout: &self.layout,
        };
        self.values.cycles().measures().try_map(|measure| {
            let of_child = measure.bound().of_child();
            let smaller = |seeds, from| smaller(seeds, of_child, from);
            Ok(Unreachable {
                first: self.layout.unreachable_start(matrices.start, 0),
                best: pass.best::<Whole>(Reach::Unreachable, matrices.clone(), smaller)?,
            })
        })
    }

    /// The values of the unreachable positions of some matrices, if all rows of the layer are here.
    fn unreachable<E>(
        &self,
        matrices: Range<u8>,
        smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Measured<Unreachable>, E> {
        let mut unreachable = self.unreachable_captures(matrices.clone(), smaller)?;
        let children = self.values.as_ref().of_parent();
        for ((_, solved), (_, unreachable)) in children.iter().zip(unreachable.as_mut()) {
            let children = Children {
                layer: self,
                solved,
            };
            children.work_out(matrices.clone(), &mut unreachable.best);
        }
        Ok(unreachable)
    }

    /// The values of the reachable positions, or their bounds.
    pub fn values(&self) -> Measured<SolvedValues<'_>> {
        self.values.as_ref().map(|solved| SolvedValues {
            layer: self,
            solved,
            first: 0,
            unreachable: &[],
        })
    }

    /// The values of the reachable positions and of some unreachable ones, or their bounds.
    pub fn values_with<'a>(
        &'a self,
        unreachable: &'a Measured<Unreachable>,
    ) -> Measured<SolvedValues<'a>> {
        let values = self.values().zip(unreachable.as_ref());
        values.map(|(values, unreachable)| SolvedValues {
            first: unreachable.first,
            unreachable: signed(&unreachable.best),
            ..values
        })
    }

    /// Counts the values of the reachable positions.
    pub fn counts(&self) -> ValueCounts {
        match (self.layout.width(), &self.values) {
            (Width::Half, Measured::Value(solved)) => {
                let mut counts = [0; 16];
                for piece in self.pieces() {
                    let of_bytes = counts_of_bytes(&solved.plane[piece]);
                    for (byte, count) in (0..=u8::MAX).zip(of_bytes) {
                        for at in 0..2 {
                            counts[usize::from(Half::get(&[byte], at))] += count;
                        }
                    }
                }
                // The halves that are left over at the ends of rows are 0.
                let places = 2 * self.layout.plane_len() as u64;
                counts[0] -= places - self.layout.reachable_len() as u64;
                let of_value = |value: i8| {
                    let all = counts.iter().zip(&solved.decode);
                    all.filter(|&(_, &of)| of == value)
                        .map(|(count, _)| count)
                        .sum()
                };
                let all = (i8::MIN..=i8::MAX).map(|value| (value, of_value(value)));
                ValueCounts::of_histogram(all.filter(|&(_, count)| count > 0).collect())
            }
            (_, values) => {
                let of = |piece: Range<usize>| {
                    let values = values.as_ref();
                    ValueCounts::of(values.map(|of| signed(&of.plane[piece.clone()])))
                };
                let counts = self.pieces().map(of);
                let sum = counts.reduce(|sum, more| sum.plus(&more));
                sum.unwrap_or_else(|| of(0..0))
            }
        }
    }

    /// Counts and hashes all values, with memory for up to `most` unreachable positions at a time, or for
    /// those of one matrix. `reachable` has the counts of reachable positions.
    pub(crate) fn sums<E>(
        &self,
        reachable: ValueCounts,
        most: u64,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<(ValueCounts, Measured<Sha256>), E> {
        let mut counts = reachable;
        let mut hashes = self.values.as_ref().map(|_| ValuesHash::default());
        for matrices in self.layout.unreachable_groups(most) {
            let unreachable = self.unreachable(matrices.clone(), &mut smaller)?;
            counts = counts.plus(&unreachable_counts(&unreachable));
            let values = self.values_with(&unreachable);
            for ((_, hash), (_, values)) in hashes.as_mut().into_iter().zip(values.iter()) {
                for own_seeds in matrices.clone() {
                    hash.add(values, Matrix::new(self.layer(), own_seeds));
                }
            }
        }
        Ok((counts, hashes.map(ValuesHash::finish)))
    }

    /// The values in index order.
    #[cfg(test)]
    pub(crate) fn in_order<E>(
        &self,
        smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Measured<Vec<i8>>, E> {
        let layer = self.layout.layer();
        let unreachable = self.unreachable(self.layout.matrices(), smaller)?;
        let in_order = |solved: SolvedValues<'_>| {
            let mut values = vec![0; layer.len() as usize];
            for matrix in Matrix::all(layer) {
                matrix.each_row(&mut values, |row, values| solved.copy(row, 0, values));
            }
            values
        };
        Ok(self.values_with(&unreachable).map(in_order))
    }
}

/// The bytes of mapped pages that are allowed for each thread.
pub(crate) const MAPPED_LEAST: usize = 1 << 19;

/// Makes each byte of a plane its value.
pub(crate) fn decode(plane: &mut [u8], decode: &[i8; 256]) {
    parallel::for_each(plane.chunks_mut(1 << 16), |bytes| {
        for byte in bytes {
            *byte = decode[usize::from(*byte)] as u8;
        }
    });
}

fn signed(bytes: &[u8]) -> &[i8] {
    <[i8]>::ref_from_bytes(bytes).expect("bytes have no other alignment")
}

/// Counts the values of unreachable positions.
pub fn unreachable_counts(unreachable: &Measured<Unreachable>) -> ValueCounts {
    ValueCounts::of(unreachable.as_ref().map(|found| signed(&found.best)))
}

/// The values of the children of positions.
struct Children<'a> {
    layer: &'a SolvedLayer<'a>,
    solved: &'a Solved,
}

impl Children<'_> {
    /// Makes the best captures of the unreachable positions of some matrices their values.
    fn work_out(&self, matrices: Range<u8>, mut unreachable: &mut [u8]) {
        let SolvedLayer { graph, layout, .. } = self.layer;
        for own_seeds in matrices {
            let row_len = layout.unreachable_row_len(own_seeds);
            if row_len == 0 {
                continue;
            }
            let matrix = Matrix::new(layout.layer(), own_seeds);
            let halves = UnreachableHalves::new(&graph.rows, matrix);
            let (rows, rest) = unreachable.split_at_mut(matrix.rows() as usize * row_len);
            unreachable = rest;
            let rows = rows.chunks_exact_mut(row_len).enumerate();
            parallel::for_each(rows, |(own, best)| {
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
        let SolvedLayer { graph, layout, .. } = self.layer;
        let numbering = &graph.numbering;
        let column = numbering.number(layout.seeds() - movers_seeds, opponents);
        let numbers = numbering.numbers(movers_seeds);
        let Solved { plane, decode } = self.solved;
        move |own| {
            let start = layout.row_start(movers_seeds, numbers[own as usize]);
            let row = &plane[start..];
            let place = match layout.width() {
                Width::Byte => Whole::place(column as usize),
                Width::Half => Half::place(column as usize),
            };
            self.layer.reads(start + place..start + place + 1);
            match layout.width() {
                Width::Byte => row[column as usize] as i8,
                Width::Half => decode[usize::from(Half::get(row, column as usize))],
            }
        }
    }
}

/// Values as the solver leaves them.
#[derive(Clone, Copy, Debug)]
pub struct SolvedValues<'a> {
    layer: &'a SolvedLayer<'a>,
    solved: &'a Solved,
    /// The unreachable positions of some matrices, and where they begin among all.
    first: usize,
    unreachable: &'a [i8],
}

impl LayerValues for SolvedValues<'_> {
    fn layer(&self) -> Layer {
        self.layer.layer()
    }

    fn copy(&self, row: Row, from: usize, to: &mut [i8]) {
        let SolvedLayer { graph, layout, .. } = self.layer;
        let numbering = &graph.numbering;
        let own = numbering.number(row.own_seeds(), row.rank());
        let own = graph.row(row.own_seeds(), own);
        let Solved { plane, decode } = self.solved;
        let start = layout.row_start(row.own_seeds(), own);
        self.layer
            .reads(start..start + layout.row_bytes(row.own_seeds()));
        let plane = &plane[start..];
        let row_len = layout.row_len(row.own_seeds());
        let unreachable = layout.unreachable_start(row.own_seeds(), own);
        let unreachable = unreachable.checked_sub(self.first);
        let unreachable = unreachable.and_then(|start| self.unreachable.get(start..));
        let unreachable = unreachable.unwrap_or_default();
        let numbers = &numbering.numbers(row.opponents_seeds())[from..];
        match layout.width() {
            Width::Byte => {
                let plane = signed(&plane[..row_len]);
                fill(to, numbers, row_len, unreachable, |number| plane[number]);
            }
            Width::Half => fill(to, numbers, row_len, unreachable, |number| {
                decode[usize::from(Half::get(plane, number))]
            }),
        }
    }
}

/// Fills in values by the numbers of the opponent's half-boards. The first `row_len` are reachable.
#[inline(always)]
fn fill(
    to: &mut [i8],
    numbers: &[Number],
    row_len: usize,
    unreachable: &[i8],
    reachable: impl Fn(usize) -> i8,
) {
    for (to, &number) in to.iter_mut().zip(numbers) {
        let number = number as usize;
        *to = match number.checked_sub(row_len) {
            None => reachable(number),
            Some(place) => unreachable.get(place).copied().unwrap_or(0),
        };
    }
}
