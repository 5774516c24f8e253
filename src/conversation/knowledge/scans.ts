import type { Picture } from '../../language/documents/index.ts';

/** Reads the letters of a page's picture as paragraphs. */
export interface ScanReader {
  /** Null: the letters of the language are not known here. */
  readonly of: (language: string) => ReadScan | null;
}
export type ReadScan = (picture: Picture, signal: AbortSignal) => Promise<readonly string[]>;
