import { describe, expect, it } from 'vitest';
import { outputFormatOf, type ResponseFormat } from '../../../../src/edge/surfaces/speak/output-format.ts';
import { Speech } from '../../../../src/edge/surfaces/speak/speech.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';
import { StockVoices, stockVoice } from '../../../../src/speech/voices/index.ts';

const silent = {
  submit: () => ({ chunks: async function* () {} }),
} as unknown as Engine;

const begin = (text: string, format: ResponseFormat) =>
  Speech.begin(silent, {
    text,
    voice: stockVoice(new StockVoices().default),
    wire: outputFormatOf(format, undefined),
    manner: {},
    share: 'live',
  });

describe('a text of which the voice makes no sound', () => {
  it.each([
    ['pcm', 0],
    ['g711_ulaw', 0xff],
    ['g711_alaw', 0xd5],
  ] as const)('is a short pause that costs nothing where it holds words (%s)', async (format, zero) => {
    const speech = await begin('你好', format);
    const audio = await speech.whole();
    expect(audio.length).toBeGreaterThan(1000);
    expect(audio.every((byte) => byte === zero)).toBe(true);
    expect(speech.milliseconds).toBe(0);
  });

  it('is an mp3 that players take', async () => {
    const speech = await begin('你好', 'mp3');
    const audio = await speech.whole();
    expect([audio[0], speech.milliseconds]).toEqual([0xff, 0]);
  });

  it('is refused where there is nothing to say', async () => {
    for (const text of ['…', '?!', ' - ', '\u200b', '😀']) {
      await expect(begin(text, 'pcm')).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});
