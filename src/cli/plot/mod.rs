//! Figures for print, as SVG.
//!
//! `plotters` is not used: it places everything on whole pixels, so that bars differ in width, bars of rare
//! values have no height, and letters are spaced unevenly.

mod review;
mod statistics;

use std::path::PathBuf;

pub(super) use review::review;
pub(super) use statistics::statistics;

/// Reads the name of the file for a figure from the command line.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => Ok(path),
        _ => Err("the name of the file must end in .svg".into()),
    }
}

// Two colours of Okabe and Ito and two greys, safe for colour-blind readers and for print without
// colours.
const WON: Colour = "#0072b2";
const DRAWN: Colour = "#d4d4d4";
/// The result depends on how an endless cycle is decided, or is not proven.
const UNDECIDED: Colour = "#787878";
const LOST: Colour = "#e69f00";
const GRID: Colour = "#e8e8e8";

const WIDTH: f32 = 960.0;
const HEIGHT: f32 = 410.0;
const TITLE_LINE: f32 = 28.0;
const TITLE_SIZE: f32 = 17.0;
const HEADING_SIZE: f32 = 13.0;
const LABEL_SIZE: f32 = 12.0;

/// The size of a coloured box in a legend.
const BOX: f32 = 11.0;

/// The fraction of its slot that a bar leaves free.
const GAP: f32 = 0.14;

/// Begins a figure with its title, and the legend at the end of the title's line.
fn begin(title: &str, legend: &[(&str, Colour)]) -> Drawing {
    let mut drawing = Drawing(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"{FONTS}\">\n"
    ));
    drawing.rectangle((0.0, 0.0), (WIDTH, HEIGHT), "#ffffff");
    drawing.text((16.0, TITLE_LINE), START, TITLE_SIZE, title);
    let mut right = WIDTH - 16.0;
    for &(name, colour) in legend {
        // The average width of a letter.
        right -= name.len() as f32 * LABEL_SIZE * 0.52;
        drawing.text((right, TITLE_LINE), START, LABEL_SIZE, name);
        right -= BOX + 5.0;
        drawing.rectangle((right, TITLE_LINE - BOX + 1.0), (BOX, BOX), colour);
        right -= 18.0;
    }
    drawing
}

/// A panel with bars in slots of the same width, over a scale that begins with 0.
struct Panel {
    left: f32,
    width: f32,
    /// The numbers of the first slot and of the last.
    slots: (f32, f32),
    /// The end of the scale.
    top_value: f32,
}

impl Panel {
    const TOP: f32 = 84.0;
    const BOTTOM: f32 = 350.0;

    fn slot_width(&self) -> f32 {
        let (first, last) = self.slots;
        self.width / (last - first + 1.0)
    }

    /// Returns the middle of a slot.
    fn x(&self, slot: f32) -> f32 {
        self.left + (slot - self.slots.0 + 0.5) * self.slot_width()
    }

    fn y(&self, value: f32) -> f32 {
        Panel::BOTTOM - value / self.top_value * (Panel::BOTTOM - Panel::TOP)
    }

    /// Draws the heading, and a line with a label for each mark of the scale.
    fn draw_scale(
        &self,
        drawing: &mut Drawing,
        heading: &str,
        marks: impl Iterator<Item = (f32, String)>,
    ) {
        let at = (self.left, Panel::TOP - 18.0);
        drawing.text(at, START, HEADING_SIZE, heading);
        for (value, label) in marks {
            self.draw_level(drawing, value, GRID);
            let at = (self.left - 8.0, self.y(value) + LABEL_SIZE * 0.36);
            drawing.text(at, END, LABEL_SIZE, &label);
        }
    }

    fn draw_level(&self, drawing: &mut Drawing, value: f32, colour: Colour) {
        let y = self.y(value);
        drawing.line((self.left, y), (self.left + self.width, y), colour);
    }

    fn draw_bar(&self, drawing: &mut Drawing, slot: f32, from: f32, to: f32, colour: Colour) {
        let width = self.slot_width() * (1.0 - GAP);
        let (bottom, top) = (self.y(from), self.y(to));
        let left = self.x(slot) - width / 2.0;
        drawing.rectangle((left, top), (width, bottom - top), colour);
    }

    /// Draws the line that the bars stand on, with labels below it, and names both scales.
    fn draw_base(
        &self,
        drawing: &mut Drawing,
        label: impl Fn(i32) -> String,
        [below, beside]: [&str; 2],
    ) {
        self.draw_level(drawing, 0.0, INK);
        let y = Panel::BOTTOM;
        for slot in labelled_slots(self.slots) {
            let x = self.x(slot as f32);
            drawing.line((x, y), (x, y + 4.0), INK);
            drawing.text((x, y + 18.0), MIDDLE, LABEL_SIZE, &label(slot));
        }
        let middle = self.left + self.width / 2.0;
        drawing.text((middle, y + 42.0), MIDDLE, LABEL_SIZE, below);
        let at = (self.left - 46.0, (Panel::TOP + Panel::BOTTOM) / 2.0);
        drawing.text(at, UPWARDS, LABEL_SIZE, beside);
    }
}

/// Returns the slots with a label: evenly spaced, at most about thirteen.
fn labelled_slots((first, last): (f32, f32)) -> impl Iterator<Item = i32> {
    let step = step((last - first) / 13.0).max(1.0);
    let (from, to) = ((first / step).ceil() as i32, (last / step).floor() as i32);
    (from..=to).map(move |number| number * step as i32)
}

/// Returns the smallest round number that is at least `least`.
fn step(least: f32) -> f32 {
    let steps = [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    // `least` is a quotient, so it may be inexact.
    let fits = |step: &f32| *step >= least - 1e-4;
    steps.into_iter().find(fits).unwrap_or(100.0)
}

/// Fonts with the same letter widths.
const FONTS: &str = "Arimo, Arial, Helvetica, 'Liberation Sans', sans-serif";

/// A drawing. Lengths are in pixels of the screen, from the top left.
struct Drawing(String);

/// The part of a text that is at its point.
const START: &str = "start";
const MIDDLE: &str = "middle";
const END: &str = "end";
const UPWARDS: &str = "upwards";

/// A point, or the sides of a rectangle.
type Point = (f32, f32);

/// A colour as `#rrggbb`.
type Colour = &'static str;

/// The colour of text and axes.
const INK: Colour = "#222222";

impl Drawing {
    fn rectangle(&mut self, (x, y): Point, (width, height): Point, colour: Colour) {
        self.0 += &format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{colour}\"/>\n"
        );
    }

    fn line(&mut self, (x1, y1): Point, (x2, y2): Point, colour: Colour) {
        self.0 += &format!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{colour}\"/>\n"
        );
    }

    fn text(&mut self, (x, y): Point, anchor: &str, size: f32, text: &str) {
        // Upwards, the text reads from bottom to top, with its middle at the point.
        let (anchor, turned) = match anchor {
            UPWARDS => (MIDDLE, format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"")),
            _ => (anchor, String::new()),
        };
        // The special characters of XML.
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.0 += &format!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
             fill=\"{INK}\"{turned}>{text}</text>\n"
        );
    }

    /// Returns the contents of the file.
    fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}
