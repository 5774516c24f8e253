/** The numbers are left, top, right and bottom, each from 0 to 1 of the page. */
export type BoundingBox = readonly [number, number, number, number];

export interface PositionedWord {
  readonly text: string;
  readonly place: BoundingBox;
}

export interface PageImage {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
}

export interface PositionedPage {
  readonly ratio: number;
  readonly words: readonly PositionedWord[];
  readonly picture: PageImage | null;
}

export const ACTIVE_CONTENT = 'The document carries scripts or files inside.';
export const TOO_MANY_WORDS = 'The document has more words than are read.';
export const TOO_MANY_PAGES = 'The document has more pages than are read.';
