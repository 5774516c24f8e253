import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { absent, RECORDING } from '../../media/codec/recordings.ts';
import { clientsMissing, integrationProject } from '../packages.ts';

// biome-ignore lint/suspicious/noExplicitAny: the SDK is installed when the test runs: nothing here has its types.
type Sdk = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || clientsMissing;
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

describe.skipIf(missing || world?.ready === false).each(['6.0.326', '5.0.277'])('AI SDK %s', (version) => {
  let sdk: Sdk;
  let trunkline: Sdk;
  beforeAll(async () => {
    // Version 6 warns of the older specification, which both versions take.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const require = createRequire(
      join(await integrationProject('ai-sdk', [`ai@${version}`]), 'package.json'),
    );
    sdk = require('ai');
    const { createTrunkline } = await import(require.resolve('trunkline-ai-provider'));
    trunkline = createTrunkline({ baseURL: world!.url, apiKey: world!.ours.key });
  }, 400_000);

  it.each(['segment', 'word'])(
    'transcribes with times of each %s',
    async (timestamps) => {
      const { text, segments, language, durationInSeconds, warnings } = await sdk.experimental_transcribe({
        model: trunkline.transcription(),
        audio: readFileSync(RECORDING),
        providerOptions: { trunkline: { language: 'en', timestamps } },
      });
      expect(plain(text)).toContain(SPOKEN);
      expect({ language, warnings }).toEqual({ language: 'en', warnings: [] });
      expect(durationInSeconds).toBeCloseTo(9.655, 1);
      expect(segments[0].text.toLowerCase()).toContain('printing');
      expect(segments.length > 10).toBe(timestamps === 'word');
    },
    120_000,
  );

  it.each([
    ['mp3', 3000],
    ['wav', 40_000],
    ['pcm_16000', 30_000],
    ['g711_ulaw', 8000],
  ])(
    'speaks %s',
    async (outputFormat, least) => {
      const { audio, warnings, providerMetadata } = await sdk.experimental_generateSpeech({
        model: trunkline.speech(),
        text: 'Hello from the AI SDK.',
        voice: 'en1',
        outputFormat,
        speed: 1.1,
      });
      expect(audio.uint8Array.length).toBeGreaterThan(least);
      expect(warnings).toEqual([]);
      expect(providerMetadata?.trunkline ?? {}).toMatchObject(
        version.startsWith('6') ? { voice: expect.any(String), speed: 1.1 } : {},
      );
    },
    120_000,
  );

  it('warns of what has no effect', async () => {
    const { warnings } = await sdk.experimental_generateSpeech({
      model: trunkline.speech(),
      text: 'Hello.',
      instructions: 'Speak calmly.',
      language: 'en',
    });
    expect(warnings.map(({ message }: { message: string }) => message.split(' ')[0])).toEqual([
      'instructions',
      'language',
    ]);
  }, 120_000);

  it('tells what the server refused', async () => {
    const asked = sdk.experimental_generateSpeech({
      model: trunkline.speech(),
      text: 'Hello.',
      voice: 'nobody',
      maxRetries: 0,
    });
    await expect(asked).rejects.toMatchObject({
      name: 'AI_APICallError',
      statusCode: 404,
      isRetryable: false,
    });
    await expect(trunkline.speech().doGenerate({ text: 'Hello.', outputFormat: 'midi' })).rejects.toThrow(
      'outputFormat is one of',
    );
    expect(() => trunkline.languageModel('gpt')).toThrow('No such languageModel');
  });
});
