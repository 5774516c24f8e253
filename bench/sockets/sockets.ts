/**
 * Many connections at the pace of calls: the cost of a frame from socket through a lane and back, compared with `ws`.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { linePlot, median, type Report, runBench } from '../harness/index.ts';
import { cpuSeconds, residentMiB } from '../upload/process.ts';
import { buildDriver, buildFloor } from './programs.ts';

const FRAMES_A_SECOND = 50;
const FRAME_BYTES = 640;
const WARM_SECONDS = 1;
const SECONDS = 3;
/** A load is not sustained with a smaller share of echoes, or with a p99 beyond two frames of audio. */
const SUSTAINED_SHARE = 0.995;
const SUSTAINED_P99_MS = 40;
/** Each load runs `rounds` times, both contestants alternating, and the medians count. */
const LOADS = [
  { connections: 1000, rounds: 5 },
  { connections: 1500, rounds: 3 },
  { connections: 2000, rounds: 3 },
  { connections: 2500, rounds: 3 },
  { connections: 3000, rounds: 3 },
];
const THE_LOAD = 1000;
const QUICK = [{ connections: 100, rounds: 1 }];

/** `floor` is the lower bound of a lane's frame, without JavaScript. */
type Kind = 'lane' | 'ws' | 'floor';

interface Measured {
  readonly connections: number;
  readonly cpuMicros: number;
  readonly p50: number;
  readonly p99: number;
  readonly echoed: number;
  readonly cores: number;
  readonly memory: number;
  readonly sustained: boolean;
}

async function startServer(kind: Kind): Promise<{ child: ChildProcess; port: number }> {
  if (kind === 'floor') return await startFloor();
  const child = fork(new URL('./server.js', import.meta.url), [kind]);
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the ${kind} server does not start`);
  });
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number];
  ended.catch(() => {});
  return { child, port };
}

async function startFloor(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(buildFloor(), [], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, port: Number(port) };
}

async function measure(driver: string, kind: Kind, connections: number, seconds: number): Promise<Measured> {
  const { child, port } = await startServer(kind);
  const pid = child.pid!;
  const path = kind === 'ws' ? '/' : '/internal/loopback';
  const args = [
    port,
    path,
    'x-api-key: none',
    connections,
    FRAMES_A_SECOND,
    FRAME_BYTES,
    WARM_SECONDS,
    seconds,
  ];
  const load = spawn(driver, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  let cpuBefore = 0;
  let cpu = 0;
  let memory = 0;
  let result = { sent: 0, received: 0, lost: 0, p50: 0, p99: 0 };
  for await (const line of createInterface({ input: load.stdout! })) {
    const said = JSON.parse(line) as Record<string, unknown>;
    if (said.measuring) cpuBefore = cpuSeconds(pid);
    if (said.measured) {
      cpu = cpuSeconds(pid) - cpuBefore;
      memory = residentMiB(pid);
    }
    if ('sent' in said) result = said as typeof result;
  }
  child.kill('SIGKILL');
  const wanted = connections * FRAMES_A_SECOND * seconds;
  return {
    connections,
    cpuMicros: (cpu * 1e6) / Math.max(1, result.received),
    p50: result.p50,
    p99: result.p99,
    echoed: result.received / wanted,
    cores: cpu / seconds,
    memory,
    sustained:
      result.lost === 0 && result.received >= wanted * SUSTAINED_SHARE && result.p99 < SUSTAINED_P99_MS,
  };
}

async function climb(driver: string, quick: boolean): Promise<Record<Kind, Measured[]>> {
  const found: Record<Kind, Measured[]> = { lane: [], ws: [], floor: [] };
  let able: Kind[] = ['ws', 'lane', 'floor'];
  for (const { connections, rounds } of quick ? QUICK : LOADS) {
    for (let round = 0; round < rounds; round++) {
      for (const kind of able) {
        const one = await measure(driver, kind, connections, quick ? 2 : SECONDS);
        console.log(`${kind} ${connections}: ${JSON.stringify(one)}`);
        found[kind].push(one);
      }
    }
    able = able.filter((kind) => kind !== 'floor' && at(found[kind], connections)!.sustained);
    if (able.length === 0) break;
  }
  return found;
}

function at(runs: readonly Measured[], connections: number): Measured | undefined {
  const same = runs.filter((run) => run.connections === connections);
  const [first] = same;
  if (first === undefined) return undefined;
  const middle = (read: (run: Measured) => number) => median(same.map(read));
  return {
    connections,
    cpuMicros: middle((run) => run.cpuMicros),
    p50: middle((run) => run.p50),
    p99: middle((run) => run.p99),
    echoed: middle((run) => run.echoed),
    cores: middle((run) => run.cores),
    memory: middle((run) => run.memory),
    sustained: same.filter((run) => run.sustained).length * 2 > same.length,
  };
}

function highest(runs: readonly Measured[]): Measured {
  const loads = [...new Set(runs.map((run) => run.connections))].map((connections) => at(runs, connections)!);
  return loads.findLast((load) => load.sustained) ?? loads[0]!;
}

/**
 * Returns the ratio of ours to theirs, round by round: other load on the machine differs less within a round than
 * between rounds.
 */
function share(found: Record<Kind, Measured[]>, connections: number, kind: Kind = 'lane'): number {
  const of = (kind: Kind) => found[kind].filter((run) => run.connections === connections);
  const theirs = of('ws');
  return median(of(kind).map((run, round) => (100 * run.cpuMicros) / theirs[round]!.cpuMicros));
}

function report(page: Report, found: Record<Kind, Measured[]>): void {
  const best = { lane: highest(found.lane), ws: highest(found.ws) };
  for (const connections of new Set(found.lane.map((run) => run.connections))) {
    const ours = at(found.lane, connections);
    const peer = at(found.ws, connections);
    if (!ours?.sustained || !peer?.sustained) continue;
    page.figure({
      name: `processor time a frame, ${connections} connections each`,
      value: ours.cpuMicros,
      unit: 'µs',
      peer: 'ws, plain echo',
      peerValue: peer.cpuMicros,
    });
    page.figure({
      name: `share of ws’s processor time, ${connections} connections each`,
      value: share(found, connections),
      unit: '%',
      goal: { atMost: 70 },
    });
  }
  page.figure({
    name: 'processor time a frame at the highest load of each',
    value: best.lane.cpuMicros,
    unit: 'µs',
    peer: 'ws, plain echo',
    peerValue: best.ws.cpuMicros,
  });
  page.figure({
    name: 'share of ws’s processor time, each at its highest load',
    value: (100 * best.lane.cpuMicros) / best.ws.cpuMicros,
    unit: '%',
    goal: { atMost: 70 },
  });
  page.figure({
    name: 'highest load that is sustained',
    value: best.lane.connections,
    unit: 'connections',
    goal: { atLeast: THE_LOAD },
    peer: 'ws, plain echo',
    peerValue: best.ws.connections,
  });
  const goal = at(found.lane, THE_LOAD);
  if (at(found.floor, THE_LOAD)?.sustained && at(found.ws, THE_LOAD)?.sustained) {
    page.figure({
      name: `share of ws’s processor time without JavaScript, ${THE_LOAD} connections`,
      value: share(found, THE_LOAD, 'floor'),
      unit: '%',
    });
  }
  if (goal) {
    page.figure({
      name: `p99 from sending a frame to its echo, ${THE_LOAD} connections`,
      value: goal.p99,
      unit: 'ms',
      goal: { below: 20 },
    });
    page.figure({ name: `p50, ${THE_LOAD} connections`, value: goal.p50, unit: 'ms' });
    page.figure({ name: `cores used, ${THE_LOAD} connections`, value: goal.cores, unit: 'cores' });
  }
  describe(page, found);
}

function describe(page: Report, found: Record<Kind, Measured[]>): void {
  page.text(
    `Each connection sends ${FRAMES_A_SECOND} binary frames of ${FRAME_BYTES} bytes a second, evenly spread; a C++ driver in a second process ` +
      `counts echoes and times them. \`lane\` is the product’s own listener, guard and surface, and the loopback lane of the engine with its ` +
      `tick of 10 ms; \`ws\` is the plainest echo that library can do; \`floor\` is \`bench/sockets/floor.cc\`: the lane under a listener of C++ that can do nothing else, as the limit. Processor time is of the whole server process, all threads, ` +
      `over ${SECONDS} s after ${WARM_SECONDS} s of warming up. The delay is the whole round trip, so the added delay is less. ` +
      `A load counts as sustained when at least ${SUSTAINED_SHARE * 100} % of the frames come back within the run and p99 stays below ${SUSTAINED_P99_MS} ms. ` +
      'A share is the median over the rounds of one load, in each of which both contestants run one after the other. ' +
      'Where the machine has other work, run it as `chrt -r 5 npm run bench -- sockets`: without it the figures are those of the other work. ' +
      'What was tried, with figures: `docs/decisions/023-socket-frame-cost.md`.',
  );
  const row = (kind: Kind) => (run: Measured) => [
    kind,
    run.connections,
    run.cpuMicros,
    run.p50,
    run.p99,
    100 * run.echoed,
    run.cores,
    run.memory,
    run.sustained ? 'yes' : 'no',
  ];
  page.table(
    ['', 'connections', 'µs a frame', 'p50 ms', 'p99 ms', 'echoed %', 'cores', 'resident MiB', 'sustained'],
    [...found.lane.map(row('lane')), ...found.ws.map(row('ws')), ...found.floor.map(row('floor'))],
  );
  page.plot(
    'cpu',
    'Processor time a frame',
    linePlot({
      title: 'Processor time a frame',
      x: { label: 'connections' },
      y: { label: 'µs' },
      series: (['lane', 'ws'] as const).map((kind) => ({
        name: kind,
        points: [...new Set(found[kind].map((run) => run.connections))].map((connections) => ({
          x: connections,
          y: at(found[kind], connections)!.cpuMicros,
        })),
      })),
    }),
  );
}

await runBench('sockets', 'Sockets through a lane', async (page, { quick }) => {
  const driver = buildDriver();
  report(page, await climb(driver, quick));
});
