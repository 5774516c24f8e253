/**
 * Deepgram's own clients speak: by a request, and by texts over a connection. They are unchanged but base URL and
 * key.
 */
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { npmMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const missing = absent || npmMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const deepgram = (): Client => {
  const { DeepgramClient } = required('@deepgram/sdk') as Client;
  const base = `${world!.url}/deepgram`;
  const socket = base.replace('http', 'ws');
  const environment = { base, production: socket, agent: socket, agentRest: base };
  return new DeepgramClient({ apiKey: world!.ours.key, environment });
};

const speech = (options: object) => deepgram().speak.v1.audio.generate({ text: 'Hello there.', ...options });

async function bytesOf(response: Client): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

async function connect(options: object) {
  const connection = await deepgram().speak.v1.connect({ model: 'aura-2-orion-en', ...options });
  const reported: Client[] = [];
  const sound: Buffer[] = [];
  connection.on('message', (data: Client) => {
    if (typeof data === 'string') reported.push(JSON.parse(data));
    else if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) sound.push(Buffer.from(data as never));
    else if (typeof data?.arrayBuffer === 'function') sound.push(Buffer.alloc(data.size));
    else reported.push(data);
  });
  const closed = new Promise<number>((resolve) =>
    connection.on('close', ({ code }: Client) => resolve(code)),
  );
  connection.connect();
  await connection.waitForOpen();
  const until = (type: string, count = 1) =>
    expect
      .poll(() => reported.filter((one) => one.type === type).length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(count);
  const bytes = () => sound.reduce((sum, { length }) => sum + length, 0);
  return { connection, reported, bytes, closed, until };
}

describe.skipIf(missing || world?.ready === false)('Deepgram’s client of npm', { timeout: 120_000 }, () => {
  it('has a text spoken by a voice like the one that it names', async () => {
    const { data, rawResponse } = await speech({ model: 'aura-2-orion-en' }).withRawResponse();
    expect(rawResponse.headers.get('x-svc-voice')).toBe('adam_en_us');
    expect(rawResponse.headers.get('x-svc-model')).toBe('svc-speak');
    const { headers } = rawResponse;
    const theirs = ['request-id', 'model-name', 'model-uuid', 'char-count'].map((name) =>
      headers.get(`dg-${name}`),
    );
    expect(theirs).toEqual([
      headers.get('x-request-id'),
      'adam_en_us',
      'svc-speak',
      headers.get('x-svc-characters'),
    ]);
    expect((await bytesOf(data))[0]).toBe(0xff);
  });

  it('has it in the encoding, container and rate that it asks for', async () => {
    const wav = await bytesOf(await speech({ encoding: 'linear16', sample_rate: 48_000 }));
    expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(24)]).toEqual(['RIFF', 48_000]);
    const seconds = (wav.length - 44) / 96_000;
    expect(seconds).toBeGreaterThan(0.5);
    const asked = { encoding: 'mulaw', sample_rate: 8000, container: 'none', bit_rate: 48_000 };
    const { data, rawResponse } = await speech(asked).withRawResponse();
    expect((await bytesOf(data)).length / 8000).toBeCloseTo(seconds, 0);
    expect(rawResponse.headers.get('x-svc-ignored')).toBe('bit_rate');
    await expect(speech({ encoding: 'mulaw', sample_rate: 44_100 })).rejects.toMatchObject({
      statusCode: 400,
    });
  });

  it('speaks over a connection, flushes, and ends when it is told', async () => {
    const { connection, reported, bytes, closed, until } = await connect({
      encoding: 'mulaw',
      sample_rate: 8000,
    });
    await until('Metadata');
    connection.sendText({ type: 'Speak', text: 'Hello there. This is' });
    connection.sendText({ type: 'Speak', text: ' a test of speech.' });
    connection.sendFlush({ type: 'Flush' });
    await until('Flushed');
    const first = bytes();
    expect(first / 8000).toBeGreaterThan(1);
    connection.sendText({ type: 'Speak', text: 'And goodbye' });
    connection.sendClose({ type: 'Close' });
    await closed;
    expect(bytes()).toBeGreaterThan(first + 2000);
    expect(reported.find(({ type }) => type === 'Flushed')).toEqual({ type: 'Flushed', sequence_id: 0 });
  });

  it('clears what is not spoken yet', async () => {
    const { connection, bytes, until } = await connect({ encoding: 'linear16', sample_rate: 16_000 });
    const sentence = 'This sentence is one of many that nobody wants to hear any more. ';
    connection.sendText({ type: 'Speak', text: sentence.repeat(40) });
    connection.sendClear({ type: 'Clear' });
    await until('Cleared');
    connection.sendText({ type: 'Speak', text: 'Hello.' });
    connection.sendFlush({ type: 'Flush' });
    await until('Flushed');
    expect(bytes() / 32_000).toBeLessThan(20);
    connection.close();
    await once(connection.socket, 'close').catch(() => undefined);
  });
});
