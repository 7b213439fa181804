//! Drawings as SVG. Text stays text, to be searched and edited.

/// Fonts with the same letter widths.
const FONTS: &str = "Arimo, Arial, Helvetica, 'Liberation Sans', sans-serif";

/// A drawing on a white ground. Lengths are in pixels of the screen, from the top left.
pub(super) struct Drawing {
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A colour as `#rrggbb`.
pub(super) type Colour = &'static str;

/// The colour of text and axes.
pub(super) const INK: Colour = "#222222";

impl Drawing {
    pub(super) fn new(width: f32, height: f32) -> Drawing {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        Drawing { text }
    }

    pub(super) fn rectangle(
        &mut self,
        (left, top): (f32, f32),
        (width, height): (f32, f32),
        colour: Colour,
    ) {
        self.text += &format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>\n",
            length(left),
            length(top),
            length(width),
            length(height)
        );
    }

    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, colour: Colour) {
        self.text += &format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>\n",
            length(from.0),
            length(from.1),
            length(to.0),
            length(to.1)
        );
    }

    pub(super) fn text(&mut self, at: (f32, f32), anchor: Anchor, size: f32, text: &str) {
        self.label(at, anchor, size, text, "");
    }

    /// Writes a text that reads from bottom to top, its middle at a point.
    pub(super) fn text_upwards(&mut self, at: (f32, f32), size: f32, text: &str) {
        let turned = format!(
            " transform=\"rotate(-90 {} {})\"",
            length(at.0),
            length(at.1)
        );
        self.label(at, Anchor::Middle, size, text, &turned);
    }

    fn label(&mut self, (x, y): (f32, f32), anchor: Anchor, size: f32, text: &str, turned: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.text += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
             fill=\"{INK}\"{turned}>{}</text>\n",
            length(x),
            length(y),
            escaped(text)
        );
    }

    /// Returns the contents of the file.
    pub(super) fn finish(self) -> String {
        self.text + "</svg>\n"
    }
}

/// Rounds to the hundredth of a pixel.
fn length(pixels: f32) -> f64 {
    (f64::from(pixels) * 100.0).round() / 100.0
}

/// Escapes the special characters of XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
