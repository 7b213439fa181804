//! Drawings as SVG. Text stays text, to be searched and edited.

use std::fmt::{self, Write};

use super::drawing::{Anchor, Colour, Drawing, Shape};

/// Fonts of the same widths; PNG has the first of them.
const FONTS: &str = "Arimo, Arial, Helvetica, 'Liberation Sans', sans-serif";

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Drawing { width, height, .. } = self;
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">"
        )?;
        writeln!(
            f,
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        )?;
        for shape in &self.shapes {
            writeln!(f, "{shape}")?;
        }
        writeln!(f, "</svg>")
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Rectangle {
                left,
                top,
                width,
                height,
                colour,
            } => write!(
                f,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>",
                Length(*left),
                Length(*top),
                Length(*width),
                Length(*height)
            ),
            Shape::Line {
                from,
                to,
                width,
                colour,
            } => write!(
                f,
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{colour}\" \
                 stroke-width=\"{width}\"/>",
                Length(from.x),
                Length(from.y),
                Length(to.x),
                Length(to.y)
            ),
            Shape::Text {
                at,
                anchor,
                upwards,
                size,
                colour,
                text,
            } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let (x, y) = (Length(at.x), Length(at.y));
                write!(
                    f,
                    "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
                     fill=\"{colour}\""
                )?;
                if *upwards {
                    write!(f, " transform=\"rotate(-90 {x} {y})\"")?;
                }
                write!(f, ">{}</text>", Escaped(text))
            }
        }
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
