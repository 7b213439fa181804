//! Drawings as PNG, with a font of their own, so that they look the same everywhere.

use std::io;

use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::drawing::{Anchor, Colour, Drawing, Point, Shape};

/// Pixels for each unit of length: the 960 units of a figure fill a page of print at some
/// 400 dots an inch.
const SCALE: f32 = 3.0;

/// See assets/arimo/README.md.
static FONT: &[u8] = include_bytes!("../assets/arimo/arimo-latin.ttf");

impl Drawing {
    /// The drawing as the bytes of a PNG file.
    pub(super) fn to_png(&self) -> io::Result<Vec<u8>> {
        let font = Face::parse(FONT, 0).map_err(io::Error::other)?;
        let size = |length: f32| (length * SCALE).ceil() as u32;
        let mut canvas = Pixmap::new(size(self.width), size(self.height))
            .ok_or_else(|| io::Error::other("a drawing without room"))?;
        canvas.fill(Color::WHITE);
        for shape in &self.shapes {
            draw(shape, &mut canvas, &font);
        }
        canvas.encode_png().map_err(io::Error::other)
    }
}

fn draw(shape: &Shape, canvas: &mut Pixmap, font: &Face<'_>) {
    let scale = Transform::from_scale(SCALE, SCALE);
    match shape {
        Shape::Rectangle {
            left,
            top,
            width,
            height,
            colour,
        } => {
            // A shape without area is invisible.
            if let Some(rectangle) = Rect::from_xywh(*left, *top, *width, *height) {
                canvas.fill_rect(rectangle, &paint(*colour), scale, None);
            }
        }
        Shape::Line {
            from,
            to,
            width,
            colour,
        } => {
            let mut path = PathBuilder::new();
            path.move_to(from.x, from.y);
            path.line_to(to.x, to.y);
            let stroke = Stroke {
                width: *width,
                ..Stroke::default()
            };
            if let Some(path) = path.finish() {
                canvas.stroke_path(&path, &paint(*colour), &stroke, scale, None);
            }
        }
        Shape::Text {
            at,
            anchor,
            upwards,
            size,
            colour,
            text,
        } => {
            let angle = if *upwards { -90.0 } else { 0.0 };
            let place = scale
                .pre_translate(at.x, at.y)
                .pre_concat(Transform::from_rotate(angle));
            if let Some(path) = outline(text, *anchor, *size, font) {
                let paint = paint(*colour);
                canvas.fill_path(&path, &paint, FillRule::Winding, place, None);
            }
        }
    }
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

/// The outline of a text whose anchor is at the origin; `None` if it is invisible.
fn outline(text: &str, anchor: Anchor, size: f32, font: &Face<'_>) -> Option<Path> {
    let unit = size / f32::from(font.units_per_em());
    // A missing glyph is drawn as the font's sign for it.
    let glyphs = text
        .chars()
        .map(|c| font.glyph_index(c).unwrap_or_default());
    let advance = |glyph| f32::from(font.glyph_hor_advance(glyph).unwrap_or(0)) * unit;
    let width: f32 = glyphs.clone().map(advance).sum();
    let mut pen = Pen {
        path: PathBuilder::new(),
        unit,
        x: match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        },
    };
    for glyph in glyphs {
        font.outline_glyph(glyph, &mut pen);
        pen.x += advance(glyph);
    }
    pen.path.finish()
}

/// Draws the outlines of a font, whose y goes upwards, side by side.
struct Pen {
    path: PathBuilder,
    /// The size of a unit of the font.
    unit: f32,
    /// Where the present glyph begins.
    x: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> Point {
        Point {
            x: self.x + x * self.unit,
            y: -y * self.unit,
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.place(x, y);
        self.path.move_to(to.x, to.y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.place(x, y);
        self.path.line_to(to.x, to.y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (by, to) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(by.x, by.y, to.x, to.y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = (self.place(x1, y1), self.place(x2, y2));
        let to = self.place(x, y);
        self.path
            .cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
