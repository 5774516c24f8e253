/** Measures the cost of a 20 ms frame at the native boundary: push into a lane, its tick, drain, and the listener. */
import { Engine, type Lane, loopbackLane } from '../../src/media/engine/index.ts';
import { median, percentile, type Report, runBench } from '../harness/index.ts';

const FRAME = new Uint8Array(640);
const LANES = 500;
const FRAMES = 200;
const NANOS = 1e9;

interface Run {
  readonly pushNanos: number;
  readonly drainNanos: number;
  readonly cpuNanos: number;
}

class Echo {
  readonly engine: Engine;
  readonly #lanes: Lane[] = [];
  #back = 0;
  #all: () => void = () => {};

  constructor() {
    this.engine = new Engine({ slots: LANES });
  }

  async open(): Promise<void> {
    await this.engine.prepared();
    for (let i = 0; i < LANES; i++) {
      const heard = () => {
        this.#back += 1;
        if (this.#back === LANES) this.#all();
      };
      this.#lanes.push(this.engine.open(loopbackLane, undefined, { audio: heard, closed: () => {} }));
    }
  }

  async round(): Promise<number> {
    this.#back = 0;
    const all = new Promise<void>((resolve) => {
      this.#all = resolve;
    });
    const began = process.hrtime.bigint();
    for (const lane of this.#lanes) lane.push(FRAME);
    const took = Number(process.hrtime.bigint() - began);
    await all;
    return took;
  }
}

async function measure(echo: Echo): Promise<Run> {
  const drains: number[] = [];
  const drain = echo.engine.drain.bind(echo.engine);
  echo.engine.drain = () => {
    const began = process.hrtime.bigint();
    drain();
    drains.push(Number(process.hrtime.bigint() - began));
  };
  const pushes: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < FRAMES; i++) pushes.push(await echo.round());
  const used = process.cpuUsage(cpu);
  echo.engine.drain = drain;
  return {
    pushNanos: median(pushes) / LANES,
    drainNanos: drains.reduce((sum, one) => sum + one, 0) / (FRAMES * LANES),
    cpuNanos: ((used.user + used.system) * 1000) / (FRAMES * LANES),
  };
}

async function delays(echo: Echo): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < 150; i++) {
    let said!: () => void;
    const heard = new Promise<void>((resolve) => {
      said = resolve;
    });
    const lane = echo.engine.open(loopbackLane, undefined, { audio: () => said(), closed: () => {} });
    const began = performance.now();
    lane.push(FRAME);
    await heard;
    found.push(performance.now() - began);
    lane.drop();
    await new Promise((resolve) => setTimeout(resolve, 3 + (i % 7)));
  }
  return found;
}

async function main(page: Report): Promise<void> {
  const one = new Echo();
  await one.engine.prepared();
  const waits = await delays(one);
  one.engine.destroy();
  const echo = new Echo();
  await echo.open();
  for (let i = 0; i < 20; i++) await echo.round();
  const runs: Run[] = [];
  for (let i = 0; i < 5; i++) runs.push(await measure(echo));
  const stats = echo.engine.stats();
  echo.engine.destroy();
  const of = (pick: (run: Run) => number) => median(runs.map(pick));
  page.figure({ name: 'push, a frame', value: of((run) => run.pushNanos), unit: 'ns' });
  page.figure({ name: 'drain and listener, a frame', value: of((run) => run.drainNanos), unit: 'ns' });
  page.figure({
    name: 'processor time of the process, a frame',
    value: of((run) => run.cpuNanos),
    unit: 'ns',
  });
  page.figure({ name: 'tick, a frame', value: (stats.tickMs * NANOS) / 1000 / stats.pushed, unit: 'ns' });
  page.figure({ name: 'push to listener, one lane, p50', value: median(waits), unit: 'ms' });
  page.figure({
    name: 'push to listener, one lane, p99 (tick of 10 ms included)',
    value: percentile(waits, 0.99),
    unit: 'ms',
    goal: { below: 20 },
  });
  page.text(
    `${LANES} loopback lanes, one frame of ${FRAME.length} bytes for each at once, ${FRAMES} rounds, median of 5 runs. ` +
      'Processor time is of all threads: JavaScript, media, wake-up. The socket is not part of it: see `npm run bench -- sockets`. ' +
      'That the native side allocates nothing for a frame is proven by native/test/engine/allocation_test.cc.',
  );
}

await runBench('boundary', 'The native boundary', main);
