/** Deepgram's and ElevenLabs' own clients, unchanged, against the whole product. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { absent, RECORDING } from '../../codec/recordings.ts';
import { World } from '../../contract/world.ts';
import { npmMissing, pythonFolder, pythonMissing, required } from './vendors.ts';

// biome-ignore lint/suspicious/noExplicitAny: the clients are installed when the test runs: nothing here has their types.
type Client = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || npmMissing();
if (missing) console.warn(`the tests with the vendors' clients are skipped: ${missing}`);

const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const elevenlabs = (): Client => {
  const { ElevenLabsClient } = required('@elevenlabs/elevenlabs-js') as Client;
  return new ElevenLabsClient({ apiKey: world!.ours.key, baseUrl: `${world!.url}/elevenlabs` });
};

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

describe.skipIf(missing || world?.ready === false)('ElevenLabs’ client of npm', () => {
  const text = 'Hello there. This is a test.';

  it('speaks, whole and streamed', async () => {
    const client = elevenlabs();
    const whole = await bytesOf(
      await client.textToSpeech.convert('joe_en_us', { text, modelId: 'eleven_v3' }),
    );
    expect(whole.subarray(0, 1)[0]).toBe(0xff);
    const streamed = await bytesOf(
      await client.textToSpeech.stream('joe_en_us', { text, outputFormat: 'pcm_16000' }),
    );
    expect(streamed.length / 32_000).toBeGreaterThan(1);
  }, 60_000);

  it('tells the times of characters', async () => {
    const answer = await elevenlabs().textToSpeech.convertWithTimestamps('joe_en_us', { text });
    const { characters, characterStartTimesSeconds: starts } = answer.alignment;
    expect(characters.join('')).toBe(text);
    const second = text.indexOf('This');
    expect(starts[second]).toBeGreaterThan(starts[3]);
    expect(Buffer.from(answer.audioBase64, 'base64').length).toBeGreaterThan(1000);
  }, 60_000);

  it('lists, searches and gets voices', async () => {
    const client = elevenlabs();
    const { voices } = await client.voices.getAll();
    expect(voices.map(({ voiceId }: Client) => voiceId)).toContain('heart_en_us');
    const found = await client.voices.search({ search: 'spain', pageSize: 2 });
    expect(found).toMatchObject({ hasMore: true, totalCount: 3 });
    expect(await client.voices.get('en1')).toMatchObject({ voiceId: 'heart_en_us' });
  });

  it('is told of an unknown voice', async () => {
    await expect(elevenlabs().textToSpeech.convert('nobody', { text })).rejects.toMatchObject({
      statusCode: 404,
    });
  });
});

const withoutPython = missing || pythonMissing();
if (withoutPython) console.warn(`the test with PyPI's clients is skipped: ${withoutPython}`);

describe.skipIf(withoutPython || world?.ready === false)('the clients of PyPI', () => {
  it('work unchanged', async () => {
    const { stdout } = await promisify(execFile)(
      'python3',
      ['test/surfaces/compat/vendor_clients.py', world!.url, world!.ours.key, RECORDING],
      { env: { ...process.env, PYTHONPATH: pythonFolder } },
    );
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    expect(plain(said.transcript)).toContain(SPOKEN);
    expect(said.spoken).toBeGreaterThan(1000);
    expect(said.characters).toBe('Hello there.');
    expect(said.voices).toContain('heart_en_us');
  }, 120_000);
});
