/** Deepgram's own clients of npm and PyPI, unchanged: live and pre-recorded, against the whole product. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { absent, make, RECORDING } from '../../codec/recordings.ts';
import { World } from '../../contract/world.ts';
import { npmMissing, pythonFolder, pythonMissing, required } from './vendors.ts';

// biome-ignore lint/suspicious/noExplicitAny: the clients are installed when the test runs: nothing here has their types.
type Client = any;

const SPOKEN = /printing in the only sense with which we are/;
const plain = (texts: string[]): string => texts.join(' ').toLowerCase();

const missing = absent || npmMissing();
if (missing) console.warn(`the tests with Deepgram's clients are skipped: ${missing}`);
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const folder = mkdtempSync(join(tmpdir(), 'deepgram-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const pcmFile = join(folder, 'speech.pcm');
beforeAll(() => {
  if (missing) return;
  // Speech, and silence in which its end is heard.
  const speech = readFileSync(make(folder, 'speech.raw', '-f', 's16le', '-ar', '16000', '-ac', '1'));
  writeFileSync(pcmFile, Buffer.concat([speech, Buffer.alloc(3 * 32_000)]));
});

const deepgram = (): Client => {
  const { DeepgramClient } = required('@deepgram/sdk') as Client;
  const base = `${world!.url}/deepgram`;
  const socket = base.replace('http', 'ws');
  const environment = { base, production: socket, agent: socket, agentRest: base };
  return new DeepgramClient({ apiKey: world!.ours.key, environment });
};

interface Message {
  readonly type: string;
  readonly is_final?: boolean;
  readonly speech_final?: boolean;
  readonly from_finalize?: boolean;
  readonly channel?: { alternatives: { transcript: string }[] };
}

const textOf = ({ channel }: Message): string => channel?.alternatives[0]?.transcript ?? '';

async function connected(options: object) {
  const socket = await deepgram().listen.v1.connect({ model: 'nova-3', language: 'en', ...options });
  const messages: Message[] = [];
  socket.on('message', (message: Message) => messages.push(message));
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.connect();
  await socket.waitForOpen();
  return { socket, messages, closed };
}

describe.skipIf(missing || world?.ready === false)('Deepgram’s client of npm', () => {
  it('transcribes a recording', async () => {
    const { results, metadata } = await deepgram().listen.v1.media.transcribeFile(readFileSync(RECORDING), {
      model: 'nova-3',
      language: 'en',
    });
    expect(plain([results.channels[0].alternatives[0].transcript])).toMatch(SPOKEN);
    expect(metadata.duration).toBeGreaterThan(9);
  }, 120_000);

  it('hears a stream: interim results, speech_final, UtteranceEnd, and Metadata at the end', async () => {
    const options = {
      encoding: 'linear16',
      sample_rate: 16_000,
      interim_results: 'true',
      utterance_end_ms: 1000,
      vad_events: 'true',
      reconnectAttempts: 0,
    };
    const { socket, messages, closed } = await connected(options);
    socket.sendKeepAlive({ type: 'KeepAlive' });
    const pcm = readFileSync(pcmFile);
    for (let at = 0; at < pcm.length; at += 3200) {
      socket.sendMedia(pcm.subarray(at, at + 3200));
      await sleep(50);
    }
    await expect
      .poll(() => messages.some(({ type }) => type === 'UtteranceEnd'), { timeout: 60_000 })
      .toBe(true);
    socket.sendCloseStream({ type: 'CloseStream' });
    await closed;
    const results = messages.filter(({ type }) => type === 'Results');
    expect(results.some(({ is_final }) => is_final === false)).toBe(true);
    expect(results.some(({ speech_final }) => speech_final === true)).toBe(true);
    expect(plain(results.filter(({ is_final }) => is_final).map(textOf))).toMatch(SPOKEN);
    expect(messages.map(({ type }) => type)).toContain('SpeechStarted');
    expect(messages.at(-1)?.type).toBe('Metadata');
  }, 180_000);

  it('is given what it has at Finalize', async () => {
    const options = { encoding: 'linear16', sample_rate: 16_000, reconnectAttempts: 0 };
    const { socket, messages, closed } = await connected(options);
    const pcm = readFileSync(pcmFile).subarray(0, 2 * 32_000);
    for (let at = 0; at < pcm.length; at += 3200) socket.sendMedia(pcm.subarray(at, at + 3200));
    socket.sendFinalize({ type: 'Finalize' });
    await expect
      .poll(() => messages.some(({ from_finalize }) => from_finalize === true), { timeout: 60_000 })
      .toBe(true);
    expect(messages.every(({ type, is_final }) => type !== 'Results' || is_final === true)).toBe(true);
    socket.sendCloseStream({ type: 'CloseStream' });
    await closed;
  }, 120_000);
});

describe.skipIf(missing)('the key of Deepgram’s clients', () => {
  const opened = (protocols: string[], headers: Record<string, string> = {}) =>
    new Promise<string>((resolve) => {
      const url = `${world!.url.replace('http', 'ws')}/deepgram/v1/listen?encoding=linear16&sample_rate=16000`;
      const socket = new WebSocket(url, protocols, { headers });
      socket.on('open', () => {
        resolve(`open ${socket.protocol}`);
        socket.close(1000);
      });
      socket.on('error', (error) => resolve(error.message));
    });

  it('comes as Authorization: Token, or as the subprotocol token', async () => {
    const { key } = world!.ours;
    expect(await opened([], { authorization: `Token ${key}` })).toBe('open ');
    expect(await opened(['token', key])).toBe('open token');
    expect(await opened(['token', 'svc_test_nonsense'])).toContain('401');
  });
});

const withoutPython = missing || pythonMissing();
describe.skipIf(withoutPython || world?.ready === false)('Deepgram’s client of PyPI', () => {
  it('hears a stream', async () => {
    const { stdout } = await promisify(execFile)(
      'python3',
      ['test/surfaces/compat/deepgram_live.py', world!.url, world!.ours.key, pcmFile],
      { env: { ...process.env, PYTHONPATH: pythonFolder } },
    );
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    expect(plain(said.finals)).toMatch(SPOKEN);
    expect(said.interim).toBeGreaterThan(0);
    expect(said.speech_final).toBe(true);
    expect(said.types).toContain('SpeechStarted');
    expect(said.types.at(-1)).toBe('Metadata');
  }, 180_000);
});
