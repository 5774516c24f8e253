import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import type { WebRtcService } from '../../src/telephony/webrtc/index.ts';
import { wavOf } from '../harness/index.ts';
import type { MessagingProvider } from './apps.ts';

export interface SoakTarget {
  readonly url: string;
  readonly key: string;
  readonly speech: Buffer;
  readonly events: string;
  readonly peers: WebRtcService;
  readonly provider: MessagingProvider;
}

/** A status or a close code; words mean that a job was accepted, and did not reach its end. */
export type SoakOutcome = number | string;
export type SoakVisit = (target: SoakTarget) => Promise<SoakOutcome>;

export const RATE = 16_000;
export const auth = ({ key }: SoakTarget) => ({ authorization: `Bearer ${key}` });

export async function answer(response: Response): Promise<number> {
  await response.arrayBuffer();
  return response.status;
}

export async function post(target: SoakTarget, path: string, body: FormData | string): Promise<number> {
  const json: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const headers = { ...auth(target), ...json, connection: 'close' };
  return answer(await fetch(`${target.url}${path}`, { method: 'POST', headers, body }));
}

export function form(file: Buffer, fields: Record<string, string> = {}): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append('file', new Blob([new Uint8Array(file)]), 'sound.wav');
  return made;
}

const sentence = 'Good morning, your parcel will arrive at a quarter past nine.';

interface Wire {
  readonly path: string;
  readonly audio: (pcm: Buffer) => Buffer;
  readonly control: (message: string) => Buffer | string;
  readonly last: (line: WebSocket) => void;
}

const STREAM: Wire = {
  path: '/v1/audio/transcriptions/stream?sample_rate=16000&language=en',
  audio: (pcm) => pcm,
  control: (message) => message,
  last: (line) => line.send('{"type":"close"}'),
};
const OMNI: Wire = {
  path: '/v1/omni?format=pcm16&rate=16000',
  audio: (pcm) => Buffer.concat([Buffer.of(1), pcm]),
  control: (message) => Buffer.concat([Buffer.of(3), Buffer.from(message)]),
  last: (line) => line.close(1000),
};
const CONFIGURE = '{"type":"configure","persona":"A receptionist."}';

async function socket(target: SoakTarget, wire: Wire, first: string[], cut: boolean): Promise<number> {
  const line = new WebSocket(`${target.url.replace('http', 'ws')}${wire.path}`, { headers: auth(target) });
  line.on('error', () => {});
  const closed = once(line, 'close') as Promise<[number]>;
  let code = 0;
  const ended = closed.then(([reported]) => {
    code = reported;
  });
  await Promise.race([once(line, 'open').catch(() => {}), ended]);
  for (const message of first) if (line.readyState === WebSocket.OPEN) line.send(wire.control(message));
  for (let at = 0; at < RATE * 8 && line.readyState === WebSocket.OPEN; at += 640) {
    line.send(wire.audio(target.speech.subarray(at, at + 640)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (cut) line.terminate();
  else if (line.readyState === WebSocket.OPEN) wire.last(line);
  const deadline = setTimeout(() => line.terminate(), 20_000);
  await ended;
  clearTimeout(deadline);
  return code;
}

async function raw(target: SoakTarget, bytes: Buffer | string): Promise<number> {
  const { hostname, port } = new URL(target.url);
  const line = connect({ host: hostname, port: Number(port) });
  line.on('error', () => {});
  line.on('data', () => {});
  line.write(bytes);
  const deadline = setTimeout(() => line.destroy(), 500);
  await once(line, 'close');
  clearTimeout(deadline);
  return 0;
}

export const SOAK_VISITS: Record<string, SoakVisit> = {
  transcription: (t) => post(t, '/v1/audio/transcriptions', form(wavOf(t.speech, RATE), { language: 'en' })),
  job: (t) => post(t, '/v1/transcription/jobs', form(wavOf(t.speech, RATE))),
  speech: (t) => post(t, '/v1/audio/speech', JSON.stringify({ input: sentence, voice: 'en1' })),
  clone: (t) => post(t, '/v1/voice/clones', form(wavOf(t.speech, RATE), { name: 'Soak', consent: 'true' })),
  stream: (t) => socket(t, STREAM, [], false),
  'stream, cut': (t) => socket(t, STREAM, [], true),
  omni: (t) => socket(t, OMNI, [CONFIGURE], false),
  'omni, cut': (t) => socket(t, OMNI, [CONFIGURE], true),
  'omni, hostile': (t) => socket(t, OMNI, ['{"type":', '{"type":"configure","tools":7}', '\u0000'], true),
  'damaged audio': (t) => post(t, '/v1/audio/transcriptions', form(t.speech.subarray(0, 3001))),
  'clone of noise': (t) =>
    post(t, '/v1/voice/clones', form(wavOf(Buffer.alloc(RATE * 8), RATE), { name: 'Soak', consent: 'true' })),
  'bad json': (t) => post(t, '/v1/audio/speech', '{"input":'),
  'no such voice': (t) => post(t, '/v1/audio/speech', JSON.stringify({ input: sentence, voice: 'nobody' })),
  'no key': async (t) => answer(await fetch(`${t.url}/v1/voice/clones`)),
  'no request': (t) => raw(t, Buffer.alloc(4096, 0xa5)),
  'half a request': (t) => raw(t, 'POST /v1/audio/speech HTTP/1.1\r\nHost: x\r\nContent-Le'),
};
