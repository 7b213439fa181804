//! Drawings as SVG. Text stays text, to be searched and edited.

/// Fonts with the same letter widths.
const FONTS: &str = "Arimo, Arial, Helvetica, 'Liberation Sans', sans-serif";

/// A drawing on a white ground. Lengths are in pixels of the screen, from the top left.
pub(super) struct Drawing(String);

/// The part of a text that is at its point.
pub(super) const START: &str = "start";
pub(super) const MIDDLE: &str = "middle";
pub(super) const END: &str = "end";
pub(super) const UPWARDS: &str = "upwards";

/// A colour as `#rrggbb`.
pub(super) type Colour = &'static str;

/// The colour of text and axes.
pub(super) const INK: Colour = "#222222";

impl Drawing {
    pub(super) fn new(width: f32, height: f32) -> Drawing {
        Drawing(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        ))
    }

    pub(super) fn rectangle(&mut self, at: (f32, f32), size: (f32, f32), colour: Colour) {
        let [x, y, width, height] = [at.0, at.1, size.0, size.1].map(length);
        self.0 += &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>\n"
        );
    }

    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), colour: Colour) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(length);
        self.0 += &format!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" stroke-width=\"1\"/>\n"
        );
    }

    pub(super) fn text(&mut self, at: (f32, f32), anchor: &str, size: f32, text: &str) {
        let [x, y] = [at.0, at.1].map(length);
        // Upwards, the text reads from bottom to top, with its middle at the point.
        let (anchor, turned) = match anchor {
            UPWARDS => (MIDDLE, format!(" transform=\"rotate(-90 {x} {y})\"")),
            _ => (anchor, String::new()),
        };
        // The special characters of XML.
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.0 += &format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
             fill=\"{INK}\"{turned}>{text}</text>\n"
        );
    }

    /// Returns the contents of the file.
    pub(super) fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

/// Rounds to the hundredth of a pixel.
fn length(pixels: f32) -> f64 {
    (f64::from(pixels) * 100.0).round() / 100.0
}
