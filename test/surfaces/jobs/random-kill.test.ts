import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../../../src/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child.ts';
import { onBothDatabases } from '../../storage/databases.ts';
import { fleet } from './fleet.ts';

/** `npm run soak:jobs` kills a thousand times. */
const KILLS = Number(process.env.TRUNKLINE_TEST_SOAK_KILLS ?? 5);
const LEASE_MS = 60_000;
const LONGEST_LIFE_MS = 900;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/surfaces/jobs/node-program.ts');
});
afterAll(() => program?.remove());

onBothDatabases('nodes that are killed at any moment', ({ empty, after }) => {
  it(
    `end every job once after ${KILLS} kills`,
    async () => {
      const { options } = await empty();
      const storage = await openStorage(options);
      after(() => storage.close());
      const { folder, accept, check } = await fleet(storage, after);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await accept(1 + (kill % 4));
        const input = { storage: options, folder, aheadMs: kill * LEASE_MS, crash: null };
        const child = fork(program.file, [JSON.stringify(input)], { silent: true, execArgv: [] });
        const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * LONGEST_LIFE_MS);
        await once(child, 'exit');
        clearTimeout(timer);
      }
      const last = { storage: options, folder, aheadMs: KILLS * LEASE_MS, crash: null };
      expect(await runChild(program, last)).toMatchObject({ code: 0, error: '' });
      await check();
    },
    60_000 + KILLS * 5_000,
  );
});
