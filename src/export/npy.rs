//! The format `.npy` of NumPy, version 1.0: a header that says what the array is, and its bytes.

/// What every file of this format begins with, and the version.
const MAGIC: [u8; 8] = *b"\x93NUMPY\x01\x00";

/// The data begins at a multiple of this.
const ALIGNMENT: usize = 64;

/// The header of an array of signed bytes, in C order. The bytes follow it.
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

/// Reads the header of an array of bytes, signed or not, with two dimensions in C order, the second of
/// which is `columns`: where the data begins, and the number of rows. `None` if it is anything else, or
/// `bytes` does not hold all of it.
pub fn rows(bytes: &[u8], columns: u64) -> Option<(usize, u64)> {
    let rest = bytes.strip_prefix(&MAGIC)?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::from(u16::from_le_bytes(*length));
    let text = std::str::from_utf8(rest.get(..length)?).ok()?;
    // Spaces mean nothing, and NumPy writes either kind of quotation mark.
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.replace('"', "'");
    let is_of_bytes = ["|u1", "|i1"].map(|kind| format!("'descr':'{kind}'"));
    let is_right = is_of_bytes.iter().any(|kind| text.contains(kind))
        && text.contains("'fortran_order':False");
    let (_, shape) = text.split_once("'shape':(")?;
    let (shape, _) = shape.split_once(')')?;
    let (rows, found) = shape.trim_end_matches(',').split_once(',')?;
    let is_right = is_right && found.parse() == Ok(columns);
    let rows = rows.parse().ok().filter(|_| is_right)?;
    Some((MAGIC.len() + 2 + length, rows))
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
            ("(5, 12)", "(5,)"),
            ("(5, 12)", "(5, 12, 1)"),
            ("(5, 12)", "(-5, 12)"),
            ("shape", "form"),
        ] {
            assert_eq!(rows(&header(&good.replace(from, to)), 12), None, "{to}");
        }
        let whole = header(good);
        for end in 0..whole.len() {
            assert_eq!(rows(&whole[..end], 12), None);
        }
    }
}
