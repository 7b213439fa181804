//! The figure of the curve, in the style of the figures of `granero stats --plot`.

use crate::svg::{Anchor, Colour, Drawing, INK};

/// A line of a panel.
pub(crate) struct Line {
    pub(crate) name: String,
    /// Seconds, and a share in per cent.
    pub(crate) points: Vec<(f64, f64)>,
}

// Two colours of Okabe and Ito and a grey, safe for colour-blind readers.
const COLOURS: [Colour; 3] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x78, 0x78, 0x78),
];
const GRID: Colour = Colour(0xe8, 0xe8, 0xe8);

const LABEL_SIZE: f32 = 12.0;

/// The left, the width, the base and the top of a panel.
const LEFTS: [f32; 2] = [60.0, 520.0];
const WIDTH: f32 = 350.0;
const BASE: f32 = 350.0;
const TOP: f32 = 80.0;

/// The seconds at the left and at the right, as powers of ten.
const POWERS: (f32, f32) = (-2.0, 2.0);

fn x(left: f32, seconds: f64) -> f32 {
    left + WIDTH * (seconds.log10() as f32 - POWERS.0) / (POWERS.1 - POWERS.0)
}

fn y(share: f64) -> f32 {
    BASE - (BASE - TOP) * share as f32 / 100.0
}

/// Draws the panels side by side, as SVG.
pub(crate) fn draw(title: &str, panels: &[(&str, Vec<Line>); 2]) -> String {
    let mut drawing = Drawing::new(960.0, 410.0);
    drawing.text((16.0, 28.0), Anchor::Start, 17.0, title);
    for ((heading, lines), left) in panels.iter().zip(LEFTS) {
        let heading = format!("Share of positions where {heading}");
        drawing.text((left, TOP - 20.0), Anchor::Start, 13.0, &heading);
        draw_grid(&mut drawing, left);
        for (line, colour) in lines.iter().zip(COLOURS) {
            draw_line(&mut drawing, left, line, colour);
        }
        draw_names(&mut drawing, left, lines);
    }
    drawing.finish()
}

fn draw_grid(drawing: &mut Drawing, left: f32) {
    for share in [0, 20, 40, 60, 80, 100] {
        let y = y(share.into());
        drawing.line((left, y), (left + WIDTH, y), 1.0, GRID);
        let label = format!("{share} %");
        drawing.text((left - 8.0, y + 4.0), Anchor::End, LABEL_SIZE, &label);
    }
    for seconds in [0.01, 0.1, 1.0, 10.0, 100.0] {
        let x = x(left, seconds);
        drawing.line((x, BASE), (x, BASE + 4.0), 1.0, INK);
        let label = format!("{seconds} s");
        drawing.text((x, BASE + 20.0), Anchor::Middle, LABEL_SIZE, &label);
    }
    drawing.line((left, BASE), (left + WIDTH, BASE), 1.0, INK);
    let middle = (left + WIDTH / 2.0, BASE + 42.0);
    let unit = "time for each position";
    drawing.text(middle, Anchor::Middle, LABEL_SIZE, unit);
}

fn draw_line(drawing: &mut Drawing, left: f32, line: &Line, colour: Colour) {
    let places: Vec<(f32, f32)> = line
        .points
        .iter()
        .map(|&(seconds, share)| (x(left, seconds), y(share)))
        .collect();
    for ends in places.windows(2) {
        drawing.line(ends[0], ends[1], 2.0, colour);
    }
    for (x, y) in places {
        drawing.rectangle((x - 3.0, y - 3.0), (6.0, 6.0), colour);
    }
}

/// The names of the lines, below each other, where there is no line.
fn draw_names(drawing: &mut Drawing, left: f32, lines: &[Line]) {
    for ((number, line), colour) in (0_u8..).zip(lines).zip(COLOURS) {
        let place = (left + WIDTH - 90.0, BASE - 70.0 + 18.0 * f32::from(number));
        drawing.rectangle((place.0, place.1 - 9.0), (10.0, 10.0), colour);
        let at = (place.0 + 16.0, place.1);
        drawing.text(at, Anchor::Start, LABEL_SIZE, &line.name);
    }
}
