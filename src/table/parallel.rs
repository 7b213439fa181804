//! Work on all threads, compiled once.
//!
//! Each closure that an iterator of rayon gets is several kilobytes of machine code: almost half of what the compiler
//! made of the solver, and of the time that it took. Here rayon gets the same closure for all work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

/// The number of items that one task gets if an item takes less than a microsecond.
const PIECE: usize = 256;

/// Calls `work` for each item; each is a task of its own.
pub fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    map(items, work);
}

/// Calls `work` for each item, as a task of its own, and returns the results in the order of the items.
pub fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let cell = |item| Mutex::new((Some(item), None));
    let cells: Vec<Mutex<(Option<T>, Option<R>)>> = items.into_iter().map(cell).collect();
    each_number(cells.len(), &|number| {
        let mut cell = cells[number].lock().expect("it is locked once");
        cell.1 = cell.0.take().map(&work);
    });
    let results = cells.into_iter().map(|cell| {
        let (_, result) = cell.into_inner().expect("a panic ends all work");
        result.expect("all work is done")
    });
    results.collect()
}

/// Like [`map`], but begins no more work after an error.
pub fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let failed = AtomicBool::new(false);
    let results = map(items, |item| {
        let begins = !failed.load(Ordering::Relaxed);
        begins.then(|| work(item).inspect_err(|_| failed.store(true, Ordering::Relaxed)))
    });
    results.into_iter().flatten().collect()
}

/// Like [`for_each`], but begins no more work after an error.
pub fn try_for_each<T: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    try_map(items, work).map(drop)
}

/// Divides a slice into pieces for tasks, each with the number of its first item.
pub fn pieces<T>(items: &[T]) -> impl Iterator<Item = (usize, &[T])> {
    (0..).step_by(PIECE).zip(items.chunks(PIECE))
}

/// Sorts numbers.
pub fn sort(numbers: &mut [u64]) {
    // One thread is faster with the sort of the standard library.
    match rayon::current_num_threads() {
        1 => numbers.sort_unstable(),
        _ => numbers.par_sort_unstable(),
    }
}

fn each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_until_one_is_an_error() {
        for count in [0, 1, 2, 1000] {
            let expected: Vec<usize> = (0..count).map(|number| number * number).collect();
            assert_eq!(map(0..count, |number| number * number), expected);
            let even = |number: usize| [Ok(number), Err(number)][number % 2];
            let found = try_map(0..count, even);
            assert_eq!(found.is_ok(), count < 2);
            assert!(found.err().is_none_or(|number| number % 2 == 1));
        }
        let items: Vec<usize> = (0..1000).collect();
        let sums = map(pieces(&items), |(first, items)| {
            assert_eq!(items[0], first);
            items.len()
        });
        assert_eq!(sums.iter().sum::<usize>(), 1000);
    }
}
