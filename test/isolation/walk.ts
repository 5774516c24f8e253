import { WebSocket } from 'ws';
import type { ValidRequest } from '../contract/case.ts';
import { CASES } from '../contract/cases/index.ts';
import { credential, sentOf, urlOf } from '../contract/checks.ts';
import { type DescribedOperation, operationsOf } from '../contract/operations.ts';
import type { Answer, Sent, World } from '../contract/world.ts';
import { ulaw } from '../edge/surfaces/amd/sounds.ts';
import { sampleOf } from '../long-tests.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of every route.
type Json = any;

export interface Walk {
  readonly elsewhere: string;
  readonly plant?: (json: Json, operation: DescribedOperation) => Json;
  readonly after?: (name: string) => void;
  /** One of how many routes the short form walks. */
  readonly every?: number;
}

export interface Walked {
  readonly name: string;
  readonly answer: Answer;
}

/** Replaces external addresses with ones of this machine: customers may name any address. */
function brought(value: Json, elsewhere: string): Json {
  if (typeof value === 'string')
    return /^https?:\/\//.test(value) ? `${elsewhere}/${encodeURIComponent(value)}` : value;
  if (Array.isArray(value)) return value.map((one) => brought(one, elsewhere));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, brought(one, elsewhere)]));
}

function broughtWorld(world: World, elsewhere: string): World {
  const send = (path: string, sent: Sent = {}) =>
    world.send(
      path,
      typeof sent.body === 'string'
        ? { ...sent, body: JSON.stringify(brought(JSON.parse(sent.body), elsewhere)) }
        : sent,
    );
  const { url, data, openapi, ours, theirs, ready } = world;
  return { url, data, openapi, ours, theirs, ready, send } as World;
}

export async function walkRoutes(
  world: World,
  { elsewhere, plant, after, every = 1 }: Walk,
): Promise<Walked[]> {
  const here = broughtWorld(world, elsewhere);
  const walked: Walked[] = [];
  for (const operation of sampleOf(operationsOf(world.openapi), every)) {
    const one = CASES[operation.name];
    if (one === undefined) continue;
    const good: ValidRequest = await one.good(here, world.ours);
    const changed = plant && good.json !== undefined ? { json: plant(good.json, operation) } : {};
    const request = { ...good, ...changed };
    const headers = credential(operation, world.ours);
    const answer = await here.send(urlOf(operation, request), sentOf(operation, request, headers));
    walked.push({ name: operation.name, answer });
    after?.(operation.name);
  }
  return walked;
}

interface Channel {
  readonly address: string;
  readonly messages: Record<string, { examples?: { payload: Json }[] }>;
  readonly bindings?: { ws: { query: { required?: string[] } } };
}

const QUERY: Readonly<Record<string, string>> = {
  '/v1/omni': 'format=pcm16&rate=16000',
  '/deepgram/v1/listen': 'encoding=linear16&sample_rate=16000',
};
const CONTROL_TAG = 3;
const tagged = (message: object): Buffer =>
  Buffer.concat([Buffer.of(CONTROL_TAG), Buffer.from(JSON.stringify(message))]);

interface Manner {
  readonly audio: (pcm: Buffer) => Buffer | string;
  readonly control: (message: object) => Buffer | string;
}
const PLAIN: Manner = { audio: (pcm) => pcm, control: JSON.stringify };
const MANNERS: Readonly<Record<string, Manner>> = {
  '/v1/omni': { audio: (pcm) => Buffer.concat([Buffer.of(1), pcm]), control: tagged },
  '/v1/realtime': {
    audio: (pcm) => JSON.stringify({ type: 'input_audio_buffer.append', audio: pcm.toString('base64') }),
    control: JSON.stringify,
  },
  '/v1/amd/stream': { audio: (pcm) => JSON.stringify(media(pcm)), control: JSON.stringify },
};

function media(pcm: Buffer): object {
  const payload = Buffer.alloc(pcm.length / 4);
  for (let at = 0; at < payload.length; at++) payload[at] = ulaw(pcm.readInt16LE(4 * at));
  return { event: 'media', streamSid: 'MZ1', media: { payload: payload.toString('base64') } };
}

const FRAME_BYTES = 2 * 320;

export interface Spoken {
  readonly pcm: Buffer;
  readonly goodbye: Readonly<Record<string, object>>;
  readonly hello: Readonly<Record<string, object>>;
}

/** The sockets are spoken to at the same time: speech takes as long as it takes a caller to say it. */
export async function walkSockets(world: World, spoken: Spoken): Promise<Record<string, string[]>> {
  const asyncapi = (await world.send('/asyncapi.json')).json as { channels: Record<string, Channel> };
  const addresses = Object.values(asyncapi.channels).map(({ address }) => address);
  return Object.fromEntries(
    await Promise.all(
      addresses.map(async (address) => [address, await conversation(world, address, spoken)] as const),
    ),
  );
}

async function conversation(world: World, address: string, spoken: Spoken): Promise<string[]> {
  const query = QUERY[address] ?? '';
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}${address}?${query}`, {
    headers: { authorization: `Bearer ${world.ours.key}` },
  });
  const said: string[] = [];
  let last = performance.now();
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const text = isBinary ? data.subarray(1).toString('utf8') : data.toString('utf8');
    if (!isBinary || data[0] !== 1) said.push(text);
    last = performance.now();
  });
  await new Promise<void>((resolve) => {
    socket.on('open', () => resolve());
    socket.on('unexpected-response', (_request, response) => {
      said.push(`refused with ${response.statusCode}`);
      response.resume();
      socket.terminate();
      resolve();
    });
    socket.on('error', () => resolve());
  });
  const manner = MANNERS[address] ?? PLAIN;
  const control = (message: object | undefined) => {
    if (message !== undefined) socket.send(manner.control(message));
  };
  if (socket.readyState !== WebSocket.OPEN) return said;
  control(spoken.hello[address]);
  await paced(spoken.pcm, (pcm) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(manner.audio(pcm));
  });
  control(spoken.goodbye[address]);
  // A server that was told goodbye ends what it does, and closes by itself.
  const quietMs = spoken.goodbye[address] === undefined ? 3_000 : 30_000;
  const quiet = async () => {
    while (performance.now() - last < quietMs) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  last = performance.now();
  await Promise.race([closed, quiet()]);
  socket.terminate();
  return said;
}

export async function spokenBy(world: World, phrase: string): Promise<Buffer> {
  const response = await fetch(`${world.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: phrase, voice: 'joe_en_us', response_format: 'pcm', sample_rate: 16_000 }),
  });
  if (!response.ok) throw new Error(await response.text());
  return Buffer.concat([Buffer.from(await response.arrayBuffer()), Buffer.alloc(2 * 16_000)]);
}

async function paced(pcm: Buffer, send: (pcm: Buffer) => void): Promise<void> {
  const began = performance.now();
  for (let at = 0; at < pcm.length; at += FRAME_BYTES) {
    const wait = began + at / 32 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    send(pcm.subarray(at, at + FRAME_BYTES));
  }
}
