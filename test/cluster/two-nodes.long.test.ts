import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haproxyAbsent, type NodePorts, startHaproxy } from '../docs/haproxy.ts';
import type { Front } from '../docs/nginx.ts';
import { migratedDatabase } from '../foundation/storage/databases.ts';
import { freePort } from '../free-port.ts';
import { pollDelay, until } from '../poll.ts';
import { compileProgram, dataFolder, Running } from '../running-server.ts';
import { ResumingCall } from './resuming-call.ts';

const CALLS = 3;
const READY_MS = 120_000;
const SECRET = 'a-secret-of-keys-that-is-long-enough';

describe.skipIf(haproxyAbsent || !process.env.TRUNKLINE_TEST_S3_URL)('two nodes behind HAProxy', () => {
  const stops: (() => unknown)[] = [];
  const calls: ResumingCall[] = [];
  let settings: Record<string, string>;
  let ports: [NodePorts, NodePorts];
  let nodes: [Running, Running];
  let front: Front;
  let key: string;

  const serve = (at: 0 | 1): Running =>
    new Running(['serve'], {
      ...settings,
      TRUNKLINE_DATA: dataFolder(),
      TRUNKLINE_PORT: String(ports[at].port),
      TRUNKLINE_AGENT_CHECK_PORT: String(ports[at].agentCheckPort),
    });
  const node = (at: number, path: string) => fetch(`http://127.0.0.1:${ports[at]?.port}${path}`);
  const ready = (at: number) =>
    until(async () => (await node(at, '/readyz').catch(() => null))?.status === 200);
  const headers = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const live = async (at: number) => {
    const text = await (await node(at, '/metrics')).text();
    return Number(/^trunkline_sockets\{path="\/v1\/omni"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  async function revive(): Promise<void> {
    for (const at of [0, 1] as const) {
      const { exitCode, signalCode } = nodes[at].child;
      if (exitCode !== null || signalCode !== null) nodes[at] = serve(at);
      await ready(at);
    }
    await until(async () => (await front.send('/v1/me', { headers: headers() })).status === 200);
  }

  async function resumed(begun: readonly ResumingCall[], there: number): Promise<void> {
    await until(() => begun.filter(({ resumes }) => resumes > 0).length >= there);
    const saidSo = ({ said }: ResumingCall) => said.join(' ').includes('Sorry, we were cut off.');
    await until(() => begun.every((call) => call.resumes === 0 || saidSo(call)));
  }

  async function begin(): Promise<ResumingCall[]> {
    const begun: ResumingCall[] = [];
    while (begun.length < CALLS) {
      const call = new ResumingCall(() => front.open('/v1/omni?format=pcm16&rate=16000', key));
      begun.push(call);
      calls.push(call);
      await until(() => call.said.length > 0);
    }
    return begun;
  }

  async function expectOneRecordEach(begun: readonly ResumingCall[], cut: number): Promise<void> {
    for (const call of begun) call.end();
    let wentOn = 0;
    for (const call of begun) {
      const record = async () =>
        (await (await front.send(`/v1/omni/calls/${call.id}`, { headers: headers() })).json()) as {
          status?: string;
          duration_s?: number;
          transcript?: { entries: { role: string; text: string }[] };
        };
      await until(async () => (await record()).status === 'completed');
      const { transcript } = await record();
      const said = transcript?.entries.map(({ text }) => text).join(' ') ?? '';
      expect(said).toContain('Good morning.');
      if (call.resumes > 0) expect(said).toContain('Sorry, we were cut off.');
      wentOn += Math.min(1, call.resumes);
    }
    expect(wentOn).toBeGreaterThanOrEqual(cut);
    const silences = begun.flatMap((call) => call.silences).sort((a, b) => a - b);
    const p95 = silences[Math.min(silences.length - 1, Math.floor(silences.length * 0.95))] ?? 0;
    console.info(
      `${wentOn} of ${begun.length} calls were cut; silences ${silences.map(Math.round).join(', ')} ms`,
    );
    expect(p95).toBeLessThan(SILENCE_MS);
  }

  beforeAll(async () => {
    await compileProgram();
    const database = await migratedDatabase('postgres');
    stops.push(() => database.remove());
    const bucket = new URL(process.env.TRUNKLINE_TEST_S3_URL as string);
    settings = {
      TRUNKLINE_DATABASE_URL: database.options.databaseUrl as string,
      TRUNKLINE_REDIS_URL: process.env.TRUNKLINE_TEST_REDIS_URL as string,
      TRUNKLINE_S3_ENDPOINT: bucket.origin,
      TRUNKLINE_S3_REGION: 'us-east-1',
      TRUNKLINE_S3_BUCKET: bucket.pathname.slice(1),
      TRUNKLINE_S3_ACCESS_KEY_ID: bucket.username,
      TRUNKLINE_S3_SECRET_ACCESS_KEY: bucket.password,
      TRUNKLINE_KEY_SECRET: SECRET,
      TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
      TRUNKLINE_WEBRTC_CALLS: '0',
      TRUNKLINE_DRAIN_SECONDS: '3',
    };
    const place = async (): Promise<NodePorts> => ({
      port: await freePort(),
      agentCheckPort: await freePort(),
    });
    ports = [await place(), await place()];
    nodes = [serve(0), serve(1)];
    await Promise.all([ready(0), ready(1)]);
    front = await startHaproxy(ports, (stop) => stops.push(stop));
    const made = new Running(['keys', 'create', '--live', '--scopes', '*', '--credit', '100'], settings);
    [key = ''] = await made.line(/svc_live_\w+/);
    await until(async () => (await front.send('/v1/me', { headers: headers() })).status === 200);
  }, 2 * READY_MS);
  afterAll(async () => {
    for (const call of calls) call.end();
    for (const one of nodes ?? []) one.child.kill('SIGKILL');
    for (const stop of stops.reverse()) await stop();
  });

  it(
    'lose no call and no POST when one drains, and cut no call before its time is over',
    async () => {
      const begun = await begin();
      const there = await live(1);
      nodes[1].child.kill('SIGTERM');
      let posts = 0;
      while (nodes[1].child.exitCode === null) {
        const body = JSON.stringify({ name: `Agent ${posts++}` });
        expect((await front.send('/v1/agents', { method: 'POST', headers: headers(), body })).status).toBe(
          201,
        );
        await pollDelay();
      }
      expect(nodes[1].child.exitCode).toBe(0);
      expect(posts).toBeGreaterThan(5);
      await resumed(begun, there);
      await expectOneRecordEach(begun, there);
    },
    READY_MS,
  );

  it(
    'go on with the calls of one that is killed',
    async () => {
      await revive();
      const begun = await begin();
      const there = await live(0);
      nodes[0].child.kill('SIGKILL');
      await resumed(begun, there);
      for (let asked = 0; asked < 10; asked++)
        expect((await front.send('/v1/me', { headers: headers() })).status).toBe(200);
      await expectOneRecordEach(begun, there);
    },
    READY_MS,
  );

  it(
    'go on with the calls of one that is frozen, which leaves them alone when it thaws',
    async () => {
      await revive();
      const begun = await begin();
      const there = await live(1);
      nodes[1].child.kill('SIGSTOP');
      await resumed(begun, there);
      nodes[1].child.kill('SIGCONT');
      await expectOneRecordEach(begun, there);
    },
    READY_MS,
  );
});

/** The machine of the tests runs both nodes, the database and the clients on two cores. */
const SILENCE_MS = 6_000;
