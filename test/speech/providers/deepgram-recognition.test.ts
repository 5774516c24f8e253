// @requirement Providers: Nothing that a recognizer's host sends ends the process or a call.
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { ProvidedRecognition } from '../../../src/conversation/calls/provided-recognition.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import {
  ProviderError,
  RECOGNITION_ADAPTERS,
  RecognitionProviders,
} from '../../../src/speech/providers/index.ts';

const FRAME = new Uint8Array(320).fill(1);
const REQUEST = { rate: 8_000, language: 'en', vocabulary: ['Maya'] };
const result = (transcript: unknown, more: object = {}) =>
  JSON.stringify({ type: 'Results', is_final: true, channel: { alternatives: [{ transcript }] }, ...more });

let server: WebSocketServer;
let gate: UrlGate;
let url = '';
const asked: string[] = [];
let answer: (socket: WebSocket) => void;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  gate = new UrlGate({ allowLoopback: true });
  asked.length = 0;
  server.on('connection', (socket, request) => {
    asked.push(request.url!);
    socket.on('message', (_data, isBinary) => {
      if (!isBinary) answer(socket);
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

const provider = (at = url) => RECOGNITION_ADAPTERS.deepgram({ gate, name: 'default', url: at, key: 'k' });

async function heard(): Promise<string> {
  const stream = provider().listen(REQUEST);
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

it('joins the final results of an utterance', async () => {
  answer = (socket) => {
    socket.send(JSON.stringify({ type: 'Metadata' }));
    socket.send(result('I need'));
    socket.send(result('a table.', { from_finalize: true }));
  };
  expect(await heard()).toBe('I need a table.');
});

const unprintable = { toString: 1, valueOf: 1 };
it.each([
  ['null', 'null', 'garbage'],
  ['a number', '7', 'garbage'],
  ['no JSON', '<html>', 'garbage'],
  ['an error', JSON.stringify({ type: 'Error', description: 'no credit' }), 'refused'],
  ['an error without a text', JSON.stringify({ type: 'Error', description: unprintable }), 'refused'],
])('fails where the host sends %s', async (_what, message, fault) => {
  answer = (socket) => socket.send(message);
  expect(await heard()).toBe(fault);
});

it.each([
  ['channel', { channel: null }],
  ['channel', { channel: 5 }],
  ['alternatives', { channel: { alternatives: { 0: null } } }],
  ['alternatives', { channel: { alternatives: [null] } }],
  ['transcript', { channel: { alternatives: [{ transcript: unprintable }] } }],
])('passes over a result with another %s: %o', async (_field, more) => {
  answer = (socket) => {
    socket.send(result('', more));
    socket.send(result('Yes.', { from_finalize: true }));
  };
  expect(await heard()).toBe('Yes.');
});

it('ends the socket of a host that sends without end', async () => {
  const closed = new Promise((resolve) => {
    answer = (socket) => {
      socket.on('close', resolve);
      const send = () => socket.send(Buffer.alloc(512 * 1024), () => socket.readyState === 1 && send());
      send();
    };
  });
  expect(await heard()).toBe('garbage');
  await closed;
});

it('sends as many terms as a URL has room for', async () => {
  answer = (socket) => socket.send(result('Yes.', { from_finalize: true }));
  const vocabulary = Array.from({ length: 200 }, (_, at) => `${at} `.padEnd(64, 'é'));
  const stream = provider().listen({ ...REQUEST, vocabulary });
  expect(await stream.text()).toBe('Yes.');
  stream.close();
  const terms = new URL(asked[0]!, url).searchParams.getAll('keyterm');
  expect(terms).toEqual(vocabulary.slice(0, terms.length));
  expect(terms.length).toBeGreaterThan(5);
  expect(asked[0]!.length).toBeLessThan(6_000);
});

it('leaves the call to the lane where a request cannot be made', () => {
  const failures: string[] = [];
  const providers = new RecognitionProviders({
    clock: systemClock,
    list: [{ provider: provider(`${url}/${'x'.repeat(8_200)}`) }],
    onFailure: (_, { fault }) => failures.push(fault),
  });
  const events: LaneEvent[] = [];
  const recognition = new ProvidedRecognition({
    providers,
    chain: providers.chainOf(null),
    clock: systemClock,
    owner: 'org_1',
    rate: 8_000,
    language: 'en',
    vocabulary: [],
    onEvent: (event) => event.kind !== 'feed' && events.push(event),
  });
  recognition.push(FRAME);
  recognition.take({ kind: 'speech_start', atMs: 100 });
  recognition.push(FRAME);
  recognition.take({
    kind: 'final',
    utterance: 1,
    text: 'of the lane',
    startMs: 100,
    endMs: 900,
    atMs: 1_400,
    asrMs: 10,
  });
  expect(events).toMatchObject([{ kind: 'speech_start' }, { kind: 'final', text: 'of the lane' }]);
  expect(failures).toEqual(['unreachable']);
  expect(recognition.providerUse).toMatchObject([{ requests: 1, failures: 1 }]);
});
