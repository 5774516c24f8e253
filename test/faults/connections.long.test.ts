import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RawConnection } from '../edge/server/fixtures/raw-connection.ts';
import { compileProgram } from '../running-server.ts';
import { numbers } from './damaged-files.ts';
import { type ResourceUsage, ServerProcess } from './server-process.ts';
import { inForm } from './suite-length.ts';

/** A heap may keep this much of a crowd; ten times the crowd leaves it fuller, not ten times as full. */
const MORE_MIB = inForm(128, 384);
const SPEECH = 'The office is open from nine to five on every working day of the week. ';

let served: ServerProcess;
let before: ResourceUsage;
let keys: string[];

beforeAll(async () => {
  await compileProgram();
  served = await ServerProcess.start({ environment: { TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' } });
  keys = await Promise.all(Array.from({ length: 6 }, (_, at) => served.key(`198.${at + 1}.100.1`)));
  await say(keys[5]!); // The first use loads what stays, which is no leak.
  await cutAtRandom(60, 1);
  before = served.level();
}, 180_000);

afterEach(async () => {
  expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
  await served.backTo(before, MORE_MIB);
  expect(served.faults).toEqual([]);
}, 90_000);

const head = (line: string, headers: Record<string, string | number>): string =>
  [
    line,
    'Host: a.example',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

function frame(opcode: number, payload: Uint8Array): Buffer {
  const long = payload.length > 125;
  const start = long ? [0xfe, payload.length >> 8, payload.length & 255] : [0x80 | payload.length];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...start, 0, 0, 0, 0]), payload]);
}

function scripts(key: string): Buffer[] {
  const upgrade = (path: string): Buffer =>
    Buffer.from(
      head(`GET ${path} HTTP/1.1`, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Version': 13,
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        Authorization: `Bearer ${key}`,
      }),
    );
  const sound = frame(2, Buffer.alloc(640));
  const body = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
    Buffer.alloc(200_000, 'x'),
    Buffer.from('\r\n--b--\r\n'),
  ]);
  const upload = head('POST /v1/audio/transcriptions HTTP/1.1', {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'multipart/form-data; boundary=b',
    'Content-Length': body.length,
  });
  const speech = JSON.stringify({ input: SPEECH });
  return [
    Buffer.from(head('GET /openapi.json HTTP/1.1', {}).repeat(3)),
    Buffer.concat([Buffer.from(upload), body]),
    Buffer.from(
      head('POST /v1/audio/speech HTTP/1.1', {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Content-Length': speech.length,
      }) + speech,
    ),
    Buffer.concat([
      upgrade('/v1/omni'),
      frame(1, Buffer.from('{"type":"configure"}')),
      ...Array(20).fill(sound),
    ]),
    Buffer.concat([
      upgrade('/v1/audio/transcriptions/stream?sample_rate=16000'),
      ...Array(20).fill(sound),
      frame(8, Buffer.from([3, 232])),
    ]),
  ];
}

async function cutAtRandom(peers: number, seed: number): Promise<void> {
  const next = numbers(seed);
  const cut = async (): Promise<void> => {
    const all = scripts(keys[Math.floor(next() * keys.length)]!);
    const script = all[Math.floor(next() * all.length)]!;
    const [at, manner] = [Math.floor(next() * (script.length + 1)), next()];
    const peer = await RawConnection.open(served.port);
    peer.write(script.subarray(0, at));
    if (manner < 0.3) await peer.until((text) => text.length > 0 || at < script.length);
    if (manner < 0.7) peer.socket.resetAndDestroy();
    else peer.socket.destroy();
    await peer.untilClosed();
  };
  for (let left = peers; left > 0; left -= 50)
    await Promise.all(Array.from({ length: Math.min(50, left) }, cut));
}

describe('a crowd of peers', () => {
  it('that are cut at random leaves nothing behind', async () => {
    await cutAtRandom(inForm(300, 3000), 2);
    // The server holds nothing for the disconnected clients: each key may open as many sessions as before.
    for (const key of keys) {
      const me = () => fetch(`${served.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
      await expect.poll(async () => (await me()).status, { timeout: 30_000, interval: 500 }).toBe(200);
    }
  }, 180_000);

  it('that never finish their request holds nobody up, and is let go', async () => {
    const beginnings = [
      '',
      'GET /heal',
      head('POST /auth/signup HTTP/1.1', { 'Content-Length': 10 }).slice(0, -2),
    ];
    const peers = await Promise.all(
      Array.from({ length: 500 }, async (_, at) => {
        const peer = await RawConnection.open(served.port, { allowHalfOpen: at % 4 === 3 });
        peer.write(beginnings[at % beginnings.length]!);
        if (at % 4 === 3) peer.socket.end();
        return peer;
      }),
    );
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
    for (const peer of peers) await peer.until(() => peer.ended);
    for (const peer of peers) peer.socket.destroy();
  }, 90_000);

  it('that stop in the middle of an upload is cut, keeps nothing, and is told as no fault of ours', async () => {
    const reported = () =>
      served.log
        .filter(({ msg }) => msg === 'The body ended before it was complete.')
        .filter(({ route }) => route === '/v1/transcription/jobs')
        .map(({ level }) => level);
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
    const peers = await Promise.all(
      ['/v1/transcription/jobs', '/v1/audio/transcriptions'].map(async (path) => {
        const peer = await RawConnection.open(served.port);
        const headers = {
          Authorization: `Bearer ${keys[4]}`,
          'Content-Type': 'multipart/form-data; boundary=b',
          'Content-Length': 500_000,
        };
        peer.write(head(`POST ${path} HTTP/1.1`, headers) + part + 'x'.repeat(5000));
        return peer;
      }),
    );
    for (const peer of peers) expect(await peer.untilClosed()).toBe('');
    await expect.poll(reported, { timeout: 10_000 }).toEqual(['info']);
    expect(readdirSync(join(served.data, 'blobs', '.unfinished'))).toEqual([]);
  }, 90_000);

  it('that read nothing is held back, holds nobody up, and leaves nothing when it goes', async () => {
    const readers = await Promise.all(keys.slice(0, 3).map(slowReader));
    const answer = await fetch(`${served.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[3]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Good morning.' }),
    });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    expect(served.level().residentMiB).toBeLessThan(before.residentMiB + 2 * MORE_MIB);
    for (const leave of readers) leave();
  }, 180_000);
});

async function say(key: string): Promise<void> {
  const answer = await fetch(`${served.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ voice: 'joe_en_us', input: 'Good morning.' }),
  });
  expect(answer.status).toBe(200);
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
}

function slowReader(key: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asked = request(`${served.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      asked.off('error', reject).on('error', () => {});
      response.on('error', () => {});
      response.socket.pause();
      if (response.statusCode === 200) resolve(() => void asked.destroy());
      else reject(new Error(`speech was answered ${response.statusCode}`));
    });
    asked.end(
      JSON.stringify({
        voice: 'joe_en_us',
        input: SPEECH.repeat(12),
        response_format: 'pcm',
      }),
    );
  });
}
