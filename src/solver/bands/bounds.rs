//! Solving a layer with bounds in bands: only the status of positions is in memory, because news changes nothing
//! else. Scans read the results, which lie in files.

use super::results::ResultFiles;
use super::rows_file::RowsFile;
use super::visits::{Bands, Scan};
use super::{BandedTask, Moved};
use crate::checkpoint::CheckpointStore;
use crate::known::{Interval, ResultCodes};
use crate::passes::bounds::{Place, Sorting, Step, decide, next_interval, split_last};
use crate::passes::{Progress, SmallerParts, Solved};
use granero_game::Measured;
use granero_table::first_error::Stopped;

impl BandedTask<'_> {
    /// Solves a layer with bounds.
    pub(crate) fn bounds(
        &self,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(Measured<Solved>, Moved), Stopped> {
        let (layout, seeds) = (self.layout, self.layout.seeds());
        let all = Interval::all(seeds, self.limit());
        let codes = ResultCodes::new(all, self.tuning.most_counted);
        let files = ResultFiles::new(self, &codes)?;
        let parts = files.parts.each_ref();
        let status = RowsFile::new(self, "status", layout, |own| layout.row_len(own))?;
        let accept = |left: &[u8]| Interval::list_from_bytes(left, all);
        let mut bands = Bands::new(self, &status)?;
        let (mut intervals, lists) = match bands.resume(&parts, accept, checkpoints)? {
            Some(resumed) => resumed,
            None => {
                let lists = bands.begin(&parts, |task, keep| {
                    task.before_bounds(&codes, smaller, keep)
                })?;
                (vec![all], lists)
            }
        };
        bands.go_on(&lists);
        let carry_out =
            |bands: &mut Bands<'_>, step, interval: Interval, leaving: Option<Interval>, left| {
                // Between two decisions all bytes are 0.
                let scan = match (step, leaving) {
                    (Step::Enter, None) => Scan::Makes,
                    _ => Scan::Changes,
                };
                let progress = Progress::Threshold(left);
                bands.visit_all(progress, &lists, scan, |work, _, status, scans| {
                    let mut sorting = Sorting {
                        work,
                        codes: &codes,
                        status,
                        results: Place::InFiles(&files),
                        leaving: leaving.map(Interval::threshold),
                    };
                    let open = if scans {
                        sorting.scan(step, interval)
                    } else {
                        0
                    };
                    files.check()?;
                    sorting.settle(step).map(|settled| [open, settled])
                })
            };
        // Positions leave their interval when those of the next one enter it: that reads their results once.
        let mut leaving: Option<Interval> = None;
        while let Some(interval) = next_interval(&mut intervals) {
            let left = intervals.iter().map(|interval| interval.thresholds()).sum();
            if checkpoints.is_due() {
                if let Some(before) = leaving.take() {
                    carry_out(&mut bands, Step::Leave, before, None, left)?;
                }
                let left = Interval::list_to_bytes(&intervals);
                bands.keep(&parts, &left, &lists, checkpoints)?;
            }
            decide(|step| match step {
                Step::Leave => Ok([0, 0]),
                _ => carry_out(&mut bands, step, interval, leaving.take(), left),
            })?;
            leaving = Some(interval);
            split_last(&mut intervals);
        }
        if let Some(before) = leaving {
            carry_out(&mut bands, Step::Leave, before, None, 1)?;
        }
        let [favoured, other, extra] = &files.parts;
        let moved = bands.moved(&[favoured, other, extra, &status]);
        let [favoured, other, _] = files.parts;
        let low = other.finish(self, codes.lows(seeds), true)?;
        let high = favoured.finish(self, codes.highs(seeds), true)?;
        Ok((Measured::Bounds { low, high }, moved))
    }
}
