import { wavHeader } from '../../../src/media/codec/index.ts';
import type {
  RecognitionStep,
  RecognizeOptions,
  Recognizer,
  SpeakerEmbedder,
  SpeakerEmbedding,
} from '../../../src/speech/transcription/index.ts';
import { SAMPLE_RATE } from '../../../src/speech/transcription/index.ts';

/**
 * A test can read back this audio: a span of speech is a constant level, silence is zero. The level says which
 * line of the script is spoken. It stands for the recognizer's segmentation at silences; the recognizer's own tests
 * cover the words, on recordings.
 */
const STEP = 100;
const SPOKEN = 4;
const PAUSE = 1;
export const LINE_SECONDS = SPOKEN + PAUSE;

export interface Line {
  readonly text: string;
  readonly language?: string;
  readonly brief?: boolean;
  readonly speaker?: number;
}

function pcmOf(count: number): Buffer {
  const pcm = Buffer.alloc(count * LINE_SECONDS * SAMPLE_RATE * 2);
  for (let line = 0; line < count; line += 1) {
    const first = (line * LINE_SECONDS + PAUSE / 2) * SAMPLE_RATE;
    const level = Buffer.alloc(2);
    level.writeInt16LE((line + 1) * STEP);
    pcm.fill(level, first * 2, (first + SPOKEN * SAMPLE_RATE) * 2);
  }
  return pcm;
}

export function wavOf(count: number, channels: 1 | 2 = 1): Buffer {
  const mono = pcmOf(count);
  let pcm = mono;
  if (channels === 2) {
    pcm = Buffer.alloc(mono.length * 2);
    for (let at = 0; at < mono.length / 2; at += 1) {
      const line = Math.floor(at / (LINE_SECONDS * SAMPLE_RATE));
      pcm.writeInt16LE(mono.readInt16LE(at * 2), at * 4 + (line % 2) * 2);
    }
  }
  const header = wavHeader({ sampleRate: SAMPLE_RATE, channels, sample: 's16' }, pcm.length);
  return Buffer.concat([header, pcm]);
}

interface Level {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

function levelsOf(pcm: Buffer): Level[] {
  const levels: Level[] = [];
  let from = 0;
  const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
  for (let at = 1; at <= samples.length; at += 1) {
    if (at < samples.length && samples[at] === samples[from]) continue;
    const level = samples[from] as number;
    const long = at - from > SAMPLE_RATE / 20;
    if (level !== 0 && long) {
      levels.push({ line: Math.round(level / STEP) - 1, start: from / SAMPLE_RATE, end: at / SAMPLE_RATE });
    }
    from = at;
  }
  return levels;
}

const roughly = (seconds: number): number => Math.round(seconds * 1000) / 1000;

export class ScriptRecognizer implements Recognizer {
  readonly asked: {
    readonly from: number;
    readonly language: string | null;
    readonly expected: string | null;
  }[] = [];
  readonly vocabularies: (readonly string[])[] = [];
  readonly #script: (line: number) => Line;
  before: (line: number, signal: AbortSignal) => Promise<void> | void = () => {};

  constructor(script: (line: number) => Line) {
    this.#script = script;
  }

  async *transcribe(pcm: AsyncIterable<Buffer>, options: RecognizeOptions): AsyncGenerator<RecognitionStep> {
    const { from, language, expected = null } = options;
    this.asked.push({ from, language, expected });
    this.vocabularies.push(options.vocabulary);
    let held = Buffer.alloc(0);
    let at = options.from;
    for await (const piece of pcm) {
      held = Buffer.concat([held, piece]);
      const level = levelsOf(held)[0];
      const done = level && level.end + PAUSE / 4;
      if (!level || !done || held.length < done * SAMPLE_RATE * 2) continue;
      await this.before(level.line, options.signal);
      options.signal.throwIfAborted();
      yield { span: this.#span(level, at, options), done: roughly(at + done) };
      held = held.subarray(Math.round(done * SAMPLE_RATE) * 2);
      at += done;
    }
    yield { span: null, done: roughly(at + held.length / 2 / SAMPLE_RATE) };
  }

  #span(level: Level, at: number, { language: pinned, expected }: RecognizeOptions) {
    const { text, language = 'en', brief = false } = this.#script(level.line);
    const start = roughly(at + level.start);
    const end = brief ? roughly(start + 1) : roughly(at + level.end);
    const spoken = text.split(' ');
    const each = (end - start) / spoken.length;
    const words = spoken.map((word, index) => ({
      word,
      start: roughly(start + index * each),
      end: roughly(start + (index + 1) * each),
    }));
    return { start, end, text, words, language: pinned ?? (brief ? expected : null) ?? language };
  }
}

/** The real segmenter has pieces of at most 2.5 s too. */
const LONGEST_PIECE = 2.5;

/** Each speaker of the script has a direction of the vector space. */
export class ScriptVoices implements SpeakerEmbedder {
  readonly #script: (line: number) => Line;

  constructor(script: (line: number) => Line) {
    this.#script = script;
  }

  async voices(pcm: Buffer): Promise<readonly SpeakerEmbedding[]> {
    return levelsOf(pcm).flatMap(({ line, start, end }) => {
      const vector = new Float32Array(192);
      vector[this.#script(line).speaker ?? 0] = 1;
      const count = Math.ceil((end - start) / LONGEST_PIECE);
      const seconds = (end - start) / count;
      return Array.from({ length: count }, (_, at) => {
        const from = start + at * seconds;
        return { start: from, end: from + seconds, alone: seconds, narrow: false, vector };
      });
    });
  }
}
