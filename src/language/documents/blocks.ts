/** Blocks are the parsed document, whatever its format. */
export type DocumentBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly page?: number }
  | { readonly kind: 'text'; readonly text: string; readonly page?: number }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[]; readonly page?: number };

export interface ParsedDocument {
  /** The title is null when the document has none. */
  readonly title: string | null;
  readonly blocks: readonly DocumentBlock[];
  /** Pages that it leads to, where it is one itself. */
  readonly links?: readonly string[];
  /** The address by which it wants to be known. */
  readonly canonical?: string | null;
  /** The base URL of links, where it differs from the document's address. */
  readonly base?: string | null;
  /** It asks not to be kept by whoever finds it. */
  readonly unlisted?: boolean;
  /** Pages of a PDF that show a picture and hold no text: they were scanned. */
  readonly pictured?: readonly number[];
}

/** Why a document can't be read. The message is written for whoever gave it. */
export class UnreadableDocument extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableDocument';
  }
}

export const DOCUMENT_FORMATS = ['pdf', 'docx', 'html', 'md', 'txt', 'csv'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** Spaces in a row become one; signs that nobody sees or hears go. */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFC')
    // Soft hyphens, and what writes invisibly or turns the direction of reading.
    .replace(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
