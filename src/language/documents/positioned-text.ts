/** Words where they stand on their pages: what a form is read by. */

/** Left, top, right, bottom: 0 to 1 of the page. */
export type BoundingBox = readonly [number, number, number, number];

export interface PositionedWord {
  readonly text: string;
  readonly place: BoundingBox;
}

/** A page in shades of grey: one byte a pixel. */
export interface PageImage {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
}

export interface PositionedPage {
  /** Height by width. */
  readonly ratio: number;
  readonly words: readonly PositionedWord[];
  /** The image of a page that has no text. */
  readonly picture: PageImage | null;
}

/** Why a document that can be read is not: it would act. */
export const ACTIVE_CONTENT = 'The document carries scripts or files inside.';
export const TOO_MANY_WORDS = 'The document has more words than are read.';
export const TOO_MANY_PAGES = 'The document has more pages than are read.';
