import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../../../src/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child.ts';
import { onBothDatabases } from '../../storage/databases.ts';
import { fleet } from './fleet.ts';

const LEASE_MS = 60_000;
/** Claim, begin, a checkpoint a line, the result, the delivery's claim and its record. */
const LEAST_COMMITS = 8;
const MOST_COMMITS = 60;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/surfaces/jobs/node-program.ts');
});
afterAll(() => program?.remove());

onBothDatabases('a node that transcribes and is killed', ({ empty, after }) => {
  it.each(['before', 'after'] as const)(
    'loses nothing and does nothing twice, killed %s each commit',
    async (phase) => {
      const { options } = await empty();
      const storage = await openStorage(options);
      after(() => storage.close());
      const { folder, accept, check } = await fleet(storage, after);
      let aheadMs = 0;
      let at = 0;
      for (; at < MOST_COMMITS; at += 1) {
        await accept(2);
        const input = { storage: options, folder, aheadMs, crash: { at, phase } };
        const ended = await runChild(program, input);
        aheadMs += LEASE_MS;
        if (ended.code === 0) break;
        expect(ended).toMatchObject({ signal: 'SIGKILL', error: '' });
        const next = await runChild(program, { ...input, aheadMs, crash: null });
        expect(next).toMatchObject({ code: 0, error: '' });
        await check();
      }
      expect(at).toBeGreaterThanOrEqual(LEAST_COMMITS);
      expect(at).toBeLessThan(MOST_COMMITS);
      await check();
    },
    300_000,
  );
});
