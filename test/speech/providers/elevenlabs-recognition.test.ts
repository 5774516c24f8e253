// @requirement Providers: ElevenLabs' recognition hears an utterance while it is spoken.
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { ProviderError, RECOGNITION_ADAPTERS } from '../../../src/speech/providers/index.ts';

const FRAME = new Uint8Array(320).fill(1);
const message = (message_type: string, more: object = {}) => JSON.stringify({ message_type, ...more });
const committed = (text: unknown) => message('committed_transcript', { text });

let server: WebSocketServer;
let gate: UrlGate;
let url = '';
const asked: { url: string; key: unknown; chunks: Record<string, unknown>[] }[] = [];
let answer: (socket: WebSocket) => void;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  gate = new UrlGate({ allowLoopback: true });
  asked.length = 0;
  server.on('connection', (socket, request) => {
    const one = { url: request.url!, key: request.headers['xi-api-key'], chunks: [] as object[] };
    asked.push(one as never);
    socket.send(message('session_started', { session_id: 's' }));
    socket.on('message', (data: Buffer) => {
      const chunk = JSON.parse(data.toString());
      one.chunks.push(chunk);
      if (chunk.commit === true) answer(socket);
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const client of server.clients) client.terminate();
  await gate.close();
  await new Promise((resolve) => server.close(resolve));
});

const listen = (at = url) =>
  RECOGNITION_ADAPTERS.elevenlabs({ gate, name: 'default', url: at, key: 'k' }).listen({
    rate: 8_000,
    language: 'en',
    vocabulary: ['Maya'],
  });

async function heard(): Promise<string> {
  const stream = listen();
  stream.push(FRAME);
  try {
    return await stream.text();
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderError);
    return (error as ProviderError).fault;
  } finally {
    stream.close();
  }
}

it.each(['', '/v1', '/v1/speech-to-text/realtime'])(
  'sends audio and a commit to the socket of %s',
  async (path) => {
    answer = (socket) => {
      socket.send(message('partial_transcript', { text: 'I need' }));
      socket.send(committed('I need a table.'));
    };
    const stream = listen(`${url}${path}`);
    stream.push(FRAME);
    expect(await stream.text()).toBe('I need a table.');
    stream.close();
    const [one] = asked;
    const at = new URL(one!.url, url);
    expect(at.pathname).toBe('/v1/speech-to-text/realtime');
    expect(Object.fromEntries(at.searchParams)).toEqual({
      model_id: 'scribe_v2_realtime',
      audio_format: 'pcm_8000',
      language_code: 'en',
      commit_strategy: 'manual',
    });
    expect(one!.key).toBe('k');
    expect(one!.chunks).toEqual([
      {
        message_type: 'input_audio_chunk',
        audio_base_64: Buffer.from(FRAME).toString('base64'),
        commit: false,
        sample_rate: 8_000,
      },
      { message_type: 'input_audio_chunk', audio_base_64: '', commit: true, sample_rate: 8_000 },
    ]);
  },
);

it('adds what the caller says after a guess at the end', async () => {
  const texts = ['I need a table', 'for two.'];
  answer = (socket) => socket.send(committed(texts.shift()));
  const stream = listen();
  stream.push(FRAME);
  expect(await stream.text()).toBe('I need a table');
  stream.push(FRAME);
  expect(await stream.text()).toBe('I need a table for two.');
  stream.close();
});

it('keeps the text where nothing came since the last commit', async () => {
  const answers = [committed('Yes.'), message('commit_throttled', { error: 'too little audio' })];
  answer = (socket) => socket.send(answers.shift()!);
  const stream = listen();
  stream.push(FRAME);
  expect(await stream.text()).toBe('Yes.');
  expect(await stream.text()).toBe('Yes.');
  stream.close();
});

it.each([
  ['null', 'null', 'garbage'],
  ['no JSON', '<html>', 'garbage'],
  ['a wrong key', message('auth_error', { error: 'no such key' }), 'refused'],
  ['an error without a text', message('error', { error: { toString: 1 } }), 'refused'],
  ['that it is busy', message('rate_limited', { error: 'slow down' }), 'overloaded'],
  ['a text that is none', committed({ toString: 1 }), ''],
])('answers where the host sends %s', async (_what, said, fault) => {
  answer = (socket) => socket.send(said);
  expect(await heard()).toBe(fault);
});

it('fails where the host closes its socket', async () => {
  answer = (socket) => socket.close(1000);
  expect(await heard()).toBe('incomplete');
});
