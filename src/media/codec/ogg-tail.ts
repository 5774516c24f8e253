/** An Ogg file declares no length, but its pages declare theirs: a file that was cut ends within one. */

/** The most that one page can be: its header, its table of segments, and those. */
export const OGG_PAGE_BYTES = 27 + 255 + 255 * 255;

/** `tail`: the last OGG_PAGE_BYTES of the file, or all of it. What follows a whole page is no concern of ours. */
export function endsWithinPage(tail: Buffer): boolean {
  const at = tail.lastIndexOf('OggS', undefined, 'latin1');
  if (at < 0) return false;
  const segments = tail.subarray(at + 27, at + 27 + (tail[at + 26] ?? 255));
  const audio = segments.reduce((sum, length) => sum + length, 0);
  return at + 27 + (tail[at + 26] ?? 255) + audio > tail.length;
}
