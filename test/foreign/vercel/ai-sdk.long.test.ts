import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { requiredOfVercel, vercelMissing } from '../../edge/surfaces/compat/vendors.ts';
import { itLong, sampleOf } from '../../long-tests.ts';
import { absent, make, RECORDING, workFolder } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the SDK is installed when the test runs: nothing here has its types.
type Sdk = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || vercelMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());
const folder = workFolder();
afterAll(folder.remove);

describe.skipIf(missing || world?.ready === false)('Vercel’s AI SDK', { timeout: 120_000 }, () => {
  const { experimental_transcribe: transcribe, experimental_generateSpeech: speak } = (
    missing ? {} : requiredOfVercel('ai')
  ) as Sdk;
  const apiKey = world?.ours.key ?? '';
  const openai = (): Sdk =>
    (requiredOfVercel('@ai-sdk/openai') as Sdk).createOpenAI({ apiKey, baseURL: `${world!.url}/v1` });
  /** These providers know one address; their `fetch` sets another. */
  const at = (vendor: string) => (address: string, init: RequestInit) => {
    const { pathname, search } = new URL(address);
    return fetch(`${world!.url}/${vendor}${pathname}${search}`, init);
  };
  const deepgram = (): Sdk =>
    (requiredOfVercel('@ai-sdk/deepgram') as Sdk).createDeepgram({ apiKey, fetch: at('deepgram') });
  const elevenlabs = (): Sdk =>
    (requiredOfVercel('@ai-sdk/elevenlabs') as Sdk).createElevenLabs({ apiKey, fetch: at('elevenlabs') });
  const audio = () => readFileSync(RECORDING);

  it.each(sampleOf(['whisper-1', 'gpt-4o-transcribe'], 2))(
    'transcribes by OpenAI’s provider and %s',
    async (model) => {
      const { text, segments, durationInSeconds, warnings } = await transcribe({
        model: openai().transcription(model),
        audio: audio(),
        providerOptions: { openai: { language: 'en', timestampGranularities: ['word'] } },
      });
      expect(plain(text)).toContain(SPOKEN);
      expect(warnings).toEqual([]);
      if (model !== 'whisper-1') return;
      expect(durationInSeconds).toBeCloseTo(9.655, 1);
      expect(segments.length).toBeGreaterThan(10);
      expect(segments[1].startSecond).toBeGreaterThanOrEqual(segments[0].endSecond - 0.05);
    },
  );

  itLong('transcribes what a browser recorded', async () => {
    const webm = readFileSync(make(folder.path, 'said.webm', '-c:a', 'libopus', '-live', '1'));
    const { text } = await transcribe({
      model: openai().transcription('gpt-4o-mini-transcribe'),
      audio: webm,
      providerOptions: { openai: { language: 'en' } },
    });
    expect(plain(text)).toContain(SPOKEN);
  });

  it.each(sampleOf(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'], 3))(
    'speaks %s by OpenAI’s provider',
    async (format) => {
      const { audio: spoken, warnings } = await speak({
        model: openai().speech('gpt-4o-mini-tts'),
        text: 'Hello from the AI SDK.',
        voice: 'coral',
        outputFormat: format,
        instructions: 'Speak calmly.',
        speed: 1.1,
      });
      expect(warnings).toEqual([]);
      expect(spoken.uint8Array.length).toBeGreaterThan(format === 'pcm' || format === 'wav' ? 40_000 : 3_000);
    },
  );

  it('transcribes by Deepgram’s provider, which asks for speakers always', async () => {
    const { text, segments, language, durationInSeconds } = await transcribe({
      model: deepgram().transcription('nova-3'),
      audio: audio(),
      providerOptions: { deepgram: { detectLanguage: true, smartFormat: true, utterances: true } },
    });
    expect(plain(text)).toContain(SPOKEN);
    expect(language).toBe('en');
    expect(segments[0]).toMatchObject({ text: 'printing', startSecond: expect.any(Number) });
    expect(durationInSeconds).toBeCloseTo(9.655, 1);
  });

  const outputs: [string, number][] = [
    ['mp3', 3_000],
    ['wav', 40_000],
    ['linear16_16000', 30_000],
    ['mulaw', 8_000],
  ];
  it.each(sampleOf(outputs, 2))('speaks %s by Deepgram’s provider', async (outputFormat, least) => {
    const { audio: spoken } = await speak({
      model: deepgram().speech('aura-2-thalia-en'),
      text: 'Hello from the AI SDK.',
      outputFormat,
    });
    expect(spoken.uint8Array.length).toBeGreaterThan(least);
  });

  itLong('transcribes by ElevenLabs’ provider', async () => {
    const { text, segments, language } = await transcribe({
      model: elevenlabs().transcription('scribe_v1'),
      audio: audio(),
      providerOptions: { elevenlabs: { languageCode: 'en', tagAudioEvents: true, diarize: true } },
    });
    expect(plain(text)).toContain(SPOKEN);
    expect(segments.length).toBeGreaterThan(10);
    expect(language).toMatch(/^en/);
  });

  it.each(sampleOf(['mp3', 'pcm', 'pcm_24000', 'ulaw'], 2))(
    'speaks %s by ElevenLabs’ provider',
    async (outputFormat) => {
      const { audio: spoken } = await speak({
        model: elevenlabs().speech('eleven_flash_v2_5'),
        text: 'Hello from the AI SDK.',
        voice: '21m00Tcm4TlvDq8ikWAM',
        outputFormat,
        language: 'en',
        speed: 1.1,
        providerOptions: { elevenlabs: { voiceSettings: { stability: 0.4, similarityBoost: 0.8 }, seed: 7 } },
      });
      expect(spoken.uint8Array.length).toBeGreaterThan(5_000);
    },
  );
});
