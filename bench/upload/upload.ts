import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, runBench } from '../harness/index.ts';
import { cpuSeconds, openHandles, peakResidentMiB, residentMiB } from './process.ts';

const MIB = 1024 ** 2;
const BLOCK = Buffer.alloc(MIB, 'audio');
const BOUNDARY = 'bench-boundary';
const HEAD = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

interface Peer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly folder: string;
}

async function startPeer(kind: 'trunkline' | 'node'): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'upload-bench-'));
  const child = fork(new URL('./server.js', import.meta.url), [kind, folder]);
  const [url] = (await once(child, 'message')) as [string];
  return { child, pid: child.pid!, url, folder };
}

function stopPeer(peer: Peer): void {
  peer.child.kill('SIGKILL');
  rmSync(peer.folder, { recursive: true, force: true });
}

/** Sends `blocks` MiB; with `abortAfter` the connection is cut once that many were sent. */
async function upload(peer: Peer, blocks: number, abortAfter = Number.POSITIVE_INFINITY): Promise<void> {
  const sending = request(`${peer.url}/upload`, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': HEAD.length + blocks * MIB + TAIL.length,
    },
  });
  sending.on('error', () => {});
  sending.write(HEAD);
  for (let sent = 0; sent < blocks; sent++) {
    if (sent >= abortAfter) {
      sending.destroy();
      return;
    }
    if (!sending.write(BLOCK)) await once(sending, 'drain');
  }
  sending.end(TAIL);
  const [response] = await once(sending, 'response');
  const text = (await response.toArray()).join('');
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
}

interface Measured {
  readonly growth: number;
  readonly seconds: number;
  readonly cpu: number;
}

async function measureUpload(peer: Peer, blocks: number): Promise<Measured> {
  const before = residentMiB(peer.pid);
  const cpuBefore = cpuSeconds(peer.pid);
  const started = performance.now();
  const peak = await peakResidentMiB(peer.pid, () => upload(peer, blocks));
  return {
    growth: peak - before,
    seconds: (performance.now() - started) / 1000,
    cpu: cpuSeconds(peer.pid) - cpuBefore,
  };
}

async function settled(peer: Peer, handles: number): Promise<void> {
  const until = performance.now() + 10_000;
  while (performance.now() < until) {
    if (filesIn(peer.folder).length === 0 && openHandles(peer.pid) <= handles) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

await runBench('upload', 'A 1 GB upload', async (report, { quick }) => {
  const blocks = quick ? 64 : 1024;
  const runs = quick ? 1 : 3;
  const ours = await startPeer('trunkline');
  const plain = await startPeer('node');
  const measured: Record<'ours' | 'plain', Measured[]> = { ours: [], plain: [] };
  // The processes are new, so this growth includes the compiled code and the runtime's own buffers.
  const first = { ours: await measureUpload(ours, blocks), plain: await measureUpload(plain, blocks) };
  for (let run = 0; run < runs; run++) {
    measured.ours.push(await measureUpload(ours, blocks));
    measured.plain.push(await measureUpload(plain, blocks));
  }
  const middle = (who: 'ours' | 'plain', what: keyof Measured) =>
    median(measured[who].map((one) => one[what]));
  report.figure({
    name: `resident memory grown by ${blocks} MiB, the worst run`,
    value: Math.max(...measured.ours.map((one) => one.growth)),
    unit: 'MiB',
    goal: { below: 64 },
    peer: 'fastify on node:http',
    peerValue: Math.max(...measured.plain.map((one) => one.growth)),
  });
  report.figure({
    name: `resident memory grown by the first ${blocks} MiB after start`,
    value: first.ours.growth,
    unit: 'MiB',
    goal: { below: 64 },
    peer: 'fastify on node:http',
    peerValue: first.plain.growth,
  });
  for (const [name, what, unit] of [
    ['time', 'seconds', 's'],
    ['processor time of the server', 'cpu', 's'],
  ] as const) {
    report.figure({
      name,
      value: middle('ours', what),
      unit,
      peer: 'fastify on node:http',
      peerValue: middle('plain', what),
    });
  }
  const handles = openHandles(ours.pid);
  const before = residentMiB(ours.pid);
  const peak = await peakResidentMiB(ours.pid, async () => {
    for (let i = 0; i < (quick ? 2 : 10); i++) await upload(ours, blocks, blocks / 4);
  });
  await settled(ours, handles);
  report.figure({
    name: 'files left by aborted uploads',
    value: filesIn(ours.folder).length,
    unit: '',
    goal: { atMost: 0 },
  });
  report.figure({
    name: 'handles left by aborted uploads',
    value: Math.max(0, openHandles(ours.pid) - handles),
    unit: '',
    goal: { atMost: 0 },
  });
  report.figure({
    name: 'memory grown while uploads were aborted',
    value: peak - before,
    unit: 'MiB',
    goal: { below: 64 },
  });
  report.text(
    'Each upload is one multipart form with one file, read by the form reader of `src/edge/server` and kept in the blob folder with its sha256. ' +
      'The peer runs the same route on fastify over node:http. Aborts cut the connection after a quarter of the body.',
  );
  stopPeer(ours);
  stopPeer(plain);
});
