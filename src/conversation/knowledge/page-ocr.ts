import type { PageImage } from '../../language/documents/index.ts';

export interface PageOcr {
  /** Returns null where OCR does not support the language's script. */
  readonly of: (language: string) => RecognizePage | null;
}
export type RecognizePage = (picture: PageImage, signal: AbortSignal) => Promise<readonly string[]>;
