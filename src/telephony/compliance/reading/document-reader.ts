import {
  ACTIVE_CONTENT,
  type PositionedPage,
  readPagesIsolated,
  TOO_MANY_PAGES,
  TOO_MANY_WORDS,
  UnreadableDocument,
} from '../../../language/documents/index.ts';
import type { ReadField } from '../contract.ts';
import type { Source } from '../ocr/preparing.ts';
import { type PictureReader, READINGS } from '../ocr/reader.ts';
import type { SnapshotConfig, SnapshotDocument } from '../registry/snapshot.ts';
import { fieldsOf } from './fields.ts';
import { mergeReadings } from './merge-readings.ts';
import type { ReadPage } from './words.ts';

export type ReadOutcome =
  | {
      readonly kind: 'read';
      readonly fields: readonly ReadField[];
      readonly cost: number;
      readonly model: string;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly cost: number }
  /** Another document's reading has reserved the rest of the case's budget. */
  | { readonly kind: 'held' };

export type ReservationOutcome = 'ok' | 'held' | 'over';

export interface ReadRequest {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly document: SnapshotDocument;
  readonly config: SnapshotConfig;
  readonly reserve: (cost: number) => Promise<ReservationOutcome>;
}

const FORMS = 'forms-1';

const REASONS: Readonly<Record<string, string>> = {
  [ACTIVE_CONTENT]: 'active_content',
  [TOO_MANY_PAGES]: 'too_large',
  [TOO_MANY_WORDS]: 'too_large',
};

export class DocumentReader {
  readonly #pictures: PictureReader | null;

  constructor(pictures: PictureReader | null) {
    this.#pictures = pictures;
  }

  /** Throws where a retry may succeed. */
  async read(asked: ReadRequest, signal: AbortSignal): Promise<ReadOutcome> {
    try {
      return await this.#read(asked, signal);
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      return { kind: 'failed', reason: REASONS[error.message] ?? 'unreadable', cost: 0 };
    }
  }

  async #read(asked: ReadRequest, signal: AbortSignal): Promise<ReadOutcome> {
    const isPdf = asked.mimeType === 'application/pdf';
    const pages = isPdf ? await readPagesIsolated(asked.bytes, signal) : [];
    const pictures: Source[] = isPdf ? pages.flatMap(({ picture }) => picture ?? []) : [asked.bytes];
    const { cost: prices } = asked.config;
    const cost =
      (pages.length - (isPdf ? pictures.length : 0)) * prices.text_page_micros +
      pictures.length * prices.image_page_micros;
    if (pictures.length > 0 && this.#pictures === null)
      return { kind: 'failed', reason: 'ocr_unavailable', cost: 0 };
    const reserved = await asked.reserve(cost);
    if (reserved === 'held') return { kind: 'held' };
    if (reserved === 'over') return { kind: 'failed', reason: 'cost_exceeded', cost: 0 };
    const read = await this.#pages(pages, pictures, signal);
    if (read.every((page) => readingsOf(page).every(({ words }) => words.length === 0)))
      return { kind: 'failed', reason: 'no_text', cost };
    const model = pictures.length === 0 ? FORMS : `${this.#pictures?.version}+${FORMS}`;
    const fields = Array.from({ length: READINGS }, (_each, at) => {
      const reading = read.map((page) => readingsOf(page)[at] ?? readingsOf(page)[0]!);
      return fieldsOf(reading, asked.document.fields, contextOf(asked));
    });
    return {
      kind: 'read',
      fields: pictures.length === 0 ? fields[0]! : mergeReadings(...fields),
      cost,
      model,
    };
  }

  async #pages(
    pages: readonly PositionedPage[],
    pictures: readonly Source[],
    signal: AbortSignal,
  ): Promise<(ReadPage | readonly ReadPage[])[]> {
    const read = async (source: Source, number: number): Promise<readonly ReadPage[]> => {
      const readings = await (this.#pictures as PictureReader).read(source, signal);
      return readings.map((reading) => ({ number, source: 'ocr', ...reading }));
    };
    const all: (ReadPage | readonly ReadPage[])[] = [];
    for (const [at, page] of pages.entries()) {
      all.push(page.picture === null ? textPage(page, at + 1) : await read(page.picture, at + 1));
    }
    if (pages.length === 0)
      for (const [at, source] of pictures.entries()) all.push(await read(source, at + 1));
    return all;
  }
}

/** A page of text is read once, since each reading would be the same. */
const readingsOf = (page: ReadPage | readonly ReadPage[]): readonly ReadPage[] =>
  'words' in page ? [page] : page;

const textPage = ({ ratio, words }: PositionedPage, number: number): ReadPage => ({
  number,
  ratio,
  source: 'text',
  words: words.map((word, index) => ({ ...word, confidence: 1, index })),
});

const contextOf = ({ config }: ReadRequest) => ({ country: config.country, dates: config.dates });
