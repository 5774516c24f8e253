// @requirement States: A job ends once in `completed` or `failed`, whatever dies.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import type { CrashPoint } from '../../foundation/billing/crash-work.ts';
import { type Databases, onBothDatabases } from '../../foundation/storage/databases.ts';
import { long } from '../../long-tests.ts';
import { fleet } from './fleet.ts';
import { workUntilDone } from './node.ts';
import { ORDER_KINDS, type OrderKind } from './orders.ts';

/** `npm run soak:jobs` takes every kind of order through every commit; otherwise two kinds cover all commits. */
const KINDS: readonly OrderKind[] = process.env.TRUNKLINE_TEST_SOAK_KILLS ? ORDER_KINDS : ['url', 'broken'];
/**
 * The commits: acceptance, claim, start, a checkpoint a line, the end, the delivery's claim and its record, and its
 * retry.
 */
const LEAST_COMMITS = 12;
const MOST_COMMITS = 150;
/** The short form meets each commit from one side: it kills before every other one, and after those between. */
const STEP = long || process.env.TRUNKLINE_TEST_SOAK_KILLS ? 1 : 4;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/speech/transcription/node-program.ts');
});
afterAll(() => program?.remove());

async function killAtEachCommit({ empty, after }: Databases, phase: CrashPoint['phase']): Promise<number> {
  const { options } = await empty();
  const storage = await openStorage(options);
  after(() => storage.close());
  const { order, setting, check } = await fleet(storage, after);
  for (let at = phase === 'before' ? 0 : STEP - 1; at < MOST_COMMITS; at += STEP) {
    for (const kind of KINDS) order(kind, 2);
    const killed = await runChild(program, {
      ...(await setting()),
      storage: options,
      crash: { at, phase },
    });
    if (killed.code === 0) {
      expect(await check()).toMatchObject({ givenUp: 0 });
      return at;
    }
    expect(killed).toMatchObject({ signal: 'SIGKILL', error: '' });
    await workUntilDone(storage, storage, await setting());
    expect(await check()).toMatchObject({ givenUp: 0 });
  }
  return MOST_COMMITS;
}

onBothDatabases('a node that transcribes and is killed', (databases) => {
  it.each(['before', 'after'] as const)(
    'loses nothing and does nothing twice, killed %s each commit',
    async (phase) => {
      const commits = await killAtEachCommit(databases, phase);
      expect(commits).toBeGreaterThanOrEqual(LEAST_COMMITS);
      expect(commits).toBeLessThan(MOST_COMMITS);
    },
    600_000,
  );
});
