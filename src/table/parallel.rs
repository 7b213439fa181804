//! Work on all threads, compiled once.
//!
//! Each closure that an iterator of rayon gets is several kilobytes of machine code: almost half of what the compiler
//! made of the solver, and of the time that it took. Here rayon gets the same closure for all work.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::first_error::lock;

/// The number of items that one task gets if an item takes less than a microsecond.
const PIECE: usize = 256;

/// Calls `work` for each item; each is a task of its own.
pub fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let cell = |item| Mutex::new(Some(item));
    let cells: Vec<Mutex<Option<T>>> = items.into_iter().map(cell).collect();
    each_number(cells.len(), &|number| {
        let item = lock(&cells[number]).take();
        work(item.expect("each number comes once"));
    });
}

/// Like [`for_each`], but begins no more work after an error, and returns the first one.
pub fn try_for_each<T: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (failed, first) = (AtomicBool::new(false), Mutex::new(None));
    for_each(items, |item| {
        if !failed.load(Ordering::Relaxed)
            && let Err(error) = work(item)
        {
            lock(&first).get_or_insert(error);
            failed.store(true, Ordering::Relaxed);
        }
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), Err)
}

/// Calls `work` for each item, as a task of its own, and returns the results in the order of the items.
pub fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let Ok(results) = try_map(items, |item| Ok::<R, Infallible>(work(item)));
    results
}

/// Like [`map`], but begins no more work after an error, and returns the first one.
pub fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let items: Vec<T> = items.into_iter().collect();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    try_for_each(items.into_iter().zip(&mut results), |(item, result)| {
        *result = Some(work(item)?);
        Ok(())
    })?;
    let results = results.into_iter();
    Ok(results
        .map(|result| result.expect("all work is done"))
        .collect())
}

/// Like [`map`], and brings the results together as they come, in any order: none has to wait in memory.
pub fn reduce<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
    together: impl Fn(R, R) -> R + Sync,
) -> Option<R> {
    let all = Mutex::new(None);
    for_each(items, |item| {
        let more = work(item);
        let mut all = lock(&all);
        *all = Some(match all.take() {
            Some(before) => together(before, more),
            None => more,
        });
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
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
    use std::panic::catch_unwind;
    use std::sync::atomic::AtomicUsize;

    use rayon::ThreadPoolBuilder;

    use super::*;

    fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(work)
    }

    #[test]
    fn results_come_in_order_until_one_is_an_error() {
        for count in [0, 1, 2, 1000] {
            let expected: Vec<usize> = (0..count).map(|number| number * number).collect();
            let found = with_threads(4, || map(0..count, |number| number * number));
            assert_eq!(found, expected);
            let sum = with_threads(4, || {
                reduce(0..count, |number| number, |sum, more| sum + more)
            });
            assert_eq!(sum, (count > 0).then(|| (0..count).sum()));
            let even = |number: usize| [Ok(number), Err(number)][number % 2];
            let found = with_threads(4, || try_map(0..count, even));
            assert_eq!(found.is_ok(), count < 2);
            assert!(found.err().is_none_or(|number| number % 2 == 1));
        }
    }

    #[test]
    fn no_work_begins_after_an_error() {
        let calls = AtomicUsize::new(0);
        let found = with_threads(1, || {
            try_for_each(0..1000, |number| {
                calls.fetch_add(1, Ordering::Relaxed);
                if number == 3 { Err(number) } else { Ok(()) }
            })
        });
        assert_eq!((found, calls.into_inner()), (Err(3), 4));
    }

    #[test]
    fn work_can_be_divided_again() {
        let row = |row: usize| map(0..100, |column| row * column);
        let found = with_threads(4, || map(0..100, row));
        let expected = (0..100).map(|row| (0..100).map(|column| row * column).collect());
        assert_eq!(found, expected.collect::<Vec<Vec<usize>>>());
    }

    #[test]
    fn a_panic_comes_to_the_caller() {
        let panics = |number: usize| assert!(number != 77, "at 77");
        let found = catch_unwind(|| with_threads(3, || for_each(0..1000, panics)));
        let what = *found.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!(what, "at 77");
    }

    #[test]
    fn pieces_begin_where_they_say() {
        let items: Vec<usize> = (0..1000).collect();
        let lengths = pieces(&items).map(|(first, items)| {
            assert_eq!(items[0], first);
            items.len()
        });
        assert_eq!(lengths.sum::<usize>(), 1000);
    }
}
