import { beforeAll, describe, expect, it } from 'vitest';
import { RawConnection } from '../edge/server/fixtures/raw-connection.ts';
import { compileProgram } from '../running-server.ts';
import { type ResourceUsage, ServerProcess } from './server-process.ts';

let served: ServerProcess;
let before: ResourceUsage;

beforeAll(async () => {
  await compileProgram();
  served = await ServerProcess.start();
  await read();
  before = served.level();
}, 120_000);

const request = (line: string, headers: Record<string, string | number> = {}, body = ''): string =>
  [
    line,
    'Host: a.example',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');

const json = '{"email":"no address","password":"x"}';
const chunked = `a\r\n${json.slice(0, 10)}\r\n${(json.length - 10).toString(16)}\r\n${json.slice(10)}\r\n0\r\n\r\n`;
const form = [
  '--b',
  'Content-Disposition: form-data; name="file"; filename="a.wav"',
  '',
  'no sound',
  '--b--',
  '',
].join('\r\n');

const CASES: Readonly<Record<string, { text: string; status: number; code?: string }>> = {
  'a plain request': { text: request('GET /healthz HTTP/1.1'), status: 200 },
  'a long address': {
    text: request(`GET /v1/models?x=${'y'.repeat(300)} HTTP/1.1`),
    status: 401,
    code: 'missing_api_key',
  },
  'header names with every letter': {
    text: request('GET /healthz HTTP/1.1', { "x_a.b+c|d!#$%&'*^`~": 1 }),
    status: 200,
  },
  'a body with its length': {
    text: request(
      'POST /auth/signup HTTP/1.1',
      { 'Content-Type': 'application/json', 'Content-Length': json.length },
      json,
    ),
    status: 400,
    code: 'invalid_request',
  },
  'a body in chunks': {
    text: request(
      'POST /auth/signup HTTP/1.1',
      { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      chunked,
    ),
    status: 400,
    code: 'invalid_request',
  },
  'an upload': {
    text: request(
      'POST /v1/audio/transcriptions HTTP/1.1',
      {
        Authorization: 'Bearer svc_test_none',
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': form.length,
      },
      form,
    ),
    status: 401,
    code: 'invalid_api_key',
  },
  'an unknown method': {
    text: request('BREW /v1/me HTTP/1.1'),
    status: 405,
    code: 'method_not_allowed',
  },
  'a socket without a key': {
    text: request('GET /v1/omni HTTP/1.1', {
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': 13,
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }).replace('Connection: close', 'Connection: Upgrade'),
    status: 401,
    code: 'missing_api_key',
  },
};

/**
 * Resolves once the server has read what was written before: the listener serves its sockets in turns, and this is a
 * later one.
 */
async function read(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await fetch(`${served.url}/healthz`);
}

const outcome = (text: string) => ({
  status: Number(text.split(' ', 2)[1]),
  code: /"code":"(\w+)"/.exec(text)?.[1],
});

describe.each(Object.keys(CASES))('%s', (name) => {
  it('is answered alike wherever it is cut in two', async () => {
    const { text, ...expected } = CASES[name]!;
    const cuts = Array.from({ length: text.length - 1 }, (_, at) => at + 1);
    const answers: string[] = [];
    for (let from = 0; from < cuts.length; from += 100) {
      const peers = await Promise.all(
        cuts.slice(from, from + 100).map(async (at) => {
          const peer = await RawConnection.open(served.port);
          peer.socket.setNoDelay(true);
          peer.write(text.slice(0, at));
          return { peer, rest: text.slice(at) };
        }),
      );
      await read();
      for (const { peer, rest } of peers) peer.write(rest);
      answers.push(...(await Promise.all(peers.map(({ peer }) => peer.untilClosed()))));
    }
    expect(answers.map(outcome)).toEqual(cuts.map(() => ({ code: undefined, ...expected })));
  }, 60_000);

  it('is answered alike when it comes byte by byte', async () => {
    const { text, ...expected } = CASES[name]!;
    const peer = await RawConnection.open(served.port);
    peer.socket.setNoDelay(true);
    for (const byte of text) {
      peer.write(byte);
      await fetch(`${served.url}/healthz`);
      if (peer.closed) break;
    }
    expect(outcome(await peer.untilClosed())).toEqual({ code: undefined, ...expected });
  }, 60_000);
});

it('leaves no fault, no open file and no memory behind', async () => {
  await served.backTo(before, 64);
  expect(served.faults).toEqual([]);
});
