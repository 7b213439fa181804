//! Solving a layer with values in bands.

use super::rows_file::RowsFile;
use super::visits::{Bands, Scan};
use super::{BandedTask, Moved};
use crate::checkpoint::CheckpointStore;
use crate::graph::Width;
use crate::known::{Half, ValueCodes, Whole};
use crate::passes::{Progress, SmallerParts, Solved, split};
use granero_game::Measured;
use granero_table::first_error::Stopped;

impl BandedTask<'_> {
    /// Solves a layer with values.
    pub(crate) fn values(
        &self,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(Measured<Solved>, Moved), Stopped> {
        let (layout, width) = (self.layout, self.layout.width());
        let limit = self.limit().unsigned_abs();
        let codes = ValueCodes::new(limit, self.tuning.most_counted);
        let plane = RowsFile::new(self, "plane", layout, |own| layout.row_bytes(own))?;
        let accept = |left: &[u8]| match *left {
            [first] if first <= limit => Some(first),
            _ => None,
        };
        let mut bands = Bands::new(self, &plane)?;
        let (first, lists) = match bands.resume(&[&plane], accept, checkpoints)? {
            Some(resumed) => resumed,
            None => {
                let lists = bands.begin(&[&plane], |task, keep| {
                    let (lists, plane) = match width {
                        Width::Byte => task.before_values::<Whole>(codes, smaller)?,
                        Width::Half => task.before_values::<Half>(codes, smaller)?,
                    };
                    keep(0, plane).map(|()| lists)
                })?;
                (limit, lists)
            }
        };
        bands.go_on(&lists);
        for k in (1..=first).rev() {
            if checkpoints.is_due() {
                bands.write()?;
                bands.keep(&[&plane], &[k], &lists, checkpoints)?;
            }
            let progress = Progress::Threshold(k);
            bands.visit_all(progress, &lists, Scan::Reads, |work, band, plane, scans| {
                match width {
                    Width::Byte if scans => split::scan::<Whole, _>(work, codes, plane, k),
                    Width::Half if scans => split::scan::<Half, _>(work, codes, plane, k),
                    _ => {}
                }
                let settled = split::settle(work, codes, &lists[band].large_losses, plane, k);
                settled.map(|settled| [0, settled])
            })?;
        }
        bands.write()?;
        let moved = bands.moved(&[&plane]);
        let values = plane.finish(self, codes.values(), width == Width::Byte)?;
        Ok((Measured::Value(values), moved))
    }

    /// The largest value of the layer.
    pub(super) fn limit(&self) -> i8 {
        self.graph.rows.limits().of(self.layout.seeds())
    }
}
