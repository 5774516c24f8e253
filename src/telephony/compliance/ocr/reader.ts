import { type Preparation, pictureOf, prepared, type Source } from './preparing.ts';
import { skewOf } from './skew.ts';
import type { OcrOptions, ReadPicture, Tesseract } from './tesseract.ts';
import { readWords } from './tesseract.ts';

/** A small copy of the page is sufficient to find its skew. */
const SMALL = 640;
const CLEAR: Preparation = {
  width: 2480,
  turned: 0,
  quarters: 0,
  evened: true,
  thickened: false,
};
/** The preparations for each reading; the first one also finds the orientation. */
const WAYS: readonly Preparation[] = [CLEAR, { ...CLEAR, thickened: true }, { ...CLEAR, width: 1654 }];
export const READINGS = WAYS.length;
/** A confidence below this means that the page lies on its side. */
const NONSENSE = 0.5;
const FORM: OcrOptions = { language: 'eng', layout: 'form' };

/** Reads an image several times with different preparations: a value is trusted where the readings agree. */
export class PictureReader {
  readonly #ffmpeg: string;
  readonly #tesseract: Tesseract;
  readonly #look: OcrOptions;

  constructor(ffmpeg: string, tesseract: Tesseract, look = FORM) {
    this.#ffmpeg = ffmpeg;
    this.#tesseract = tesseract;
    this.#look = look;
  }

  get version(): string {
    return `tesseract-${this.#tesseract.version}`;
  }

  async read(source: Source, signal: AbortSignal): Promise<readonly ReadPicture[]> {
    const { quarters, turned, reading } = await this.#upright(source, signal);
    const readings = [reading];
    for (const way of WAYS.slice(1))
      readings.push(await this.#readOne(source, { ...way, quarters, turned }, signal));
    return readings;
  }

  async paragraphs(source: Source, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.#upright(source, signal)).reading.paragraphs;
  }

  async #upright(source: Source, signal: AbortSignal) {
    let best = await this.#clear(source, 0, signal);
    for (const quarters of [1, 3, 2] as const) {
      if (sureness(best.reading) >= NONSENSE) break;
      const turned = await this.#clear(source, quarters, signal);
      if (sureness(turned.reading) > sureness(best.reading)) best = turned;
    }
    return best;
  }

  async #clear(source: Source, quarters: Preparation['quarters'], signal: AbortSignal) {
    const small = await prepared(this.#ffmpeg, source, { ...CLEAR, width: SMALL, quarters }, signal);
    const turned = skewOf(pictureOf(small));
    const reading = await this.#readOne(source, { ...CLEAR, quarters, turned }, signal);
    return { quarters, turned, reading };
  }

  async #readOne(source: Source, how: Preparation, signal: AbortSignal): Promise<ReadPicture> {
    const page = await prepared(this.#ffmpeg, source, how, signal);
    return await readWords(this.#tesseract, this.#look, page, signal);
  }
}

function sureness({ words }: ReadPicture): number {
  const long = words.filter(({ text }) => text.length >= 3);
  return long.length < 5 ? 0 : long.reduce((sum, { confidence }) => sum + confidence, 0) / long.length;
}
