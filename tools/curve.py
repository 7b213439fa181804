#!/usr/bin/env python3
"""Draws proofs by time as SVG, in the style of `granero stats --plot`, from the table that the benchmark prints:

    cargo bench -p granero-benches --bench prove -- curve DB 300 5 | tee curve.md
    tools/curve.py < curve.md > docs/images/proofs.svg
"""

import html
import math
import sys

FONTS = "Arimo, Arial, Helvetica, 'Liberation Sans', sans-serif"
INK, GRID = "#222222", "#e8e8e8"
# Two colours of Okabe and Ito and a grey, safe for colour-blind readers.
COLOURS = ("#0072b2", "#e69f00", "#787878")
# The panels: where they begin, and their column of the table.
PANELS = ((60, 0, "the value is proven"), (520, 1, "it is proven who wins"))
WIDTH, TOP, BASE = 350, 80, 350


def x(left, seconds):
    """The place of 0.01 to 100 seconds, by powers of ten."""
    return left + WIDTH * (math.log10(seconds) + 2) / 4


def y(share):
    return BASE - (BASE - TOP) * share / 100


def text(x, y, anchor, size, words):
    words = html.escape(words, quote=False)
    print(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{words}</text>')


def line(start, end, width, colour):
    places = " ".join(f'{name}="{round(place, 2):g}"' for name, place in zip(("x1", "y1", "x2", "y2"), start + end))
    print(f'<line {places} stroke="{colour}" stroke-width="{width}"/>')


def square(x, y, side, colour):
    print(f'<rect x="{round(x, 2):g}" y="{round(y, 2):g}" width="{side}" height="{side}" fill="{colour}"/>')


title, _, heading, _, *rows = sys.stdin.read().strip().splitlines()
names = [cell.split(":")[0].strip() for cell in heading.split("|") if ":" in cell]
table = [[cell.strip(" %") for cell in row.strip("|").split("|")] for row in rows]

print(f'<svg xmlns="http://www.w3.org/2000/svg" width="960" height="410" viewBox="0 0 960 410" font-family="{FONTS}">')
print('<rect width="960" height="410" fill="#ffffff"/>')
text(16, 28, "start", 17, title)
for left, column, what in PANELS:
    text(left, TOP - 20, "start", 13, f"Share of positions where {what}")
    for share in range(0, 101, 20):
        line((left, y(share)), (left + WIDTH, y(share)), 1, GRID)
        text(left - 8, y(share) + 4, "end", 12, f"{share} %")
    for seconds in (0.01, 0.1, 1, 10, 100):
        line((x(left, seconds), BASE), (x(left, seconds), BASE + 4), 1, INK)
        text(x(left, seconds), BASE + 20, "middle", 12, f"{seconds} s")
    line((left, BASE), (left + WIDTH, BASE), 1, INK)
    text(left + WIDTH / 2, BASE + 42, "middle", 12, "time for each position")
    for number, colour in zip(range(len(names)), COLOURS):
        points = [(x(left, float(row[0])), y(float(row[1 + 4 * number + column]))) for row in table]
        for start, end in zip(points, points[1:]):
            line(start, end, 2, colour)
        for place in points:
            square(place[0] - 3, place[1] - 3, 6, colour)
    # The names, below each other, where there is no line.
    for number, (name, colour) in enumerate(zip(names, COLOURS)):
        at = (left + WIDTH - 90, BASE - 70 + 18 * number)
        square(at[0], at[1] - 9, 10, colour)
        text(at[0] + 16, at[1], "start", 12, name)
print("</svg>")
