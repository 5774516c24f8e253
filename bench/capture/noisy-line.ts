import {
  atVoiceLevel,
  clipOf,
  FRAME_MS,
  FRAME_SAMPLES,
  gained,
  LINE_RATE,
  levelOf,
  noise,
  overUlaw,
  pauseUntil,
  SeededRandom,
} from '../../src/apps/caller/index.ts';
import type { LanguageCode } from '../../src/language/text/index.ts';
import {
  type Engine,
  flattenRecognition,
  type OmniEvent,
  OmniVerb,
  omniLane,
  packOptions,
  type RecognitionOptions,
  synthesizeJob,
} from '../../src/media/engine/index.ts';
import { stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';

const NOISE_DBFS = { least: -48, most: -38 };
const LEAD_MS = 400;
const TAIL_MS = 1_200;
const MOST_MS = 60_000;
const SETTLED_MS = 2_000;

const QUIET_FRAMES = 40;
const ENDS: ReadonlySet<string> = new Set(['final', 'backchannel', 'lost']);

const stock = new StockVoices();
const voiceOf = (name: string) => stockVoice(stock.resolve(name)).engine;

export async function say(engine: Engine, voice: string, text: string): Promise<Int16Array | null> {
  const options = { voice: voiceOf(voice), rate: LINE_RATE, format: 'pcm16' } as const;
  const bytes = Uint8Array.from(await engine.submit(synthesizeJob, options, Buffer.from(text)).result());
  const samples = new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
  return samples.length === 0 ? null : samples;
}

/** Returns the voice as a line delivers it: at a line's level, with constant noise, through µ-law. */
export function overLine(voice: Int16Array, seed: number): Int16Array {
  const said = atVoiceLevel(clipOf({ path: '', kind: 'answer' }, voice)).samples;
  const [lead, tail] = [LEAD_MS, TAIL_MS].map((ms) => (ms * LINE_RATE) / 1000) as [number, number];
  const hiss = noise((lead + said.length + tail) / LINE_RATE, seed);
  const dbfs = new SeededRandom(seed).between(NOISE_DBFS.least, NOISE_DBFS.most);
  const line = gained(hiss, dbfs - levelOf(hiss));
  said.forEach((sample, at) => {
    line[lead + at] = Math.max(-32768, Math.min(32767, (line[lead + at] ?? 0) + sample));
  });
  return overUlaw(line);
}

export class CaptureLane {
  readonly #lane;
  #finals: string[] = [];
  #busy = false;
  #reportedAt = 0;

  constructor(engine: Engine, language: LanguageCode = 'en') {
    const event = (event: OmniEvent): void => {
      this.#reportedAt = performance.now();
      if (event.kind === 'speech_start') this.#busy = true;
      if (event.kind === 'final' || event.kind === 'backchannel') this.#finals.push(event.text);
      if (ENDS.has(event.kind)) this.#busy = false;
    };
    this.#lane = engine.open(
      omniLane,
      {
        rate: LINE_RATE,
        language,
        voice: stockVoice(stock.defaultFor(language) ?? stock.default).engine,
        endpointingMs: 500,
        barge: 'normal',
      },
      { audio: () => {}, event, closed: () => {} },
      'live',
    );
  }

  expect(expected: Pick<RecognitionOptions, 'vocabulary' | 'before'>): void {
    this.#lane.control(OmniVerb.terms, packOptions(flattenRecognition(expected)));
  }

  get #mayReport(): boolean {
    return this.#busy || this.#finals.length === 0 || performance.now() - this.#reportedAt < SETTLED_MS;
  }

  async hear(line: Int16Array): Promise<readonly string[]> {
    this.#finals = [];
    const began = performance.now();
    const frames = Math.floor(line.length / FRAME_SAMPLES);
    for (let at = 0; at < frames || (this.#mayReport && at * FRAME_MS < MOST_MS); at++) {
      await pauseUntil(began + at * FRAME_MS);
      const from = Math.min(at, frames - 1 - (at % QUIET_FRAMES)) * FRAME_SAMPLES;
      this.#lane.push(new Uint8Array(line.slice(from, from + FRAME_SAMPLES).buffer));
    }
    return this.#finals;
  }

  close = (): void => this.#lane.drop();
}
