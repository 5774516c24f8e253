/** ElevenLabs' own client transcribes, and sends its start-up requests: unchanged but base URL and key. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { npmMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, RECORDING, workFolder } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || npmMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());
const folder = workFolder();
afterAll(folder.remove);

const elevenlabs = (): Client => {
  const { ElevenLabsClient } = required('@elevenlabs/elevenlabs-js') as Client;
  return new ElevenLabsClient({ apiKey: world!.ours.key, baseUrl: `${world!.url}/elevenlabs` });
};

describe.skipIf(missing || world?.ready === false)('ElevenLabs’ client of npm', { timeout: 120_000 }, () => {
  it('transcribes a recording, and tells its speakers apart', async () => {
    const { data, rawResponse } = await elevenlabs()
      .speechToText.convert({
        file: createReadStream(RECORDING),
        modelId: 'scribe_v1',
        diarize: true,
        tagAudioEvents: true,
      })
      .withRawResponse();
    expect(plain(data.text)).toContain(SPOKEN);
    expect(data.languageCode).toBe('eng');
    expect(data.words[0]).toMatchObject({ type: 'word', speakerId: 'speaker_0', start: expect.any(Number) });
    expect(data.words[1]).toMatchObject({ type: 'spacing', text: ' ' });
    expect(rawResponse.headers.get('x-svc-ignored')).toBe('tag_audio_events');
  });

  it('transcribes raw sound', async () => {
    const wav = readFileSync(make(folder.path, 'raw.wav', '-ar', '16000'));
    const path = join(folder.path, 'said.raw');
    writeFileSync(path, wav.subarray(wav.indexOf('data') + 8));
    const { text } = await elevenlabs().speechToText.convert({
      file: createReadStream(path),
      modelId: 'scribe_v1',
      languageCode: 'eng',
      fileFormat: 'pcm_s16le_16',
    });
    expect(plain(text)).toContain(SPOKEN);
  });

  it('finds models, its user, and an empty history', async () => {
    const client = elevenlabs();
    expect((await client.models.list())[0]).toMatchObject({ modelId: 'svc-speak', canDoTextToSpeech: true });
    expect(await client.user.get()).toMatchObject({ userId: world!.ours.orgId });
    expect((await client.user.subscription.get()).status).toBe('active');
    expect(await client.history.list()).toMatchObject({ history: [], hasMore: false });
  });

  it('finds ElevenLabs’ own voices by name', async () => {
    const named = async (options: object) => {
      const { voices } = await elevenlabs().voices.getAll(options);
      return voices.find(({ name }: { name?: string }) => name === 'Rachel');
    };
    expect(await named({})).toBeUndefined();
    expect(await named({ showLegacy: true })).toMatchObject({
      voiceId: '21m00Tcm4TlvDq8ikWAM',
      labels: { language: 'en', gender: 'female' },
    });
  });
});
