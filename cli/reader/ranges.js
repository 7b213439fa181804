// Parts of files that are loaded together.

/** So many bytes take less time than another request. */
const GAP = 1 << 10;

/**
 * Ranges in order. Those of a file that are near each other become one.
 * @param {{file?: number, start: number, end: number}[]} wanted in order
 */
export function joined(wanted) {
  /** @type {{file?: number, start: number, end: number}[]} */
  const ranges = [];
  for (const { file, start, end } of wanted) {
    const last = ranges.at(-1);
    if (last && last.file === file && start - last.end <= GAP) last.end = end;
    else ranges.push({ file, start, end });
  }
  return ranges;
}
