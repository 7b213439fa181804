//! Drawings made of a few simple shapes, which can be written in any format.

/// A drawing on white ground. Lengths are in pixels of the screen, from the top left.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) shapes: Vec<Shape>,
}

#[derive(Debug)]
pub(super) enum Shape {
    Rectangle {
        left: f32,
        top: f32,
        width: f32,
        height: f32,
        colour: Colour,
    },
    Line {
        from: Point,
        to: Point,
        width: f32,
        colour: Colour,
    },
    Text {
        /// Where the line of the text begins, has its middle or ends.
        at: Point,
        anchor: Anchor,
        /// Whether it is turned to be read from below upwards.
        upwards: bool,
        size: f32,
        colour: Colour,
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f32,
    pub(super) y: f32,
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

impl Drawing {
    pub(super) fn rectangle(
        &mut self,
        (left, top): (f32, f32),
        (width, height): (f32, f32),
        colour: Colour,
    ) {
        self.shapes.push(Shape::Rectangle {
            left,
            top,
            width,
            height,
            colour,
        });
    }

    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, colour: Colour) {
        self.shapes.push(Shape::Line {
            from: from.into(),
            to: to.into(),
            width,
            colour,
        });
    }

    pub(super) fn text(
        &mut self,
        at: (f32, f32),
        anchor: Anchor,
        size: f32,
        colour: Colour,
        text: impl Into<String>,
    ) {
        self.shapes.push(Shape::Text {
            at: at.into(),
            anchor,
            upwards: false,
            size,
            colour,
            text: text.into(),
        });
    }

    /// A text that is read from below upwards, its middle at a point.
    pub(super) fn text_upwards(
        &mut self,
        at: (f32, f32),
        size: f32,
        colour: Colour,
        text: impl Into<String>,
    ) {
        self.shapes.push(Shape::Text {
            at: at.into(),
            anchor: Anchor::Middle,
            upwards: true,
            size,
            colour,
            text: text.into(),
        });
    }
}

impl From<(f32, f32)> for Point {
    fn from((x, y): (f32, f32)) -> Point {
        Point { x, y }
    }
}
