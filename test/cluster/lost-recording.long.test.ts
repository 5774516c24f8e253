// @requirement Recordings: A recording outlives its node and its disk: parts are stored during the call, and a resumed call is recorded on.
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { migratedDatabase } from '../foundation/storage/databases.ts';
import { freePort } from '../free-port.ts';
import { until } from '../poll.ts';
import { compileProgram, dataFolder, Running } from '../running-server.ts';
import { GREETING, ResumingCall, VOICE } from './resuming-call.ts';

const READY_MS = 120_000;
const RATE = 8000;

interface CallRecord {
  readonly status?: string;
  readonly recording_result?: {
    readonly status: string;
    readonly reason: string;
    readonly duration_s: number;
  };
}

const absent = !process.env.TRUNKLINE_TEST_S3_URL || !process.env.TRUNKLINE_TEST_DATABASE_URL;

describe.skipIf(absent)('a node that is killed and loses its disk', () => {
  const stops: (() => unknown)[] = [];
  const calls: ResumingCall[] = [];
  let settings: Record<string, string>;
  let ports: [number, number];
  let disk: string;
  let nodes: [Running, Running];
  let key: string;

  const at = async (node: 0 | 1, path: string, body?: object) =>
    await fetch(`http://127.0.0.1:${ports[node]}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  const socketAt = (node: 0 | 1, agent: string) =>
    new WebSocket(`ws://127.0.0.1:${ports[node]}/v1/omni?format=pcm16&rate=${RATE}&session_label=${agent}`, {
      headers: { authorization: `Bearer ${key}` },
    });
  const recordOf = async ({ id }: ResumingCall) =>
    (await (await at(1, `/v1/omni/calls/${id}`)).json()) as CallRecord;
  const stored = async (node: 0 | 1) => {
    const text = await (await at(node, '/metrics')).text();
    return Number(/^trunkline_recording_parts_total\{outcome="stored"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  /** Seconds in which the agent is heard, of each second of the recording. */
  const agentHeard = async ({ id }: ResumingCall): Promise<boolean[]> => {
    const response = await at(1, `/v1/omni/calls/${id}/recording`);
    expect(response.status).toBe(200);
    const wav = Buffer.from(await response.arrayBuffer());
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt32LE(40)]).toEqual([
      2,
      RATE,
      wav.length - 44,
    ]);
    const seconds = Math.floor((wav.length - 44) / (4 * RATE));
    return Array.from({ length: seconds }, (_, second) => {
      for (let frame = second * RATE; frame < (second + 1) * RATE; frame++)
        if (Math.abs(wav.readInt16LE(44 + 4 * frame + 2)) > 1000) return true;
      return false;
    });
  };

  beforeAll(async () => {
    await compileProgram();
    const database = await migratedDatabase('postgres');
    stops.push(() => database.remove());
    const bucket = new URL(process.env.TRUNKLINE_TEST_S3_URL as string);
    settings = {
      TRUNKLINE_DATABASE_URL: database.options.databaseUrl as string,
      TRUNKLINE_S3_ENDPOINT: bucket.origin,
      TRUNKLINE_S3_REGION: 'us-east-1',
      TRUNKLINE_S3_BUCKET: bucket.pathname.slice(1),
      TRUNKLINE_S3_ACCESS_KEY_ID: bucket.username,
      TRUNKLINE_S3_SECRET_ACCESS_KEY: bucket.password,
      TRUNKLINE_KEY_SECRET: 'a-secret-of-keys-that-is-long-enough',
      TRUNKLINE_WEBRTC_CALLS: '0',
      TRUNKLINE_RECORDING_PART_SECONDS: '1',
    };
    ports = [await freePort(), await freePort()];
    disk = dataFolder();
    const serve = (port: number, folder: string) =>
      new Running(['serve'], { ...settings, TRUNKLINE_DATA: folder, TRUNKLINE_PORT: String(port) });
    nodes = [serve(ports[0], disk), serve(ports[1], dataFolder())];
    const made = new Running(['keys', 'create', '--live', '--scopes', '*', '--credit', '100'], settings);
    [key = ''] = await made.line(/svc_live_\w+/);
    for (const node of [0, 1] as const)
      await until(async () => (await at(node, '/readyz').catch(() => null))?.status === 200);
  }, 2 * READY_MS);
  afterAll(async () => {
    for (const call of calls) call.end();
    for (const node of nodes ?? []) node.child.kill('SIGKILL');
    for (const stop of stops.reverse()) await stop();
  });

  it(
    'leaves the recordings of its calls in the store: both halves of one that goes on, and what one had that ends',
    async () => {
      const made = await at(0, '/v1/agents', {
        name: 'Maya',
        voice_id: VOICE,
        greeting: GREETING,
        recordings_enabled: true,
      });
      const agent = ((await made.json()) as { id: string }).id;
      const begin = (): ResumingCall => {
        let node: 0 | 1 = 0;
        const call = new ResumingCall(() => {
          const socket = socketAt(node, agent);
          node = 1;
          return socket;
        }, {});
        calls.push(call);
        return call;
      };
      const [goesOn, ends] = [begin(), begin()];
      await until(() => goesOn.said.length > 0 && ends.said.length > 0);
      const before = await stored(0);
      await until(async () => (await stored(0)) >= before + 4);
      ends.over = true;
      nodes[0].child.kill('SIGKILL');
      await once(nodes[0].child, 'exit');
      rmSync(disk, { recursive: true, force: true });
      expect(existsSync(disk)).toBe(false);

      await until(() => goesOn.said.join(' ').includes('Sorry, we were cut off.'));
      goesOn.end();
      await until(async () => (await recordOf(goesOn)).status === 'completed');
      const result = async (call: ResumingCall) => (await recordOf(call)).recording_result;
      // The node that has the second half cannot know that the first is lost before the lease is over.
      await until(async () => (await result(goesOn))?.status === 'success');
      await until(async () => (await result(ends))?.status === 'success');
      for (const call of [goesOn, ends]) {
        expect(await result(call)).toMatchObject({ status: 'success', reason: 'recording_cut_short' });
        expect((await agentHeard(call)).slice(0, 2), 'the greeting').toContain(true);
      }
      expect((await agentHeard(goesOn)).slice(-3), 'the words after the break').toContain(true);
      expect((await result(goesOn))?.duration_s).toBeGreaterThan((await result(ends))?.duration_s ?? 0);
      expect(await recordOf(ends)).toMatchObject({ status: 'failed' });
    },
    READY_MS + 60_000,
  );
});
