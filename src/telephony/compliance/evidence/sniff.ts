export interface FileEnds {
  readonly head: Buffer;
  readonly tail: Buffer;
}

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
];

export const HEAD_BYTES = 1024;
export const TAIL_BYTES = 66_000;

export type FileKind =
  | { readonly kind: 'known'; readonly mimeType: string }
  | { readonly kind: 'foreign' }
  /** The file is valid in two formats at once. */
  | { readonly kind: 'polyglot' };

export function kindOf({ head, tail }: FileEnds): FileKind {
  const start = head.toString('latin1');
  const found = BEGINNINGS.find(([mark]) => start.startsWith(mark));
  if (found === undefined) return { kind: 'foreign' };
  return endsAs(found[1], start, tail.toString('latin1'))
    ? { kind: 'known', mimeType: found[1] }
    : { kind: 'polyglot' };
}

/** An archive's directory at the end, or HTML or a script at the start, would be read by another program. */
function endsAs(mimeType: string, head: string, tail: string): boolean {
  if (tail.includes('PK\x05\x06') || /<(script|html|svg|!doctype)|<\?php/i.test(head)) return false;
  if (mimeType === 'image/png') return tail.endsWith('IEND\xaeB`\x82');
  if (mimeType === 'image/jpeg') return tail.replace(/\0+$/, '').endsWith('\xff\xd9');
  const end = tail.lastIndexOf('%%EOF');
  return end >= 0 && end > tail.length - HEAD_BYTES;
}
