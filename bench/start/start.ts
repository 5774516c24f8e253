/**
 * Measures how long a second `npm start` takes to its `ready` line, with every surface and every model of this
 * machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { median, runBench } from '../harness/index.ts';

const RUNS = 5;
const GOAL_MS = 3000;

interface Start {
  readonly listening: number;
  readonly ready: number;
  readonly setUp: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function setUp(): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, ['scripts/setup.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('set-up failed');
  return performance.now() - began;
}

async function start(): Promise<Start> {
  const data = mkdtempSync(join(tmpdir(), 'start-'));
  const port = await freePort();
  const looked = await setUp();
  const began = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TRUNKLINE_PORT: String(port), TRUNKLINE_DATA: data, TRUNKLINE_LOG_LEVEL: 'warn' },
  });
  try {
    const [listening, ready] = await Promise.all([
      answering(`http://127.0.0.1:${port}/healthz`, child).then(() => performance.now() - began),
      readyLine(child).then(() => performance.now() - began),
    ]);
    return { listening, ready, setUp: looked };
  } finally {
    process.kill(-child.pid!, 'SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(data, { recursive: true, force: true });
  }
}

async function readyLine(child: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('ready ')) return;
  }
  throw new Error('npm start ended before it was ready');
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await runBench('start', 'The second start', async (page, { quick }) => {
  await setUp();
  const starts: Start[] = [];
  for (let run = 0; run < (quick ? 1 : RUNS); run++) {
    starts.push(await start());
    console.log(JSON.stringify(starts.at(-1)));
  }
  const figure = (name: string, read: (one: Start) => number, goal?: number) =>
    page.figure({
      name,
      value: median(starts.map(read)),
      unit: 'ms',
      ...(goal === undefined ? {} : { goal: { below: goal } }),
    });
  figure('from `npm start` to `ready`', ({ ready }) => ready, GOAL_MS);
  figure('from `npm start` to the first answer of /healthz', ({ listening }) => listening);
  figure('a set-up that finds all there, by itself', ({ setUp: looked }) => looked);
  page.text(
    `Medians of ${starts.length} starts with an empty data folder, every surface and every model. \`ready\` is printed once /readyz answers 200, ` +
      'which waits for every model to be open.',
  );
  page.table(
    ['start', 'set-up alone ms', 'listening ms', 'ready ms'],
    starts.map((one, run) => [run + 1, one.setUp, one.listening, one.ready]),
  );
});
