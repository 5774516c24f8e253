import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CallStore } from '../../../../src/conversation/calls/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { NodeRegistry } from '../../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { acrossTenants, openStorage } from '../../../../src/foundation/storage/index.ts';
import { lostCallsOf } from '../../../foundation/nodes/lost-node.ts';
import { blobsIn } from '../../../media/recordings/opened.ts';
import { absent, VOICE } from './server.ts';

const root = join(import.meta.dirname, '../../../..');
const PROGRAM =
  "const { main } = await import('./dist/apps/cli/index.js'); process.exitCode = await main(['serve']);";

interface Build {
  typescriptIsCurrent(root: string): boolean;
  compileTypeScript(root: string, log: (line: string) => void): Promise<void>;
}

beforeAll(async () => {
  if (absent) return;
  const build = (await import(join(root, 'scripts/setup/typescript.mjs'))) as Build;
  if (!build.typescriptIsCurrent(root)) await build.compileTypeScript(root, () => undefined);
}, 180_000);

describe.skipIf(Boolean(absent))('a server that is killed in mid-call', () => {
  it('leaves a call that the next sweep writes as failed, once and free', { timeout: 120_000 }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'omni-killed-'));
    const server = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TRUNKLINE_DATA: dataDir, TRUNKLINE_PORT: '0' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    try {
      const url = await new Promise<string>((resolve) => {
        createInterface({ input: server.stdout }).on('line', (line) => {
          const ready = /^ready (http:\S+)/.exec(line);
          if (ready?.[1]) resolve(ready[1]);
        });
      });
      const minted = await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' });
      const { api_key: key } = (await minted.json()) as { api_key: string };
      const socket = new WebSocket(
        `${url.replace('http', 'ws')}/v1/omni?format=pcm16&rate=8000&api_key=${key}`,
      );
      const closed = new Promise<number>((resolve) => socket.on('close', resolve));
      const id = await new Promise<string>((resolve) => {
        socket.on('open', () =>
          socket.send(`\u0003${JSON.stringify({ type: 'configure', voice_id: VOICE })}`, { binary: true }),
        );
        socket.on('message', (data: Buffer) => {
          const event =
            data[0] === 3
              ? (JSON.parse(data.subarray(1).toString()) as { event: string; call_id: string })
              : null;
          if (event?.event === 'configured') resolve(event.call_id);
        });
      });
      socket.send(Buffer.concat([Buffer.of(1), Buffer.alloc(320)]));
      server.kill('SIGKILL');
      await gone;
      expect(await closed).toBe(1006);
      await expectFailedOnce(dataDir, id);
    } finally {
      server.kill('SIGKILL');
    }
  });
});

/** A surviving or restarted node writes no record for a minute, then exactly one. */
async function expectFailedOnce(dataDir: string, id: string): Promise<void> {
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const storage = await openStorage({ dataDir, clock });
  try {
    const calls = new CallStore({
      storage,
      blobs: blobsIn(storage, clock),
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      clock,
      background: new BackgroundTasks({ clock }),
    });
    const all = () => acrossTenants(storage.db).selectFrom('omni_calls').selectAll().execute();
    const node = new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) });
    node.add(lostCallsOf(storage, clock, calls));
    await node.sweep();
    expect(await all()).toMatchObject([{ id, status: 'live' }]);
    ahead = 80_000;
    await node.sweep();
    await node.sweep();
    expect(await all()).toMatchObject([
      { id, status: 'failed', error: 'call_failed', end_reason: 'engine_failed', duration_ms: 0 },
    ]);
    expect(await storage.db.selectFrom('usage_events').selectAll().execute()).toEqual([]);
  } finally {
    await storage.close();
  }
}
