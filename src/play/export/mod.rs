//! Layers of tables as files for other programs.
//!
//! * `raw`: a signed byte for each position, in the order of the [index](granero_table::index).
//! * `awari`: the layout of the public Awari score database, see [`awari`].
//! * `npy`: an array of NumPy with the values in the order of the index, see [`npy`].
//! * `csv`: a line of text for each position, in the order of the index; it marks values that deciding
//!   tables have cut off, as `>=9` and `<=-9`.
//!
//! `docs/cli.md` specifies them, and `docs/languages.md` shows how to read them.

pub mod awari;
pub mod npy;

use std::io::{self, Write};

use zerocopy::IntoBytes;

use granero_game::{Bound, Extent, Measured};
use granero_table::index::Layer;

/// Bytes are written in pieces of about this size.
const PIECE: usize = 1 << 20;

/// A way to write the values of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// A signed byte for each position, in the order of the index.
    Raw,
    /// A signed byte for each position of the public Awari score database, in its order.
    Awari,
    /// An array of NumPy: signed bytes in the order of the index, with a column for each bound.
    Npy,
    /// A line of text for each position, in the order of the index.
    Csv,
}

impl Layout {
    /// All layouts.
    ///
    /// ```
    /// # use granero::export::Layout;
    /// assert_eq!(Layout::ALL.map(Layout::name), ["raw", "awari", "npy", "csv"]);
    /// ```
    pub const ALL: [Layout; 4] = [Layout::Raw, Layout::Awari, Layout::Npy, Layout::Csv];

    /// The name used on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Raw => "raw",
            Layout::Awari => "awari",
            Layout::Npy => "npy",
            Layout::Csv => "csv",
        }
    }

    /// Returns true if it is text.
    pub const fn is_text(self) -> bool {
        matches!(self, Layout::Csv)
    }
}

/// Writes the values of a layer in a layout; `values` are in the order of the index, with the given
/// extent. Calls `written` now and then with the number of positions written since its last call.
///
/// The layouts `raw` and `awari` have one number for each position: `bound` selects one of two
/// bounds. The layouts `npy` and `csv` have both.
///
/// # Panics
///
/// If there are not as many values as the layer has positions.
///
/// ```
/// use granero::export::{self, Layout};
/// use granero::index::Layer;
/// use granero::{Bound, Extent, Measured};
///
/// let values = Measured::Value(vec![0]);
/// let mut out = Vec::new();
/// let layer = Layer::new(0).unwrap();
/// export::write(Layout::Csv, layer, Extent::FULL, &values, Bound::Low, &mut out, |_| ())?;
/// assert_eq!(out, b"A,B,C,D,E,F,a,b,c,d,e,f,value\n0,0,0,0,0,0,0,0,0,0,0,0,0\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(
    layout: Layout,
    layer: Layer,
    extent: Extent,
    values: &Measured<Vec<i8>>,
    bound: Bound,
    out: &mut impl Write,
    written: impl FnMut(u64),
) -> io::Result<()> {
    for (_, values) in values.iter() {
        assert_eq!(values.len() as u64, layer.len());
    }
    let measured = values.get(bound);
    match layout {
        Layout::Raw => write_raw(measured, out, written),
        Layout::Awari => awari::write(layer, measured, out, written),
        Layout::Npy => write_npy(layer, values, out, written),
        Layout::Csv => write_csv(layer, extent, values, out, written),
    }
}

fn write_raw(values: &[i8], out: &mut impl Write, mut written: impl FnMut(u64)) -> io::Result<()> {
    for piece in values.chunks(PIECE) {
        out.write_all(piece.as_bytes())?;
        written(piece.len() as u64);
    }
    Ok(())
}

fn write_npy(
    layer: Layer,
    values: &Measured<Vec<i8>>,
    out: &mut impl Write,
    mut written: impl FnMut(u64),
) -> io::Result<()> {
    let (low, high) = match values {
        Measured::Value(values) => {
            out.write_all(&npy::header(&[layer.len()]))?;
            return write_raw(values, out, written);
        }
        Measured::Bounds { low, high } => (low, high),
    };
    out.write_all(&npy::header(&[layer.len(), 2]))?;
    for (low, high) in low.chunks(PIECE).zip(high.chunks(PIECE)) {
        let both: Vec<[i8; 2]> = low
            .iter()
            .zip(high)
            .map(|(&low, &high)| [low, high])
            .collect();
        out.write_all(both.as_bytes())?;
        written(both.len() as u64);
    }
    Ok(())
}

/// The mover's houses have South's letters, the opponent's houses North's.
const CSV_HEADER: &[u8] = b"A,B,C,D,E,F,a,b,c,d,e,f";

fn write_csv(
    layer: Layer,
    extent: Extent,
    values: &Measured<Vec<i8>>,
    out: &mut impl Write,
    mut written: impl FnMut(u64),
) -> io::Result<()> {
    let mut text = CSV_HEADER.to_vec();
    for (measure, _) in values.iter() {
        write!(text, ",{measure}")?;
    }
    text.push(b'\n');
    let limit = extent.limit(values.cycles(), layer.seeds());
    let cut_off = (limit < layer.seeds()).then_some(limit as i8);
    let mut lines = 0;
    for (index, position) in layer.positions().enumerate() {
        let [first, rest @ ..] = position.houses();
        write!(text, "{first}")?;
        for seeds in rest {
            write!(text, ",{seeds}")?;
        }
        for (_, values) in values.iter() {
            let value = values[index];
            let mark = match cut_off {
                Some(limit) if value == limit => ">=",
                Some(limit) if value == -limit => "<=",
                _ => "",
            };
            write!(text, ",{mark}{value}")?;
        }
        text.push(b'\n');
        lines += 1;
        if text.len() >= PIECE {
            out.write_all(&text)?;
            text.clear();
            written(std::mem::take(&mut lines));
        }
    }
    out.write_all(&text)?;
    written(lines);
    Ok(())
}
