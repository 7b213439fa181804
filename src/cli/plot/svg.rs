//! Drawings as SVG. Text stays text, to be searched and edited.

use std::fmt::{self, Write};

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

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

/// The colour of text and axes.
pub(super) const INK: Colour = Colour(0x22, 0x22, 0x22);

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
            Length(left),
            Length(top),
            Length(width),
            Length(height)
        );
    }

    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, colour: Colour) {
        self.text += &format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>\n",
            Length(from.0),
            Length(from.1),
            Length(to.0),
            Length(to.1)
        );
    }

    pub(super) fn text(&mut self, at: (f32, f32), anchor: Anchor, size: f32, text: &str) {
        self.label(at, anchor, size, text, "");
    }

    /// Writes a text that reads from bottom to top, its middle at a point.
    pub(super) fn text_upwards(&mut self, at: (f32, f32), size: f32, text: &str) {
        let turned = format!(
            " transform=\"rotate(-90 {} {})\"",
            Length(at.0),
            Length(at.1)
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
            Length(x),
            Length(y),
            Escaped(text)
        );
    }

    /// Returns the contents of the file.
    pub(super) fn finish(self) -> String {
        self.text + "</svg>\n"
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Colour(red, green, blue) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// A length to the hundredth of a pixel.
struct Length(f32);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (f64::from(self.0) * 100.0).round() / 100.0)
    }
}

/// A text with the special characters of XML escaped.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                _ => f.write_char(character)?,
            }
        }
        Ok(())
    }
}
