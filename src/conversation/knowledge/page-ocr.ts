import type { PageImage } from '../../language/documents/index.ts';

/** Reads the letters of a page's picture as paragraphs. */
export interface PageOcr {
  /** Returns null where the language's script cannot be read here. */
  readonly of: (language: string) => RecognizePage | null;
}
export type RecognizePage = (picture: PageImage, signal: AbortSignal) => Promise<readonly string[]>;
