import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { World } from '../../contract/world.ts';
import { npmMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent, RECORDING } from '../../media/codec/recordings.ts';
import { until } from '../../poll.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (said: string): string => said.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || npmMissing();
const world = missing ? null : await World.open({ settings: { TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
afterAll(() => world?.stop());

const deepgram = (key = world!.ours.key): Client => {
  const { DeepgramClient } = required('@deepgram/sdk') as Client;
  const base = `${world!.url}/deepgram`;
  const socket = base.replace('http', 'ws');
  const environment = { base, production: socket, agent: socket, agentRest: base };
  return new DeepgramClient({ apiKey: key, environment });
};

interface Received {
  readonly method: string | undefined;
  readonly body: Client;
}

/** Answers each request with the next status, and then with 200. */
async function receiver(statuses: number[] = []) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const take = async (request: IncomingMessage) => {
    received.push({ method: request.method, body: JSON.parse(await text(request)) });
    for (const wake of waiting.splice(0)) wake();
  };
  const server = createServer((request, response) => {
    void take(request).then(() => response.writeHead(statuses.shift() ?? 200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const until = async (count: number): Promise<void> => {
    while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/done?of=one`;
  return { url, received, until };
}

/** The refused callback is due after 30 s; this test does not wait that long. */
async function halfAMinuteLater(): Promise<void> {
  const storage = await openStorage({ dataDir: world!.data, clock: systemClock });
  const refused = storage.db.selectFrom('jobs').select('run_at').where('attempts', '=', 1);
  const waiting = refused.where('queue', '=', 'deepgram.callback').where('state', '=', 'waiting');
  let due: number[] = [];
  await until(async () => {
    due = (await waiting.execute()).map(({ run_at }) => Number(run_at) - Date.now());
    return due.length > 0;
  });
  expect(due).toEqual([expect.closeTo(30_000, -4)]);
  await storage.db.updateTable('jobs').set({ run_at: 0 }).where('queue', '=', 'deepgram.callback').execute();
  await storage.close();
}

describe.skipIf(missing || world?.ready === false)('Deepgram’s client of npm', { timeout: 180_000 }, () => {
  it('has a transcript sent to its callback, again until it is accepted', async () => {
    const { url, received, until: hasReceived } = await receiver([503]);
    const answer = await deepgram().listen.v1.media.transcribeFile(createReadStream(RECORDING), {
      model: 'nova-3',
      callback: url,
      callback_method: 'PUT',
      diarize: true,
      utterances: true,
      paragraphs: true,
      numerals: true,
    });
    expect(Object.keys(answer)).toEqual(['request_id']);
    await hasReceived(1);
    await halfAMinuteLater();
    await hasReceived(2);
    expect(received[1]).toEqual(received[0]);
    const { method, body } = received[0]!;
    expect(method).toBe('PUT');
    expect(body.metadata).toMatchObject({ request_id: answer.request_id, channels: 1 });
    expect(body.metadata.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(body.metadata.duration).toBeCloseTo(9.655, 0);
    expect(body.metadata.warnings.map(({ parameter }: Client) => parameter)).toEqual(['numerals']);
    const [{ transcript, words, paragraphs }] = body.results.channels[0].alternatives;
    expect(plain(transcript)).toContain(SPOKEN);
    expect(words[0]).toMatchObject({ word: 'printing', punctuated_word: 'Printing,', speaker: 0 });
    expect(plain(words.map(({ word }: Client) => word).join(' '))).toContain(SPOKEN);
    expect(paragraphs.paragraphs.length).toBeGreaterThan(0);
    expect(body.results.utterances[0]).toMatchObject({ channel: 0, speaker: 0 });
    const jobOf = (key: string) =>
      world!.send(`/v1/transcription/jobs/${answer.request_id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
    expect((await jobOf(world!.ours.key)).json).toMatchObject({ status: 'completed' });
    expect((await jobOf(world!.theirs.key)).status).toBe(404);
  });

  it('has the failure of a recording that is none sent', async () => {
    const { url, received, until } = await receiver();
    const program = createReadStream(import.meta.filename);
    const { request_id } = await deepgram().listen.v1.media.transcribeFile(program, { callback: url });
    await until(1);
    expect(received[0]).toEqual({
      method: 'POST',
      body: { request_id, err_code: 'TRANSCRIPTION_FAILED', err_msg: expect.any(String) },
    });
  });

  it('is told which callback cannot be called', async () => {
    const about = async (asked: object): Promise<[number, string]> => {
      const file = createReadStream(RECORDING);
      const error = await deepgram()
        .listen.v1.media.transcribeFile(file, asked)
        .catch((thrown: Client) => thrown);
      return [error.statusCode, JSON.stringify(error.body)];
    };
    for (const callback of [
      'nothing',
      'ftp://127.0.0.1/x',
      'http://192.168.1.1/x',
      'http://[::ffff:10.0.0.1]/',
    ])
      expect([callback, ...(await about({ callback }))]).toEqual([callback, 400, expect.any(String)]);
    const [status, body] = await about({ callback: 'https://example.com/', callback_method: 'DELETE' });
    expect([status, body]).toEqual([400, expect.stringContaining('callback_method must be post or put.')]);
  });
});
