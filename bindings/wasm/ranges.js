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

/**
 * Returns the parts of a file in an answer with several, as `multipart/byteranges`.
 * @param {Uint8Array} answer
 */
export function partsOf(answer) {
  const text = new TextDecoder("latin1");
  /** @type {{start: number, bytes: Uint8Array}[]} */
  const parts = [];
  for (let at = 0; at < answer.length; ) {
    // The fields of a part end with an empty line; they are short.
    const fields = text.decode(answer.subarray(at, at + 1024));
    const end = fields.indexOf("\r\n\r\n");
    const range = /content-range: *bytes (\d+)-(\d+)\//i.exec(fields.slice(0, end));
    if (end < 0 || !range) break;
    const [start, last] = range.slice(1).map(Number);
    const begin = at + end + 4;
    at = begin + last + 1 - start;
    if (last < start || at > answer.length) break;
    parts.push({ start, bytes: answer.subarray(begin, at) });
  }
  return parts;
}

/** The bytes from `start` to `end`, if one of the parts has them.
 * @param {{start: number, bytes: Uint8Array}[]} parts @param {number} start @param {number} end */
export function within(parts, start, end) {
  const part = parts.find((part) => part.start <= start && end <= part.start + part.bytes.length);
  return part?.bytes.slice(start - part.start, end - part.start);
}
