import { expect, it } from 'vitest';
import {
  type SpeakerEmbedding,
  type StoredSpan,
  spanDocument,
  spanOf,
  withCurrentVoices,
} from '../../../src/speech/transcription/index.ts';
import { countSpeakers } from '../../../src/speech/transcription/run/speakers.ts';

type Encoder = NonNullable<SpeakerEmbedding['encoder']>;
const BOUNDS = { same: 0.9, sameNarrow: 0.92, surelySame: 0.98 };

const voice = (encoder: Encoder | null, vector: readonly number[] = [1, 0]): SpeakerEmbedding => ({
  start: 0,
  end: 2,
  alone: 2,
  narrow: false,
  vector: Float32Array.from(vector),
  ...(encoder && { encoder }),
});

const span = (start: number, voices: readonly SpeakerEmbedding[]): StoredSpan => ({
  channel: 0,
  done: start + 2,
  start,
  end: start + 2,
  text: 'Hello.',
  language: 'en',
  words: [],
  voices,
});

const reading = (encoders: readonly (Encoder | null)[]) => {
  let read = 0;
  return {
    audio: { seconds: 100, read: async () => Buffer.alloc(0) },
    embedder: {
      voices: async () => {
        const encoder = encoders[Math.min(read, encoders.length - 1)] as Encoder | null;
        read += 1;
        return [{ ...voice(encoder), start: 0.5, end: 1 }];
      },
    },
    environment: 'live' as const,
    signal: new AbortController().signal,
    get read() {
      return read;
    },
  };
};

const encodersOf = (spans: readonly StoredSpan[]) =>
  spans.flatMap(({ voices }) => voices.map(({ encoder }) => encoder?.id ?? 'bundled'));

it('keeps the encoder of a span with its vectors', () => {
  const encoder = { id: 'ours/1', bounds: BOUNDS };
  const stored = spanOf(spanDocument(span(4, []), [voice(encoder)]), 0, 6);
  expect(stored.voices).toEqual([voice(encoder)]);
  expect(spanOf(spanDocument(span(4, []), [voice(null)]), 0, 6).voices).toEqual([voice(null)]);
});

it('reads a recording’s voices again where two encoders made their vectors, until one has made all', async () => {
  const [first, second] = [
    { id: 'ours/1', bounds: BOUNDS },
    { id: 'ours/2', bounds: BOUNDS },
  ];
  const alike = reading([second]);
  const same = [span(0, [voice(first)]), span(4, []), span(8, [voice(first)])];
  expect(await withCurrentVoices(same, alike)).toEqual(same);
  expect(alike.read).toBe(0);

  const mixed = [span(0, [voice(null)]), span(4, [voice(first)])];
  expect(encodersOf(await withCurrentVoices(mixed, reading([first])))).toEqual(['ours/1', 'ours/1']);
  // The operator selects another one while the second span is read.
  const changing = reading([first, second]);
  expect(encodersOf(await withCurrentVoices(mixed, changing))).toEqual(['ours/2', 'ours/2']);
  expect(changing.read).toBe(4);
});

it('groups voices by the bounds of their encoder', async () => {
  const encoder = { id: 'ours/1', bounds: BOUNDS };
  const two = (of: Encoder | null) => [voice(of, [1, 0]), voice(of, [0.8, 0.6])];
  expect(await countSpeakers(two(null))).toBe(1);
  expect(await countSpeakers(two(encoder))).toBe(2);
});
