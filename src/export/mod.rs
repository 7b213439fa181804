//! Layers of tables as files for other programs.
//!
//! * `raw`: a signed byte for each position, in the order of the [index](crate::index).
//! * `awari`: the layout of the public Awari score database, see [`awari`].
//! * `csv`: a line of text for each position, in the order of the index.
//!
//! `docs/export.md` shows how to read them.

pub mod awari;
mod layout;

pub use layout::{Layout, UnknownLayout};

use std::io::{self, Write};

use crate::cycles::Measure;
use crate::index::Layer;
use crate::layer_values::LayerValues;

/// Bytes are handed on in pieces of about this size.
const PIECE: usize = 1 << 20;

/// Writes the values of a layer, which are in the order of the index, in a layout. Calls
/// `written` now and then with the number of positions that have been written since.
///
/// The layouts `raw` and `awari` have room for one number for each position: where these are
/// bounds, `measure` says which of them. A text in `csv` has both.
///
/// # Errors
///
/// When `out` cannot be written to.
///
/// # Panics
///
/// If there are not as many values as the layer has positions, or none of the measure.
///
/// ```
/// use granero::export::{self, Layout};
/// use granero::index::Layer;
/// use granero::{LayerValues, Measure};
///
/// let values = LayerValues::Exact(vec![0]);
/// let mut out = Vec::new();
/// let layer = Layer::new(0).unwrap();
/// export::write(Layout::Csv, layer, &values, Measure::Value, &mut out, |_| ())?;
/// assert_eq!(out, b"A,B,C,D,E,F,a,b,c,d,e,f,value\n0,0,0,0,0,0,0,0,0,0,0,0,0\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(
    layout: Layout,
    layer: Layer,
    values: &LayerValues,
    measure: Measure,
    out: &mut impl Write,
    written: impl FnMut(u64),
) -> io::Result<()> {
    assert_eq!(values.positions() as u64, layer.len());
    let measured = values.get(measure).expect("numbers of the measure");
    match layout {
        Layout::Raw => write_raw(measured, out, written),
        Layout::Awari => awari::write(layer, measured, out, written),
        Layout::Csv => write_csv(layer, values, out, written),
    }
}

fn write_raw(values: &[i8], out: &mut impl Write, mut written: impl FnMut(u64)) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(PIECE);
    for piece in values.chunks(PIECE) {
        bytes.clear();
        bytes.extend(piece.iter().map(|&value| value as u8));
        out.write_all(&bytes)?;
        written(piece.len() as u64);
    }
    Ok(())
}

/// The mover's houses have the letters of South, the opponent's those of North.
const CSV_HEADER: &[u8] = b"A,B,C,D,E,F,a,b,c,d,e,f";

fn write_csv(
    layer: Layer,
    values: &LayerValues,
    out: &mut impl Write,
    mut written: impl FnMut(u64),
) -> io::Result<()> {
    let mut text = CSV_HEADER.to_vec();
    let columns: Vec<(Measure, &[i8])> = values.measures().collect();
    for (measure, _) in &columns {
        write!(text, ",{measure}")?;
    }
    text.push(b'\n');
    let mut lines = 0;
    for (index, position) in layer.positions().enumerate() {
        let [first, rest @ ..] = position.houses();
        write!(text, "{first}")?;
        for seeds in rest {
            write!(text, ",{seeds}")?;
        }
        for (_, values) in &columns {
            write!(text, ",{}", values[index])?;
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
