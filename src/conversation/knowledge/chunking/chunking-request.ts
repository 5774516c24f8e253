import type { DocumentFormat } from '../../../language/documents/contract.ts';
import type { DistinctiveTerm } from '../phonetics/distinctive-terms.ts';
import type { Chunk } from './chunks.ts';

export interface ChunkingRequest {
  readonly format: DocumentFormat;
  readonly language: string;
  /** Null selects the title in the document, else `name`. */
  readonly title: string | null;
  readonly name: string;
  readonly mayScan: boolean;
  readonly scanned: readonly ScannedParagraph[] | null;
}

export interface ScannedParagraph {
  readonly page: number;
  readonly text: string;
}

export interface TermedChunk extends Chunk {
  readonly headingTerms: string;
  readonly bodyTerms: string;
}

/** The first part is the summary, or the only part lists the pages that need OCR. */
export type ChunkingResponsePart =
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
