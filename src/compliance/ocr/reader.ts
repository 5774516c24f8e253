import { type Preparation, pictureOf, prepared, type Source } from './preparing.ts';
import { skewOf } from './skew.ts';
import type { ReadPicture, Tesseract } from './tesseract.ts';
import { readWords } from './tesseract.ts';

/** A page is looked at in small to see how it lies. */
const SMALL = 640;
const CLEAR: Preparation = { width: 2480, turned: 0, quarters: 0, evened: true, smoothed: false };
const SOFT: Preparation = { width: 2100, turned: 0, quarters: 0, evened: true, smoothed: true };
/** Words of a page that lies on its side are read as nonsense. */
const NONSENSE = 0.5;

export interface TwoReadings {
  readonly one: ReadPicture;
  readonly other: ReadPicture;
}

/** Reads a page's picture twice, in two ways: what both say is trusted. */
export class PictureReader {
  readonly #ffmpeg: string;
  readonly #tesseract: Tesseract;

  constructor(ffmpeg: string, tesseract: Tesseract) {
    this.#ffmpeg = ffmpeg;
    this.#tesseract = tesseract;
  }

  get version(): string {
    return `tesseract-${this.#tesseract.version}`;
  }

  /** Throws Unreadable. */
  async read(source: Source, signal: AbortSignal): Promise<TwoReadings> {
    let best = await this.#clear(source, 0, signal);
    for (const quarters of [1, 3, 2] as const) {
      if (sureness(best.reading) >= NONSENSE) break;
      const turned = await this.#clear(source, quarters, signal);
      if (sureness(turned.reading) > sureness(best.reading)) best = turned;
    }
    const { quarters, turned } = best;
    const other = await this.#readOne(source, { ...SOFT, quarters, turned }, signal);
    return { one: best.reading, other };
  }

  async #clear(source: Source, quarters: Preparation['quarters'], signal: AbortSignal) {
    const small = await prepared(this.#ffmpeg, source, { ...CLEAR, width: SMALL, quarters }, signal);
    const turned = skewOf(pictureOf(small));
    const reading = await this.#readOne(source, { ...CLEAR, quarters, turned }, signal);
    return { quarters, turned, reading };
  }

  async #readOne(source: Source, how: Preparation, signal: AbortSignal): Promise<ReadPicture> {
    return await readWords(this.#tesseract, await prepared(this.#ffmpeg, source, how, signal), signal);
  }
}

/** Of words that are long enough to be some. */
function sureness({ words }: ReadPicture): number {
  const long = words.filter(({ text }) => text.length >= 3);
  return long.length < 5 ? 0 : long.reduce((sum, { confidence }) => sum + confidence, 0) / long.length;
}
