import type { DocumentFormat } from './blocks.ts';

const BY_TYPE: Readonly<Record<string, DocumentFormat>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'md',
  'text/x-markdown': 'md',
  'text/plain': 'txt',
  'text/csv': 'csv',
};
const BY_ENDING: Readonly<Record<string, DocumentFormat>> = {
  pdf: 'pdf',
  docx: 'docx',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  md: 'md',
  markdown: 'md',
  txt: 'txt',
  text: 'txt',
  csv: 'csv',
  tsv: 'csv',
};
const FOREIGN: readonly (readonly [string, string])[] = [
  ['\x89PNG', 'a picture (PNG)'],
  ['\xff\xd8\xff', 'a picture (JPEG)'],
  ['GIF8', 'a picture (GIF)'],
  ['\xd0\xcf\x11\xe0', 'an old or encrypted Office file'],
  ['\x7fELF', 'a program'],
  ['MZ', 'a program'],
  ['\x1f\x8b', 'compressed (gzip)'],
  ['Rar!', 'an archive (RAR)'],
  ['7z\xbc\xaf', 'an archive (7z)'],
  ['RIFF', 'audio or video'],
  ['ID3', 'audio (MP3)'],
];

export type DetectedFormat =
  | { readonly kind: 'format'; readonly format: DocumentFormat }
  | { readonly kind: 'foreign'; readonly what: string };

export const MEDIA_TYPES: Readonly<Record<DocumentFormat, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html',
  md: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
};

/** The extension takes precedence, because browsers send no useful type for many files. */
export function formatFromName(name: string, type: string): DocumentFormat | null {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const media = type.split(';')[0]?.trim().toLowerCase() ?? '';
  return BY_ENDING[ending] ?? BY_TYPE[media] ?? null;
}

export function detectFormat(bytes: Uint8Array, named: DocumentFormat | null): DetectedFormat {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const foreign = FOREIGN.find(([mark]) => head.startsWith(mark));
  if (foreign !== undefined) return { kind: 'foreign', what: foreign[1] };
  if (head.includes('%PDF-')) return { kind: 'format', format: 'pdf' };
  if (head.startsWith('PK\x03\x04')) {
    return named === 'docx'
      ? { kind: 'format', format: 'docx' }
      : { kind: 'foreign', what: 'an archive (ZIP)' };
  }
  if (named === 'pdf' || named === 'docx')
    return { kind: 'foreign', what: `not a ${named.toUpperCase()} file` };
  if (named !== null) return { kind: 'format', format: named };
  return { kind: 'format', format: /^\s*<(!doctype html|html)/i.test(head) ? 'html' : 'txt' };
}
