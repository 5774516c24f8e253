/** The `x-svc-stream` header says whether audio was sent as it was made. */
import { describe, expect, it } from 'vitest';
import { outputFormatOf, type ResponseFormat } from '../../../../src/edge/surfaces/speak/output-format.ts';
import { Speech, type SynthesisRequest } from '../../../../src/edge/surfaces/speak/speech.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';

const speaking = (...chunks: readonly number[]): Engine => {
  async function* made() {
    for (const samples of chunks) yield new Uint8Array(samples * 2);
  }
  return { submit: () => ({ chunks: made }) } as unknown as Engine;
};

const order = (format: ResponseFormat): SynthesisRequest =>
  ({
    text: 'Hello.',
    voice: { engine: {} },
    wire: outputFormatOf(format, undefined),
    manner: {},
  }) as SynthesisRequest;

describe('speech that is streamed', () => {
  it.each<[ResponseFormat, readonly number[], boolean]>([
    ['pcm', [24_000, 24_000], false],
    ['mp3', [24_000, 24_000], false],
    ['mp3', [100, 100], true],
  ])('as %s of %j samples is buffered: %s', async (format, chunks, isBuffered) => {
    const speech = await Speech.begin(speaking(...chunks), order(format));
    expect(speech.isBuffered).toBe(isBuffered);
    expect((await speech.whole()).length).toBeGreaterThan(0);
  });
});
