//! The results of positions with bounds, in files: scans read them in order, piece by piece.

use std::sync::Mutex;

use super::BandedTask;
use super::rows_file::RowsFile;
use crate::graph::PlaneBand;
use crate::known::{Plane, ResultCodes};
use crate::passes::task::EXTRA;
use granero_table::TableError;
use granero_table::first_error::{Stopped, lock};

/// The results of positions with bounds, see [`Results`](crate::known::results::Results).
pub(crate) struct ResultFiles<'a> {
    /// Keeps an error that ends the work.
    fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    /// The bytes of a plane that are read at once, unless a row has more.
    at_once: usize,
    /// The parts of a checkpoint: either plane, and the extra bits.
    pub(super) parts: [RowsFile; 3],
    /// Memory for pieces of results and of extra bits.
    buffers: Mutex<Vec<[Vec<u8>; 2]>>,
    stopped: Mutex<Option<Stopped>>,
}

impl<'a> ResultFiles<'a> {
    pub(super) fn new(
        task: &'a BandedTask<'a>,
        codes: &ResultCodes,
    ) -> Result<ResultFiles<'a>, Stopped> {
        let layout = task.layout;
        let plane = |name| RowsFile::new(task, name, layout, |own| layout.row_len(own));
        let extra = |own| codes.extra_bytes(layout.row_len(own));
        Ok(ResultFiles {
            fail: task.fail,
            at_once: task.tuning.band,
            parts: [
                plane("favoured")?,
                plane("other")?,
                RowsFile::new(task, "extra", layout, extra)?,
            ],
            buffers: Mutex::default(),
            stopped: Mutex::default(),
        })
    }

    /// Goes through the rows of a part of a plane, some at a time. `look` gets their status, results and extra bits,
    /// and returns whether it has changed results.
    pub(crate) fn each_part(
        &self,
        plane: Plane,
        band: PlaneBand,
        status: &mut [u8],
        mut look: impl FnMut(PlaneBand, (&mut [u8], &mut [u8], &mut [u8])) -> bool,
    ) {
        let at_once = (self.at_once / band.row_len).max(1);
        let parts = status.chunks_mut(at_once * band.row_len);
        let mut buffers = lock(&self.buffers).pop().unwrap_or_default();
        let mut look_at = |first, status: &mut [u8]| {
            let rows = status.len() / band.row_len;
            let files = [&self.parts[plane as usize], &self.parts[EXTRA]];
            for (rows_file, bytes) in files.iter().zip(&mut buffers) {
                bytes.resize(rows * rows_file.row_bytes(band.own_seeds), 0);
                let place = rows_file.place(band.own_seeds, first);
                rows_file.file.read(place, bytes)?;
            }
            let rows = rows as u32;
            let [results, extra] = &mut buffers;
            if look(
                PlaneBand {
                    first,
                    rows,
                    ..band
                },
                (status, results, extra),
            ) {
                for (rows_file, bytes) in files.iter().zip(&buffers) {
                    let place = rows_file.place(band.own_seeds, first);
                    rows_file.file.write(place, bytes)?;
                }
            }
            Ok::<_, TableError>(())
        };
        let mut parts = (band.first..).step_by(at_once).zip(parts);
        let found = parts.try_for_each(|(first, status)| look_at(first, status));
        lock(&self.buffers).push(buffers);
        if let Err(error) = found {
            *lock(&self.stopped) = Some((self.fail)(error));
        }
    }

    /// Returns the error of a scan that could not read or write.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        lock(&self.stopped).take().map_or(Ok(()), Err)
    }
}
