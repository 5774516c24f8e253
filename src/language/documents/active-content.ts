import { inflateSync } from 'node:zlib';

/**
 * These names mark PDF content that acts on open, click or input, and embedded files. Plain text contains none of
 * them.
 */
const ACTS =
  /\/(?:JavaScript|Launch|EmbeddedFiles?|RichMedia|SubmitForm|ImportData|GoToE|Rendition)(?![A-Za-z0-9])/;
const MOST_UNPACKED = 32 * 1024 * 1024;
const PACKED = /\/ObjStm(?![A-Za-z0-9])[\s\S]{0,2000}?stream\r?\n/g;

/** Returns whether a PDF contains scripts, actions or files anywhere; the PDF library reports only some places. */
export function hasActiveContent(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return names(text) || [...text.matchAll(PACKED)].some((found) => names(unpacked(bytes, found)));
}

/** A PDF name may encode its letters in hexadecimal: `/J#61vaScript`. */
const names = (text: string): boolean =>
  ACTS.test(text) ||
  (/#[0-9a-f]{2}/i.test(text) &&
    ACTS.test(
      text.replace(/#([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16))),
    ));

function unpacked(bytes: Uint8Array, { 0: head, index }: RegExpExecArray): string {
  try {
    const packed = bytes.subarray(index + head.length);
    return inflateSync(packed, { maxOutputLength: MOST_UNPACKED }).toString('latin1');
  } catch {
    return '';
  }
}
