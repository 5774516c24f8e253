import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { runInThread } from '../../../src/foundation/platform/threads.ts';
import { compileProgram, dataFolder } from '../../running-server.ts';

beforeAll(compileProgram, 120_000);

const program = (text: string): string => {
  const file = join(dataFolder(), 'tasks.mjs');
  writeFileSync(file, text);
  return file;
};

it('gives back what the task gives, and throws what it throws, while others are served', async () => {
  const tasks = program(`
    export const count = (most) => { let sum = 0; for (let at = 0; at < most; at++) sum += at % 7; return sum; };
    export const fail = () => { throw new Error('no such thing'); };`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  expect(await runInThread(tasks, 'count', 5e8, { tenant: 'a' })).toBeGreaterThan(1e9);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
  await expect(runInThread(tasks, 'fail', null, { tenant: 'a' })).rejects.toThrow('no such thing');
  expect(await runInThread(tasks, 'count', 8, { tenant: 'a' })).toBe(21);
}, 60_000);

it('refuses what takes more memory than it may, and the next is served', async () => {
  const tasks = program(`
    export const grow = () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); };
    export const echo = (value) => value;`);
  await expect(runInThread(tasks, 'grow', null, { tenant: 'a' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(await runInThread(tasks, 'echo', { one: 1 }, { tenant: 'a' })).toEqual({ one: 1 });
}, 60_000);

it('refuses a tenant that has as much waiting as may, and nobody else', async () => {
  const tasks = program('export const echo = (value) => value;');
  const asked = Array.from({ length: 60 }, () => runInThread(tasks, 'echo', 1, { tenant: 'many' }));
  const other = runInThread(tasks, 'echo', 2, { tenant: 'one' });
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.filter((one) => one.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ reason: { code: 'rate_limit_exceeded' } });
  expect(await other).toBe(2);
});
