//! A layer that is solved.

use std::ops::Range;

use super::captures::Resort;
use super::files::CapturesFile;
use super::grid::{Grid, ZERO};
use super::in_file::{FileState, Moved};
use super::kernel::{self, Columns, Opponents, Reading, Scratch};
use super::movers::MOVERS;
use super::scratch_file::ClosedFile;
use super::share::Share;
use super::shares::{Rows, Shares};
use super::solve::SmallerParts;
use super::tables::Tables;

use granero_game::Measured;
use granero_table::TableError;
use granero_table::bytes::map::{Mapped, MappedMost};
use granero_table::file::sha256::Sha256;
use granero_table::file::statistics::ValueCounts;
use granero_table::first_error::Stopped;
use granero_table::index::Layer;
use granero_table::index::half::Rank;
use granero_table::parallel;
use granero_table::rows::{LayerValues, Matrix, Row};

/// The values of a layer, or its bounds.
#[derive(Debug)]
pub struct SweptLayer {
    layer: Layer,
    values: Values,
}

#[derive(Debug)]
enum Values {
    /// By the mover's seeds.
    InMemory(Measured<Vec<Grid>>),
    InFiles(Box<Measured<ValuesFile>>, Pieces),
}

/// A file with values, as [`CapturesFile`] has captures.
#[derive(Debug)]
struct ValuesFile {
    mapped: Mapped,
    starts: Vec<Vec<u64>>,
    /// It is removed when it is not mapped any more.
    #[allow(dead_code)]
    file: ClosedFile,
}

/// The bytes of mapped pages that are allowed for each thread.
pub(crate) const MAPPED_LEAST: usize = 1 << 19;

/// How files with values are read.
#[derive(Debug)]
struct Pieces {
    /// By the mover's seeds, then by share: the ranks of the opponents' half-boards.
    ranks: Vec<Vec<Range<usize>>>,
    /// The most memory for mapped pages.
    most_mapped: Option<MappedMost>,
}

impl Share<'_> {
    /// Takes the best move of each position once more, also of those that no move leads to, and puts its value where
    /// its best capture was: in the order of the mover's half-boards.
    pub(super) fn finish_rows(&mut self, smaller: &mut SmallerParts<'_>) -> Result<(), Stopped> {
        let share = self.number;
        // First, because to look captures up takes memory.
        let planes = self.planes.iter_mut();
        planes.for_each(|plane| plane.secured.clear());
        for plane in 0..self.planes.len() {
            self.look_up(plane, smaller)?;
            for own in self.all() {
                if self.ranks(own).is_empty() {
                    continue;
                }
                let a = usize::from(own);
                let mut captures = std::mem::take(&mut self.planes[plane].captures[a]);
                let (rows, sources) = (Rows { share, plane, own }, self.sources(own, plane, None));
                let resorts = Resort::all(self, &self.stuck, rows);
                Resort::put(&resorts, self.ranks(own).start, &mut captures);
                self.tables
                    .finish_rows(&self.shares, rows, &sources, &mut captures);
                self.planes[plane].captures[a] = captures;
            }
        }
        Ok(())
    }
}

/// One plane, or low and high bounds.
pub(super) fn measured<T>(planes: impl IntoIterator<Item = T>) -> Measured<T> {
    let mut planes = planes.into_iter();
    let low = planes.next().expect("a plane");
    match planes.next() {
        None => Measured::Value(low),
        Some(high) => Measured::Bounds { low, high },
    }
}

impl FileState<'_, '_> {
    /// Takes the best move of each position once more, see [`Share::finish_rows`].
    pub(super) fn finish(mut self) -> Result<(SweptLayer, Moved), Stopped> {
        let shares = self.shares.clone();
        for share in 0..shares.count() {
            self.enter(share)?;
            for plane in 0..shares.planes {
                for own in 0..=shares.seeds {
                    if shares.ranks(share, shares.seeds - own).is_empty() {
                        continue;
                    }
                    let rows = Rows { share, plane, own };
                    let room = std::mem::take(&mut self.captures);
                    let mut captures = self.captures(rows, room)?;
                    let first = shares.ranks(share, shares.seeds - own).start;
                    Resort::put(&self.resorts(rows)?, first, &mut captures);
                    if shares.is_narrow(share) {
                        self.raise_narrow(rows, &mut captures)?;
                        captures.lines_mut().iter_mut().for_each(|value| {
                            *value = value.wrapping_sub(ZERO);
                        });
                    } else {
                        let sources = self.sources(rows);
                        self.tables
                            .finish_rows(&shares, rows, &sources, &mut captures);
                    }
                    let file = &self.planes[plane].captures;
                    let place = file.starts[share][usize::from(own)];
                    let written = file.file.write(place, captures.lines());
                    written.map_err(self.fail)?;
                    self.captures = captures;
                }
            }
        }
        let moved = self.moved();
        let (fail, resident) = (self.fail, self.resident);
        let files = self.planes.into_iter();
        let files = files.map(|plane| plane.captures.file.close());
        let swept = SweptLayer::in_files(&shares, files.collect(), resident);
        Ok((swept.map_err(fail)?, moved))
    }
}

impl Tables {
    /// Puts the values of rows where their best captures were.
    pub(super) fn finish_rows(
        &self,
        shares: &Shares,
        rows: Rows,
        sources: &[Columns<'_>],
        captures: &mut Grid,
    ) {
        self.raise_rows(shares, rows, (sources, 0..rows.own + 1), ZERO, captures);
    }

    /// Raises the best captures of rows to the best moves with so many crossing seeds, and subtracts a number.
    pub(super) fn raise_rows(
        &self,
        shares: &Shares,
        rows: Rows,
        (sources, crossing): (&[Columns<'_>], Range<u8>),
        subtract: u8,
        captures: &mut Grid,
    ) {
        let Rows { share, own, .. } = rows;
        let opponents_seeds = shares.seeds - own;
        let blocks = shares.blocks(share, opponents_seeds);
        let ranks = shares.ranks(share, opponents_seeds);
        let stride = captures.stride();
        let reading = Reading {
            movers: &self.movers[usize::from(own)],
            gathers: &self.gathers[usize::from(opponents_seeds)],
            sources,
            // Here they come with each tile.
            captures: None,
            crossing,
        };
        let tiles = captures.lines_mut().chunks_mut(MOVERS * stride).enumerate();
        parallel::for_each(tiles, |(tile, lines)| {
            Scratch::with(|Scratch { best, .. }| {
                for opponents in Opponents::of(blocks.clone()) {
                    let first = opponents.first() - ranks.start;
                    let end = ranks.len().min(first + opponents.len());
                    let width = end - first;
                    for (line, best) in lines.chunks_exact(stride).zip(&mut *best) {
                        best[..width].copy_from_slice(&line[first..end]);
                    }
                    kernel::best_moves(&reading, tile, &opponents, best);
                    for (line, best) in lines.chunks_exact_mut(stride).zip(&*best) {
                        for (value, &best) in line[first..end].iter_mut().zip(best) {
                            *value = best.wrapping_sub(subtract);
                        }
                    }
                }
            });
        });
    }
}

impl SweptLayer {
    /// Values, or bounds, in memory: by the mover's seeds.
    pub(super) fn in_memory(seeds: u8, planes: Vec<Vec<Grid>>) -> SweptLayer {
        SweptLayer {
            layer: Layer::new(seeds).expect("at most 48 seeds"),
            values: Values::InMemory(measured(planes)),
        }
    }

    /// Values, or bounds, in files. The process may take so much memory with what it maps of them.
    pub(super) fn in_files(
        shares: &Shares,
        files: Vec<ClosedFile>,
        resident: u64,
    ) -> Result<SweptLayer, TableError> {
        let layer = Layer::new(shares.seeds).expect("at most 48 seeds");
        let ranks = (0..=shares.seeds).map(|own| {
            let ranks = |share| shares.ranks(share, shares.seeds - own);
            (0..shares.count()).map(ranks).collect()
        });
        let ranks = ranks.collect();
        let (starts, len) = CapturesFile::starts(shares);
        let files = files.into_iter().map(|file| {
            Ok(ValuesFile {
                mapped: file.map(len)?,
                starts: starts.clone(),
                file,
            })
        });
        let values = measured(files.collect::<Result<Vec<_>, TableError>>()?);
        let (len, planes) = (len as usize, shares.planes as u64);
        let least = (rayon::current_num_threads() * MAPPED_LEAST) as u64;
        let most_mapped = MappedMost::within(resident, least, len, planes);
        let values = Values::InFiles(Box::new(values), Pieces { ranks, most_mapped });
        Ok(SweptLayer { layer, values })
    }

    /// The layer.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The values of its positions, or their bounds.
    pub fn values(&self) -> Measured<SweptValues<'_>> {
        let swept = |of| SweptValues { swept: self, of };
        match &self.values {
            Values::InMemory(values) => values.as_ref().map(|grids| swept(Of::Grids(grids))),
            Values::InFiles(files, pieces) => {
                let files = Measured::as_ref(files);
                files.map(|file| swept(Of::File(file, pieces)))
            }
        }
    }

    /// Takes the pages of files out of memory.
    #[cold]
    fn let_go(&self) {
        if let Values::InFiles(files, _) = &self.values {
            let files = Measured::as_ref(files).into_iter();
            files.for_each(|(_, file)| file.mapped.let_go());
        }
    }

    /// Counts the values.
    pub fn counts(&self) -> ValueCounts {
        let of = |matrix: Matrix, rows: Range<u32>| {
            let of = self.values().map(|values| {
                let mut all = vec![0; rows.len() * matrix.row_len()];
                let lines = all.chunks_exact_mut(matrix.row_len());
                rows.clone()
                    .zip(lines)
                    .for_each(|(rank, line)| values.copy(matrix.row(Rank(rank)), 0, line));
                all
            });
            ValueCounts::of(of.as_ref().map(|values| &values[..]))
        };
        let tasks = Matrix::all(self.layer).flat_map(|matrix| {
            let (at_once, end) = ((1 << 18) / matrix.row_len() + 1, matrix.rows());
            let firsts = (0..end).step_by(at_once);
            firsts.map(move |first| (matrix, first..end.min(first + at_once as u32)))
        });
        let sum = parallel::reduce(
            tasks,
            |(matrix, rows)| of(matrix, rows),
            |sum, more| sum.plus(&more),
        );
        sum.expect("a layer has positions")
    }

    /// Hashes the values.
    pub fn hashes(&self) -> Measured<Sha256> {
        self.values().map(|values| Sha256::of_values(&values))
    }

    /// The values in index order.
    pub(crate) fn in_order(&self) -> Measured<Vec<i8>> {
        self.values().map(|values| {
            let mut all = vec![0; self.layer.len() as usize];
            for matrix in Matrix::all(self.layer) {
                matrix.each_row(&mut all, |row, to| values.copy(row, 0, to));
            }
            all
        })
    }
}

/// The values of a layer, or one of its bounds.
#[derive(Clone, Copy, Debug)]
pub struct SweptValues<'a> {
    swept: &'a SweptLayer,
    of: Of<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Of<'a> {
    Grids(&'a [Grid]),
    File(&'a ValuesFile, &'a Pieces),
}

impl LayerValues for SweptValues<'_> {
    fn layer(&self) -> Layer {
        self.swept.layer
    }

    #[inline]
    fn copy(&self, row: Row, mut from: usize, to: &mut [i8]) {
        let (own, rank) = (usize::from(row.own_seeds()), row.rank().0 as usize);
        let copy = |to: &mut [i8], values: &[u8]| {
            for (to, &value) in to.iter_mut().zip(values) {
                *to = value as i8;
            }
        };
        match self.of {
            Of::Grids(grids) => copy(to, &grids[own].row(rank)[from..][..to.len()]),
            Of::File(file, pieces) => {
                let mut left = to;
                for (share, ranks) in pieces.ranks[own].iter().enumerate() {
                    if !ranks.contains(&from) || left.is_empty() {
                        continue;
                    }
                    let (now, later) = left.split_at_mut(left.len().min(ranks.end - from));
                    let start = file.starts[share][own] as usize;
                    let place = start + rank * ranks.len() + from - ranks.start;
                    let place = place..place + now.len();
                    if pieces
                        .most_mapped
                        .as_ref()
                        .is_some_and(|most| most.reads(place.clone()))
                    {
                        self.swept.let_go();
                    }
                    copy(now, &file.mapped.as_ref()[place]);
                    (from, left) = (ranks.end, later);
                }
            }
        }
    }
}
