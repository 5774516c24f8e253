import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { toUlaw } from '../../src/apps/caller/index.ts';
import { wavOf } from '../harness/index.ts';
import { answer, auth, form, post, RATE, type SoakTarget, type SoakVisit } from './visits.ts';

/** A customer's server accepts every other event at once, refuses the others the first time, and delays a few. */
export async function receiveEvents(): Promise<{ url: string; stop: () => void }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    count += 1;
    const status = count % 2 === 0 ? 200 : 500;
    setTimeout(() => response.writeHead(status).end(), count % 7 === 0 ? 2_000 : 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, stop };
}

let people = 0;
const PASSWORD = 'a password of some length';

async function account({ url }: SoakTarget): Promise<number> {
  const one = people++;
  const from = { 'x-forwarded-for': `${11 + ((one >> 16) & 31)}.${(one >> 8) & 255}.${one & 255}.1` };
  const json = { 'content-type': 'application/json', connection: 'close' };
  const ask = (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    fetch(url + path, {
      method,
      headers: { ...from, ...json, ...more },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const person = { email: `soak-${process.pid}-${one}@example.com`, password: PASSWORD };
  const signedUp = await ask('POST', '/auth/signup', person);
  if (signedUp.status !== 201) return answer(signedUp);
  const { api_key: key } = (await signedUp.json()) as { api_key: string };
  const signedIn = await ask('POST', '/auth/login', person);
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0]!;
  await answer(signedIn);
  await answer(await ask('GET', '/v1/me', undefined, { authorization: `Bearer ${key}` }));
  await answer(await ask('GET', '/v1/keys', undefined, { cookie }));
  await answer(await ask('POST', '/auth/logout', {}, { cookie, origin: url }));
  return answer(await ask('POST', '/auth/login', { ...person, password: 'another one entirely' }));
}

async function design(target: SoakTarget): Promise<number> {
  const asked = await fetch(`${target.url}/v1/voice/design`, {
    method: 'POST',
    headers: { ...auth(target), 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ description: 'A warm, slow, elderly British man.', candidates: 2 }),
  });
  if (!asked.ok) return answer(asked);
  const { candidates } = (await asked.json()) as { candidates: { preview_url: string }[] };
  const headers = { ...auth(target), connection: 'close' };
  return answer(await fetch(target.url + candidates[0]!.preview_url, { headers }));
}

const ulawOf = (speech: Buffer): Buffer => {
  const samples = new Int16Array(speech.buffer, speech.byteOffset, speech.length >> 1);
  return Buffer.from(samples.filter((_, at) => at % 2 === 0).map(toUlaw));
};

const START = {
  streamSid: 'MZ1',
  accountSid: 'AC1',
  callSid: 'CA1',
  tracks: ['inbound'],
  mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
};

async function detection(target: SoakTarget, cut: boolean): Promise<number> {
  const line = new WebSocket(`${target.url.replace('http', 'ws')}/v1/amd/stream`);
  line.on('error', () => {});
  const closed = once(line, 'close') as Promise<[number]>;
  const deadline = setTimeout(() => line.terminate(), 30_000);
  await Promise.race([once(line, 'open').catch(() => {}), closed]);
  const send = (message: object) => {
    if (line.readyState === WebSocket.OPEN) line.send(JSON.stringify(message));
  };
  line.on('message', () => send({ event: 'stop', streamSid: 'MZ1', stop: { callSid: 'CA1' } }));
  send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  const parameters = { api_key: target.key };
  send({ event: 'start', streamSid: 'MZ1', start: { ...START, customParameters: parameters } });
  const sound = ulawOf(target.speech);
  const most = cut ? 8000 : sound.length;
  for (let at = 0; at < most && line.readyState === WebSocket.OPEN; at += 160) {
    const payload = sound.subarray(at, at + 160).toString('base64');
    const chunk = String(at / 160 + 1);
    send({
      event: 'media',
      streamSid: 'MZ1',
      media: { track: 'inbound', chunk, timestamp: `${at / 8}`, payload },
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (cut) line.terminate();
  else send({ event: 'stop', streamSid: 'MZ1', stop: { callSid: 'CA1' } });
  const [code] = await closed;
  clearTimeout(deadline);
  return code;
}

export const CUSTOMERS: Record<string, SoakVisit> = {
  account,
  design,
  'job that tells': (t) =>
    post(t, '/v1/transcription/jobs', form(wavOf(t.speech, RATE), { webhook_url: t.events })),
  detection: (t) => detection(t, false),
  'detection, cut': (t) => detection(t, true),
};
