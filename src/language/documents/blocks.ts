export type DocumentBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly page?: number }
  | { readonly kind: 'text'; readonly text: string; readonly page?: number }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[]; readonly page?: number };

export interface ParsedDocument {
  readonly title: string | null;
  readonly blocks: readonly DocumentBlock[];
  readonly links?: readonly string[];
  readonly canonical?: string | null;
  readonly base?: string | null;
  /** The page has the robots directive noindex. */
  readonly unlisted?: boolean;
  readonly pictured?: readonly number[];
}

export class UnreadableDocument extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableDocument';
  }
}

export const DOCUMENT_FORMATS = ['pdf', 'docx', 'html', 'md', 'txt', 'csv'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

export const normalizeText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
