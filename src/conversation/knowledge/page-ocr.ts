import type { PageImage } from '../../language/documents/index.ts';

export interface PageOcr {
  readonly of: (language: string) => RecognizePage | null;
}
export type RecognizePage = (picture: PageImage, signal: AbortSignal) => Promise<readonly string[]>;
