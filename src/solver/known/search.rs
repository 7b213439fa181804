//! Finding the few bytes of a row that matter.

/// Calls `found` with the places of all bytes that equal `wanted`.
#[inline(always)]
pub(crate) fn for_each_equal(bytes: &[u8], wanted: u8, mut found: impl FnMut(u32)) {
    let mut start = 0;
    for piece in bytes.chunks(64) {
        // Most pieces hold none; this test is done for many bytes at once.
        if piece
            .iter()
            .fold(false, |any, &byte| any | (byte == wanted))
        {
            for (eight, bytes) in (0..).zip(piece.chunks(8)) {
                let mut equal = equal_bytes(bytes, wanted);
                while equal != 0 {
                    found(start + eight * 8 + equal.trailing_zeros() / 8);
                    equal &= equal - 1;
                }
            }
        }
        start += 64;
    }
}

/// The highest bit of each of up to eight bytes that equals one.
#[inline(always)]
fn equal_bytes(bytes: &[u8], wanted: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // If there are fewer than eight, the rest differ.
    let mut eight = [!wanted; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    let differs = u64::from_le_bytes(eight) ^ u64::from_le_bytes([wanted; 8]);
    // A byte's highest bit stays clear only if all its bits are.
    !(((differs & LOW) + LOW) | differs | LOW)
}

/// Calls `found` with the places of all bytes from `least` to `greatest`.
#[inline(always)]
pub(crate) fn for_each_within(
    bytes: &[u8],
    least: u8,
    greatest: u8,
    mut found: impl FnMut(usize, u8),
) {
    let within = |byte: u8| byte.wrapping_sub(least) <= greatest - least;
    for (piece, bytes) in bytes.chunks(64).enumerate() {
        if bytes.iter().fold(false, |any, &byte| any | within(byte)) {
            for (at, &byte) in bytes.iter().enumerate() {
                if within(byte) {
                    found(piece * 64 + at, byte);
                }
            }
        }
    }
}

/// Changes all bytes that are wanted; `change` is told the place.
#[inline(always)]
pub(crate) fn change_where(
    bytes: &mut [u8],
    is_wanted: impl Fn(u8) -> bool,
    mut change: impl FnMut(usize, u8) -> u8,
) {
    for (piece, bytes) in bytes.chunks_mut(64).enumerate() {
        if bytes.iter().fold(false, |any, &byte| any | is_wanted(byte)) {
            for (at, byte) in bytes.iter_mut().enumerate() {
                if is_wanted(*byte) {
                    *byte = change(piece * 64 + at, *byte);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_that_equals_is_found_wherever_it_lies() {
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length).map(|at| (at * at % 7) as u8 * 43).collect();
            for wanted in [0, 43, 86, 172, 255] {
                let expected: Vec<u32> = (0..)
                    .zip(&bytes)
                    .filter(|&(_, &byte)| byte == wanted)
                    .map(|(at, _)| at)
                    .collect();
                let mut found = Vec::new();
                for_each_equal(&bytes, wanted, |at| found.push(at));
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn every_byte_within_two_is_found() {
        for length in 0..200usize {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 % 256) as u8).collect();
            for (least, greatest) in [(0, 0), (0, 255), (3, 90), (200, 255), (7, 7)] {
                let mut found = Vec::new();
                for_each_within(&bytes, least, greatest, |at, byte| found.push((at, byte)));
                let all = bytes.iter().copied().enumerate();
                let expected = all.filter(|(_, byte)| (least..=greatest).contains(byte));
                assert!(found.into_iter().eq(expected));
            }
        }
    }

    #[test]
    fn bytes_that_are_wanted_are_changed_and_no_others() {
        for length in 0..200usize {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 % 256) as u8).collect();
            for least in [0, 64, 200] {
                let mut changed = bytes.clone();
                let is_wanted = |byte| byte >= least;
                change_where(&mut changed, is_wanted, |at, byte| {
                    assert_eq!(bytes[at], byte);
                    byte / 2
                });
                let half = |&byte: &u8| if byte >= least { byte / 2 } else { byte };
                let expected: Vec<u8> = bytes.iter().map(half).collect();
                assert_eq!(changed, expected);
            }
        }
    }
}
