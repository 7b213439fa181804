// The layout of the board, in units of its drawing.
//
// A place is where a house lies on the screen: 0 to 5 below from left to right, 6 to 11 above from
// right to left. On an unturned board that is the number of the house.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {ReturnType<typeof geometry>} Geometry */

export const RADIUS = 61;
const PITCH = 146;
const FRAME = 40;
/** The room for badges between a row of houses and the frame. */
const BADGES = 36;

/** The stores lie at the ends of a wide board, and above and below the rows of a narrow one. @param {boolean} narrow */
export function geometry(narrow) {
  const storeSize = narrow ? 92 : 132;
  const left = narrow ? 8 : FRAME / 2 + storeSize;
  const top = FRAME + (narrow ? storeSize : 0);
  // The room between the rows is for the numbers of seeds.
  const middle = narrow ? 96 : 66;
  const rows = 2 * (BADGES + 2 * RADIUS) + middle;
  const width = 2 * left + 6 * PITCH;
  const height = 2 * top + rows;

  /** @param {number} place */
  const above = (place) => place >= 6;
  /** @param {number} place */
  const column = (place) => left + PITCH * ((above(place) ? 11 - place : place) + 0.5);
  /** Returns a point at a distance from the middle of a house, towards the nearer frame.
   * @param {number} place @param {number} distance @returns {Point} */
  const outwards = (place, distance) => {
    const row = top + BADGES + RADIUS;
    return above(place)
      ? { x: column(place), y: row - distance }
      : { x: column(place), y: height - row + distance };
  };

  return {
    narrow,
    width,
    height,
    /** @param {number} place */
    house: (place) => outwards(place, 0),
    /** @param {number} place */
    count: (place) => outwards(place, -RADIUS - (narrow ? 11 : 7)),
    /** @param {number} place */
    badge: (place) => outwards(place, RADIUS + 12),
    /** @param {number} place */
    letter: (place) => outwards(place, RADIUS + BADGES + FRAME / 2 + (narrow ? -2 : 0)),
    /** Returns the hollow of the store of the player below or above. @param {boolean} below @returns {Box} */
    store: (below) =>
      narrow
        ? { x: 16, y: below ? height - storeSize : 16, width: width - 32, height: storeSize - 16 }
        : {
            x: below ? width - left + 10 : FRAME / 2 + 4,
            y: FRAME + 30,
            width: storeSize - 14,
            height: height - 2 * FRAME - 60,
          },
  };
}
