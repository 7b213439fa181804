// Parts of files that are loaded together.

/**
 * Merges ranges of the same file that are near each other.
 * @param {{file?: number, start: number, end: number}[]} wanted in order
 * @param {number} gap the most bytes between two ranges that are merged
 */
export function joined(wanted, gap) {
  /** @type {{file?: number, start: number, end: number}[]} */
  const ranges = [];
  for (const { file, start, end } of wanted) {
    const last = ranges.at(-1);
    if (last && last.file === file && start - last.end <= gap) last.end = end;
    else ranges.push({ file, start, end });
  }
  return ranges;
}
