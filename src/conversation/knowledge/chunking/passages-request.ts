import type { DocumentFormat } from '../../../language/documents/contract.ts';
import type { DistinctiveTerm } from '../phonetics/distinctive-terms.ts';
import type { Chunk } from './chunks.ts';

/** The process that splits documents into passages gets this request. */
export interface PassagesRequest {
  readonly format: DocumentFormat;
  /** The language whose stemmer the search uses. */
  readonly language: string;
  /** Null selects the title in the document, else `name`. */
  readonly title: string | null;
  readonly name: string;
  /** Whether pages that show pictures can be read here. */
  readonly mayScan: boolean;
  /** The text of scanned pages; null before OCR has run. */
  readonly scanned: readonly ScannedParagraph[] | null;
}

export interface ScannedParagraph {
  readonly page: number;
  readonly text: string;
}

/** A passage with its terms, as they are indexed. */
export interface TermedChunk extends Chunk {
  readonly headingTerms: string;
  readonly bodyTerms: string;
}

/** A part of the answer: first the summary, or the pages that are to be scanned and nothing else. */
export type PassagesResponsePart =
  | { readonly kind: 'pictured'; readonly pages: readonly number[] }
  | {
      readonly kind: 'summary';
      readonly title: string;
      readonly chunks: number;
      readonly characters: number;
    }
  | { readonly kind: 'words'; readonly words: readonly DistinctiveTerm[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chunks'; readonly chunks: readonly TermedChunk[] };
