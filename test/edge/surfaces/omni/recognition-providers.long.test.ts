/** Another instance of the product and a misbehaving server recognize what these callers say. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { openRecognitionProviders } from '../../../../src/main/recognition-providers.ts';
import { World } from '../../../contract/world.ts';
import { absent as absentAudio, ffmpeg, SPEECH } from '../../../media/codec/recordings.ts';
import { recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni } from './server.ts';

const CLIP = join(SPEECH, 'an4/an163-mfaa-b.wav');
const QUESTION = spawnSync(
  ffmpeg,
  ['-v', 'error', '-i', CLIP, '-ac', '1', '-ar', '8000', '-f', 's16le', '-'],
  {
    maxBuffer: 1 << 26,
  },
).stdout;
const ELSEWHERE = 'Where is my order, number nine eight two eight?';

type Behaviour = (response: ServerResponse) => void;
const json = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text }));
const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('no');
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  answers: json(ELSEWHERE),
  'is mute': () => undefined,
  'drops the connection': (response) => response.destroy(),
  'hears nothing': json(''),
  'answers a page': (response) => void response.writeHead(200).end('<html>'),
  refuses: status(401),
  'is busy': status(429),
  'is down': status(503),
};

let server: Server;
let url = '';
const uploads: number[] = [];
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      uploads.push(bytes);
      BEHAVIOURS[decodeURIComponent(String(request.headers['x-behaviour']))]?.(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function opened(entry: Record<string, unknown>) {
  const config = loadConfig({
    TRUNKLINE_RECOGNITION_PROVIDERS: JSON.stringify([{ name: 'default', ...entry }]),
  });
  const { providers, close } = openRecognitionProviders(config, systemClock, createLog({ level: 'silent' }));
  closing.push(close);
  return providers;
}

describe.skipIf(Boolean(absent || absentAudio))('a recognizer elsewhere', { timeout: 120_000 }, () => {
  it('is another instance, by the protocols of OpenAI, Deepgram and ElevenLabs', async () => {
    const world = await World.open();
    closing.push(() => world.stop());
    for (const [kind, at] of [
      ['openai', `${world.url}/v1`],
      ['deepgram', `${world.url}/deepgram`],
      ['elevenlabs', `${world.url}/elevenlabs`],
    ]) {
      const providers = opened({ kind, url: at, key: world.ours.key });
      const [provider] = providers.chainOf(null);
      const stream = provider!.listen({ rate: 8_000, language: 'en', vocabulary: [] });
      for (let from = 0; from < QUESTION.length; from += 3_200)
        stream.push(QUESTION.subarray(from, from + 3_200));
      expect(await stream.text(), kind).toMatch(/9828|98 ?28|ninety/i);
      stream.close();
    }
  });

  it.each(Object.keys(BEHAVIOURS))('hears the caller where it is one that %s', async (behaviour) => {
    const recognition = opened({
      kind: 'openai',
      url,
      region: 'eu',
      usd_per_hour: 0.36,
      headers: { 'x-behaviour': encodeURIComponent(behaviour) },
    });
    const omni = await openOmni({ recognition });
    const client = await new Client(omni.url).opened();
    const { call_id: id } = await client.configure();
    await client.silence(0.5);
    await client.speak(QUESTION);
    const heard = () => client.transcripts.find(({ role, final }) => role === 'user' && final);
    await client.silenceUntil(() => heard() !== undefined);
    const good = behaviour === 'answers';
    if (good) expect(heard()?.text).toBe(ELSEWHERE);
    else expect(heard()?.text).toMatch(/98|ninety/i);
    client.control({ type: 'end' });
    await client.closed();
    const record = await recordOf(omni, id);
    const { providers } = JSON.parse(record.row.turns ?? '{}') as { providers: Record<string, unknown>[] };
    expect(providers).toEqual([
      {
        kind: 'recognition',
        provider: 'default',
        credential: 'operator',
        region: 'eu',
        host: new URL(url).host,
        requests: expect.any(Number),
        characters: good ? ELSEWHERE.length : 0,
        sound_ms: expect.any(Number),
        failures: good ? 0 : 1,
        ...(good ? {} : { failed_over_at_ms: expect.any(Number) }),
      },
    ]);
    expect(Number(providers[0]!.sound_ms)).toBeGreaterThan(1_000);
    if (!good) return;
    expect(uploads.at(-1)).toBeGreaterThan(16 * 1_000);
    const [cost] = await acrossTenants(omni.storage.db).selectFrom('provider_costs').selectAll().execute();
    expect(cost).toMatchObject({ kind: 'recognition', provider: 'default' });
    expect(Number(cost!.cost_micros)).toBeCloseTo(Number(providers[0]!.sound_ms) / 10, -1);
  });
});
