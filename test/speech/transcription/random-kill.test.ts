import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomFrom } from '../../../src/foundation/platform/seeded-random.ts';
import { openStorage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram } from '../../child-program.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { fleet } from './fleet.ts';
import { type NodeSetting, workUntilDone } from './node.ts';
import { ORDER_KINDS, type OrderKind } from './orders.ts';

const KILLS = Number(process.env.TRUNKLINE_TEST_SOAK_KILLS ?? 4);
/**
 * The longest life of a node, from the start of its work, is what an undisturbed node needs for two lines of each
 * kind: some nodes complete nothing, others most of it. The test measures it again after this many rounds, because
 * the machine's pace changes.
 */
const TURNS_AT_ONE_PACE = 20;
const MOST_UNFINISHED = 8;
/**
 * Where all faults are kills, an order may be given up: twenty workers in a row were killed with it before any
 * progress. That end is reported too, and not billed. About four lives in ten end without progress of their job, so
 * one order in 10^8 meets this by chance; the bound allows a machine so busy that seven in ten do (one in 1,250). The
 * short form has too few kills for a bound.
 */
const MOST_GIVEN_UP = 0.002;

/** A soak draws other moments each time. */
const random = process.env.TRUNKLINE_TEST_SOAK_KILLS === undefined ? randomFrom(1) : Math.random;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/speech/transcription/node-program.ts');
});
afterAll(() => program?.remove());

class Node {
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;
  #error = '';

  constructor(storage: StorageOptions, setting: NodeSetting) {
    const input = JSON.stringify({ ...setting, storage, crash: null });
    this.#child = fork(program.file, [input], { silent: true, execArgv: [] });
    this.#child.stderr?.on('data', (chunk) => {
      this.#error += chunk;
    });
    this.#gone = once(this.#child, 'exit');
  }

  async timed(): Promise<number> {
    await Promise.race([once(this.#child, 'message'), this.#gone]);
    const began = performance.now();
    await this.#gone;
    expect([this.#child.exitCode, this.#error]).toEqual([0, '']);
    return performance.now() - began;
  }

  async killWithin(ms: number): Promise<boolean> {
    await Promise.race([once(this.#child, 'message'), this.#gone]);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), random() * ms);
    await this.#gone;
    clearTimeout(timer);
    expect(this.#error).toBe('');
    return this.#child.signalCode === 'SIGKILL';
  }
}

onBothDatabases('nodes that are killed at any moment', ({ dialect, empty, after }) => {
  it(
    `end every job once after ${KILLS} kills`,
    async () => {
      const { options } = await empty();
      const storage = await openStorage(options);
      after(() => storage.close());
      const { order, setting, unfinished, losses, check } = await fleet(storage, after);
      const start = async () => new Node(options, await setting());
      const pace = async () => {
        for (const kind of ORDER_KINDS) order(kind, 2);
        return await (await start()).timed();
      };
      let longest = await pace();
      // PostgreSQL is shared: two nodes have clocks that disagree by minutes. SQLite belongs to one.
      const others = dialect === 'postgres' ? [await start()] : [];
      let kills = 0;
      let mostLosses = 0;
      for (let turn = 0; kills < KILLS; turn += 1) {
        if (turn % TURNS_AT_ONE_PACE === TURNS_AT_ONE_PACE - 1) longest = await pace();
        if ((await unfinished()) < MOST_UNFINISHED) {
          order(ORDER_KINDS[turn % ORDER_KINDS.length] as OrderKind, 1 + (turn % 4));
        }
        others.push(await start());
        if (await others.shift()?.killWithin(longest)) kills += 1;
        mostLosses = Math.max(mostLosses, await losses());
      }
      for (const node of others) await node.killWithin(0);
      await workUntilDone(storage, storage, await setting());
      const ends = await check();
      console.log(
        `${dialect}: ${kills} kills within ${Math.round(longest)} ms of work, at last, most in a row with one job ${mostLosses}, ${JSON.stringify(ends)}`,
      );
      expect(ends.givenUp).toBeLessThanOrEqual(Math.floor(ends.orders * MOST_GIVEN_UP));
    },
    60_000 + KILLS * 15_000,
  );
});
