// @requirement Vendors' clients: Deepgram's npm and PyPI clients work unchanged, with files and streams.
// @requirement Vendors' clients: ElevenLabs' npm and PyPI clients work unchanged.
/** Deepgram's and ElevenLabs' own clients run unchanged against the whole product. */
import { execFile } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../../contract/world.ts';
import { absent, make, workFolder } from '../../../media/codec/recordings.ts';
import { npmMissing, pythonFolder, pythonMissing, required } from './vendors.ts';

// biome-ignore lint/suspicious/noExplicitAny: the clients are installed when the test runs: nothing here has their types.
type Client = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || npmMissing();
if (missing) console.warn(`the tests with the vendors' clients are skipped: ${missing}`);

const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const folder = workFolder();
afterAll(folder.remove);
const recording = missing ? '' : make(folder.path, 'speech.wav', '-ar', '16000');

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

describe.skipIf(missing || world?.ready === false)('Deepgram’s client of npm', () => {
  const deepgram = (): Client => {
    const { DeepgramClient } = required('@deepgram/sdk') as Client;
    const base = `${world!.url}/deepgram`;
    const socket = base.replace('http', 'ws');
    const environment = { base, production: socket, agent: socket, agentRest: base };
    return new DeepgramClient({ apiKey: world!.ours.key, environment });
  };

  it('hears a file', async () => {
    const { results } = await deepgram().listen.v1.media.transcribeFile(createReadStream(recording), {
      model: 'nova-3',
      language: 'en',
    });
    expect(plain(results.channels[0].alternatives[0].transcript)).toContain(SPOKEN);
  }, 60_000);

  it('hears a stream, tells words so far, finalizes, and ends when it is told', async () => {
    const wav = readFileSync(recording);
    const rate = wav.readUInt32LE(24);
    const connection = await deepgram().listen.v1.connect({
      model: 'nova-3',
      language: 'en',
      encoding: 'linear16',
      sample_rate: rate,
      interim_results: 'true',
    });
    connection.connect();
    await connection.waitForOpen();
    connection.sendKeepAlive({ type: 'KeepAlive' });
    const pcm = wav.subarray(wav.indexOf('data') + 8);
    const reported: Client[] = [];
    connection.on('message', (message: Client) => reported.push(message));
    const send = (from: number, to: number) => {
      for (let at = from; at < to; at += rate / 5) connection.sendMedia(pcm.subarray(at, at + rate / 5));
    };
    const has = (is: (message: Client) => boolean) =>
      expect.poll(() => reported.some(is), { timeout: 30_000 }).toBe(true);
    // A client that sends everything at once may get no partial result before the final one.
    const first = 3 * 2 * rate;
    send(0, first);
    await has(({ type, is_final }) => type === 'Results' && !is_final);
    send(first, pcm.length);
    connection.sendFinalize({ type: 'Finalize' });
    connection.sendCloseStream({ type: 'CloseStream' });
    await has(({ type }) => type === 'Metadata');
    const results = reported.filter(({ type }) => type === 'Results');
    const final = results.filter((one) => one.is_final).map((one) => one.channel.alternatives[0].transcript);
    expect(plain(final.join(' '))).toContain(SPOKEN);
    expect(results.at(-1)).toMatchObject({ from_finalize: true });
  }, 60_000);

  it('is refused with a wrong key', async () => {
    const { DeepgramClient } = required('@deepgram/sdk') as Client;
    const environment = { base: `${world!.url}/deepgram`, production: '', agent: '', agentRest: '' };
    const unauthenticated = new DeepgramClient({ apiKey: 'nobody', environment });
    await expect(
      unauthenticated.listen.v1.media.transcribeFile(createReadStream(recording), { model: 'nova-3' }),
    ).rejects.toMatchObject({ statusCode: 401 });
  });
});

const withoutPython = missing || pythonMissing();
if (withoutPython) console.warn(`the test with PyPI's clients is skipped: ${withoutPython}`);

describe.skipIf(withoutPython || world?.ready === false)('the clients of PyPI', () => {
  it('work unchanged', async () => {
    const { stdout } = await promisify(execFile)(
      'python3',
      ['test/edge/surfaces/compat/vendor_clients.py', world!.url, world!.ours.key, recording],
      { env: { ...process.env, PYTHONPATH: pythonFolder } },
    );
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    expect(plain(said.transcript)).toContain(SPOKEN);
    expect(plain(said.live)).toContain(SPOKEN);
    expect(said.last).toBe('Metadata');
    expect(said.spoken).toBeGreaterThan(1000);
    expect(said.characters).toBe('Hello there.');
    expect(said.voices).toContain('heart_en_us');
  }, 120_000);
});
