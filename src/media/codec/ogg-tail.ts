/** An Ogg file declares no length, but its pages declare theirs, so a truncated file ends within one. */

/** The largest page has a header of 27 bytes, 255 table entries and 255 segments of 255 bytes. */
export const OGG_PAGE_BYTES = 27 + 255 + 255 * 255;

/** `tail` is the last OGG_PAGE_BYTES of the file, or all of it. Bytes after a whole page are ignored. */
export function endsWithinPage(tail: Buffer): boolean {
  const at = tail.lastIndexOf('OggS', undefined, 'latin1');
  if (at < 0) return false;
  const segments = tail.subarray(at + 27, at + 27 + (tail[at + 26] ?? 255));
  const audio = segments.reduce((sum, length) => sum + length, 0);
  return at + 27 + (tail[at + 26] ?? 255) + audio > tail.length;
}
