import { readFileSync } from 'node:fs';
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../../../src/foundation/platform/clock.ts';
import {
  GateError,
  type GateNetwork,
  type GateReason,
  isPublicAddress,
  UrlGate,
} from '../../../../src/foundation/platform/url-gate/index.ts';
import { ManualClock } from '../manual-clock.ts';
import { HOSTILE_NAMES, HOSTILE_URLS, OTHER_PROTOCOLS } from './hostile.ts';

const ca = readFileSync(new URL('cert.pem', import.meta.url), 'utf8');
const key = readFileSync(new URL('key.pem', import.meta.url), 'utf8');
const PUBLIC = '93.184.216.34';
const limits = { maxBytes: 1000, timeoutMs: 5000 };

const listen = (server: Server, host: string, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

const readText = async (gate: UrlGate, url: string, more = {}) => {
  const answer = await gate.fetch(url, { ...limits, ...more });
  return { ...answer, text: Buffer.concat(await answer.body.toArray()).toString() };
};

const reasonOf = async (promise: Promise<unknown>): Promise<GateReason | string> => {
  try {
    await promise;
    return 'opened';
  } catch (error) {
    return error instanceof GateError ? error.reason : `not a GateError: ${error}`;
  }
};

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

describe('hostile URLs', () => {
  let connections = 0;
  let port = 0;
  const servers: Server[] = [];
  beforeAll(async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createHttps({ cert: ca, key }, (_, response) => response.end('reached'));
      server.on('connection', () => {
        connections += 1;
      });
      servers.push(server);
      port = await listen(server, host, port);
    }
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const dialled: string[] = [];
  const network: GateNetwork = {
    resolve: async (host) => HOSTILE_NAMES[host] ?? ['127.0.0.1'],
    dial: (address, to) => {
      dialled.push(address);
      return connect(to, address);
    },
  };

  it(`opens none of ${HOSTILE_URLS.length} spellings, and no connection is made`, async () => {
    expect(new Set(HOSTILE_URLS).size).toBeGreaterThanOrEqual(60);
    const gate = new UrlGate({ allowLoopback: false, network, ca });
    open.push(() => gate.close());
    for (const spelling of HOSTILE_URLS) {
      const url = spelling.replace('PORT', String(port));
      expect(await reasonOf(gate.fetch(url, limits)), url).not.toMatch(/opened|not a GateError/);
    }
    expect(dialled).toEqual([]);
    expect(connections).toBe(0);
  });

  it('would have been seen: the same listener counts the operator’s own loopback URL', async () => {
    const gate = new UrlGate({ allowLoopback: true, network, ca });
    open.push(() => gate.close());
    expect((await readText(gate, `https://127.0.0.1:${port}/`)).text).toBe('reached');
    expect(connections).toBe(1);
    expect(await reasonOf(gate.fetch(`https://loopback.hostile.com:${port}/`, limits))).toBe('address');
    expect(connections).toBe(1);
  });
});

describe('addresses', () => {
  it('knows the public ones', () => {
    for (const text of [
      '8.8.8.8',
      '1.1.1.1',
      '2606:4700::1111',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      '11.0.0.1',
    ]) {
      expect(isPublicAddress(text), text).toBe(true);
    }
    for (const text of [
      '',
      'x',
      '8.8.8',
      '2606:4700::1111%eth0',
      '4000::1',
      '2001:2::1',
      '192.0.0.9',
      '100.127.0.1',
    ]) {
      expect(isPublicAddress(text), text).toBe(false);
    }
  });
});

describe('a server that a public name leads to', () => {
  interface Site {
    readonly base: string;
    readonly seen: IncomingMessage[];
    readonly dialled: string[];
    readonly gate: UrlGate;
  }

  /** The test's network routes the one public address to a server on this machine; the gate cannot see that. */
  async function site(
    answer: RequestListener,
    resolve: GateNetwork['resolve'] = async () => [PUBLIC],
    clock?: Clock,
  ): Promise<Site> {
    const seen: IncomingMessage[] = [];
    const server = createHttps({ cert: ca, key }, (request, response) => {
      seen.push(request);
      answer(request, response);
    });
    const port = await listen(server, '127.0.0.1');
    const dialled: string[] = [];
    const network: GateNetwork = {
      resolve,
      dial: (address, to) => {
        dialled.push(address);
        return connect(to, address === PUBLIC ? '127.0.0.1' : address);
      },
    };
    const gate = new UrlGate({ allowLoopback: false, network, ca, ...(clock ? { clock } : {}) });
    open.push(
      () => server.close(),
      () => server.closeAllConnections(),
      () => gate.close(),
    );
    return { base: `https://hooks.trunkline-test.com:${port}`, seen, dialled, gate };
  }

  it('is reached at the address that was checked, under its own name', async () => {
    const { base, gate, dialled, seen } = await site((_, response) => response.end('hello'));
    expect(await readText(gate, `${base}/a?b=c`)).toMatchObject({
      status: 200,
      text: 'hello',
      url: `${base}/a?b=c`,
    });
    expect(dialled).toEqual([PUBLIC]);
    expect(seen[0]?.url).toBe('/a?b=c');
    expect(seen[0]?.headers.host).toBe(new URL(base).host);
  });

  it('must prove its name', async () => {
    const { base, gate, seen } = await site((_, response) => response.end('hello'));
    expect(await reasonOf(gate.fetch(base.replace('hooks.', 'wrong.'), limits))).toBe('connection');
    expect(seen).toEqual([]);
  });

  it('is not followed when its name is bound to another address for the next connection', async () => {
    const answers = [[PUBLIC], ['127.0.0.1'], [PUBLIC, '10.0.0.1']];
    const { base, gate, dialled, seen } = await site(
      (_, response) => response.setHeader('connection', 'close').end('hello'),
      async () => answers.shift() ?? ['127.0.0.1'],
    );
    expect((await readText(gate, base)).text).toBe('hello');
    for (const _ of [1, 2, 3]) expect(await reasonOf(gate.fetch(base, limits))).toBe('address');
    expect(dialled).toEqual([PUBLIC]);
    expect(seen.length).toBe(1);
  });

  it('may redirect, each hop checked, and secrets stay with the first origin', async () => {
    const { base, gate, seen } = await site((request, response) => {
      const other = base.replace('hooks.', 'other.');
      const next = { '/1': '/2', '/2': `${other}/3` }[request.url as string];
      if (next) response.writeHead(302, { location: next }).end();
      else response.end('there');
    });
    const headers = { authorization: 'secret', 'x-api-key': 'secret', accept: 'audio/*' };
    const answer = await readText(gate, `${base}/1`, { maxRedirects: 3, headers });
    expect(answer).toMatchObject({ text: 'there', url: `${base.replace('hooks.', 'other.')}/3` });
    expect(seen[1]?.headers.authorization).toBe('secret');
    expect(seen[2]?.headers).not.toHaveProperty('authorization');
    expect(seen[2]?.headers).not.toHaveProperty('x-api-key');
    expect(seen[2]?.headers.accept).toBe('audio/*');
  });

  it('can’t reach the ports of other protocols', async () => {
    const { gate, dialled } = await site((_, response) => response.end());
    for (const port of OTHER_PROTOCOLS)
      expect(await reasonOf(gate.fetch(`https://hooks.trunkline-test.com:${port}/`, limits))).toBe('port');
    expect(dialled).toEqual([]);
  });

  it('can’t redirect to what the gate would not open', async () => {
    const targets: [string, GateReason][] = [
      ['https://127.0.0.1/', 'address'],
      ['http://hooks.trunkline-test.com/', 'scheme'],
      ['https://[::ffff:10.0.0.1]/', 'address'],
      ['file:///etc/passwd', 'scheme'],
      ['https://user@hooks.trunkline-test.com/', 'credentials'],
      ['https://hooks.trunkline-test.com:22/', 'port'],
      ['https://[', 'redirect'],
    ];
    let location = '';
    const { base, gate, dialled } = await site((_, response) => response.writeHead(301, { location }).end());
    for (const [target, reason] of targets) {
      location = target;
      expect(await reasonOf(gate.fetch(base, { ...limits, maxRedirects: 5 })), target).toBe(reason);
    }
    expect(dialled.every((address) => address === PUBLIC)).toBe(true);
  });

  it('can’t redirect for ever; a POST is never redirected', async () => {
    const { base, gate, seen } = await site((_, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    );
    expect(await reasonOf(gate.fetch(base, { ...limits, maxRedirects: 3 }))).toBe('redirect');
    expect(seen.length).toBe(4);
    const head = { ...limits, method: 'HEAD', maxRedirects: 1 } as const;
    expect(await reasonOf(gate.fetch(base, head))).toBe('redirect');
    const posted = await readText(gate, base, { method: 'POST', body: 'x', maxRedirects: 3 });
    expect(posted.status).toBe(302);
  });

  it('can’t send more than asked for, announced or not, nor compressed', async () => {
    const { base, gate } = await site((request, response) => {
      if (request.url === '/announced') response.end('x'.repeat(1001));
      else if (request.url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
      else {
        for (let sent = 0; sent < 1001; sent += 91) response.write('x'.repeat(91));
        response.end();
      }
    });
    expect(await reasonOf(gate.fetch(`${base}/announced`, limits))).toBe('too_large');
    expect(await reasonOf(gate.fetch(`${base}/packed`, limits))).toBe('encoding');
    expect(await reasonOf(readText(gate, `${base}/unannounced`))).toBe('too_large');
  });

  it('refuses with any page: the status tells', async () => {
    const { base, gate } = await site((request, response) => {
      const headers = request.url === '/packed' ? { 'content-encoding': 'gzip' } : {};
      response.writeHead(503, headers).end('x'.repeat(1001));
    });
    for (const path of ['packed', 'large']) {
      const answer = await gate.fetch(`${base}/${path}`, limits);
      expect(answer.status).toBe(503);
      answer.body.destroy();
    }
  });

  it('must send at the rate that was asked for, in every half minute', async () => {
    const clock = new ManualClock();
    let write = (_bytes: number) => {};
    const { base, gate } = await site(
      (_, response) => {
        write = (bytes) => response.write('x'.repeat(bytes));
        write(1);
      },
      undefined,
      clock,
    );
    const request = { maxBytes: 1e6, timeoutMs: 3600_000, leastBytesPerSecond: 10 };
    const answer = await gate.fetch(base, request);
    const body = answer.body[Symbol.asyncIterator]();
    let arrived = 0;
    const until = async (bytes: number) => {
      while (arrived < bytes) arrived += ((await body.next()).value as Buffer).length;
    };
    await until(1);
    write(299);
    await until(300);
    clock.advance(30_000);
    write(299);
    await until(599);
    clock.advance(30_000);
    expect(await reasonOf(body.next())).toBe('timeout');
  });

  it('has its time for everything together', async () => {
    const { base, gate } = await site((request, response) => {
      if (request.url === '/trickle') response.write('x');
    });
    const quick = { ...limits, timeoutMs: 150 };
    expect(await reasonOf(gate.fetch(`${base}/silent`, quick))).toBe('timeout');
    expect(await reasonOf(readText(gate, `${base}/trickle`, quick))).toBe('timeout');
  });

  it('is let go when the caller gives up', async () => {
    const { base, gate } = await site(() => {});
    const abort = new AbortController();
    const asked = gate.fetch(base, { ...limits, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

describe('names that can’t be resolved', () => {
  it('are an error of their own', async () => {
    const network: GateNetwork = {
      resolve: async () => {
        throw new Error('ENOTFOUND');
      },
      dial: () => {
        throw new Error('unreachable');
      },
    };
    const gate = new UrlGate({ allowLoopback: false, network });
    expect(await reasonOf(gate.fetch('https://gone.trunkline-test.com/', limits))).toBe('dns');
    await gate.close();
  });
});

describe('loopback, where the operator allows it', () => {
  it('is reached over http by its own names alone', async () => {
    const server = createHttp((_, response) => response.end('local'));
    const port = await listen(server, '127.0.0.1');
    const gate = new UrlGate({ allowLoopback: true });
    open.push(
      () => server.close(),
      () => gate.close(),
    );
    expect((await readText(gate, `http://127.0.0.1:${port}/`)).text).toBe('local');
    expect(await reasonOf(gate.fetch(`http://10.0.0.1:${port}/`, limits))).toBe('scheme');
    expect(await reasonOf(gate.fetch(`http://0.0.0.0:${port}/`, limits))).toBe('scheme');
  });
});
