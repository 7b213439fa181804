//! The format `.npy` of NumPy, version 1.0: a header that describes the array, and its bytes.

/// The beginning of every file of this format, with the version.
const MAGIC: [u8; 8] = *b"\x93NUMPY\x01\x00";

/// The data begins at a multiple of this.
const ALIGNMENT: usize = 64;

/// Returns the header of an array of signed bytes, in C order. The bytes follow it.
///
/// ```
/// use granero::export::npy;
///
/// let header = npy::header(&[3, 2]);
/// assert_eq!(header.len() % 64, 0);
/// assert_eq!(npy::rows(&header, 2), Some((header.len(), 3)));
/// ```
pub fn header(shape: &[u64]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(|size| format!("{size},")).collect();
    let sizes = sizes.join(" ");
    let mut text = format!("{{'descr': '|i1', 'fortran_order': False, 'shape': ({sizes}), }}");
    let before = MAGIC.len() + 2;
    let length = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
    text += &" ".repeat(length - text.len() - 1);
    text.push('\n');
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&(length as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}

/// The most bytes of a header's text that NumPy reads.
const LONGEST: usize = 10_000;

/// Reads the header of an array of bytes, signed or not, with two dimensions in C order, the second of
/// which is `columns`. Returns the start of the data and the number of rows; `None` for any other
/// header, or if `bytes` does not hold all of it.
pub fn rows(bytes: &[u8], columns: u64) -> Option<(usize, u64)> {
    let rest = bytes.strip_prefix(&MAGIC)?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::from(u16::from_le_bytes(*length));
    let text = std::str::from_utf8(rest.get(..length)?).ok()?;
    let braced = text.trim_ascii_end().strip_prefix('{')?.strip_suffix('}')?;
    // Without the shape, commas only separate entries.
    let (before, rest) = braced.split_once('(')?;
    let (shape, after) = rest.split_once(')')?;
    let without_shape = format!("{before}(){after}");
    let mut entries = Vec::new();
    for entry in list(&without_shape) {
        let (key, value) = entry.split_once(':')?;
        entries.push((unquoted(key)?, value.trim_ascii()));
    }
    entries.sort_unstable();
    let [("descr", kind), ("fortran_order", "False"), ("shape", "()")] = entries[..] else {
        return None;
    };
    let sizes: Vec<u64> = list(shape).map(size).collect::<Option<_>>()?;
    let is_right = matches!(unquoted(kind)?, "|u1" | "|i1") && length <= LONGEST;
    match sizes[..] {
        [rows, found] if is_right && found == columns => Some((MAGIC.len() + 2 + length, rows)),
        _ => None,
    }
}

/// The items of a list between commas; the last may have a comma, too.
fn list(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_ascii_end();
    text.strip_suffix(',').unwrap_or(text).split(',')
}

/// A text without its quotation marks, of either kind.
fn unquoted(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    let mark = text
        .chars()
        .next()
        .filter(|mark| ['\'', '"'].contains(mark))?;
    text.strip_prefix(mark)?.strip_suffix(mark)
}

/// A number as Python writes it.
fn size(text: &str) -> Option<u64> {
    let text = text.trim_ascii();
    text.parse()
        .ok()
        .filter(|size: &u64| size.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arrays_are_not_taken() {
        let header = |text: &str| {
            let mut bytes = MAGIC.to_vec();
            bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
            bytes
        };
        let good = r#"{"descr": "|u1", "fortran_order": False, "shape": (5, 12)}"#;
        assert_eq!(rows(&header(good), 12), Some((10 + good.len(), 5)));
        assert_eq!(rows(&header(good), 11), None);
        for (from, to) in [
            ("|u1", "<i8"),
            ("False", "True"),
            ("False", "Falsehood"),
            ("(5, 12)", "(5,)"),
            ("(5, 12)", "(5, 12, 1)"),
            ("(5, 12)", "(-5, 12)"),
            ("(5, 12)", "(+5, 12)"),
            ("(5, 12)", "(05, 12)"),
            ("(5, 12)", "(5, 1 2)"),
            ("(5, 12)", "(5, 12,,)"),
            ("(5, 12)", "(5, 12"),
            ("(5, 12)", "((5, 12))"),
            ("(5, 12)", "(5, 12) 1"),
            ("(5, 12)", "2 (5, 12)"),
            ("(5, 12)", "(5, 12), 'more': 1"),
            ("(5, 12)", "(5, 12), \"descr\": \"|u1\""),
            ("(5, 12)", "() (5, 12)"),
            ("shape", "form"),
            ("shape", "sha pe"),
            ("\"shape", "'shape"),
            ("|u1", "| u1"),
            (", \"fortran_order\": False", ""),
            (", \"fortran_order", " \"fortran_order"),
            (", \"fortran_order", ",, \"fortran_order"),
            ("{", ""),
            ("{", "\n {"),
            ("}", ""),
            ("}", "} x"),
            ("}", "}, "),
            ("}", ",,}"),
        ] {
            assert_eq!(rows(&header(&good.replace(from, to)), 12), None, "{to}");
        }
        for (from, to) in [
            ("\"", "'"),
            (": ", " :\n"),
            ("(5, 12)", "( 5,12 , ) , "),
            ("}", "}  \n"),
        ] {
            let other = header(&good.replace(from, to));
            assert_eq!(rows(&other, 12), Some((other.len(), 5)), "{to}");
        }
        let padded = |length| header(&(good.to_string() + &" ".repeat(length - good.len())));
        assert_eq!(rows(&padded(10_000), 12), Some((10_010, 5)));
        assert_eq!(rows(&padded(10_001), 12), None);
        let whole = header(good);
        for end in 0..whole.len() {
            assert_eq!(rows(&whole[..end], 12), None);
        }
    }
}
